/** The map that answers a bare read of long code, prose or a log, fitted into the budget. */

import { languageOf } from '../code/languages.ts';
import type { LogLineText, LogScan } from '../code/summary/log-map.ts';
import type { PackedStructure } from '../code/structure.ts';
import type { UnparsedText, WholeText } from '../code/parsed.ts';
import { displays, showPart } from '../render/display.ts';
import { say, wording } from '../render/notices.ts';
import { footer, summaryText } from '../render/read-notices.ts';
import { readAt } from '../text/bytes.ts';
import { decode } from '../text/encoding.ts';
import { estimateTokens, MAX_WHOLE_BYTES } from '../text/limits.ts';
import type { TextInput } from '../text/line-reader.ts';
import type { NoStructure, Notice } from '../types/answer.ts';
import type { Call, TextResource } from '../types/call.ts';
import type { LineDisplay } from '../types/excerpt.ts';
import type { SpokenWords } from '../types/request.ts';
import type { CodeSummary, SummaryPart, SummaryResult } from '../types/result.ts';
import type { ComputedValue, DerivedKind, ValueComputation } from '../types/session.ts';

const MAX_MAPPED_LINES = 20_000;
const MAX_MAPPED_BYTES = 2 << 20;

export type SummaryAttempt =
  | (Pick<SummaryResult, 'summary' | 'totals' | 'invalid'> & {
      /** The lines that the map shows unchanged: number (1-based) and text with its terminator. */
      readonly kept: readonly (readonly [number, string])[];
      /** What is said about the whole text. */
      readonly note?: Notice | undefined;
    })
  | Unmapped;

interface Unmapped {
  readonly summary?: undefined;
  readonly note?: NoMap | undefined;
  /** Bytes of the text to show: minified code is seldom what was looked for, and every page of it is expensive. */
  readonly most?: number | undefined;
}

/** Why the text is shown. */
type NoMap = Extract<Notice, { readonly kind: 'no-structure'; readonly what: 'map' }>;

/** The display of a map, and the space that its header takes. */
interface SummaryFrame {
  readonly display: LineDisplay;
  /** Bytes of the header above the map. */
  readonly header: number;
  /** See `ReadRequest`. */
  readonly about?: readonly SpokenWords[] | undefined;
}

/** The map of long code or prose, or of a log; for code without a map a note with the reason; empty for any other text. */
export async function readMap(
  resource: TextResource,
  input: TextInput,
  frame: SummaryFrame,
  call: Call,
): Promise<SummaryAttempt> {
  const { bytes, name } = resource;
  const head = Buffer.from(await readAt(bytes, 0, 256, call.signal)).toString('latin1');
  const language = languageOf(name, head);
  // The text of a document or a page is derived: its headings are those of `:outline`. So is a kept output, which may be a log.
  if (language?.map !== 'code' && resource.encoding === 'utf-8' && !name.endsWith('.log')) return {};
  if (!language) return readLogMap(resource, input, frame, call);
  if (language.map === undefined) return {};
  const { parseStructure, wholeText } = await import('../code/parsed.ts');
  const whole = await wholeText(resource, input, call.signal, MAX_MAPPED_BYTES);
  if (!whole) return without('long');
  if (whole.bytes <= MAX_WHOLE_BYTES) return {};
  const lines = lineCount(whole.text);
  if (lines > MAX_MAPPED_LINES) return without('long');
  const structure = await parseStructure(whole, call);
  if ('none' in structure) {
    const { none } = structure;
    return { ...without(none), ...(none === 'minified' && { most: call.settings.mapBytes }) };
  }
  const parsed = { whole, lines, structure };
  const make = (room: number): Promise<CodeSummary | UnparsedText> =>
    mapOf(resource, frame, room, parsed, call);
  const notices = footerBytes(resource.target, lines, structure.count);
  const { invalid } = whole;
  const summary = await fitting(resource, input, frame, { make, notices, invalid }, call);
  if ('none' in summary) return without(summary.none);
  const stored = whole.text.split(/(?<=\n)/);
  return {
    summary,
    totals: { lines, bytes: whole.bytes },
    invalid,
    kept: summary.parts.flatMap((part) =>
      part.kind === 'line' ? [[part.from, stored[part.from - 1] ?? ''] as const] : [],
    ),
  };
}

const logs: DerivedKind<LogScan | undefined, { encoding: string }> = {
  name: 'log',
  weigh: (scan) => ({ memory: 300 * (scan?.shapes.length ?? 0) }),
};

