/** The displays of lines, and their cost in bytes. Both must agree exactly, or budgets are wrong. */

import { terminalText } from '../text/terminal.ts';
import { escapeNul, makeVisible, visibleBytes } from '../text/visible.ts';
import type { FoldedRun, Limits, Line, LineDisplay, OutputDisplay } from '../types/excerpt.ts';
import type { SummaryPart } from '../types/result.ts';
import type { HashlineDisplay, Settings } from '../types/settings.ts';

const visible = (text: string): string => makeVisible(text).text;

const textOf = ({ text, ascii }: Line): string => (ascii ? text : visible(text));

const textBytes = ({ text, ascii }: Line): number => (ascii ? text.length : visibleBytes(text));

/** The cost of a line with its number and separator. Inlined for speed, like `show`: both run for every line. */
const numberedCost = ({ no, text, ascii }: Line): number => {
  const cost = ascii ? text.length : visibleBytes(text);
  if (no === undefined) return cost;
  let digits = 1;
  for (let more = 10; no >= more; more *= 10) digits += 1;
  return cost + digits + 1;
};

/** Maximum bytes of a line number or anchor. */
const PREFIX = 32;

/** `41|def alpha():`; without a prefix if lines are not counted. */
const numbers: LineDisplay = {
  prefix: PREFIX,
  show: ({ no, text, ascii }) => {
    const shown = ascii ? text : visible(text);
    return no === undefined ? shown : `${no}|${shown}`;
  },
  cost: numberedCost,
  text: visible,
};

/** `41:def alpha():`, below a header that names the snapshot. */
const hashline: LineDisplay = {
  prefix: PREFIX,
  show: (line) => (line.no === undefined ? '' : `${line.no}:`) + textOf(line),
  cost: numberedCost,
  text: visible,
};

/** What stands around `PATH#TAG` in the header above anchors. */
const ANCHORS: { readonly [name in HashlineDisplay]: readonly [string, string] } = {
  hashline: ['¶', ''],
  'hashline@18': ['[', ']'],
};

export function isHashline(display: Settings['display']): display is HashlineDisplay {
  return Object.hasOwn(ANCHORS, display);
}

/** `¶src/app.ts#41F0`, `[src/app.ts#41F0]` */
export function anchorHeader(display: HashlineDisplay, path: string, tag: string): string {
  const [before, after] = ANCHORS[display];
  return `${before}${path}#${tag}${after}`;
}

export const plain: LineDisplay = {
  show: textOf,
  cost: textBytes,
  text: visible,
};

/** The decoded text unchanged, except that NUL is escaped. */
export const raw: LineDisplay = {
  show: ({ text, ascii }) => (ascii ? text : escapeNul(text).text),
  text: (text) => escapeNul(text).text,
};

export const displays: {
  readonly numbers: LineDisplay;
  readonly hashline: LineDisplay;
  readonly plain: LineDisplay;
} = {
  numbers,
  hashline,
  plain,
};

/** Whether lines are shown with their numbers. */
export function isNumbered(display: LineDisplay): boolean {
  return display === numbers || display === hashline;
}

/** The line between two parts if lines between them were left out. */
export const GAP = '…\n';

/** Joins parts, with `gap` between two parts that are not adjacent. */
export function showParts(parts: readonly (readonly Line[])[], display: LineDisplay, gap: string): string {
  let text = '';
  let last: number | undefined;
  for (const [i, lines] of parts.entries()) {
    const [first] = lines;
    if (i > 0 && (first?.no === undefined || first.no - 1 !== last)) text += gap;
    for (const line of lines) text += display.show(line);
    last = lastNumber(lines);
  }
  return text;
}

/** The number of the last line, or of the last one of a run. */
function lastNumber(lines: readonly Line[]): number | undefined {
  const last = lines.at(-1);
  return last?.no === undefined ? undefined : last.no + (last.folded?.count ?? 1) - 1;
}

/** Command output as a terminal would show it; remaining hidden characters are escaped. */
const shown = (text: string): string => makeVisible(terminalText(text)).text;

const terminal: LineDisplay = {
  show: (line) => shown(line.text) + (line.folded ? foldNotice(line, line.folded) : ''),
  text: shown,
};

/** Below the shown line of a run. */
function foldNotice({ no = 1, text }: Line, { count, url }: FoldedRun): string {
  const gap = text.endsWith('\n') ? '' : '\n';
  return `${gap}[${count} lines like this: ${url}:${no}..${no + count - 1}]\n`;
}

