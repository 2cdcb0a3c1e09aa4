/** The answers of `find` and `ls`: one path or name per line, and the notices below. `grep` shares some of its functions. */

import { estimateTokens } from '../limits.ts';
import type { Answer } from '../types/answer.ts';
import type { Limits, TokenCounter } from '../types/limits.ts';
import type { CountRequest, FindRequest, ListRequest, SymbolsRequest } from '../types/request.ts';
import type { ListedEntry, ListResult } from '../types/result.ts';
import { textAnswer } from './answer.ts';
import {
  fieldsOf,
  type ListCut,
  type ListNotice,
  type ListNoun,
  type ListWording,
  NO_FILES,
  NO_SYMBOLS,
  NO_MATCHES,
  sayTogether,
  shownName,
} from './list-notices.ts';
import { withCalls } from './named-calls.ts';

/** The style of a dialect's lists. */
export interface ListStyle<Shown> {
  readonly words: ListWording;
  /** What is between the list and the notices, after the newline of the last line. */
  readonly gap?: '' | '\n';
  /** The `details` of the answer, with the dialect's own names. */
  details(shown: Shown): Record<string, unknown>;
}

export interface ShownEntries {
  readonly text: string;
  /** Number of entries shown. */
  readonly shown: number;
  /** The caller's limit, and whether it cut the list. */
  readonly limit: number;
  readonly limitReached: boolean;
  readonly cutBy?: ListCut;
  /** Size of all lines that were found, as shown without limits. */
  readonly whole: Whole;
  readonly limits: Limits;
  /** The offset of the first entry that is not shown. */
  readonly next?: number;
  readonly notices: readonly ListNotice[];
}

export interface Whole {
  readonly lines: number;
  readonly bytes: number;
}

export function wholeOf(lines: readonly string[]): Whole {
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, -1);
  return { lines: lines.length, bytes: Math.max(0, bytes) };
}

export function foundAnswer(
  result: ListResult,
  request: FindRequest | SymbolsRequest,
  limits: Limits,
  style: ListStyle<ShownEntries>,
): Answer {
  const shown = fitEntries(result, request, limits, 'results');
  const text = isNothing(result) ? (request.do === 'find' ? NO_FILES : NO_SYMBOLS) : shown.text;
  return answerOf(text, shown, style);
}

/** Lines are `path`, or `path: 3` if matches were counted. */
export function countAnswer(
  result: ListResult,
  request: CountRequest,
  limits: Limits,
  style: ListStyle<ShownEntries>,
): Answer {
  const shown = fitEntries(result, request, limits, 'files');
  const text = isNothing(result) ? NO_MATCHES : shown.text;
  return answerOf(text, shown, style);
}

export function listAnswer(
  result: ListResult,
  request: ListRequest,
  limits: Limits,
  style: ListStyle<ShownEntries>,
): Answer {
  const shown = fitEntries(result, request, limits, 'entries');
  const text = isNothing(result) ? '(empty directory)' : shown.text;
  return answerOf(text, shown, style);
}

function isNothing({ entries, next, beyond }: ListResult): boolean {
  return entries.length === 0 && next === undefined && beyond === undefined;
}

/** As many entries as fit into the limits, and the notices about the rest. */
function fitEntries(
  result: ListResult,
  request: CountRequest | FindRequest | ListRequest | SymbolsRequest,
  limits: Limits,
  of: ListNoun,
): ShownEntries {
  const { limit, offset } = request;
  const budget = new ListBudget(limits, result.tokens);
  const lines = result.entries.map(shownEntry);
  const end = lines.findIndex((line) => !budget.take(line));
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
    notices.push({ kind: 'budget', of, by: cutBy, budget: budgetOf(limits, cutBy), next, ...part });
  } else if (next !== undefined) notices.push({ kind: 'limit', of, limit: next - offset, next });
  if (result.passedOver !== undefined && next === undefined) {
    notices.push({ kind: 'containers', count: result.passedOver });
  }
  if (result.beyond !== undefined) notices.push({ kind: 'beyond', of, offset, total: result.beyond });
  return {
    text: forced ?? budget.text,
    shown,
    limit,
    limitReached: !cutBy && next !== undefined,
    ...(cutBy && { cutBy }),
    whole: wholeOf(lines),
    limits,
    ...(next !== undefined && { next }),
    notices,
  };
}

function shownEntry({ path, mark, matches }: ListedEntry): string {
  const name = shownName(path + (mark ?? ''));
  return matches === undefined ? name : `${name}: ${matches}`;
}

function globOf(request: CountRequest | FindRequest | ListRequest | SymbolsRequest): string | undefined {
  if (request.do === 'find') return request.pattern;
  return request.do === 'count' ? request.glob : undefined;
}

/** The notices about what the answer does not cover. They come before the one that names the next page. */
export function gapNotices({ gaps, hint }: Pick<ListResult, 'gaps' | 'hint'>, pattern = ''): ListNotice[] {
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
    notices.push({ kind: 'nested', count, names, ...(names[0] !== undefined && { use: names[0] }) });
  }
  if (gaps.scanned) notices.push({ kind: 'scanned', count: gaps.scanned });
  if (gaps.unnamed > 0) notices.push({ kind: 'unnamed', count: gaps.unnamed });
  return notices;
}

/** The answer with the text and, on the last line, its notices. */
export function answerOf<Shown extends { readonly notices: readonly ListNotice[] }>(
  text: string,
  shown: Shown,
  { words, gap = '', details }: ListStyle<Shown>,
): Answer {
  const said = sayTogether(shown.notices, words);
  if (said === '') return textAnswer(text, details(shown));
  const calls = shown.notices.map((notice) => ('use' in notice ? notice.use : undefined));
  const notices = [withCalls({ kind: 'list', text: said }, calls)];
  const broken = shown.notices.find((notice) => notice.kind === 'broken');
  const hint = shown.notices.find((notice) => notice.kind === 'hint');
  const next = hint && fieldsOf(hint.hint, hint.pattern);
  return textAnswer(text === '' ? `[${said}]` : `${text}\n${gap}[${said}]`, {
    ...details(shown),
    ...(broken && { incomplete: { code: broken.code } }),
    ...(next && { hint: { next: JSON.stringify(next) } }),
    notices,
  });
}

/** The value of a limit for a list. `lines` is `answerLines`, which holds for every answer. */
export function budgetOf(limits: Limits, by: ListCut): number {
  return by === 'lines' ? limits.answerLines : limits[by];
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
    const bytes = this.#bytes + Buffer.byteLength(joined);
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
      bytes += Buffer.byteLength(character);
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
