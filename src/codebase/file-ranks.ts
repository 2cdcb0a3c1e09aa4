/** The importance of each file of a tree: PageRank over the uses between files. */

import type { Edges } from './edges.ts';

/** The share of its rank that a file passes on to the files that it uses. Source: Brin and Page 1998. */
const DAMPING = 0.85;
const ROUNDS = 40;

/** The rank of each of `count` files; the ranks add up to 1. Files without edges pass their rank on to all files. */
export function pageRank(count: number, { starts, to, weight }: Edges): Float64Array {
  const out = new Float64Array(count);
  for (let node = 0; node < count; node += 1) {
    const end = starts[node + 1] as number;
    for (let i = starts[node] as number; i < end; i += 1)
      out[node] = (out[node] as number) + (weight[i] as number);
  }
  let rank = new Float64Array(count).fill(1 / count);
  let next = new Float64Array(count);
  for (let round = 0; round < ROUNDS; round += 1) {
    let dangling = 0;
    for (let node = 0; node < count; node += 1) if (out[node] === 0) dangling += rank[node] as number;
    next.fill((1 - DAMPING + DAMPING * dangling) / count);
    for (let node = 0; node < count; node += 1) {
      const [passed, all, end] = [DAMPING * (rank[node] as number), out[node] as number, starts[node + 1]];
      for (let i = starts[node] as number; i < (end as number); i += 1) {
        const target = to[i] as number;
        next[target] = (next[target] as number) + passed * ((weight[i] as number) / all);
      }
    }
    [rank, next] = [next, rank];
  }
  return rank;
}
