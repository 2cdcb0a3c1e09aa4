/** The counters of a task. Replicas that each saw a part of its calls can add them. */

import type { TaskCounts, TaskTotals } from '../types/telemetry.ts';

export const NO_COUNTS: TaskCounts = {
  calls: 0,
  bytes: 0,
  tokens: 0,
  errors: 0,
  continued: 0,
  saved: 0,
  rateLimits: 0,
  fresh: 0,
  again: 0,
};

const NAMES = Object.keys(NO_COUNTS) as readonly (keyof TaskCounts)[];

/** Only the counters of an object. */
export function countsOf(counted: TaskCounts): TaskCounts {
  return Object.fromEntries(NAMES.map((name) => [name, counted[name]])) as unknown as TaskCounts;
}

export function sumOf(parts: readonly TaskCounts[]): TaskCounts {
  const sum = (name: keyof TaskCounts): number => parts.reduce((all, part) => all + part[name], 0);
  return Object.fromEntries(NAMES.map((name) => [name, sum(name)])) as unknown as TaskCounts;
}

export function totalsOf(id: string, counts: TaskCounts): TaskTotals {
  const { calls, bytes, tokens, errors, continued, saved, rateLimits, fresh, again } = counts;
  return {
    id,
    calls,
    bytes,
    tokens,
    averageBytes: calls === 0 ? 0 : Math.round(bytes / calls),
    errors,
    continued,
    redundancy: share(again, again + fresh),
    saved,
    rateLimits,
  };
}

/** `part / whole`, 0 to 1, with three digits after the point. */
export function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1_000 * part) / whole) / 1_000;
}
