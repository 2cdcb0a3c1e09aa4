/** Parses and writes the generic selectors: `:50-100`, `:raw`, `:@65536+64K`, `:outline`. */

import { advised, OrielError } from '../errors.ts';
import { encodingName, ENCODINGS } from '../text/legacy.ts';
import { nearNames } from '../text/near.ts';
import { quote } from '../text/visible.ts';
import type { Next, Window } from '../types/excerpt.ts';
import type { Mode, Selection } from '../types/selection.ts';
import { otherSpelling, withoutThousands } from './other-spellings.ts';
import { bad, type Item, parseItem, parseWindow } from './parse-window.ts';

/** The whole text in the default display. */
export const everything: Selection = {};

const MODES: ReadonlySet<string> = new Set<Mode>(['raw', 'conflicts', 'outline', 'outputs', 'meta']);

/** All forms, for the message about an invalid one. */
export const FORMS =
  ':50 :50-100 :50+20 :50..100 :5-16,40-80 :-20 :@65536+64K :raw :conflicts :outline :#name :#name,#other,50..60 :#name:outline :encoding=NAME, and a range with :raw';

/** Maximum characters of a selector: anything longer is taken for a name. Each colon of a path may begin a selector. */
export const MOST_SELECTOR = 8_192;

/**
 * Parses a selector (without the leading colon). Undefined if `text` does not have the syntax of one. Throws
 * `BAD_SELECTOR` for an invalid one: line 0, a range that ends before it starts.
 */
export function parseSelection(text: string): Selection | undefined {
  if (text.length > MOST_SELECTOR) return undefined;
  const coded = takeEncoding(text);
  if (coded) {
    const { encoding, rest } = coded;
    if (rest === '') return { encoding };
    const selection = withNext(
      (next) => `${next}:encoding=${encoding}`,
      () => parseSelection(rest),
    );
    return selection && { ...selection, encoding };
  }
  if (symbols.test(text)) return namesAnotherPath(text) ? undefined : symbolSelection(text);
  const typed = tidied(text);
  const place = /^(\d+):\d*:?$/.exec(typed)?.[1];
  if (place !== undefined) return placeSelection(place);
  const [first = '', second, ...others] = typed.split(':');
  if (others.length > 0) return undefined;
  if (second === undefined) {
    if (isMode(first)) return { mode: first, typed };
    const window = parseWindow(first);
    return window && { window, typed };
  }
  const [mode, range] = isMode(first) ? [first, second] : [second, first];
  if (!isMode(mode)) return undefined;
  const window = withNext(
    (next) => `${next}:${mode}`,
    () => parseWindow(range),
  );
  return window && { window: withoutContext(window), mode, typed };
}

/** Splits a selector: `encoding=shift_jis:5-9` → `shift_jis` and `5-9`. Throws `BAD_SELECTOR` for unknown encodings. */
function takeEncoding(text: string): { encoding: string; rest: string } | undefined {
  const parts = text.split(':');
  const at = parts.findIndex((part) => /^encoding=/i.test(part));
  if (at === -1) return undefined;
  const label = (parts[at] as string).slice('encoding='.length);
  const encoding = encodingName(label);
  if (encoding !== undefined) return { encoding, rest: parts.toSpliced(at, 1).join(':') };
  const why = 'the names are those of the WHATWG, such as shift_jis, gbk, windows-1252 or utf-16le';
  const [near = 'utf-8'] = nearNames(label, ENCODINGS, 1);
  throw bad(text, why, `:${parts.with(at, `encoding=${near}`).join(':')}`);
}

/** Lower case, without spaces at the ends and around commas. */
function tidied(text: string): string {
  return (
    text
      .split(',')
      .map((chunk) => chunk.trim())
      .join(',')
      .toLowerCase()
      // Units are upper case, as in notices.
      .replace(/(?<=\d)[km]\b/g, (unit) => unit.toUpperCase())
  );
}

/** Lines shown before and after a position. */
const LINES_BEFORE = 10;
const LINES_AFTER = 40;

/** `120:5`, the position in a compiler's message, and `120:` of a search: the line is shown with the lines around it. */
function placeSelection(digits: string): Selection {
  const { from: line } = parseItem(digits, digits) as Item;
  const from = Math.max(1, line - LINES_BEFORE);
  const to = Math.min(line + LINES_AFTER, Number.MAX_SAFE_INTEGER);
  const window: Window = { by: 'lines', ranges: [{ from, to }], context: false, around: line };
  return { window, typed: `${from}..${to}` };
}

