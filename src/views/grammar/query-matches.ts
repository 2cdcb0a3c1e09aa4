/**
 * Runs a query and reads its matches where the parser has left them, in the memory of WebAssembly. The library makes an
 * object of each captured node and copies it back to ask for its end: that took as long as the query itself.
 */

import type { Query, Tree } from 'web-tree-sitter';
import type { Match } from './captures.ts';
import { UseList, type Uses } from './uses.ts';

/** The module of web-tree-sitter 0.27.1: what `Parser.init` is given becomes it. */
export interface ParserModule {
  readonly wasmMemory: { readonly buffer: ArrayBuffer };
  /** Called now and then while a query runs, which ends where it says so. */
  currentQueryProgressCallback: (() => boolean) | null;
  /** Where numbers are handed over. Overwrites what is there. */
  _ts_init(): number;
  _ts_query_matches_wasm(query: number, tree: number, ...options: readonly number[]): void;
  /** Of the node that is in the place for handing over. */
  _ts_node_end_index_wasm(tree: number): number;
  _free(address: number): void;
}

export interface Running {
  readonly module: ParserModule;
  /** Patterns from this one on are of uses. */
  readonly firstUse: number;
  late(): boolean;
}

export interface QueryFound {
  /** In the order in which they were found, those of uses left out. */
  readonly matches: Match[];
  readonly uses: Uses;
}

/** Internals of the library that are used here. */
interface Insides {
  /** The address of what it stands for. */
  readonly 0: number;
}
interface QueryInsides extends Insides {
  readonly textPredicates: readonly (readonly Predicate[])[];
}
type Predicate = (
  captures: readonly { readonly name: string; readonly node: { readonly text: string } }[],
) => boolean;

/** A node is five numbers of 32 bits: its id, the character, row and column where it begins, and one more. */
const NODE = 5;
const START = 1;

const MAX = 2 ** 32 - 1;

/** The whole text (twelve zeros), all matches, at any depth. */
const OPTIONS = [...Array.from({ length: 12 }, () => 0), MAX, MAX];

/** The matches of `query` in the tree of `text`; incomplete if it is `late`. */
export function queryMatches(
  query: Query,
  tree: Tree,
  text: string,
  { module, firstUse, late }: Running,
): QueryFound {
  const { 0: queryAt, textPredicates } = query as unknown as QueryInsides;
  const { 0: treeAt } = tree as unknown as Insides;
  const transfer = module._ts_init() / 4;
  // Leaves its five numbers where the query looks for them.
  void tree.rootNode;
  module.currentQueryProgressCallback = late;
  module._ts_query_matches_wasm(queryAt, treeAt, ...OPTIONS);
  module.currentQueryProgressCallback = null;
  // The memory may have grown meanwhile.
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
