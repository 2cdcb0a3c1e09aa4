/** The displays of lines, and their cost in bytes. Both must agree exactly, or budgets are wrong. */

import { terminalText } from '../text/terminal.ts';
import { escapeNul, makeVisible, visibleBytes } from '../text/visible.ts';
import type { Display, OutputDisplay } from '../types/display.ts';
import type { Line } from '../types/excerpt.ts';
import type { SummaryPart } from '../types/summary.ts';
import { span } from './units.ts';

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
const numbers: Display = {
  prefix: PREFIX,
  show: ({ no, text, ascii }) => {
    const shown = ascii ? text : visible(text);
    return no === undefined ? shown : `${no}|${shown}`;
  },
  cost: numberedCost,
  text: visible,
};

/** `41:def alpha():`, below a header that names the snapshot. */
const hashline: Display = {
  prefix: PREFIX,
  show: (line) => (line.no === undefined ? '' : `${line.no}:`) + textOf(line),
  cost: numberedCost,
  text: visible,
};

export const plain: Display = {
  show: textOf,
  cost: textBytes,
  text: visible,
};

/** The decoded text unchanged, except that NUL is escaped. */
export const raw: Display = {
  show: ({ text, ascii }) => (ascii ? text : escapeNul(text).text),
  text: (text) => escapeNul(text).text,
};

export const displays: { readonly numbers: Display; readonly hashline: Display; readonly plain: Display } = {
  numbers,
  hashline,
  plain,
};

/** Whether lines are shown with their numbers. */
export function isNumbered(display: Display): boolean {
  return display === numbers || display === hashline;
}

/** The line between two parts if lines between them were left out. */
export const GAP = '…\n';

/** Joins parts, with `gap` between two parts that are not adjacent. */
export function showParts(parts: readonly (readonly Line[])[], display: Display, gap: string): string {
  let text = '';
  let last: number | undefined;
  for (const [i, lines] of parts.entries()) {
    const [first] = lines;
    if (i > 0 && (first?.no === undefined || first.no - 1 !== last)) text += gap;
    for (const line of lines) text += display.show(line);
    last = lines.at(-1)?.no;
  }
  return text;
}

/** Command output as a terminal would show it; remaining hidden characters are escaped. */
const shown = (text: string): string => makeVisible(terminalText(text)).text;

const terminal: Display = { show: (line) => shown(line.text), text: shown };

/** An invalid byte costs one byte, not the three of U+FFFD. */
const stream: Display = {
  show: (line) => line.text,
  cost: ({ start, end }) => end - start,
  text: (text) => text.replaceAll('\ufffd', '?'),
};

export const outputDisplays: { readonly [name in OutputDisplay]: Display } = { terminal, stream };

/** `12|text`, `12-20|run() { ... }`. A display without line numbers appends the range to merged lines and gaps. */
export function showPart(part: SummaryPart, display: Display): string {
  const range = span(part.from, part.to);
  const text = display.text(part.text);
  if (display === displays.numbers) return `${range}|${text}\n`;
  if (display === displays.hashline) return `${range}:${text}\n`;
  return part.is === 'line' ? `${text}\n` : `${text} [${range}]\n`;
}