/** An invalid byte costs one byte, not the three of U+FFFD. */
const stream: LineDisplay = {
  show: (line) => line.text,
  cost: ({ start, end }) => end - start,
  text: (text) => text.replaceAll('\ufffd', '?'),
};

export const outputDisplays: { readonly [name in OutputDisplay]: LineDisplay } = { terminal, stream };

/** `12|text`, `12-20|run() { ... }`. A display without line numbers appends the range to merged lines and gaps. */
export function showPart(part: SummaryPart, display: LineDisplay): string {
  const range = span(part.from, part.to);
  const text = display.text(part.text);
  if (display === displays.numbers) return `${range}|${text}\n`;
  if (display === displays.hashline) return `${range}:${text}\n`;
  return part.kind === 'line' ? `${text}\n` : `${text} [${range}]\n`;
}

// Formats sizes, counts and ages for a reader.

const KIB = 1024;

/** The value of a limit of bytes: `18 KiB`, or `18400 character` if it counts these. */
export function limitSize(value: number, { unit }: Pick<Limits, 'unit'>): string {
  return unit === 'characters' ? `${value} character` : binarySize(value);
}

/** `512 B`, `50 KiB`, `1.5 MiB`: at most one digit after the point. */
export function binarySize(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = bytes / KIB;
  let unit = 0;
  while (value >= KIB && unit < units.length - 1) {
    value /= KIB;
    unit += 1;
  }
  const digits = value >= 100 || Number.isInteger(value) ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${units[unit]}`;
}

/** `300B`, `50KB`: rounded units of 1,000 bytes. */
export function decimalSize(bytes: number): string {
  return bytes < 1000 ? `${bytes}B` : `${Math.round(bytes / 1000)}KB`;
}

/** `now`, `5m`, `3h`, `2d`, `6w`, `3y`. */
export function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`;
  const days = Math.floor(minutes / (24 * 60));
  if (days < 14) return `${days}d`;
  return days < 2 * 365 ? `${Math.floor(days / 7)}w` : `${Math.floor(days / 365)}y`;
}

/** `12`, `12-40`: the range from `from` to `to`, inclusive. */
export function span(from: number, to: number): string {
  return from === to ? String(from) : `${from}-${to}`;
}

/** `1 line`, `2 lines`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The part of a list on a page, from entry `from` (0-based) to before `end`: `1 file`, `Files 3-4 of 9`, `File 9 of 9`. */
export function pageRange(from: number, end: number, all: number, word: string): string {
  if (from === 0 && end === all) return plural(all, word);
  const noun = `${word.charAt(0).toUpperCase()}${word.slice(1)}${end - from === 1 ? '' : 's'}`;
  return `${noun} ${span(from + 1, end)} of ${all}`;
}

/** Maximum bytes of a notice, not counting its brackets and the calls that it names. */
const SENTENCE_BYTES = 1022;

/** Maximum bytes of the calls of a notice: the maximum length of a path. */
const CALL_BYTES = 4096;

/**
 * Shortens a sentence to 1 KiB, not counting the calls that it names: its other parts are cut in the middle. Calls are
 * kept whole, because a truncated call is useless, as long as all of them together have at most 4 KiB.
 */
export function bounded(sentence: string, calls: readonly (string | undefined)[] = []): string {
  if (Buffer.byteLength(sentence) <= SENTENCE_BYTES) return sentence;
  // Text and calls alternate.
  const parts = [sentence];
  let room = CALL_BYTES;
  for (const call of calls) {
    if (!call || Buffer.byteLength(call) > room) continue;
    const at = parts.findIndex((part, i) => i % 2 === 0 && part.includes(call));
    if (at === -1) continue;
    const [before = '', ...after] = (parts[at] as string).split(call);
    parts.splice(at, 1, before, call, after.join(call));
    room -= Buffer.byteLength(call);
  }
  const each = Math.floor(SENTENCE_BYTES / (parts.length / 2 + 0.5));
  return parts.map((part, i) => (i % 2 === 0 ? clipped(part, each) : part)).join('');
}

/** The text; if it has more than `most` bytes, its two ends. */
function clipped(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const end = Math.max(0, Math.floor((most - LEFT_OUT_BYTES) / 2));
  const head = bytes.toString('utf8', 0, end).replace(/\ufffd+$/, '');
  const tail = bytes.toString('utf8', bytes.length - end).replace(/^\ufffd+/, '');
  return `${head}…[${text.length - head.length - tail.length} characters left out]…${tail}`;
}

/** Bytes of the text that says how much was left out, for numbers below 10^9. */
const LEFT_OUT_BYTES = 42;
