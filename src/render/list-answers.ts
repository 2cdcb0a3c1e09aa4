/** The answers of `grep`, `find` and `ls` in the default wording. */

import { estimateTokens, shownSize } from '../text/limits.ts';
import { makeVisible, oneLine } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Limits, TokenCounter } from '../types/excerpt.ts';
import type {
  CountRequest,
  FindRequest,
  ListRequest,
  SearchRequest,
  SymbolsRequest,
} from '../types/request.ts';
import type { ListedEntry, ListResult, MatchedFile, MatchedLine, SearchResult } from '../types/result.ts';
import { span } from './display.ts';
import {
  fieldsOf,
  type ListCut,
  type ListNotice,
  type ListNoun,
  type ListWording,
  NO_FILES,
  NO_MATCHES,
  NO_SYMBOLS,
  sayTogether,
  shownName,
} from './list-notices.ts';
import { textAnswer, withCalls } from './notices.ts';

// The answers of `find` and `ls`: one path or name per line, and the notices below. `grep` shares some of the functions.

/** The style of a dialect's lists. */
export interface ListStyle<Shown> {
  readonly words: ListWording;
  /** What is between the list and the notices, after the newline of the last line. */
  readonly gap?: '' | '\n' | undefined;
  /** The `details` of the answer, with the dialect's own names. */
  details(shown: Shown): Record<string, unknown>;
}

export interface ShownEntries {
  readonly text: string;
  /** Number of entries, or matches, shown. */
  readonly shown: number;
  /** The caller's limit, and whether it cut the list. */
  readonly limit: number;
  readonly limitReached: boolean;
  readonly cutBy?: ListCut | undefined;
  /** Size of all lines that were found, as shown without limits; of matches, bytes of those whose lines were kept. */
  readonly whole: WholeListSize;
  readonly limits: Limits;
  /** The offset of the first one that is not shown. */
  readonly next?: number | undefined;
  readonly notices: readonly ListNotice[];
  readonly leftOut?: LeftOut | undefined;
}

/** Numbers of files and directories that were left out, by reason, if all of the search is known. */
type LeftOut = Readonly<Record<string, number>>;

function leftOutOf({ gaps, next }: Pick<ListResult, 'gaps' | 'next'>): LeftOut | undefined {
  if (next !== undefined || gaps.timedOut || gaps.broken) return undefined;
  const { ignored, private: hidden, link, special, binary, garbled, undecoded } = gaps.passed ?? {};
  const counts = Object.entries({ ignored, private: hidden, link, special, binary, garbled, undecoded })
    .map(([reason, entries]) => [reason, entries?.count ?? 0] as const)
    .concat([['container', gaps.containers]])
    .filter(([, count]) => count > 0);
  return counts.length > 0 ? Object.fromEntries(counts) : undefined;
}

interface WholeListSize {
  readonly lines: number;
  readonly bytes: number;
}

function wholeOf(lines: readonly string[]): WholeListSize {
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, -1);
  return { lines: lines.length, bytes: Math.max(0, bytes) };
}

type EntriesRequest = CountRequest | FindRequest | ListRequest | SymbolsRequest;

/** What the entries are, and the text if there are none. */
const LISTED: Readonly<Record<EntriesRequest['kind'], readonly [ListNoun, string]>> = {
  find: ['results', NO_FILES],
  symbols: ['results', NO_SYMBOLS],
  count: ['files', NO_MATCHES],
  list: ['entries', '(empty directory)'],
};

/** Lines are `path`, or `path: 3` if matches were counted. */
export function entriesAnswer(
  result: ListResult,
  request: EntriesRequest,
  limits: Limits,
  style: ListStyle<ShownEntries>,
): Answer {
  const { entries, next, beyond } = result;
  const shown = fitEntries(result, request, limits);
  const isNothing = entries.length === 0 && next === undefined && beyond === undefined;
  return answerWithNotices(isNothing ? LISTED[request.kind][1] : shown.text, shown, style);
}

