/**
 * The parser: loads each grammar once, parses and queries a text within a deadline, and frees every tree. Texts are parsed by
 * WebAssembly that starts with each text anew, so that nothing of one is left for the next.
 */

import { Language as Grammar, Parser, Query, type Tree } from 'web-tree-sitter';
import { asset } from '../../files/package-files.ts';
import { brotliDecompressSync } from '../../process/worker-ending.ts';
import { type GrammarMatch, type UseCaptures, UseList } from './captures.ts';
import type { CompiledWasm } from './compiled.ts';

/** A grammar: its WebAssembly, compressed as in the package or compiled, and the query for its trees. */
export interface GrammarFiles {
  readonly name: string;
  readonly wasm: Uint8Array | CompiledWasm;
  readonly query: string;
  /** The query for used names; absent if they are not needed. */
  readonly uses?: string | undefined;
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
 * The matches of the grammar's queries in the text (`isDamaged`: a part of it was not understood), or undefined if `late`
 * returned true. May throw when the parser's stack overflows. Its memory is undefined afterwards, so the thread must end.
 */
export async function queryGrammar(
  text: string,
  files: GrammarFiles,
  late: () => boolean,
): Promise<(QueryFound & { readonly isDamaged: boolean }) | undefined> {
  const { parser, query, firstUse } = await grammar(files);
  const isLate = everyFewCalls(late);
  const tree = parser.parse(text, null, { progressCallback: isLate });
  if (!tree) {
    parser.reset();
    return undefined;
  }
  try {
    const found = queryMatches(query, tree, text, { module, firstUse, late: isLate });
    return late() ? undefined : { ...found, isDamaged: tree.rootNode.hasError };
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
  await (started ??= start());
  const language =
    packed instanceof Uint8Array
      ? await Grammar.load(brotliDecompressSync(packed))
      : Grammar.loadSync(packed as Parameters<typeof Grammar.loadSync>[0]);
  const parser = new Parser();
  parser.setLanguage(language);
  const all = new Query(language, uses === undefined ? query : `${query}\n${uses}`);
  return { parser, query: all, firstUse: patternsBefore(all, Buffer.byteLength(query)) };
}

async function start(): Promise<void> {
  await Parser.init(Object.assign(module, { wasmBinary: await asset('wasm/web-tree-sitter.wasm') }));
}

/** The number of patterns that begin before a byte of the query's text. */
function patternsBefore(query: Query, byte: number): number {
  let count = 0;
  while (count < query.patternCount() && query.startIndexForPattern(count) < byte) count += 1;
  return count;
}

// Runs a query and reads its matches directly from the memory of WebAssembly. The library's own API creates an object for
// each captured node and copies it back to get its end, which takes as long as the query itself.

/** The module of web-tree-sitter 0.27.1: the object that was passed to `Parser.init`. */
export interface ParserModule {
  readonly wasmMemory: { readonly buffer: ArrayBuffer };
  /** Called regularly while a query runs; true ends the query. */
  currentQueryProgressCallback: (() => boolean) | null;
  /** Returns the address of the transfer buffer. Overwrites its content. */
  _ts_init(): number;
  _ts_query_matches_wasm(query: number, tree: number, ...options: readonly number[]): void;
  /** The end of the node that is in the transfer buffer. */
  _ts_node_end_index_wasm(tree: number): number;
  _free(address: number): void;
}

interface QueryRun {
  readonly module: ParserModule;
  /** The index of the first pattern of `uses`. */
  readonly firstUse: number;
  late(): boolean;
}

interface QueryFound {
  /** In the order in which they were found, without those of `uses`. */
  readonly matches: GrammarMatch[];
  readonly uses: UseCaptures;
}

/** Internals of the library that are used here. */
interface Insides {
  /** The address of the object in WebAssembly. */
  readonly 0: number;
}
interface QueryInsides extends Insides {
  readonly textPredicates: readonly (readonly Predicate[])[];
}
type Predicate = (
  captures: readonly { readonly name: string; readonly node: { readonly text: string } }[],
) => boolean;

/** A node is five 32-bit numbers: its id, the offset, row and column of its start, and an internal one. */
const NODE = 5;
const START = 1;

const MAX = 2 ** 32 - 1;

/** Options of the query: the whole text (twelve zeros), no limit of matches, any depth. */
const OPTIONS = [...Array.from({ length: 12 }, () => 0), MAX, MAX];

/** The matches of `query` in the tree of `text`; incomplete if `late` returned true. */
export function queryMatches(
  query: Query,
  tree: Tree,
  text: string,
  { module, firstUse, late }: QueryRun,
): QueryFound {
  const { 0: queryAt, textPredicates } = query as unknown as QueryInsides;
  const { 0: treeAt } = tree as unknown as Insides;
  const transfer = module._ts_init() / 4;
  // The getter writes the root node to the transfer buffer, from which the query reads it.
  void tree.rootNode;
  module.currentQueryProgressCallback = late;
  module._ts_query_matches_wasm(queryAt, treeAt, ...OPTIONS);
  module.currentQueryProgressCallback = null;
  // The memory may have grown, which replaces its buffer.
  const numbers = new Int32Array(module.wasmMemory.buffer);
  const [count = 0, address = 0] = numbers.subarray(transfer, transfer + 2);
  const matches: GrammarMatch[] = [];
  const uses = new UseList();
  let at = address / 4;
  const next = (): number => numbers[at++] as number;
  const nextEnd = (): number => {
    for (let i = 0; i < NODE; i += 1) numbers[transfer + i] = numbers[at++] as number;
    return module._ts_node_end_index_wasm(treeAt);
  };
  for (let i = 0; i < count; i += 1) {
    const pattern = next();
    const length = next();
    const predicates = textPredicates[pattern] ?? [];
    if (pattern >= firstUse && predicates.length === 0) {
      for (let j = 0; j < length; j += 1) uses.add(next(), numbers[at + START] as number, nextEnd());
      continue;
    }
    const captures: { name: string; start: number; end: number }[] = [];
    for (let j = 0; j < length; j += 1) {
      const [id, start] = [next(), numbers[at + START] as number];
      captures.push({ name: query.captureNames[id] as string, start, end: nextEnd() });
    }
    if (!holds(predicates, captures, text)) continue;
    if (pattern < firstUse) matches.push({ pattern, captures });
    else for (const { name, start, end } of captures) uses.add(query.captureNames.indexOf(name), start, end);
  }
  module._free(address);
  return { matches, uses: uses.inOrder(query.captureNames) };
}

function holds(predicates: readonly Predicate[], captures: GrammarMatch['captures'], text: string): boolean {
  if (predicates.length === 0) return true;
  const known = captures.map(({ name, start, end }) => ({ name, node: { text: text.slice(start, end) } }));
  return predicates.every((predicate) => predicate(known));
}
