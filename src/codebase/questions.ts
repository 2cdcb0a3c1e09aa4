/** What is asked about the code below a directory, and the answers as plain data. */

import type { Tag } from '../views/file-tags.ts';
import { nearNames } from '../text/near.ts';
import { findDefinitions } from './find-definitions.ts';
import { findImporters, findUses } from './find-uses.ts';
import { findWords, wordsOf } from './find-words.ts';
import { type MapText, mapText } from './map-text.ts';
import type { Definition, Tree } from './code-tree.ts';

export type CodeQuestion =
  | {
      readonly is: 'map';
      readonly bytes: number;
      readonly lines: number;
      readonly from: number;
      readonly query: string;
      /** What was changed lately: paths joined by `\0`, and for each of them a number up to 1. */
      readonly recent?: { readonly paths: string; readonly weights: Float64Array };
    }
  /** Where each of `names` is declared, `from` (0-based) to `from + most`. */
  | {
      readonly is: 'definitions';
      readonly names: readonly string[];
      readonly from: number;
      readonly most: number;
    }
  /** Where a name is used, `from` (0-based) to `from + most`; only that of the file `of` where it is given. */
  | {
      readonly is: 'uses';
      readonly name: string;
      readonly of?: string;
      readonly from: number;
      readonly most: number;
    }
  /** The files that import `path`. */
  | { readonly is: 'importers'; readonly path: string; readonly from: number; readonly most: number }
  | { readonly is: 'words'; readonly query: string; readonly from: number; readonly most: number };

/** A symbol and its file, by the path relative to the directory. */
export interface Declared {
  readonly path: string;
  readonly qualified: string;
  readonly kind: Tag['kind'];
  readonly signature: string;
  readonly from: number;
  readonly to: number;
  /** Whether its qualified name names it, and no other symbol of the file. */
  readonly unique: boolean;
}

export interface UsedAt {
  readonly path: string;
  readonly line: number;
  readonly sure: boolean;
  readonly within?: { readonly qualified: string; readonly from: number; readonly to: number };
}

export type CodeReply =
  | { readonly is: 'map'; readonly map: MapText }
  /** By name, in order. `near`: what has a similar name, where nothing has that name. */
  | { readonly is: 'definitions'; readonly found: readonly FoundName[] }
  /** Of `all` uses those asked for. `definitions`: what the name means. */
  | {
      readonly is: 'uses';
      readonly uses: readonly UsedAt[];
      readonly all: number;
      readonly sure: number;
      /** A file has more of them than are kept. */
      readonly cut: boolean;
      readonly name: FoundName;
    }
  | { readonly is: 'importers'; readonly paths: readonly string[]; readonly all: number }
  | { readonly is: 'words'; readonly found: readonly Declared[]; readonly all: number };

export interface FoundName {
  readonly declared: readonly Declared[];
  readonly all: number;
  readonly near: readonly string[];
}

const NEAR = 5;

/** Symbols of a search for words that are sorted. */
const MOST_FOUND = 1_000;

export function answerAbout(tree: Tree, question: CodeQuestion): CodeReply {
  switch (question.is) {
    case 'map': {
      const { bytes, lines, from, query, recent } = question;
      const weights = tree.weightsOf(recent?.paths.split('\0') ?? [], recent?.weights ?? []);
      return {
        is: 'map',
        map: mapText(tree, { bytes, lines, from, words: wordsOf(query), recent: weights }),
      };
    }
    case 'definitions': {
      const { names, from, most } = question;
      return { is: 'definitions', found: names.map((name) => foundName(tree, name, { from, most })) };
    }
    case 'uses': {
      const { name, of, from, most } = question;
      const all = findDefinitions(tree, name);
      const meant = of === undefined ? all : all.filter(({ file }) => tree.pathOf(file) === of);
      const { uses, cut } = findUses(tree, meant);
      return {
        is: 'uses',
        uses: uses.slice(from, from + most).map(({ file, line, sure, within }) => ({
          path: pathOf(tree, file),
          line,
          sure,
          ...(within && { within: { qualified: within.qualified, from: within.from, to: within.to } }),
        })),
        all: uses.length,
        sure: uses.filter(({ sure }) => sure).length,
        cut,
        name: foundOf(tree, name, meant, { from: 0, most: NEAR }),
      };
    }
    case 'importers': {
      const target = tree.paths.indexOf(question.path);
      const found = target === -1 ? [] : findImporters(tree, target).map((file) => pathOf(tree, file));
      return {
        is: 'importers',
        paths: found.slice(question.from, question.from + question.most),
        all: found.length,
      };
    }
    case 'words': {
      const found = findWords(tree, wordsOf(question.query), MOST_FOUND);
      const page = found.slice(question.from, question.from + question.most);
      return { is: 'words', found: page.map((one) => declared(tree, one)), all: found.length };
    }
  }
}

interface Page {
  readonly from: number;
  readonly most: number;
}

function foundName(tree: Tree, name: string, page: Page): FoundName {
  return foundOf(tree, name, findDefinitions(tree, name), page);
}

function foundOf(tree: Tree, name: string, found: readonly Definition[], { from, most }: Page): FoundName {
  return {
    declared: found.slice(from, from + most).map((one) => declared(tree, one)),
    all: found.length,
    near: found.length > 0 ? [] : nearNames(name.slice(name.search(/[^.:#]*$/)), tree.names(), NEAR),
  };
}

function declared(tree: Tree, { file, tag }: Definition): Declared {
  const { qualified, kind, signature, from, to } = tag;
  const unique = tree.tagsOf(file).filter((other) => other.qualified === qualified).length === 1;
  return { path: pathOf(tree, file), qualified, kind, signature, from, to, unique };
}

function pathOf(tree: Tree, file: number): string {
  return tree.pathOf(file);
}
