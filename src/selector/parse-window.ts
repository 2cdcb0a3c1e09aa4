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
    return { by: 'tail', lines, ...(tail[2] !== undefined && { before: count(tail[2]) }) };
  }
  return linesWindow(text);
}

function bytesWindow(text: string, [, start = '', length, unit]: RegExpExecArray): Window {
  if (length === undefined) return { by: 'bytes', start: count(start) };
  const bytes = Number(length) * (unit === 'M' ? 1 << 20 : unit === 'K' ? 1024 : 1);
  if (bytes === 0 || !Number.isSafeInteger(bytes)) {
    throw bad(text, 'the length of a byte window is 1 byte to 256K', `:@${start.slice(0, 15)}+64K`);
  }
  return { by: 'bytes', start: count(start), length: bytes };
}

export interface WindowItem extends Range {
  /** The byte in `2@51170..`, at which line 2 continues. */
  readonly inside?: number;
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
    by: 'lines',
    ranges: merge(items),
    context: !items.every((item) => item.exact),
    ...(inside !== undefined && { inside }),
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
  const [, start, , joint, end, length] = ITEM.exec(chunk) ?? [];
  if (start === undefined) return chunk;
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

// Translates selectors in the syntax of models and other tools, such as `lines 5-10`, `L5C3-L7`, `95-$`.

/** Maximum characters of such a selector: anything longer is taken for a name. */
const MAX_SPELLING_CHARACTERS = 512;

/**
 * Translates `text` (without the leading colon) to oriel's syntax if it is clear which lines are meant; undefined if it
 * is not, or if `text` already has oriel's syntax. A position of a compiler or browser becomes `120:1`. Columns of ranges
 * are dropped.
 */
export function otherSpelling(text: string): string | undefined {
  if (text.length > MAX_SPELLING_CHARACTERS) return undefined;
  const said = lineOfMessage(text);
  if (said !== undefined) return said;
  const plain = plainly(text);
  if (plain !== text && /^(?:raw|conflicts|outline|meta|outputs)$/.test(plain)) return plain;
  const [, before = '', range = '', after = ''] = /^(raw:)?(.*?)(:raw)?$/s.exec(
    plain.replace(/^raw[ ,]+/, 'raw:').replace(/[ ,]+raw$/, ':raw'),
  ) ?? ['', '', ''];
  const lines = before + after === '' || !range.includes(':') ? linesOf(range) : undefined;
  if (lines === undefined) return undefined;
  // Raw text is shown without context.
  const plainLines = before + after === '' ? lines : lines.replace(/:1$/, '');
  const written = `${before}${plainLines}${before === '' ? after : ''}`;
  return written === text ? undefined : written;
}

/** Normalizes: lower case, ASCII dashes, colons and commas, no colons at the ends. */
function plainly(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[\u2010-\u2015\u2212\uff0d]/g, '-')
      .replace(/\.{3,}|\.\.=|\u2026/g, '..')
      .replace(/(?<=\d) ?~ ?(?=l?\d)/g, '-')
      // `sed -n '10,20p'`
      .replace(/^["']?(\d+),(\d+)p["']?$/, '$1..$2')
      .replace(/^["']?(\d+)(?:-(\d+))?p["']?$/, (_, from: string, to = from) => `${from}..${to}`)
      .replace(/(?<=^[^(]*\d)\)$|(?<=\d)\.$/, '')
      .replace(/\uff1a/g, ':')
      .replace(/[\uff0c\u3001]/g, ',')
      .trim()
      .replace(/^:+|:+$/g, '')
      .trim()
  );
}

function linesOf(text: string): string | undefined {
  if (/^(?:all|full|whole|entire|everything|\*)$/.test(text)) return '1..';
  if (text === '$') return '-1';
  const first = /^(?:head|first|top)[ =:-]{1,2}(\d+)(?: lines?)?$/.exec(text);
  if (first) return `1..${first[1]}`;
  const last = /^(?:tail|last|bottom)[ =:-]{1,2}(\d+)(?: lines?)?$/.exec(text);
  if (last) return `-${last[1]}`;
  const named = namedEnds(text);
  if (named !== undefined) return named;
  const span = /^bytes[ =](\d+)-(\d+)$/.exec(text);
  if (span && Number(span[2]) >= Number(span[1]))
    return `@${span[1]}+${written(Number(span[2]) - Number(span[1]) + 1)}`;
  const bytes = /^@(\d+)([km])?(?:\+(\d+)([km])?(?:i?b)?)?$/.exec(text);
  if (bytes) return bytesOf(bytes);
  const range = text.replace(/^(?:lines?|ln)[ =:#.]*(?=[[(\dl])/, '');
  return rangeInBrackets(range) ?? toTheEnd(range) ?? listOf(unbracketed(range));
}

/** Clamps to the largest safe integer: larger numbers would be written as `1e+21`, and no text is that long. */
function written(value: number): string {
  return String(Math.min(value, Number.MAX_SAFE_INTEGER));
}

/** `start=10,end=20`, `offset=10&limit=5`, `from 10 to 20`, `between 10 and 20`, `10,+5`, and columns after `line 10`. */
function namedEnds(text: string): string | undefined {
  const ends =
    /^(?:start|from)(?:_?line)?[= ](\d+)[,:& ]+(?:end(?:_?line)?|to)[= ](\d+)$/.exec(text) ??
    /^between (\d+) and (\d+)$/.exec(text) ??
    /^l(\d+):l(\d+)$/.exec(text);
  if (ends) return `${ends[1]}-${ends[2]}`;
  const paged = /^offset=(\d+)[,:&]limit=(\d+)$/.exec(text);
  if (paged && Number(paged[2]) > 0) return `${written(Math.max(1, Number(paged[1])))}+${paged[2]}`;
  const more = /^(\d+),\+(\d+)p?$/.exec(text);
  if (more) return `${more[1]}..${written(Number(more[1]) + Number(more[2]))}`;
  const line = /^(?:l=|lines? ?)?(\d+),? col(?:umn)? ?\d+$/.exec(text)?.[1];
  return line === undefined ? /^l=(\d+)$/.exec(text)?.[1] : `${line}:1`;
}

/** The line number before a message: `12:5: error: x` of a compiler, `12: text` of a search. */
function lineOfMessage(text: string): string | undefined {
  const line = /^(\d+)(?:(?::\d+)?: |:\d+ - (?=\D))/.exec(text)?.[1];
  return line === undefined ? undefined : `${line}:1`;
}

/** Removes thousands separators: `1,000-1,010`, `1_000`, `1'000..1'010`; undefined for anything else. */
export function withoutThousands(text: string): string | undefined {
  if (!/^\d{1,3}(?:[,_'\u2019]\d{3})+(?:(?:-|\.\.)\d{1,3}(?:[,_'\u2019]\d{3})*)?$/.test(text))
    return undefined;
  return text.replaceAll(/[,_'\u2019]/g, '');
}

/** `@64k+64kb` → `@65536+64K`. */
function bytesOf([, start = '', unit, length, lengthUnit = '']: RegExpExecArray): string {
  const from = Number(start) * (unit === 'm' ? 1 << 20 : unit === 'k' ? 1024 : 1);
  return `@${written(from)}${length === undefined ? '' : `+${length}${lengthUnit.toUpperCase()}`}`;
}

/** `[5, 10]` of a JSON field, and `(10,5)-(12,20)` of compilers, with columns. */
function rangeInBrackets(text: string): string | undefined {
  const list = /^\[(\d+), *(-1|\d+)\]$/.exec(text);
  if (list) return `${list[1]}-${list[2] === '-1' ? '' : list[2]}`;
  const places = /^\((\d+),\d+\)-\((\d+),\d+\)$/.exec(text);
  return places ? `${places[1]}-${places[2]}` : undefined;
}

function unbracketed(text: string): string {
  return /^\[.*\]$|^\(.*\)$/s.test(text) ? text.slice(1, -1) : text;
}

/** Ranges up to the end: `95-$`, `95,$`, `95..end`, `95:-1`, `95+`; and from the end: `-5..`, `-5:-1`. */
function toTheEnd(text: string): string | undefined {
  const tail = /^-(\d+)(?: *(?:-|\.\.|:|,) *(?:-1|\$|end|eof)?)?$/.exec(text);
  if (tail) return `-${tail[1]}`;
  const open = /^l?(\d+) *(?:(-|\.\.|:|,|to) *(?:-1|\$|end|eof|last)|\+)$/.exec(text);
  return open ? `${open[1]}${open[2] === '..' ? '..' : '-'}` : undefined;
}

/** Lists of ranges with other separators than a comma, or with superfluous commas; a single line with a column. */
function listOf(text: string): string | undefined {
  const pieces = text
    .replace(/ *(?:\b(?:to|through|until)\b|(?<=\d)to(?=l?\d)) */g, '-')
    .replace(/ *(-|\.\.|\+) */g, '$1')
    .split(/ *(?:[,;&]|\band\b) *| +/)
    .filter((item) => item !== '');
  const [, place] = (pieces.length === 1 && /^l?(\d+)[c:]\d+(?:-\d+)?$/.exec(pieces[0] as string)) || [];
  if (place !== undefined) return `${place}:1`;
  const items = pieces.map(itemOf);
  return items.length > 0 && items.every((item) => item !== undefined) ? items.join(',') : undefined;
}

/**
 * One range. `..9` begins at the first line. Columns are dropped: `L5C3-L7C9`, `5.3-7.9` and `5:3-7:9` are lines 5 to 7,
 * `5:3-9` is line 5.
 */
function itemOf(item: string): string | undefined {
  const place = /^l?(\d+)(?:[c:]\d+(?:-\d+)?)?$/.exec(item);
  if (place) return place[1];
  const start = /^\.\.l?(\d+)$/.exec(item);
  if (start) return `1..${start[1]}`;
  const range = /^l?(\d+)(?:[c.:]\d+)?(-|\.\.)(?:l?(\d+)(?:[c.:]\d+)?)?$/.exec(item);
  if (range) return `${range[1]}${range[2]}${range[3] ?? ''}`;
  return /^l?\d+\+l?\d+$/.test(item) ? item : undefined;
}
