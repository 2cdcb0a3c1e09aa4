/** The parser: loads each grammar once, parses and queries a text within a deadline, frees every tree. */

import { brotliDecompressSync } from 'node:zlib';

import { Language as Grammar, Parser, Query } from 'web-tree-sitter';

import type { CompiledWasm } from './compiled.ts';
import { type ParserModule, type QueryFound, queryMatches } from './query-matches.ts';

/** A grammar: its wasm, packed as it is in the package or compiled, and the query that reads its trees. */
export interface GrammarFiles {
  readonly name: string;
  readonly wasm: Uint8Array | CompiledWasm;
  readonly query: string;
  /** The query that reads what names a text uses, where that is wanted. */
  readonly uses?: string;
}

/** As it is in the package. */
export interface PackedGrammar extends GrammarFiles {
  readonly wasm: Uint8Array;
}

interface Loaded {
  readonly parser: Parser;
  /** With that of uses, whose patterns follow, where it is wanted: one walk through the tree is enough. */
  readonly query: Query;
  /** Patterns from this one on are of uses. */
  readonly firstUse: number;
}

interface WasmApi {
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
}

const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: WasmApi };

/** 32 MiB and 2 GiB: what the parser has when it makes its own. Of the first most is never touched. */
const memory = new wasm.Memory({ initial: 512, maximum: 32_768 });

/** The module that the library makes of its options. */
const module = { wasmMemory: memory } as ParserModule;

/** Bytes that grammars, trees and queries have taken: they never shrink. */
export function parserBytes(): number {
  return memory.buffer.byteLength;
}

const loaded = new Map<string, Promise<Loaded>>();
let started: Promise<void> | undefined;

/**
 * The matches of the grammar's queries in the text, or undefined if it is `late` first.
 * May throw when the parser's stack overflows: its memory is not to be trusted afterwards, so end the thread.
 */
export async function matchesOf(
  text: string,
  files: GrammarFiles,
  late: () => boolean,
): Promise<QueryFound | undefined> {
  const { parser, query, firstUse } = await grammar(files);
  const isLate = nowAndThen(late);
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

/** The parser asks every hundred steps; to look at the clock takes longer than these. */
const ASKED = 32;

function nowAndThen(late: () => boolean): () => boolean {
  let asked = 0;
  return () => (asked += 1) % ASKED === 0 && late();
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

/** How many patterns begin before a byte of the query's text. */
function patternsBefore(query: Query, byte: number): number {
  let count = 0;
  while (count < query.patternCount() && query.startIndexForPattern(count) < byte) count += 1;
  return count;
}
