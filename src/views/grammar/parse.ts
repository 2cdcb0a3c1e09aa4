/**
 * The parser: loads each grammar once, parses and queries a text within a deadline, and frees every tree. Texts are parsed by
 * WebAssembly that starts with each text anew, so that nothing of one is left for the next.
 */

import { Language as Grammar, Parser, Query } from 'web-tree-sitter';
import { brotliDecompressSync } from '../../access/uninterrupted.ts';
import type { CompiledWasm } from './compiled.ts';
import { type ParserModule, type QueryFound, queryMatches } from './query-matches.ts';

/** A grammar: its WebAssembly, compressed as in the package or compiled, and the query for its trees. */
export interface GrammarFiles {
  readonly name: string;
  readonly wasm: Uint8Array | CompiledWasm;
  readonly query: string;
  /** The query for used names; absent if they are not needed. */
  readonly uses?: string;
}

/** With the compressed WebAssembly of the package. */
export interface PackedGrammar extends GrammarFiles {
  readonly wasm: Uint8Array;
}

interface Loaded {
  readonly parser: Parser;
  /** Followed by the patterns of `uses`, if requested, so that one pass through the tree is enough. */
  readonly query: Query;
  /** The index of the first pattern of `uses`. */
  readonly firstUse: number;
}

interface WasmApi {
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
}

const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: WasmApi };

/** 32 MiB to 2 GiB in pages of 64 KiB, the library's own defaults. Most of the initial memory is never touched. */
const memory = new wasm.Memory({ initial: 512, maximum: 32_768 });

/** The options of the library, which it turns into its module. */
const module = { wasmMemory: memory } as ParserModule;

/** Bytes of memory of the parser, for grammars, trees and queries. It never shrinks. */
export function parserBytes(): number {
  return memory.buffer.byteLength;
}

const loaded = new Map<string, Promise<Loaded>>();
let started: Promise<void> | undefined;

/**
 * The matches of the grammar's queries in the text, or undefined if `late` returned true. May throw when the parser's
 * stack overflows. Its memory is undefined afterwards, so the thread must end.
 */
export async function matchesOf(
  text: string,
  files: GrammarFiles,
  late: () => boolean,
): Promise<QueryFound | undefined> {
  const { parser, query, firstUse } = await grammar(files);
  const isLate = everyFewCalls(late);
  const tree = parser.parse(text, null, { progressCallback: isLate });
  if (!tree) {
    parser.reset();
    return undefined;
  }
  try {
    const found = queryMatches(query, tree, text, { module, firstUse, late: isLate });
    return late() ? undefined : found;
  } finally {
    tree.delete();
  }
}

/** The parser calls back every hundred steps, which take less time than reading the clock. */
const ASKED = 32;

function everyFewCalls(late: () => boolean): () => boolean {
  let asked = 0;
  return () => (asked += 1) % ASKED === 0 && late();
}

/** Loads a grammar, so that the time for loading does not count for the timeout of a text. */
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
  await (started ??= Parser.init(module));
  const language =
    packed instanceof Uint8Array
      ? await Grammar.load(brotliDecompressSync(packed))
      : Grammar.loadSync(packed as Parameters<typeof Grammar.loadSync>[0]);
  const parser = new Parser();
  parser.setLanguage(language);
  const all = new Query(language, uses === undefined ? query : `${query}\n${uses}`);
  return { parser, query: all, firstUse: patternsBefore(all, Buffer.byteLength(query)) };
}

/** The number of patterns that begin before a byte of the query's text. */
function patternsBefore(query: Query, byte: number): number {
  let count = 0;
  while (count < query.patternCount() && query.startIndexForPattern(count) < byte) count += 1;
  return count;
}