/** As many entries as fit into the limits, and the notices about the rest. */
function fitEntries(result: ListResult, request: EntriesRequest, limits: Limits): ShownEntries {
  const [of] = LISTED[request.kind];
  const { limit, offset } = request;
  const budget = new ListBudget(limits, result.tokens);
  const entries = result.entries.map((entry) => entry.source ?? [shownEntry(entry)]);
  const lines = entries.map((one) => one.join('\n'));
  const end = entries.findIndex((one) => !budget.take(...one));
  const fitting = end === -1 ? lines.length : end;
  // A name that is larger than the whole answer is truncated, so that there is always a next page.
  const forced = fitting === 0 && budget.full ? budget.head(lines[0] as string) : undefined;
  const shown = forced === undefined ? fitting : 1;
  const cutBy = shown < lines.length ? budget.full : undefined;
  const next = cutBy ? result.entries[shown]?.rank : result.next;
  const notices: ListNotice[] = gapNotices(result, globOf(request));
  if (result.unparsed !== undefined) notices.push({ kind: 'unparsed', count: result.unparsed });
  if (result.unknown !== undefined) notices.push({ kind: 'unknown', count: result.unknown });
  if (result.best !== undefined) notices.push({ kind: 'best', use: result.best });
  if (cutBy && next !== undefined) {
    const part = { shown, found: lines.length, more: result.next !== undefined };
    notices.push({ kind: 'budget', of, ...budgetOf(limits, cutBy), next, ...part });
  } else if (next !== undefined) {
    const isSource = request.kind === 'symbols' && request.source === true;
    notices.push(isSource ? { kind: 'more', next } : { kind: 'limit', of, limit: next - offset, next });
  }
  if (result.beyond !== undefined) notices.push({ kind: 'beyond', of, offset, total: result.beyond });
  return {
    text: forced ?? budget.text,
    shown,
    limit,
    limitReached: !cutBy && next !== undefined,
    cutBy: cutBy || undefined,
    whole: wholeOf(lines),
    limits,
    next,
    notices,
    leftOut: leftOutOf(result),
  };
}

function shownEntry({ path, mark, isPrivate, use, matches }: ListedEntry): string {
  const read = use === undefined ? '' : ` (read ${use})`;
  const name = shownName(path + (mark ?? '')) + (isPrivate ? ' (private)' : read);
  return matches === undefined ? name : `${name}: ${matches}`;
}

function globOf(request: EntriesRequest): string | undefined {
  if (request.kind === 'find') return request.pattern;
  return request.kind === 'count' ? request.glob : undefined;
}

/** The notices about what the answer does not cover. They come before the one that names the next page. */
export function gapNotices(
  { gaps, hint, passed = [] }: Pick<ListResult, 'gaps' | 'hint' | 'passed'>,
  pattern = '',
): ListNotice[] {
  const notices: ListNotice[] = [];
  if (hint !== undefined) notices.push({ kind: 'hint', hint, pattern });
  if (gaps.timedOut) notices.push({ kind: 'timed-out' });
  if (gaps.denied) notices.push({ kind: 'denied' });
  if (gaps.failed) notices.push({ kind: 'failed' });
  if (gaps.tooDeep) notices.push({ kind: 'too-deep' });
  if (gaps.tooMany) notices.push({ kind: 'too-many' });
  if (gaps.broken) notices.push({ kind: 'broken', code: gaps.short ? 'BUSY' : 'LIMIT' });
  if (gaps.rules > 0) notices.push({ kind: 'rules', count: gaps.rules });
  if (gaps.large) notices.push({ kind: 'large', count: gaps.large });
  if (gaps.cut) notices.push({ kind: 'cut', count: gaps.cut });
  if (gaps.changed) notices.push({ kind: 'changed', count: gaps.changed });
  if (gaps.unread) {
    const full = gaps.full === true && { full: true as const };
    notices.push({ kind: 'unread', count: gaps.unread, names: gaps.firstUnread ?? [], ...full });
  }
  if (gaps.nested) {
    const { nested: count, firstNested: names = [] } = gaps;
    notices.push({ kind: 'nested', count, names, use: names[0] });
  }
  if (gaps.scanned) notices.push({ kind: 'scanned', count: gaps.scanned });
  for (const one of passed) notices.push({ kind: 'passed', ...one, pattern });
  return notices;
}

/** The answer with the text and, on the last line, its notices. */
function answerWithNotices<Shown extends { readonly notices: readonly ListNotice[] }>(
  text: string,
  shown: Shown,
  { words, gap = '', details }: ListStyle<Shown>,
): Answer {
  const said = sayTogether(shown.notices, words);
  if (said === '') return textAnswer(text, details(shown));
  const calls = shown.notices.map((notice) => ('use' in notice ? notice.use : undefined));
  const notices = [withCalls({ kind: 'list', text: said }, calls)];
  const broken = shown.notices.find((notice) => notice.kind === 'broken');
  const next = shown.notices.map(fieldsOf).find((fields) => fields !== undefined);
  return textAnswer(text === '' ? `[${said}]` : `${text}\n${gap}[${said}]`, {
    ...details(shown),
    ...(broken && { incomplete: { code: broken.code } }),
    ...(next && { hint: { next: JSON.stringify(next) } }),
    notices,
  });
}

/** The limit that cut a list, and its value. `lines` is `answerLines`, which holds for every answer. */
function budgetOf(limits: Limits, by: ListCut): { by: ListCut | 'characters'; budget: number } {
  if (by === 'lines') return { by, budget: limits.answerLines };
  return { by: by === 'bytes' ? (limits.unit ?? by) : by, budget: limits[by] };
}

