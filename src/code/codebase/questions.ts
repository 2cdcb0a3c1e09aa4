/** The questions about the code below a directory, and their replies as plain data for other threads. */

import { nearNames } from '../../text/near.ts';
import type { SymbolTag } from '../tags.ts';
import type { CodeTree, SymbolDefinition } from './code-tree.ts';
import { findDefinitions, findImporters, findImports, findUses, findWords, inPathOrder } from './find.ts';
import { type MapText, mapText } from './map.ts';
import { findCallees, findCallers, findCallingFiles, findPromising, findRelevant } from './relevance.ts';
import { wordsOf } from './words.ts';

/** `isParsed`: the files of `sketched` in the reply before were parsed, as far as there was time. The others do not count. */
export type CodeQuestion =
  /** The map of the directory: see `MapWanted`. `query`: words that raise files and symbols. */
  | {
      readonly kind: 'map';
      readonly bytes: number;
      readonly lines: number;
      readonly from: number;
      readonly query: string;
      readonly isParsed?: boolean | undefined;
      /** Recently changed files: their paths, joined by `\0`, and a weight of each, 0 to 1. */
      readonly recent?: { readonly paths: string; readonly weights: Float64Array } | undefined;
    }
  /** The definitions of each of `names`: for each of them `from` (0-based) to `from + most`, half-open. */
  | {
      readonly kind: 'definitions';
      readonly names: readonly string[];
      readonly from: number;
      readonly most: number;
      readonly isParsed?: boolean | undefined;
    }
  /** The uses of a name, `from` (0-based) to `from + most`, half-open. `of`: only of the symbols that this file declares. */
  | {
      readonly kind: 'uses';
      readonly name: string;
      readonly of?: string | undefined;
      readonly from: number;
      readonly most: number;
      readonly isParsed?: boolean | undefined;
    }
  /** `importers`: the files that import `path`, as a page in the same way. `imports`: the files that it imports. */
  | {
      readonly kind: 'importers' | 'imports';
      readonly path: string;
      readonly from: number;
      readonly most: number;
      readonly isParsed?: boolean | undefined;
    }
  /** The symbols that match words of `query`, the best first, as a page in the same way. */
  | { readonly kind: 'words'; readonly query: string; readonly from: number; readonly most: number }
  /** The symbols that answer `query` best, with what calls them and what they call, as a page in the same way. */
  | {
      readonly kind: 'relevant';
      readonly query: string;
      readonly from: number;
      readonly most: number;
      readonly isParsed?: boolean | undefined;
    };

/** A symbol and its file. Lines are 1-based and inclusive. */
export interface DeclaredSymbol {
  /** Relative to the directory. */
  readonly path: string;
  readonly qualified: string;
  readonly kind: SymbolTag['kind'];
  readonly signature: string;
  readonly from: number;
  readonly to: number;
  /** Whether no other symbol of the file has the same qualified name. */
  readonly unique: boolean;
}

/** A symbol with some of the symbols that call it, and of those that it calls. */
export interface RelatedSymbol extends DeclaredSymbol {
  readonly callers: readonly DeclaredSymbol[];
  readonly callees: readonly DeclaredSymbol[];
}

export interface UsedAt {
  /** Relative to the directory. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** Whether imports confirm that it means this symbol. */
  readonly sure: boolean;
  /** The innermost symbol that contains the line. */
  readonly within?: { readonly qualified: string; readonly from: number; readonly to: number } | undefined;
}

export type CodeReply =
  | { readonly kind: 'map'; readonly map: MapText }
  /** For each name, in order. */
  | {
      readonly kind: 'definitions';
      readonly found: readonly FoundName[];
      readonly sketched: readonly number[];
    }
  /** A page of the uses. */
  | {
      readonly kind: 'uses';
      readonly uses: readonly UsedAt[];
      /** The number of all uses, and of those that imports confirm. */
      readonly all: number;
      readonly sure: number;
      /** A file uses the name on more lines than are stored. */
      readonly cut: boolean;
      /** The definitions of the name. */
      readonly name: FoundName;
      readonly sketched: readonly number[];
    }
  | { readonly kind: 'importers'; readonly paths: readonly string[]; readonly all: number }
  | {
      readonly kind: 'imports';
      readonly files: readonly ImportedNames[];
      /** The number of all files. */
      readonly all: number;
      /** Modules outside the tree, as written. */
      readonly outside: readonly string[];
      readonly sketched: readonly number[];
    }
  | { readonly kind: 'words'; readonly found: readonly DeclaredSymbol[]; readonly all: number }
  | {
      readonly kind: 'relevant';
      readonly found: readonly RelatedSymbol[];
      readonly all: number;
      readonly sketched: readonly number[];
    };

/** A file that another one imports, and the names that it uses of it, with their lines (1-based). */
export interface ImportedNames {
  readonly path: string;
  readonly used: readonly { readonly qualified: string; readonly lines: readonly number[] }[];
}

