/**
 * Hosts that are known to cut tool answers, with limits that keep an answer and its notice whole: what is cut a second
 * time loses the notice or the middle.
 */

import { dialectOf } from '../dialects/dialect-table.ts';
import type { OrielOptions } from '../options.ts';
import { limitNames, type LimitOptions, limitsWith } from '../limits.ts';
import { safeJson } from '../text/json.ts';
import { makeVisible } from '../text/visible.ts';

/** What a client says of itself. */
export interface HostIdentity {
  /** `clientInfo.name`; empty if it gives none. */
  readonly name: string;
  /** The model that the answer goes to, where the host says so in the call. */
  readonly model?: string;
  /** Whether it shows structured content instead of the text. */
  readonly structured?: boolean;
}

interface Host {
  /** The host and its version, as measured: in its own loop, against a model server that recorded what arrived. */
  readonly measured: string;
  /** What it does to a longer answer. */
  readonly cuts: string;
  /** What it calls itself in `clientInfo`. */
  readonly name: RegExp;
  /** Models for which the row holds; all when absent. */
  readonly model?: RegExp;
  /** A notice of 1 KiB fits on top of these. */
  readonly limits: LimitOptions;
}

/** The first row that fits holds. */
export const HOSTS: readonly Host[] = [
  {
    measured: 'Claude Code 2.1.197: 48,031 characters came whole',
    cuts: 'over 25,000 tokens or about 48,000 characters: a reference to a file instead',
    name: /^claude-code\b/i,
    limits: { bytes: 47_000, tokens: 23_500 },
  },
  {
    measured: 'Codex 0.169 with a model that it knows: 48,947 characters came whole',
    cuts: 'nothing of that size',
    name: /^codex\b/i,
    model: /^(?:gpt-5|codex-)/i,
    limits: { bytes: 47_900 },
  },
  {
    measured: 'Codex 0.169 with another model: 9,309 characters came whole',
    cuts: 'the middle of what is over about 10 KB',
    name: /^codex\b/i,
    limits: { bytes: 8_900 },
  },
  {
    measured: 'opencode 1.18: 49,000 characters and 1,990 lines came whole',
    cuts: 'the end of what is over 50 KiB or 2,000 lines',
    name: /^opencode\b/i,
    limits: { bytes: 48_900, lines: 1_980 },
  },
  {
    measured: 'Gemini CLI 0.61: 38,000 characters came whole',
    cuts: 'all but the first 8,000 and the last 32,000 characters',
    name: /^gemini-cli\b/i,
    limits: { bytes: 37_000 },
  },
  {
    measured: 'Qwen Code 0.15: 23,000 characters and 990 lines came whole',
    cuts: 'the middle of what is over about 25,000 characters or 1,000 lines',
    name: /^qwen-cli\b/i,
    limits: { bytes: 22_500, lines: 980 },
  },
  {
    measured: 'Copilot CLI 1.0.102: 12,000 characters came whole',
    cuts: 'over 20 KB: a file instead',
    name: /copilot/i,
    limits: { bytes: 11_500 },
  },
];

/** For hosts that were not measured: answer and notice stay within 50,000 bytes and 2,000 lines. */
export const UNKNOWN_HOST: LimitOptions = { bytes: 48_900, lines: 1_980 };

/**
 * Bytes of the facts beside the text in structured content, and of a notice as JSON above its 1 KiB. Larger facts are left
 * out there.
 */
export const FACTS_ROOM = 2_048;

/**
 * The options with limits that suit `host`. A limit that a person has set is left as it is. What a host counts is JSON where
 * an answer is an envelope, or structured content: then its bytes are counted as JSON writes them.
 */
export function fittedTo(host: HostIdentity, options: OrielOptions): OrielOptions {
  const suits = ({ name, model }: Host): boolean =>
    name.test(host.name) && (model === undefined || model.test(host.model ?? ''));
  const wanted = HOSTS.find(suits)?.limits ?? UNKNOWN_HOST;
  const dialect = dialectOf(options.dialect ?? 'oriel');
  const set = limitsWith(dialect.limits, options.limits);
  const lower = limitNames.flatMap((name) => {
    const most = wanted[name];
    const given = options.limits?.[name] !== undefined;
    return !given && most !== undefined && most < set[name] ? [[name, most] as const] : [];
  });
  const fitted = { ...options, limits: { ...options.limits, ...Object.fromEntries(lower) } };
  const depth = (dialect.answersJson ? 1 : 0) + (host.structured ? 1 : 0);
  const own = options.limits?.bytes ?? options.limits?.tokens ?? options.tokens;
  return depth === 0 || own !== undefined
    ? fitted
    : countedAsJson(fitted, wanted, depth, host.structured ? FACTS_ROOM : 0);
}

/** Tokens are a quarter of the bytes of the JSON. */
function countedAsJson(
  options: OrielOptions,
  { bytes = Number.POSITIVE_INFINITY }: LimitOptions,
  depth: number,
  room: number,
): OrielOptions {
  const { limits = {} } = options;
  const most = Math.floor((Math.min(limits.bytes ?? bytes, bytes) - room) / 4);
  return { ...options, limits: { ...limits, tokens: most }, tokens: (text) => jsonBytes(text, depth) / 4 };
}

/** Bytes of `text` as it is shown, inside JSON that is in JSON `depth` times. */
function jsonBytes(text: string, depth: number): number {
  return Math.max(inJson(text, depth), inJson(makeVisible(text).text, depth));
}

function inJson(text: string, depth: number): number {
  let written = text;
  for (let i = 0; i < depth; i += 1) written = safeJson(written).slice(1, -1);
  return Buffer.byteLength(written);
}
