/** Parses and writes the generic selectors: `:50-100`, `:raw`, `:@65536+64K`, `:outline`. */

import { advised, OrielError } from '../errors.ts';
import { encodingName, ENCODINGS } from '../text/legacy-encoding.ts';
import { didYouMean, nearNames } from '../text/near.ts';
import { endSentence, quote } from '../text/visible.ts';
import type { Next, Selection, SelectionMode, Window } from '../types/excerpt.ts';
import { bad, parseItem, parseWindow, type WindowItem } from './parse-window.ts';

/** The whole text in the default display. */
export const everything: Selection = {};

const MODES: ReadonlySet<string> = new Set<SelectionMode>(['raw', 'conflicts', 'outline', 'outputs', 'meta']);

/** All forms, for the message about an invalid one. */
export const FORMS =
  ':50 :50-100 :50+20 :50..100 :5-16,40-80 :-20 :@65536+64K :raw :conflicts :outline :#name :#name,#other,50..60 :#name:outline :encoding=NAME, and a range with :raw';

/** Maximum characters of a selector: anything longer is taken for a name. Each colon of a path may begin a selector. */
export const MAX_SELECTOR_CHARACTERS = 8_192;

/**
 * Parses a selector (without the leading colon). Undefined if `text` does not have the syntax of one. Throws
 * `BAD_SELECTOR` for an invalid one: line 0, a range that ends before it starts.
 */
export function parseSelection(text: string): Selection | undefined {
  if (text.length > MAX_SELECTOR_CHARACTERS) return undefined;
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

/** Whether `text` is a valid selector. */
export function isSelection(text: string): boolean {
  try {
    return parseSelection(text) !== undefined;
  } catch {
    return false;
  }
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
  const known = `encoding=${near}`;
  // Lines are in every text, but not a symbol or a view.
  const others = parts.toSpliced(at, 1).join(':');
  const isKept = /^(?:raw:?)?(?:[-\d][^:]*)?(?::raw)?$/.test(others) && isSelection(others);
  throw bad(text, why, `:${isKept ? parts.with(at, known).join(':') : known}`);
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
  const { from: line } = parseItem(digits, digits) as WindowItem;
  const from = Math.max(1, line - LINES_BEFORE);
  const to = Math.min(line + LINES_AFTER, Number.MAX_SAFE_INTEGER);
  const window: Window = { kind: 'lines', ranges: [{ from, to }], context: false, around: line };
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
  const selection = parseSelection(rest);
  if (selection) return selection;
  const other = otherSpelling(rest);
  return other === undefined ? undefined : parseSelection(other);
}

/** Maximum characters of a selector in the syntax of another tool: anything longer is taken for a name. */
const MAX_SPELLING_CHARACTERS = 512;

/** The selectors that compilers, browsers, editors and models write, and what they are here. */
const SPELLINGS: readonly (readonly [form: RegExp, canonical: string])[] = [
  // `12:5: error: x` of a compiler, `12: text` of a search, `L12C5`, columns 5 to 9 of line 12.
  [/^(\d+)(?:(?::\d+)?: |:\d+ - ).*$/s, '$1:1'],
  [/^l?(\d+)[c:]\d+(?:-\d+)?$/, '$1:1'],
  // `L5C3-L7C9`, `5:3-7:9`, `L5:L7`, `[5,7]`, `[5,-1]`, `95-end`.
  [/^l?(\d+)(?:[c:]\d+)?(-|\.\.)l?(\d+)(?:[c:]\d+)?$/, '$1$2$3'],
  [/^l(\d+):l(\d+)$/, '$1-$2'],
  [/^\[(\d+),(\d+)\]$/, '$1-$2'],
  [/^\[(\d+),-1\]$/, '$1-'],
  [/^l?(\d+)(?:-|\.\.)(?:\$|end|eof|-1)$/, '$1-'],
  [/^(?:head|first) (\d+)$/, '1..$1'],
  [/^(?:tail|last) (\d+)$/, '-$1'],
  [/^(?:all|full|whole)$/, '1..'],
];

/** The selector in the syntax of another tool, `lines 5 to 10`, in our own syntax. Undefined if it is none, or ours. */
export function otherSpelling(text: string): string | undefined {
  if (text.length > MAX_SPELLING_CHARACTERS) return undefined;
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/^(?:lines?|ln) (?=l?\d)/, '')
    .replace(/(?<=\d) *(-|\.\.|\+|,|\bto\b) *(?=[l-]?\d)/g, (_, joint: string) =>
      joint === 'to' ? '-' : joint,
    );
  const row = SPELLINGS.find(([form]) => form.test(plain));
  const other = row ? plain.replace(...row) : plain;
  return other !== text && isSelector(other) ? other : undefined;
}

