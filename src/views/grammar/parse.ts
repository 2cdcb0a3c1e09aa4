/** Owns the parser: grammars loaded once, a text parsed and queried before a deadline, everything given back. */

import { brotliDecompressSync } from 'node:zlib';

import { Language as Grammar, Parser, Query, type QueryMatch } from 'web-tree-sitter';

import type { Match } from './captures.ts';

/** A grammar as it lies in the package: packed wasm, and the query that reads its trees. */
export interface GrammarFiles {
  readonly name: string;
  readonly wasm: Uint8Array;
  readonly query: string;
}

interface Loaded {
  readonly parser: Parser;
  readonly query: Query;
}

const loaded = new Map<string, Promise<Loaded>>();
let started: Promise<void> | undefined;

/**
 * The matches of the grammar's query in the text, or undefined when `until` (of `performance.now()`) passed first.
 * May throw when the parser's stack overflows: its memory is not to be trusted afterwards, so end the thread.
 */
export async function matchesOf(
  text: string,
  files: GrammarFiles,
  until: number,
): Promise<Match[] | undefined> {
  const { parser, query } = await grammar(files);
  const late = (): boolean => performance.now() > until;
  const tree = parser.parse(text, null, { progressCallback: late });
  if (!tree) {
    parser.reset();
    return undefined;
  }
  try {
    const matches = query.matches(tree.rootNode, { progressCallback: late });
    return late() ? undefined : matches.map(plain);
  } finally {
    tree.delete();
  }
}

async function grammar(files: GrammarFiles): Promise<Loaded> {
  const known = loaded.get(files.name);
  if (known) return known;
  const loading = load(files);
  loaded.set(files.name, loading);
  return loading;
}

async function load({ wasm, query }: GrammarFiles): Promise<Loaded> {
  await (started ??= Parser.init());
  const language = await Grammar.load(brotliDecompressSync(wasm));
  const parser = new Parser();
  parser.setLanguage(language);
  return { parser, query: new Query(language, query) };
}

function plain({ patternIndex, captures }: QueryMatch): Match {
  return {
    pattern: patternIndex,
    captures: captures.map(({ name, node }) => ({ name, start: node.startIndex, end: node.endIndex })),
  };
}
