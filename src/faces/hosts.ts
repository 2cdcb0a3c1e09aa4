/**
 * Hosts that truncate tool answers, with limits for which an answer and its notice stay complete. A second truncation would
 * remove the notice or the middle.
 */

import { dialectOf } from '../dialects/dialect-table.ts';
import type { OrielOptions } from '../options.ts';
import { limitNames, type LimitOptions, limitsWith, shownSize } from '../text/limits.ts';
import { makeVisible, safeJson } from '../text/visible.ts';

export interface HostIdentity {
  /** `clientInfo.name`; empty if it gives none. */
  readonly name: string;
  /** The model that receives the answer, if the host says so in the call. */
  readonly model?: string | undefined;
  /** Whether it shows structured content instead of the text. */
  readonly structured?: boolean | undefined;
  /** Whether a script reads the answer, of a host that passes it on to scripts whole. */
  readonly script?: boolean | undefined;
}

interface Host {
  /** The host and its newest version that was measured: its own agent loop against a model server that recorded the requests. */
  readonly measured: string;
  /** How it truncates a longer answer. */
  readonly cuts: string;
  readonly name: RegExp;
  /** Models to which the row applies; all when absent. */
  readonly model?: RegExp | undefined;
  /** Limits that leave room for a notice of 1 KiB, in the unit that it counts. */
  readonly limits: LimitOptions;
  /** Whether it counts the bytes of an answer as JSON. */
  readonly countsJson?: boolean | undefined;
  /** Whether scripts that a model writes call its tools, and get structured content beside the text. */
  readonly scripts?: boolean | undefined;
  /** Whether it declares tools of its own for the resources of a server, which every request carries. */
  readonly makesResourceTools?: boolean | undefined;
  /** Whether it turns images into text, so that a model gets their facts instead. */
  readonly hidesImages?: boolean | undefined;
}

/**
 * The first matching row applies, to newer versions too. A model of the host's own vendor that no row names is taken for its
 * newest one, any other for the one that got least.
 */
export const HOSTS: readonly Host[] = [
  {
    measured: 'Claude Code 2.1.332: 48,900 characters came whole',
    cuts: 'over 25,000 tokens or about 48,000 characters: a reference to a file instead',
    name: /^claude-code\b/i,
    limits: { unit: 'characters', bytes: 47_000, tokens: 23_500 },
  },
  {
    measured: 'Codex 0.171 with gpt-5.5: 46,000 characters came whole',
    cuts: 'the middle of what is over about 46,000 characters',
    name: /^codex\b/i,
    model: /^gpt-5\.5\b/i,
    limits: { bytes: 44_900 },
  },
  {
    measured: 'Codex 0.171 with gpt-6 and other models of its vendor: 39,500 characters came whole',
    cuts: 'the middle of what is over 10,000 tokens',
    name: /^codex\b/i,
    model: /^(?:gpt-(?!5$)|codex-|o\d)/i,
    limits: { bytes: 38_400 },
    scripts: true,
  },
  {
    measured: 'Codex 0.171 with gpt-5 or another model: 11,700 characters and 900 lines came whole',
    cuts: 'the middle of what is over about 12,000 characters',
    name: /^codex\b/i,
    limits: { bytes: 10_600, lines: 890 },
  },
  {
    measured: 'opencode 1.18 and Kilo 7.7: 51,000 characters and 1,990 lines came whole',
    cuts: 'the end of what is over 50 KiB or 2,000 lines',
    name: /^(?:opencode|kilo)/i,
    limits: { bytes: 49_900, lines: 1_980 },
    makesResourceTools: true,
  },
  {
    measured: 'Gemini CLI 0.61: 39,500 characters came whole',
    cuts: 'all but the first 8,000 and the last 32,000 characters',
    name: /^gemini-cli\b/i,
    limits: { unit: 'characters', bytes: 38_400 },
  },
  {
    measured: 'Qwen Code 0.24: 24,500 characters came whole',
    cuts: 'the middle of what is over about 25,000 characters',
    name: /^qwen-/i,
    limits: { unit: 'characters', bytes: 23_400, lines: 2_800 },
  },
  {
    measured: 'Copilot CLI 1.0.102: 19,500 characters came whole',
    cuts: 'over 20 KB: a file instead',
    name: /copilot/i,
    limits: { bytes: 18_400, lines: 2_800 },
  },
  {
    measured: 'pi 1.6: 19,500 characters came whole',
    cuts: 'the middle of what is over 20 KB',
    name: /^pi\b/i,
    limits: { bytes: 18_400, lines: 2_800 },
    scripts: true,
    makesResourceTools: true,
  },
  {
    measured: 'Cline 3.0: 7,200 characters and 900 lines came whole, images as text',
    cuts: 'the middle of what is over 8,000 characters of JSON',
    name: /^(?:@cline\/core|cline)\b/i,
    limits: { unit: 'characters', bytes: 6_200, lines: 890 },
    countsJson: true,
    hidesImages: true,
  },
  {
    measured: 'Continue 1.5: 90,000 characters and 2,900 lines came whole, images as text',
    cuts: 'nothing of that size',
    name: /^continue\b/i,
    limits: { unit: 'characters', bytes: 50_000, lines: 2_800 },
    hidesImages: true,
  },
];

