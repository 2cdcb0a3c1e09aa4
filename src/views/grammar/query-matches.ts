/**
 * Runs a query and reads its matches directly from the memory of WebAssembly. The library's own API creates an object for
 * each captured node and copies it back to get its end, which takes as long as the query itself.
 */

import type { Query, Tree } from 'web-tree-sitter';
import type { Match } from './captures.ts';
import { UseList, type Uses } from './uses.ts';

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

export interface Running {
  readonly module: ParserModule;
  /** The index of the first pattern of `uses`. */
  readonly firstUse: number;
  late(): boolean;
}

export interface QueryFound {
  /** In the order in which they were found, without those of `uses`. */
  readonly matches: Match[];
  readonly uses: Uses;
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
  { module, firstUse, late }: Running,
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
  const matches: Match[] = [];
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

function holds(predicates: readonly Predicate[], captures: Match['captures'], text: string): boolean {
  if (predicates.length === 0) return true;
  const known = captures.map(({ name, start, end }) => ({ name, node: { text: text.slice(start, end) } }));
  return predicates.every((predicate) => predicate(known));
}