/** As `isSelector`, also for the syntax of other tools: for text that is known to follow a path. */
export function isSpelledSelector(text: string): boolean {
  return isSelector(text) || otherSpelling(text) !== undefined;
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
  const mode = /:(raw|outline)$/.exec(text)?.[1] as SelectionMode | undefined;
  const list = mode === undefined ? text : text.slice(0, -mode.length - 1);
  return { symbol: list.startsWith('#') ? list.slice(1) : list, mode: mode || undefined, typed: text };
}

/** Whether `text` has the syntax of a selector, valid or not. */
export function isSelector(text: string): boolean {
  try {
    return parseSelection(text) !== undefined;
  } catch {
    return true;
  }
}

function isMode(word: string): word is SelectionMode {
  return MODES.has(word);
}

/** Raw text, views, and lines without numbers, are shown without context: it could not be told from what was asked for. */
export function withoutContext(window: Window): Window {
  return window.kind === 'lines' ? { ...window, context: false } : window;
}

/** The selector for `next` in the same mode, with its leading colon. */
export function writeSelector(next: Next, mode?: SelectionMode): string {
  return `:${writeNext(next)}${mode ? `:${mode}` : ''}`;
}

function writeNext(next: Next): string {
  switch (next.kind) {
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

// Selectors that query code: `:outline` and `:#name` after a directory, `:refs` and `:#name:refs` after a directory or a
// file, `:imports` after a file. `?bytes=32K&from=121&q=words` may follow `:outline` of a directory, `?from=` may follow a name or `:refs`.

export type CodeSelector =
  | {
      readonly kind: 'map';
      readonly bytes?: number | undefined;
      readonly from: number;
      readonly query: string;
    }
  | { readonly kind: 'definitions'; readonly names: readonly string[]; readonly from: number }
  | { readonly kind: 'uses'; readonly name: string; readonly from: number }
  | { readonly kind: 'importers'; readonly from: number }
  | { readonly kind: 'imports'; readonly from: number };

/** Maximum names in a list. */
const MAX_QUESTION_NAMES = 20;

/** Maximum characters of the words `q`. */
const MAX_QUERY_CHARACTERS = 200;

/** Whether `rest` ends with such a selector: `package:outline`, `#name`, `lib/a.js:refs`. */
export function endsInCodeQuestion(rest: string): boolean {
  return /(?:^|:)(?:#.|(?:outline|refs|imports)(?:\?|$))/i.test(rest);
}

/** Parses `rest`, the text after the path `typed`. Undefined if it is something else. Throws `BAD_SELECTOR`. */
export function parseCodeQuestion(
  typed: string,
  rest: string,
  of: 'directory' | 'file',
): CodeSelector | undefined {
  // A name may end in a question mark, as in Ruby.
  const at = rest.search(rest.startsWith('#') ? /\?(?![?:,]|$)/ : /\?/);
  const [words, parameters] = at === -1 ? [rest, ''] : [rest.slice(0, at), rest.slice(at + 1)];
  const known = (names: readonly string[]): Map<string, string> =>
    parametersOf(typed, `${typed}:${words}`, parameters, names);
  const uses = /^#(.+):refs$/i.exec(words)?.[1];
  const fromOnly = (): number => fromOf(`${typed}:${words}`, known(['from']));
  if (uses !== undefined) return { kind: 'uses', name: uses, from: fromOnly() };
  if (/^imports$/i.test(words) && of === 'file') return { kind: 'imports', from: fromOnly() };
  if (/^refs$/i.test(words) && of === 'file') return { kind: 'importers', from: fromOnly() };
  if (of === 'file') return undefined;
  if (/^outline$/i.test(words)) {
    const given = known(['bytes', 'from', 'q']);
    const bytes = bytesOf(typed, given.get('bytes'));
    return {
      kind: 'map',
      bytes,
      from: fromOf(`${typed}:outline`, given),
      query: queryOf(typed, given.get('q') ?? ''),
    };
  }
  if (/^outline:/i.test(words)) {
    const next = `${typed}:outline`;
    const why = `The outline of a directory takes no selector such as :${quote(words.slice('outline:'.length))}.`;
    throw advised('BAD_SELECTOR', why, `Use ${quote(next)}, or ${quote(next)}?from=N for a later part.`, {
      next,
    });
  }
  if (/^refs$/i.test(words)) {
    const next = `${typed}:outline`;
    throw new OrielError(
      'BAD_SELECTOR',
      `:refs is for a file or a name. Use ${quote(next)}, or ${quote(typed)}:#name:refs.`,
      { next },
    );
  }
  if (!/^#./.test(words)) return undefined;
  const names = words.split(',').map((name) => name.trim().replace(/^#/, ''));
  if (names.length > MAX_QUESTION_NAMES) {
    const next = `${typed}:${words.split(',').slice(0, MAX_QUESTION_NAMES).join(',')}`;
    throw new OrielError('BAD_SELECTOR', `A list holds at most ${MAX_QUESTION_NAMES} names. Use fewer.`, {
      next,
    });
  }
  // Only a single name has pages.
  const from = names.length === 1 ? fromOnly() : fromOf(`${typed}:${words}`, known([]));
  return { kind: 'definitions', names: names.filter((name) => name !== ''), from };
}

function parametersOf(
  typed: string,
  next: string,
  text: string,
  names: readonly string[],
): Map<string, string> {
  const all = [...new URLSearchParams(text)];
  const given = new Map(all);
  const twice = all.find(([name], i) => all.findIndex(([other]) => other === name) !== i)?.[0];
  if (twice !== undefined && names.includes(twice))
    throw new OrielError('BAD_SELECTOR', `?${twice}= is given twice. Use ${quote(next)} with one of them.`, {
      next,
    });
  const wrong = [...given.keys()].find((name) => !names.includes(name));
  if (wrong === undefined) return given;
  throw new OrielError(
    'BAD_SELECTOR',
    names.length === 0
      ? `A list of names takes no ?${quote(wrong)}=. Use ${quote(next)}.`
      : `${quote(typed)} takes no ?${quote(wrong)}=. Use ${quote(next)} with ${names.map((name) => `?${name}=`).join(' or ')}, or without.`,
    { next },
  );
}

/** Limits the length of the words, because they are compared with every file. Throws `BAD_SELECTOR`. */
function queryOf(typed: string, query: string): string {
  if (query.length <= MAX_QUERY_CHARACTERS) return query;
  const next = `${typed}:outline`;
  throw new OrielError(
    'BAD_SELECTOR',
    `?q= has at most ${MAX_QUERY_CHARACTERS} characters. Use ${quote(next)} with a few words.`,
    { next },
  );
}

/** Converts `from`, which is typed 1-based, to a 0-based offset. Throws `BAD_SELECTOR`. */
function fromOf(next: string, given: ReadonlyMap<string, string>): number {
  const from = given.get('from') ?? '1';
  if (/^\d{1,9}$/.test(from) && Number(from) > 0) return Number(from) - 1;
  throw new OrielError(
    'BAD_SELECTOR',
    `?from=${quote(from)} is not a whole number from 1 to 999999999. Use ${quote(next)}.`,
    { next },
  );
}

function bytesOf(typed: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, unit] = /^(\d{1,9})(K|M)?$/i.exec(text) ?? [];
  const bytes = Number(digits) * (unit === undefined ? 1 : unit.toUpperCase() === 'K' ? 1024 : 1 << 20);
  if (bytes > 0) return bytes;
  const next = `${typed}:outline?bytes=32K`;
  throw new OrielError('BAD_SELECTOR', `?bytes=${quote(text)} is not a valid size. Use ${quote(next)}.`, {
    next,
  });
}

// Splits a string into a path and a selector: there may be several ways.

export interface PathCandidate {
  readonly path: string;
  /** The text after the path, without its leading colon but with a leading question mark. */
  readonly rest: string;
}

const MAX_PATH_CANDIDATES = 256;

/**
 * All ways to split `target` into a path and a rest, the longest path first: a file that is really called `notes:1-2`
 * wins over lines 1 to 2 of `notes`.
 * "a.zip:dir/x.ts:5-9" → [a.zip:dir/x.ts:5-9], [a.zip:dir/x.ts | 5-9], [a.zip | dir/x.ts:5-9]
 */
export function candidates(target: string): PathCandidate[] {
  const isUrl = /^file:\/\//i.test(target);
  const found: PathCandidate[] = isUrl && target.includes('?') ? [] : [{ path: target, rest: '' }];
  for (const at of marks(target, isUrl ? 'file://'.length : 0)) {
    const path = target.slice(0, at);
    // In a file URL a question mark that belongs to the name is written %3F.
    if (isUrl && path.includes('?')) continue;
    found.push({ path, rest: target[at] === ':' ? target.slice(at + 1) : target.slice(at) });
  }
  return target.includes('..') ? found.filter(({ path }) => !climbsOut(path)) : found;
}

/**
 * The positions after `after` at which a path may end, the last first. If there are too many, the first ones are kept: in
 * a query with many colons, the database comes first.
 */
function marks(target: string, after: number): number[] {
  const found: number[] = [];
  for (let at = after + 1; at < target.length && found.length < MAX_PATH_CANDIDATES - 1; at += 1) {
    if (target[at] === ':' || target[at] === '?') found.push(at);
  }
  return found.reverse();
}

/**
 * Whether `..` follows a colon or a question mark. `a.zip:../../etc/passwd`, as a hostile archive may list it, names a
 * member of the archive. As a path it would name a file on the disk, because `..` removes the component `a.zip:..`.
 */
function climbsOut(path: string): boolean {
  const bare = path.replace(/^(?:file:\/\/|[a-z]:[/\\])/i, '');
  const mark = bare.search(/[:?]/);
  return mark !== -1 && /\/\.\.(?:\/|$)/.test(bare.slice(mark + 1));
}

// The error for what follows a path but is no selector of it.

/** `rest`: what follows, without its colon. `forms`: the selectors that `typed` takes, "lines (:50-100), :raw or :fresh". */
export function notASelector(typed: string, rest: string, forms: string): OrielError {
  const [path, shown] = [quote(typed), quote(rest)];
  const [near] = nearNames(rest, forms.match(/(?<=:)[a-z]{3,}(?![\w:=])/g) ?? [], 1);
  return new OrielError(
    'BAD_SELECTOR',
    `${shown.startsWith('?') ? '' : ':'}${shown} is not a selector of ${endSentence(path)} Use ${path} alone, or followed by ${forms}.${didYouMean(near === undefined ? [] : [`${path}:${near}`])}`,
    { next: near === undefined ? typed : `${typed}:${near}` },
  );
}
