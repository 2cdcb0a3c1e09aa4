/** How a line looks and what it costs: the two must agree to the byte, or a budget is wrong. */

import { terminalText } from '../text/terminal.ts';
import { escapeNul, makeVisible, visibleBytes } from '../text/visible.ts';
import type { Display, OutputDisplay } from '../types/display.ts';
import type { Line } from '../types/excerpt.ts';
import type { SummaryPart } from '../types/summary.ts';
import { span } from './units.ts';

const visible = (text: string): string => makeVisible(text).text;

const textOf = ({ text, ascii }: Line): string => (ascii ? text : visible(text));

const textBytes = ({ text, ascii }: Line): number => (ascii ? text.length : visibleBytes(text));

/** With a number and its mark, in ASCII. Written out, as `show` is: both run for every line. */
const numberedCost = ({ no, text, ascii }: Line): number => {
  const cost = ascii ? text.length : visibleBytes(text);
  if (no === undefined) return cost;
  let digits = 1;
  for (let more = 10; no >= more; more *= 10) digits += 1;
  return cost + digits + 1;
};

/** Longer than any line number or anchor. */
const PREFIX = 32;

/** `41|def alpha():`; lines that are not counted have no prefix. */
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

/** The decoded text as it is. */
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

/** Is where lines between two parts were left out. */
export const GAP = '…\n';

/** Joins parts; `gap` is where lines were left out between them. */
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

/** Command output as a terminal would leave it, with what is still hidden made visible. */
const shown = (text: string): string => makeVisible(terminalText(text)).text;

const terminal: Display = { show: (line) => shown(line.text), text: shown };

/** An invalid byte counts as one byte, not as the three of U+FFFD. */
const stream: Display = {
  show: (line) => line.text,
  cost: ({ start, end }) => end - start,
  text: (text) => text.replaceAll('\ufffd', '?'),
};

export const outputDisplays: { readonly [name in OutputDisplay]: Display } = { terminal, stream };

/** `12|text`, `12-20|run() { ... }`; without line numbers the range follows what was left out. */
export function showPart(part: SummaryPart, display: Display): string {
  const range = span(part.from, part.to);
  const text = display.text(part.text);
  if (display === displays.numbers) return `${range}|${text}\n`;
  if (display === displays.hashline) return `${range}:${text}\n`;
  return part.is === 'line' ? `${text}\n` : `${text} [${range}]\n`;
}
