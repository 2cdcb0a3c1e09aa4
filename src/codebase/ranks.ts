/** How much each file of a tree matters to the others: PageRank over what they use of each other. */

import type { EdgeList } from './edges.ts';

/** The part of its rank that a file hands on to what it uses. Source: Brin and Page 1998. */
const DAMPING = 0.85;
const ROUNDS = 40;

/** The rank of each of `count` files; they add up to 1. */
export function pageRank(count: number, { count: edges, from, to, weight }: EdgeList): Float64Array {
  const out = new Float64Array(count);
  for (let i = 0; i < edges; i += 1)
    out[from[i] as number] = (out[from[i] as number] ?? 0) + (weight[i] ?? 0);
  let rank = new Float64Array(count).fill(1 / count);
  for (let round = 0; round < ROUNDS; round += 1) {
    let loose = 0;
    for (let node = 0; node < count; node += 1) if (out[node] === 0) loose += rank[node] ?? 0;
    const next = new Float64Array(count).fill((1 - DAMPING + DAMPING * loose) / count);
    for (let i = 0; i < edges; i += 1) {
      const [source, target] = [from[i] as number, to[i] as number];
      const share = (weight[i] ?? 0) / (out[source] as number);
      next[target] = (next[target] ?? 0) + DAMPING * (rank[source] ?? 0) * share;
    }
    rank = next;
  }
  return rank;
}
