/**
 * The answer of `grep`: matches as `path:12: text`, context as `path-11- text`, and the notices below. The name of the
 * enclosing symbol is above its matches. Below an anchor for edits, lines are `12:text` and `11-text`.
 */

import { makeVisible, oneLine } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Limits, TokenCounter } from '../types/limits.ts';
import type { SearchRequest } from '../types/request.ts';
import type { MatchedFile, MatchedLine, SearchResult } from '../types/result.ts';
import { type ListCut, type ListNotice, NO_MATCHES, shownName } from './list-notices.ts';
import {
  answerOf,
  budgetOf,
  gapNotices,
  ListBudget,
  type ListStyle,
  type Whole,
  wholeOf,
} from './listing.ts';
import { span } from './units.ts';

export interface ShownMatches {
  readonly text: string;
  /** Number of matches shown. */
  readonly shown: number;
  /** The caller's limit, and whether it cut the list. */
  readonly limit: number;
  readonly limitReached: boolean;
  readonly cutBy?: ListCut;
  /** Lines of all matches, as shown without limits; bytes of those whose lines were kept. */
  readonly whole: Whole;
  readonly limits: Limits;
  /** Whether some lines are clipped. */
  readonly clipped: boolean;
  /** The offset of the first match that is not shown. */
  readonly next?: number;
  readonly notices: readonly ListNotice[];
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
  return answerOf(text, matches, style);
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
  const guessed = result.files.filter((file) => file.guessed !== undefined && shownPaths.has(file.path));
  if (guessed[0]?.guessed !== undefined) {
    const { path, guessed: encoding } = guessed[0];
    notices.push({ kind: 'guessed', count: guessed.length, path, encoding });
  }
  if (result.passedOver !== undefined && next === undefined) {
    notices.push({ kind: 'containers', count: result.passedOver });
  }
  if (cutBy && next !== undefined) {
    const part = { shown: matches.length, found: result.found, more: result.next !== undefined };
    notices.push({
      kind: 'budget',
      of: 'matches',
      by: cutBy,
      budget: budgetOf(limits, cutBy),
      next,
      ...part,
    });
  }
  if (limitReached) notices.push({ kind: 'limit', of: 'matches', limit: result.found, next });
  if (clipped) {
    const { characters } = request.clip;
    const { path, no } = clipped;
    notices.push({ kind: 'clipped', characters, ...(isTypable(path) && { use: `${path}:${no}..${no}` }) });
  }
  if (result.beyond !== undefined) {
    notices.push({ kind: 'beyond', of: 'matches', offset: request.offset, total: result.beyond });
  }
  return {
    text,
    shown: matches.length,
    limit: request.limit,
    limitReached,
    ...(cutBy && { cutBy }),
    whole: wholeFound(all, result),
    limits,
    clipped: clipped !== undefined,
    ...(next !== undefined && { next }),
    notices,
  };
}

/** Matches that no longer fit are counted, and not kept: each of them is one line more. */
function wholeFound(all: readonly ShownLine[], { found }: SearchResult): Whole {
  const { lines, bytes } = wholeOf(all.flatMap((line) => line.shown));
  const kept = all.filter(({ rank }) => rank !== undefined).length;
  return { lines: lines + Math.max(0, found - kept), bytes };
}

/** Maximum bytes of a path in a notice: all notices of an answer together stay below 1 KiB. */
const MOST_TYPED = 300;

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
const MOST_NAME = 200;

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
      const name = oneLine(within.name).slice(0, MOST_NAME).toWellFormed();
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
  return Buffer.byteLength(path) <= MOST_TYPED && oneLine(path) === path;
}

interface Fitted {
  readonly lines: readonly ShownLine[];
  readonly text: string;
  readonly cutBy?: ListCut;
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
