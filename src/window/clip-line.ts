/** Clips long lines: their head is shown with the terminator, and the rest is left out. */

import { readAt } from '../access/bytes.ts';
import { decode } from '../text/encoding.ts';
import { visibleBytes } from '../text/visible.ts';
import type { Line } from '../types/excerpt.ts';
import type { LongLine } from '../types/policy.ts';
import { type TextInput, wholeLine } from './input.ts';
import type { LineReader, StoredLine } from './line-reader.ts';

export interface Clippable {
  /** The line up to `at` characters or bytes; the whole line if it is not longer. */
  to(at: number): Line;
  /** Number of invalid sequences in the whole line. */
  readonly invalid: number;
}

/** `stored`: the line that `reader` returned last. If it is only a part of the line, the end of the line is searched. */
export async function clippable(
  input: TextInput,
  stored: StoredLine,
  reader: LineReader,
  no: number,
  { unit }: Extract<LongLine, { as: 'clip' }>,
): Promise<Clippable> {
  const { encoding } = input;
  const find = (): Promise<number> => input.index.endOf(no, input.source, input.signal, input.onScan);
  const end = stored.end ?? (await reader.skipRest(find));
  const tally = { invalid: 0 };
  const whole = wholeLine(stored, no, encoding, tally);
  const content = whole.text.replace(/\r?\n$/, '');
  const terminator =
    stored.end === undefined
      ? await terminatorAt(input, stored.start, end)
      : whole.text.slice(content.length);
  return {
    to(at) {
      const head = clipText(content, at, unit);
      if (head.length === content.length && stored.end !== undefined) return whole;
      return { no, start: stored.start, end, text: head + terminator, role: 'asked', cut: 'clip' };
    },
    invalid: tally.invalid,
  };
}

async function terminatorAt(
  { encoding, source, signal }: TextInput,
  start: number,
  end: number,
): Promise<string> {
  const length = 2 * encoding.unit;
  const tail = await readAt(source, Math.max(start, end - length), length, signal);
  return /\r?\n$/.exec(decode(tail, encoding).text)?.[0] ?? '';
}

/** The head of `text`: at most `at` code points, or at most `at` bytes as shown, cut between code points. */
function clipText(text: string, at: number, unit: 'byte' | 'char'): string {
  if (text.length <= at && (unit === 'char' || visibleBytes(text) <= at)) return text;
  let used = 0;
  let length = 0;
  for (const character of text) {
    used += unit === 'byte' ? visibleBytes(character) : 1;
    if (used > at) return text.slice(0, length);
    length += character.length;
  }
  return text;
}
