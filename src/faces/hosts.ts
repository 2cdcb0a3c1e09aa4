/**
 * Owns what is known about hosts that cut what a tool answers: an answer that fits is not cut a second time, at a
 * place that loses the notice or the middle.
 */

import { dialectOf } from '../dialects/table.ts';
import type { OrielOptions } from '../assemble.ts';
import { limitNames, type LimitOptions, limitsWith } from '../limits.ts';

interface Host {
  /** What it calls itself in `clientInfo`. */
  readonly name: RegExp;
  /** A notice of 1 KiB fits on top of these. */
  readonly limits: LimitOptions;
}

const HOSTS: readonly Host[] = [
  // Cuts at 25,000 tokens and at 50,000 characters.
  { name: /^claude-code\b/i, limits: { bytes: 48_000, tokens: 24_000 } },
  // Leave out the middle of what is larger than 10 KB or 256 lines.
  { name: /^codex\b/i, limits: { bytes: 9_000, lines: 250 } },
  { name: /copilot/i, limits: { bytes: 9_000 } },
];

/** The options with limits that suit `host` (its name in `clientInfo`), never above those that are set. */
export function fittedTo(host: string | undefined, options: OrielOptions): OrielOptions {
  const known = HOSTS.find(({ name }) => host !== undefined && name.test(host));
  if (!known) return options;
  const set = limitsWith(dialectOf(options.dialect ?? 'oriel').limits, options.limits);
  const lower = limitNames.flatMap((name) => {
    const most = known.limits[name];
    return most !== undefined && most < set[name] ? [[name, most] as const] : [];
  });
  return { ...options, limits: { ...options.limits, ...Object.fromEntries(lower) } };
}