export class ListBudget {
  /** The limit that refused a line, if one did. */
  full: ListCut | undefined;
  readonly #lines: string[] = [];
  #bytes = 0;
  #tokens = 0;
  readonly #limits: Limits;
  readonly #count: TokenCounter;

  constructor(limits: Limits, count: TokenCounter = estimateTokens) {
    this.#limits = limits;
    this.#count = count;
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  /** Adds all of the lines, or none if they do not fit; after that it adds no more lines. */
  take(...lines: string[]): boolean {
    const text = lines.join('\n');
    const joined = this.#lines.length === 0 ? text : `\n${text}`;
    const bytes = this.#bytes + shownSize(joined, this.#limits);
    const counts = this.#limits.tokens !== Number.POSITIVE_INFINITY;
    const tokens = counts ? this.#tokens + this.#count(joined) : 0;
    const isLong = this.#lines.length + lines.length > this.#limits.answerLines;
    this.full ??= isLong ? 'lines' : this.#exceeded(bytes, tokens);
    if (this.full) return false;
    this.#lines.push(...lines);
    this.#bytes = bytes;
    this.#tokens = tokens;
    return true;
  }

  /** The head of a line that fits into an empty answer, cut between characters. */
  head(line: string): string {
    let text = '';
    let bytes = 0;
    for (const character of line) {
      bytes += shownSize(character, this.#limits);
      if (this.#exceeded(bytes, Math.ceil(bytes / 4))) break;
      text += character;
    }
    // The host's counter may be slow, so the text is halved instead of shortened by single characters.
    let characters = Array.from(text);
    while (characters.length > 1 && this.#count(characters.join('')) > this.#limits.tokens)
      characters = characters.slice(0, characters.length >> 1);
    return characters.join('');
  }

  #exceeded(bytes: number, tokens: number): 'bytes' | 'tokens' | undefined {
    if (bytes > this.#limits.bytes) return 'bytes';
    return tokens > this.#limits.tokens ? 'tokens' : undefined;
  }
}

// The answer of `grep`: matches as `path:12: text`, context as `path-11- text`, and the notices below. The name of the
// enclosing symbol is above its matches. Below an anchor for edits, lines are `12:text` and `11-text`.

export interface ShownMatches extends ShownEntries {
  /** Whether some lines are clipped. */
  readonly clipped: boolean;
}

export function matchesAnswer(
  result: SearchResult,
  request: SearchRequest,
  limits: Limits,
  style: ListStyle<ShownMatches>,
): Answer {
  const matches = fitMatches(result, request, limits);
  const nothing = result.found === 0 && result.beyond === undefined;
  const text = nothing ? NO_MATCHES : matches.text;
  return answerWithNotices(text, matches, style);
}

/** As many whole lines as fit into the limits, and the notices about the rest. */
export function fitMatches(result: SearchResult, request: SearchRequest, limits: Limits): ShownMatches {
  const all = shownLines(result, request);
  const { lines, text, cutBy } = fit(all, limits, result.tokens);
  const matches = lines.filter((line) => line.rank !== undefined);
  const last = matches.at(-1)?.rank;
  const next = cutBy && last !== undefined ? last + 1 : result.next;
  const clipped = lines.find((line) => line.clipped);
  const limitReached = !cutBy && next !== undefined;
  const notices: ListNotice[] = gapNotices(result, request.glob);
  const shownPaths = new Set(lines.map(({ path }) => path));
  const files = result.files.filter(({ path }) => shownPaths.has(path));
  const untypable = files.flatMap(({ use }) => use ?? []);
  const [use] = untypable;
  if (use !== undefined && isTypable(use)) notices.push({ kind: 'untypable', count: untypable.length, use });
  const guessed = files.filter((file) => file.guessed !== undefined);
  if (guessed[0]?.guessed !== undefined) {
    const { path, guessed: encoding } = guessed[0];
    notices.push({ kind: 'guessed', count: guessed.length, path, encoding });
  }
  if (cutBy && next !== undefined) {
    const part = { shown: matches.length, found: result.found, more: result.next !== undefined };
    notices.push({ kind: 'budget', of: 'matches', ...budgetOf(limits, cutBy), next, ...part });
  }
  if (limitReached) notices.push({ kind: 'limit', of: 'matches', limit: result.found, next });
  if (clipped) {
    const { characters } = request.clip;
    const { path, no } = clipped;
    const name = files.find((file) => file.path === path)?.use ?? path;
    notices.push({ kind: 'clipped', characters, use: isTypable(name) ? `${name}:${no}..${no}` : undefined });
  }
  if (result.beyond !== undefined) {
    notices.push({ kind: 'beyond', of: 'matches', offset: request.offset, total: result.beyond });
  }
  return {
    text,
    shown: matches.length,
    limit: request.limit,
    limitReached,
    cutBy: cutBy || undefined,
    whole: wholeFound(all, result),
    limits,
    clipped: clipped !== undefined,
    next,
    notices,
    leftOut: leftOutOf(result),
  };
}

/** Matches that no longer fit are counted, and not kept: each of them is one line more. */
function wholeFound(all: readonly ShownLine[], { found }: SearchResult): WholeListSize {
  const { lines, bytes } = wholeOf(all.flatMap((line) => line.shown));
  const kept = all.filter(({ rank }) => rank !== undefined).length;
  return { lines: lines + Math.max(0, found - kept), bytes };
}

/** Maximum bytes of a path in a notice: all notices of an answer together stay below 1 KiB. */
const MAX_NOTICE_PATH_BYTES = 300;

interface ShownLine extends MatchedLine {
  readonly path: string;
  /** The line as shown, possibly after a separator or a symbol head. */
  readonly shown: readonly string[];
}

/** The separator between parts that are not adjacent, if there is context. */
const SEPARATOR = '--';

function shownLines({ files }: SearchResult, { before, after }: SearchRequest): ShownLine[] {
  const lines: ShownLine[] = [];
  for (const file of files) {
    const symbols = symbolHeads(file.lines);
    const name = shownName(file.path);
    for (const [i, line] of file.lines.entries()) {
      const apart = before + after > 0 && lines.length > 0 && !touches(file.lines, i);
      const shown = [
        ...(apart ? [SEPARATOR] : []),
        ...(i === 0 && file.anchor !== undefined ? [oneLine(file.anchor)] : []),
        ...(symbols.get(i) ?? []),
        show(file, name, line),
      ];
      lines.push({ ...line, path: file.path, shown });
    }
  }
  return lines;
}

function touches(lines: readonly MatchedLine[], i: number): boolean {
  return lines[i - 1]?.no === (lines[i] as MatchedLine).no - 1;
}

/** Maximum characters of a symbol's name. */
const MAX_SYMBOL_NAME_CHARACTERS = 200;

/** The head above the first line of each symbol with matches, by the index of that line. */
function symbolHeads(lines: readonly MatchedLine[]): ReadonlyMap<number, readonly [string]> {
  const heads = new Map<number, readonly [string]>();
  let last: MatchedLine['within'];
  let after = 0;
  for (const [i, { rank, within }] of lines.entries()) {
    if (rank === undefined) continue;
    if (within && (within.name !== last?.name || within.from !== last.from)) {
      let first = i;
      while (first > after && touches(lines, first) && (lines[first - 1]?.no ?? 0) >= within.from) first -= 1;
      const name = oneLine(within.name).slice(0, MAX_SYMBOL_NAME_CHARACTERS).toWellFormed();
      heads.set(first, [`in ${name} [L${span(within.from, within.to)}]`]);
    }
    last = within;
    after = i + 1;
  }
  return heads;
}

function show({ anchor }: MatchedFile, name: string, { no, rank, text, clipped }: MatchedLine): string {
  const mark = rank === undefined ? '-' : ':';
  const head = clipped === 'start' || clipped === 'both' ? '[truncated] ...' : '';
  const tail = clipped === 'end' || clipped === 'both' ? '... [truncated]' : '';
  const front = anchor === undefined ? `${name}${mark}${no}${mark} ` : `${no}${mark}`;
  return `${front}${head}${makeVisible(text).text}${tail}`;
}

/** Whether a path fits into a notice, and names the same file when it is typed. */
function isTypable(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_NOTICE_PATH_BYTES && oneLine(path) === path;
}

interface Fitted {
  readonly lines: readonly ShownLine[];
  readonly text: string;
  readonly cutBy?: ListCut | undefined;
}

function fit(lines: readonly ShownLine[], limits: Limits, tokens: TokenCounter | undefined): Fitted {
  const budget = new ListBudget(limits, tokens);
  const end = lines.findIndex((line) => !budget.take(...line.shown));
  if (end === -1 || !budget.full) return { lines, text: budget.text };
  const fitting = lines.slice(0, end);
  if (fitting.some((line) => line.rank !== undefined)) {
    return { lines: fitting, text: budget.text, cutBy: budget.full };
  }
  // Not even the first match fits: it is shown alone and truncated, so that there is always a next page.
  const first = lines.find((line) => line.rank !== undefined) as ShownLine;
  const text = budget.head(first.shown.at(-1) as string);
  return { lines: [{ ...first, clipped: first.clipped ?? 'end' }], text, cutBy: budget.full };
}