export interface FoundName {
  /** A page of the definitions. */
  readonly declared: readonly DeclaredSymbol[];
  /** The number of all definitions. */
  readonly all: number;
  /** Similar names, if there is no definition. */
  readonly near: readonly string[];
}

/** Maximum similar names, and definitions with a page of uses. */
const NEAR = 5;

/** Maximum results of a search for words. */
const MAX_WORD_RESULTS = 1_000;

export function answerAbout(tree: CodeTree, question: CodeQuestion): CodeReply {
  tree.consulted.clear();
  switch (question.kind) {
    case 'map': {
      const { bytes, lines, from, query, isParsed, recent } = question;
      const words = wordsOf(query).map((word) => word.toLowerCase());
      const weights = tree.weightsOf(recent?.paths.split('\0') ?? [], recent?.weights ?? []);
      return {
        kind: 'map',
        map: mapText(tree, { bytes, lines, from, isParsed, words, recent: weights }),
      };
    }
    case 'definitions': {
      const { names, from, most } = question;
      const found = names.map((name) => {
        const all = findDefinitions(tree, name).filter(({ file }) => !tree.isSketched(file));
        return foundOf(tree, name, all, { from, most });
      });
      return { kind: 'definitions', found, sketched: [...tree.consulted] };
    }
    case 'uses': {
      const { name, of, from, most } = question;
      const meant = findDefinitions(tree, name, of)
        .filter(({ file }) => !tree.isSketched(file))
        .sort((a, b) => inPathOrder(tree, a.file, b.file) || a.tag.from - b.tag.from);
      const { uses, cut } = findUses(tree, meant);
      return {
        kind: 'uses',
        uses: uses.slice(from, from + most).map(({ file, line, sure, within }) => ({
          path: pathOf(tree, file),
          line,
          sure,
          within: within ? { qualified: within.qualified, from: within.from, to: within.to } : undefined,
        })),
        all: uses.length,
        sure: uses.filter(({ sure }) => sure).length,
        cut,
        name: foundOf(tree, name, meant, { from: 0, most: NEAR }),
        sketched: [...tree.consulted],
      };
    }
    case 'importers': {
      const target = tree.paths.indexOf(question.path);
      const found = target === -1 ? [] : findImporters(tree, target).map((file) => pathOf(tree, file));
      return {
        kind: 'importers',
        paths: found.slice(question.from, question.from + question.most),
        all: found.length,
      };
    }
    case 'imports': {
      const { path, from, most } = question;
      const target = tree.paths.indexOf(path);
      const { files, outside } = target === -1 ? { files: [], outside: [] } : findImports(tree, target);
      const page = files.slice(from, from + most).map(({ file, used }) => ({
        path: pathOf(tree, file),
        used: used.map(({ tag: { qualified }, lines }) => ({ qualified, lines })),
      }));
      return { kind: 'imports', files: page, all: files.length, outside, sketched: [...tree.consulted] };
    }
    case 'words': {
      const found = findWords(tree, question.query, MAX_WORD_RESULTS);
      const page = found.slice(question.from, question.from + question.most);
      return { kind: 'words', found: page.map((one) => declared(tree, one)), all: found.length };
    }
    case 'relevant': {
      const { query, from, most, isParsed } = question;
      const promising = isParsed ? [] : findPromising(tree, query);
      if (promising.length > 0) return { kind: 'relevant', found: [], all: 0, sketched: promising };
      const found = findRelevant(tree, query);
      const page = found.slice(from, from + most);
      const related = page.map((one) => ({
        ...declared(tree, one),
        callers: findCallers(tree, one).map((caller) => declared(tree, caller)),
        callees: findCallees(tree, one).map((callee) => declared(tree, callee)),
      }));
      return {
        kind: 'relevant',
        found: related,
        all: found.length,
        // The words may be in comments, which sketches leave out.
        sketched:
          found.length > 0
            ? findCallingFiles(tree, page)
            : [...tree.paths.keys()].filter((file) => tree.isSketched(file)),
      };
    }
  }
}

interface Page {
  readonly from: number;
  readonly most: number;
}

function foundOf(
  tree: CodeTree,
  name: string,
  found: readonly SymbolDefinition[],
  { from, most }: Page,
): FoundName {
  return {
    declared: found.slice(from, from + most).map((one) => declared(tree, one)),
    all: found.length,
    near: found.length > 0 ? [] : nearNames(name.slice(name.search(/[^.:#]*$/)), tree.names(), NEAR),
  };
}

function declared(tree: CodeTree, { file, tag }: SymbolDefinition): DeclaredSymbol {
  const { qualified, kind, signature, from, to } = tag;
  const unique = tree.tagsOf(file).filter((other) => other.qualified === qualified).length === 1;
  return { path: pathOf(tree, file), qualified, kind, signature, from, to, unique };
}

function pathOf(tree: CodeTree, file: number): string {
  return tree.pathOf(file);
}