/** Limits for unknown hosts: the answer with its notice has at most 19,500 characters and 1,990 lines. */
export const UNKNOWN_HOST: LimitOptions = { unit: 'characters', bytes: 18_400, lines: 1_980 };

/** Limits of an answer that only a script reads, unless the operator set others. */
const SCRIPT_LIMITS: LimitOptions = { bytes: 256 << 10, lines: 50_000 };

const rowOf = (host: HostIdentity): Host | undefined =>
  HOSTS.find(
    ({ name, model }) => name.test(host.name) && (model === undefined || model.test(host.model ?? '')),
  );

/** Whether scripts of the model that makes a call read structured content. */
export function runsScripts(host: HostIdentity): boolean {
  return rowOf(host)?.scripts === true;
}

/** Whether the host is not told of resources: each has a path for `read`, too. */
export function makesResourceTools(host: HostIdentity): boolean {
  return rowOf(host)?.makesResourceTools === true;
}

/**
 * Whether those of any model of the host do: a list of tools is sent before the model is known. So a model without scripts
 * gets no content for a declared schema, though the protocol wants it: it would see that instead of the text.
 */
export function mayRunScripts({ name }: HostIdentity): boolean {
  return HOSTS.some((host) => host.scripts && host.name.test(name));
}

/**
 * Maximum bytes of the details in structured content, and of a notice as JSON above its 1 KiB. Larger details are left out
 * there.
 */
export const FACTS_ROOM = 2_048;

/**
 * The options with limits for `host`. Limits that were set explicitly are not changed. If an answer is a JSON envelope or
 * structured content, the host counts JSON, so bytes are counted as JSON.
 */
export function fittedTo(host: HostIdentity, options: OrielOptions): OrielOptions {
  const known = rowOf(host);
  if (host.script && known?.scripts) return { ...options, limits: { ...SCRIPT_LIMITS, ...options.limits } };
  const wanted = known?.limits ?? UNKNOWN_HOST;
  const dialect = dialectOf(options.dialect ?? 'oriel');
  const set = limitsWith(dialect.limits, options.limits);
  const lower = limitNames.flatMap((name) => {
    const most = wanted[name];
    const given = options.limits?.[name] !== undefined;
    return !given && most !== undefined && most < set[name] ? [[name, most] as const] : [];
  });
  const lowered: LimitOptions = Object.fromEntries(lower);
  const unit = lowered.bytes === undefined ? {} : { unit: wanted.unit };
  const fitted = {
    ...options,
    limits: { ...options.limits, ...unit, ...lowered },
    read: { ...(known?.hidesImages && { imageMetadataOnly: true }), ...options.read },
  };
  const isJson = host.structured === true || known?.countsJson === true;
  const depth = (dialect.answersJson ? 1 : 0) + (isJson ? 1 : 0);
  const own = options.limits?.bytes ?? options.limits?.tokens ?? options.tokens;
  return depth === 0 || own !== undefined
    ? fitted
    : countedAsJson(fitted, wanted, depth, host.structured ? FACTS_ROOM : 0);
}

/** Counts a quarter of the JSON, in the unit of the host, as tokens. */
function countedAsJson(
  options: OrielOptions,
  { bytes = Number.POSITIVE_INFINITY, unit }: LimitOptions,
  depth: number,
  room: number,
): OrielOptions {
  const { limits = {} } = options;
  const most = Math.floor((Math.min(limits.bytes ?? bytes, bytes) - room) / 4);
  const size = (text: string): number => shownSize(inJson(text, depth), { unit });
  const tokens = (text: string): number => Math.max(size(text), size(makeVisible(text).text)) / 4;
  return { ...options, limits: { ...limits, tokens: most }, tokens };
}

/** The text after it was encoded as a JSON string `depth` times. */
function inJson(text: string, depth: number): string {
  let written = text;
  for (let i = 0; i < depth; i += 1) written = safeJson(written).slice(1, -1);
  return written;
}

// Rewrites errors for callers that use absolute paths only, so that `.` does not mean the working directory.

/** The message with `directory`, the absolute working directory, in place of a call of `.`. */
export function withAbsoluteCall(message: string, directory: string): string {
  return message.replace(/Use \. (?=to list the working directory\.$)/, () => `Use ${directory} `);
}
