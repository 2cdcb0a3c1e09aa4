/** Parses the window of a selector: `50-100`, `5-16,40-80`, `-20`, `@65536+64K`. */

import { advised, OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import type { Range, Window } from '../types/excerpt.ts';

/** Undefined if `text` does not have the syntax of a window. Throws `BAD_SELECTOR` for an invalid one, such as line 0. */
export function parseWindow(text: string): Window | undefined {
  const bytes = /^@(\d+)(?:\+(\d+)([KM])?)?$/.exec(text);
  if (bytes) return bytesWindow(text, bytes);
  const tail = /^-(\d+)(?:@(\d+))?$/.exec(text);
  if (tail) {
    const lines = count(tail[1] as string);
    if (lines === 0) throw bad(text, 'the number of last lines starts at 1', ':-20');
    return { kind: 'tail', lines, before: tail[2] === undefined ? undefined : count(tail[2]) };
  }
  return linesWindow(text);
}

function bytesWindow(text: string, [, start = '', length, unit]: RegExpExecArray): Window {
  if (length === undefined) return { kind: 'bytes', start: count(start) };
  const bytes = Number(length) * (unit === 'M' ? 1 << 20 : unit === 'K' ? 1024 : 1);
  if (bytes === 0 || !Number.isSafeInteger(bytes)) {
    throw bad(text, 'the length of a byte window is 1 byte to 256K', `:@${start.slice(0, 15)}+64K`);
  }
  return { kind: 'bytes', start: count(start), length: bytes };
}

export interface WindowItem extends Range {
  /** The byte in `2@51170..`, at which line 2 continues. */
  readonly inside?: number | undefined;
  /** Whether it is written with `..`: exactly these lines, without context. */
  readonly exact: boolean;
  /** Whether it is a bare number: alone it is the first line of a window, in a list it is one line. */
  readonly bare: boolean;
}

/** `50`, `50-100`, `50..100`, `50+20`, and `2@51170..2`, which notices contain. */
const ITEM = /^L?(\d+)(?:@(\d+)(?=\.\.))?(?:(-|\.\.)(?:L?(\d+))?|\+L?(\d+))?$/i;

function linesWindow(text: string): Window | undefined {
  const items: WindowItem[] = [];
  const chunks = text.split(',');
  for (const chunk of chunks) {
    const item = parseItem(chunk, text);
    if (!item || (item.inside !== undefined && items.length > 0)) return undefined;
    items.push(item.bare && chunks.length > 1 ? { ...item, to: item.from } : item);
  }
  const inside = items[0]?.inside;
  return {
    kind: 'lines',
    ranges: merge(items),
    context: !items.every((item) => item.exact),
    inside,
  };
}

/** Parses an item of the list `whole`. The call that an error names is the list with all such items mended. */
export function parseItem(chunk: string, whole: string): WindowItem | undefined {
  const match = ITEM.exec(chunk);
  if (!match) return undefined;
  const [, start = '', byte, joint, end, length] = match;
  const inside = byte === undefined ? {} : { inside: count(byte) };
  const from = count(start);
  if (from === 0) {
    throw new OrielError('BAD_SELECTOR', 'Line selector 0 is invalid; lines are 1-indexed. Use :1.', {
      next: `:${mendedList(whole)}`,
    });
  }
  const exact = joint === '..';
  if (length !== undefined) {
    if (count(length) === 0) throw bad(whole, 'a range holds at least one line', `:${mendedList(whole)}`);
    return { from, to: Math.min(from + count(length) - 1, Number.MAX_SAFE_INTEGER), exact, bare: false };
  }
  if (end === undefined) return { from, exact, bare: joint === undefined, ...inside };
  const to = count(end);
  if (to < from) throw bad(whole, 'the range ends before it starts', `:${mendedList(whole)}`);
  return { from, to, exact, bare: false, ...inside };
}

/** The list with each invalid range replaced by a valid one. */
function mendedList(list: string): string {
  return list
    .split(',')
    .map((chunk) => mended(chunk.trim()))
    .join(',');
}

function mended(chunk: string): string {
  const [, start = '1', , joint, end, length] = ITEM.exec(chunk) ?? [];
  if (count(start) === 0) return '1';
  if (length !== undefined && count(length) === 0) return `${start}+1`;
  // Line 0 is none to begin at.
  if (end !== undefined && count(end) < count(start)) return `${count(end) === 0 ? 1 : end}${joint}${start}`;
  return chunk;
}

/** Clamped to the largest safe integer: no text is that long. */
function count(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}

export function bad(text: string, why: string, next: string): OrielError {
  return advised('BAD_SELECTOR', `The selector :${quote(text)} is invalid: ${why}.`, `Use ${next}.`, {
    next,
  });
}

/** Sorts by start, and merges ranges that overlap or are adjacent. */
function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && (last.to === undefined || from <= last.to + 1)) {
      if (last.to !== undefined) merged[merged.length - 1] = joined(last.from, last.to, to);
    } else merged.push(to === undefined ? { from } : { from, to });
  }
  return merged;
}

function joined(from: number, one: number, other: number | undefined): Range {
  return other === undefined ? { from } : { from, to: Math.max(one, other) };
}