/**
 * As `parseSelection`, for the text after the path `typed`; also accepts the syntax of other tools. The call that an
 * error names includes the path.
 */
export function parseBehind(typed: string, rest: string): Selection | undefined {
  return withPath(typed, () => parseSpelled(rest));
}

/** Parses a selector after the path `typed`: the call that an error names gets this path. */
export function withPath<T>(typed: string, parse: () => T): T {
  return withNext((next) => typed + next, parse);
}

/** Parses a part of a call: `whole` completes the call that an error names. */
export function withNext<T>(whole: (next: string) => string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof OrielError) || error.next === undefined) throw error;
    const next = whole(error.next);
    // The message about line 0 is pinned by the contract: its advice is a part of it, and lacks the rest of the call.
    if (error.why === error.message) throw new OrielError(error.code, error.message, { next, cause: error });
    throw advised(error.code, error.why, `Use ${quote(next)}.`, { next, cause: error });
  }
}

function parseSpelled(rest: string): Selection | undefined {
  try {
    const selection = parseSelection(rest);
    if (selection) return selection;
  } catch (error) {
    const plain = withoutSeparators(rest);
    if (plain === undefined) throw error;
    return parseSelection(plain);
  }
  const other = otherSpelling(rest) ?? withoutThousands(rest);
  return other === undefined ? undefined : parseSelection(other);
}

/** Removes thousands separators: `1,000-1,010` is invalid as a list. Undefined for anything else. */
function withoutSeparators(text: string): string | undefined {
  const range = /^(?:raw:)?L?\d{1,3}(?:,\d{3})*(?:(?:-|\.\.|\+)(?:L?\d{1,3}(?:,\d{3})*)?)?(?::raw)?$/i;
  return text.includes(',') && range.test(text) ? text.replaceAll(',', '') : undefined;
}

/** As `isSelector`, also for the syntax of other tools: for text that is known to follow a path. */
export function isSpelledSelector(text: string): boolean {
  return isSelector(text) || otherSpelling(text) !== undefined || withoutThousands(text) !== undefined;
}

/** A symbol, or a list with a symbol in it, possibly after ranges. */
const symbols = /^(?:(?:L?\d[\d\-.+L]*|-\d+),\s*)*#./;

/** Whether it is a list of paths, as `"#a,src/b.ts:#c"`, instead of a list of symbols. */
function namesAnotherPath(text: string): boolean {
  // Chunk by chunk: a single regular expression over all of it would be quadratic.
  return text
    .split(',')
    .slice(1)
    .some((chunk) => {
      const end = chunk.search(/[:#]/);
      return end !== -1 && chunk.startsWith(':#', end) && /[./]/.test(chunk.slice(0, end));
    });
}

/** `"#Server.start:outline"`, `"#a,#b,120..140"`. Ranges in the list are not checked here. */
function symbolSelection(text: string): Selection {
  const mode = /:(raw|outline)$/.exec(text)?.[1] as Mode | undefined;
  const list = mode === undefined ? text : text.slice(0, -mode.length - 1);
  return { symbol: list.startsWith('#') ? list.slice(1) : list, ...(mode && { mode }), typed: text };
}

/** Whether `text` has the syntax of a selector, valid or not. */
export function isSelector(text: string): boolean {
  try {
    return parseSelection(text) !== undefined;
  } catch {
    return true;
  }
}

function isMode(word: string): word is Mode {
  return MODES.has(word);
}

/** Raw text and views are shown without context. */
function withoutContext(window: Window): Window {
  return window.by === 'lines' ? { ...window, context: false } : window;
}

/** The selector for `next` in the same mode, with its leading colon. */
export function writeSelector(next: Next, mode?: Mode): string {
  return `:${writeNext(next)}${mode ? `:${mode}` : ''}`;
}

function writeNext(next: Next): string {
  switch (next.by) {
    case 'lines':
      return next.ranges
        .map(({ from, to }, i) => {
          const at = i === 0 && next.inside !== undefined ? `@${next.inside}` : '';
          return `${from}${at}..${to ?? ''}`;
        })
        .join(',');
    case 'bytes':
      return `@${next.start}${next.length === undefined ? '+64K' : `+${writeSize(next.length)}`}`;
    case 'tail':
      return `-${next.lines}@${next.before}`;
  }
}

/** `64K`, `1M`, `48900`: a length as selectors write it. */
export function writeSize(bytes: number): string {
  if (bytes % (1 << 20) === 0) return `${bytes / (1 << 20)}M`;
  return bytes % 1024 === 0 ? `${bytes / 1024}K` : String(bytes);
}