/** The map of a text that is a log; empty for any other, and for what is read over a network: a log is read as a whole. */
async function readLogMap(
  resource: TextResource,
  input: TextInput,
  frame: SummaryFrame,
  call: Call,
): Promise<SummaryAttempt> {
  const { bytes, target } = resource;
  const { encoding } = input;
  if (bytes.remote) return {};
  const { fitLog, logNotice, scanLog } = await import('../code/summary/log-map.ts');
  const scanned = async ({ signal }: ValueComputation): Promise<ComputedValue<LogScan | undefined>> => ({
    value: await scanLog(bytes, encoding, signal),
    keep: true,
  });
  const scan = await call.session.store.get(logs, bytes, { encoding: encoding.name }, scanned, call);
  if (!scan) return {};
  let invalid = false;
  const stored = new Map<number, string>();
  const textOf: LogLineText = async ({ no, start, end }) => {
    const part = await readAt(bytes, start, Math.min(end - start, MAX_LOG_LINE_BYTES), call.signal);
    const line = decode(part, encoding);
    stored.set(no, line.text);
    invalid ||= line.invalid > 0;
    return line.text;
  };
  const show = (part: SummaryPart): string => showPart(part, frame.display);
  const make = (room: number): Promise<CodeSummary> =>
    fitLog(scan, textOf, { bytes: room, lines: call.limits.lines, show });
  const notices = footerBytes(target, scan.lines, 0) + LOG_NOTICE_BYTES + Buffer.byteLength(target);
  const summary = await fitting(resource, input, frame, { make, notices, invalid }, call);
  if ('none' in summary) return {};
  return {
    summary,
    note: logNotice(scan, summary, target),
    totals: { lines: scan.lines, bytes: scan.bytes },
    invalid,
    kept: summary.parts.flatMap(({ kind, from }) =>
      kind === 'line' ? [[from, stored.get(from) ?? ''] as const] : [],
    ),
  };
}

/** Bytes of a line that are decoded: more than are shown. */
const MAX_LOG_LINE_BYTES = 1_500;

/** The most bytes of the notice about a log, without the target in its call. */
const LOG_NOTICE_BYTES = 400;

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

/** How a map of some bytes is made, and what is shown beside it. */
interface MapMaking {
  make(room: number): Promise<CodeSummary | UnparsedText>;
  /** The most bytes of the notices below it. */
  readonly notices: number;
  readonly invalid: boolean;
}

/** Retries with less space while the map with its notices exceeds the budget of bytes or tokens. */
async function fitting(
  resource: TextResource,
  { encoding }: TextInput,
  { display, header }: SummaryFrame,
  { make, notices, invalid }: MapMaking,
  call: Call,
): Promise<CodeSummary | UnparsedText> {
  const { target, format, notes = [] } = resource;
  const { mapBytes, tokens = estimateTokens } = call.settings;
  const budget = Math.min(mapBytes, call.limits.bytes) - header;
  let room = budget - notices;
  for (let tries = 0; ; tries += 1) {
    const summary = await make(Math.max(room, MIN_SUMMARY_BYTES));
    if ('none' in summary || tries === MAX_FITTING_TRIES || room <= MIN_SUMMARY_BYTES) return summary;
    const shown = { summary, display, target, format, encoding, invalid, notes };
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
const MIN_SUMMARY_BYTES = 64;

const MAX_FITTING_TRIES = 5;

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

const maps: DerivedKind<CodeSummary | UnparsedText, MapOptions> = {
  name: 'map',
  weigh: (map) => ({ memory: 'parts' in map ? 200 * (map.parts.length + map.elided.length) : 0 }),
};

async function mapOf(
  resource: TextResource,
  { display: shownBy, about }: Pick<SummaryFrame, 'display' | 'about'>,
  bytes: number,
  { whole, structure }: Parsed,
  call: Call,
): Promise<CodeSummary | UnparsedText> {
  const { answerTo, lasts } = await import('../code/parsed.ts');
  const { name } = resource;
  const display = nameOf(shownBy);
  const { lines } = call.limits;
  const make = async ({
    signal,
  }: Pick<ValueComputation, 'signal'>): Promise<ComputedValue<CodeSummary | UnparsedText>> => {
    const { text, language } = whole;
    const question = {
      kind: 'map',
      structure,
      text,
      language: language?.name ?? '',
      display,
      lines,
      bytes,
      about,
    } as const;
    const reply = await answerTo(question, signal);
    const value = typeof reply === 'string' ? { none: reply } : reply;
    return { value, keep: lasts(value) };
  };
  // Of a conversation nothing is kept.
  if (about !== undefined) return (await make(call)).value;
  const options = { name, encoding: whole.decoded.encoding, display, lines, bytes };
  return call.session.store.get(maps, resource.bytes, options, make, call);
}

function nameOf(display: LineDisplay): keyof typeof displays {
  if (display === displays.hashline) return 'hashline';
  return display === displays.numbers ? 'numbers' : 'plain';
}
