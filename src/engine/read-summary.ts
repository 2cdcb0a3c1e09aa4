/** Decides whether a long code file is answered with its map (summary), and fits the map into the budget. */

import { readAt } from '../access/bytes.ts';
import { estimateTokens } from '../limits.ts';
import { displays, showPart } from '../render/display.ts';
import { say, wording } from '../render/notices.ts';
import { footer, summaryText } from '../render/summary-answer.ts';
import type { Call } from '../types/call.ts';
import type { Display } from '../types/display.ts';
import type { NoStructure, Notice } from '../types/notice.ts';
import type { TextResource } from '../types/resource.ts';
import type { SummaryResult } from '../types/result.ts';
import type { Computation, Computed, Kind } from '../types/store.ts';
import type { Summary } from '../types/summary.ts';
import { languageOf } from '../views/languages.ts';
import type { PackedStructure } from '../views/packed.ts';
import type { Unparsed, WholeText } from '../views/parsed.ts';
import type { TextInput } from '../window/input.ts';

/** A text of up to this many bytes is shown in full. */
const wholeUpTo = 12 * 1024;

const mostLines = 20_000;
const mostBytes = 2 << 20;

export type Brief =
  | (Pick<SummaryResult, 'summary' | 'totals' | 'invalid'> & {
      /** The lines that the map shows unchanged: number (1-based) and text with its terminator. */
      readonly kept: readonly (readonly [number, string])[];
    })
  | Unmapped;

interface Unmapped {
  readonly summary?: undefined;
  readonly note?: NoMap;
  /** Bytes of the text to show: minified code is seldom what was looked for, and every page of it is expensive. */
  readonly most?: number;
}

/** Why the text is shown. */
type NoMap = Extract<Notice, { readonly kind: 'no-structure'; readonly what: 'map' }>;

/** The display of a map, and the space that its header takes. */
export interface Frame {
  readonly display: Display;
  /** Bytes of the header above the map. */
  readonly header: number;
}

/** The map of long code; for long code without a map a note with the reason; empty for any other text. */
export async function summaryOf(
  resource: TextResource,
  input: TextInput,
  frame: Frame,
  call: Call,
): Promise<Brief> {
  const { bytes, name, display: shownAs } = resource;
  if (shownAs !== 'lines' || (bytes.size !== undefined && bytes.size <= wholeUpTo)) return {};
  const head = Buffer.from(await readAt(bytes, 0, 256, call.signal)).toString('latin1');
  if (languageOf(name, head)?.summary !== true) return {};
  const { structureOf, wholeText } = await import('../views/parsed.ts');
  const whole = await wholeText(resource, input, call.signal, mostBytes);
  if (!whole) return without('long');
  if (whole.bytes <= wholeUpTo) return {};
  const lines = lineCount(whole.text);
  if (lines > mostLines) return without('long');
  const structure = await structureOf(whole, call);
  if ('none' in structure) {
    const { none } = structure;
    return { ...without(none), ...(none === 'minified' && { most: call.settings.mapBytes }) };
  }
  const summary = await fitting(resource, input, frame, { whole, lines, structure }, call);
  if ('none' in summary) return without(summary.none);
  const stored = whole.text.split(/(?<=\n)/);
  return {
    summary,
    totals: { lines, bytes: whole.bytes },
    invalid: whole.invalid,
    kept: summary.parts.flatMap((part) =>
      part.is === 'line' ? [[part.from, stored[part.from - 1] ?? ''] as const] : [],
    ),
  };
}

/** The note that says why long code is shown as text. */
function without(why: NoStructure): Unmapped {
  return { note: { kind: 'no-structure', what: 'map', why } };
}

function lineCount(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

interface Parsed {
  readonly whole: WholeText;
  readonly lines: number;
  readonly structure: PackedStructure;
}

/** Retries with less space while the map with its notices exceeds the budget of bytes or tokens. */
async function fitting(
  resource: TextResource,
  { encoding }: TextInput,
  { display, header }: Frame,
  parsed: Parsed,
  call: Call,
): Promise<Summary | Unparsed> {
  const { whole, lines } = parsed;
  const { target, kind, notes = [] } = resource;
  const { mapBytes, tokens = estimateTokens } = call.settings;
  const budget = Math.min(mapBytes, call.limits.bytes) - header;
  let room = budget - footerBytes(target, lines, parsed.structure.count);
  for (let tries = 0; ; tries += 1) {
    const summary = await mapOf(resource, display, Math.max(room, leastRoom), parsed, call);
    if ('none' in summary || tries === mostTries || room <= leastRoom) return summary;
    const shown = { summary, display, target, kind, encoding, invalid: whole.invalid, notes };
    const text = summaryText(shown, wording);
    const over = Buffer.byteLength(text) - budget;
    const body = summary.parts.map((part) => showPart(part, display)).join('');
    const used = call.limits.tokens === Number.POSITIVE_INFINITY ? 0 : tokens(body);
    if (over <= 0 && used <= call.limits.tokens) return summary;
    room = Math.floor(
      Math.min(room - Math.max(over, 0), room * Math.min(1, (0.95 * call.limits.tokens) / used)),
    );
  }
}

/** Bytes of the smallest map, which consists of one gap. */
const leastRoom = 64;

const mostTries = 5;

/** The most bytes that the last notice may take. */
function footerBytes(target: string, lines: number, symbols: number): number {
  const last = { from: lines, to: lines };
  const most = { elided: [last, last, last], elidedLines: lines, left: symbols, namesCalls: true };
  return Buffer.byteLength(say(footer(target, most), wording));
}

type MapOptions = {
  name: string;
  encoding: string;
  display: string;
  lines: number;
  bytes: number;
};

const maps: Kind<Summary | Unparsed, MapOptions> = {
  name: 'map',
  weigh: (map) => ({ memory: 'parts' in map ? 200 * (map.parts.length + map.elided.length) : 0 }),
};

async function mapOf(
  resource: TextResource,
  shownBy: Display,
  bytes: number,
  { whole, structure }: Parsed,
  call: Call,
): Promise<Summary | Unparsed> {
  const { answerTo, lasts } = await import('../views/parsed.ts');
  const { name } = resource;
  const display = nameOf(shownBy);
  const { lines } = call.limits;
  const make = async ({ signal }: Computation): Promise<Computed<Summary | Unparsed>> => {
    const { text, language } = whole;
    const question = {
      ask: 'map',
      structure,
      text,
      language: language?.name ?? '',
      display,
      lines,
      bytes,
    } as const;
    const reply = await answerTo(question, signal);
    const value = typeof reply === 'string' ? { none: reply } : reply;
    return { value, keep: lasts(value) };
  };
  const options = { name, encoding: whole.decoded.encoding, display, lines, bytes };
  return call.session.store.get(maps, resource.bytes, options, make, call);
}

function nameOf(display: Display): keyof typeof displays {
  if (display === displays.hashline) return 'hashline';
  return display === displays.numbers ? 'numbers' : 'plain';
}
