/** The parser: loads each grammar once, parses and queries a text within a deadline, frees every tree. */

import { brotliDecompressSync } from 'node:zlib';

import { Language as Grammar, Parser, Query, type QueryCapture, type QueryMatch } from 'web-tree-sitter';

import type { Match } from './captures.ts';

/** A grammar as it lies in the package: packed wasm, and the query that reads its trees. */
export interface GrammarFiles {
  readonly name: string;
  readonly wasm: Uint8Array;
  readonly query: string;
  /** The query that reads what names a text uses, where that is wanted. */
  readonly uses?: string;
}

/** What the query of uses captured: `name` is the capture's. Offsets count characters, half-open. */
export interface Use {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

interface Loaded {
  readonly parser: Parser;
  readonly query: Query;
  readonly uses: Query | undefined;
}

interface WasmApi {
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
}

const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: WasmApi };

/** 32 MiB and 2 GiB: what the parser has when it makes its own. Of the first most is never touched. */
const memory = new wasm.Memory({ initial: 512, maximum: 32_768 });

/** Bytes that grammars, trees and queries have taken: they never shrink. */
export function parserBytes(): number {
  return memory.buffer.byteLength;
}

const loaded = new Map<string, Promise<Loaded>>();
let started: Promise<void> | undefined;

/**
 * The matches of the grammar's queries in the text, or undefined where it is `late` first.
 * May throw when the parser's stack overflows: its memory is not to be trusted afterwards, so end the thread.
 */
export async function matchesOf(
  text: string,
  files: GrammarFiles,
  late: () => boolean,
): Promise<{ readonly matches: Match[]; readonly uses: Use[] } | undefined> {
  const { parser, query, uses } = await grammar(files);
  const tree = parser.parse(text, null, { progressCallback: late });
  if (!tree) {
    parser.reset();
    return undefined;
  }
  try {
    const progress = { progressCallback: late };
    const matches = query.matches(tree.rootNode, progress).map(plain);
    const used = uses?.captures(tree.rootNode, progress).map(useOf) ?? [];
    return late() ? undefined : { matches, uses: used };
  } finally {
    tree.delete();
  }
}

/** Loads a grammar, so that a deadline after it is for the text alone. */
export async function ready(files: GrammarFiles): Promise<void> {
  await grammar(files);
}

async function grammar(files: GrammarFiles): Promise<Loaded> {
  const key = files.uses === undefined ? files.name : `${files.name} with uses`;
  const known = loaded.get(key);
  if (known) return known;
  const loading = load(files);
  loaded.set(key, loading);
  return loading;
}

async function load({ wasm: packed, query, uses }: GrammarFiles): Promise<Loaded> {
  await (started ??= Parser.init({ wasmMemory: memory }));
  const language = await Grammar.load(brotliDecompressSync(packed));
  const parser = new Parser();
  parser.setLanguage(language);
  return {
    parser,
    query: new Query(language, query),
    uses: uses === undefined ? undefined : new Query(language, uses),
  };
}

function useOf({ name, node }: QueryCapture): Use {
  return { name, start: node.startIndex, end: node.endIndex };
}

function plain({ patternIndex, captures }: QueryMatch): Match {
  return {
    pattern: patternIndex,
    captures: captures.map(({ name, node }) => ({ name, start: node.startIndex, end: node.endIndex })),
  };
}
