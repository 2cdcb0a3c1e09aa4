/** The answer of a read that returns a map: its parts, what was left out, and the calls that show it. */

import { makeVisible } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Notice } from '../types/notice.ts';
import type { SummaryResult } from '../types/result.ts';
import type { LineRange, Summary, SummaryPart } from '../types/summary.ts';
import { textAnswer, withNotices } from './answer.ts';
import { showPart } from './display.ts';
import { detailOf, type Wording } from './notices.ts';
import { encodingNotices } from './read-notices.ts';

/** Maximum ranges in the call of the footer. */
const mostRanges = 3;

/** Maximum bytes of the paths in a footer: a notice has at most 1 KiB. */
const footerRoom = 700;

type Shown = Pick<
  SummaryResult,
  'summary' | 'display' | 'target' | 'kind' | 'encoding' | 'invalid' | 'notes'
>;

/** `prefix`: text above the map, which says what the path resolved to. */
export function summaryAnswer(
  result: SummaryResult,
  prefix: string,
  origin: Record<string, unknown>,
  words: Wording,
): Answer {
  const { summary, totals, snapshot, encoding } = result;
  const header = snapshot ? `${snapshot.header}\n` : '';
  return textAnswer(prefix + header + summaryText(result, words), {
    ...origin,
    totals,
    ...(encoding.name !== 'utf-8' && { encoding: encoding.name }),
    ...(encoding.known === 'guessed' && { encodingGuessed: true }),
    ...(encoding.bom > 0 && { byteOrderMark: true }),
    summary: {
      lines: summary.parts.length,
      elidedSpans: summary.elided.map(({ from, to }) => [from, to]),
      elidedLines: summary.elidedLines,
      ...(summary.left !== undefined && { symbolsLeft: summary.left }),
    },
    ...(snapshot && { snapshot: snapshot.tag }),
    notices: summaryNotices(result).map((notice) => detailOf(notice, words)),
  });
}

/** A map with its notices. */
export function summaryText(result: Shown, words: Wording): string {
  const body = result.summary.parts.map((part) => showPart(part, result.display)).join('');
  return withNotices(body, summaryNotices(result), words);
}

function summaryNotices(result: Shown): Notice[] {
  const { summary, notes, target } = result;
  const invalid = result.invalid ? sum(summary.parts, (text) => text.split('\ufffd').length - 1) : 0;
  const escaped = sum(summary.parts, (text) => makeVisible(text).escaped);
  return [
    ...encodingNotices(result, invalid, (name) => `${target}:encoding=${name}`),
    ...(escaped > 0 ? [{ kind: 'escaped', count: escaped, use: `${target}:raw` } as const] : []),
    ...notes,
    footer(target, summary),
  ];
}

/** The notice below a map: what was left out, and the calls that show a part of it and all of it. */
export function footer(
  target: string,
  { elided, elidedLines, left, namesCalls }: Omit<Summary, 'parts'>,
): Notice {
  const bytes = Buffer.byteLength(target);
  return {
    kind: 'summary',
    target,
    elidedLines,
    use: `${target}:${ranges(elided)}`,
    ...(3 * bytes <= footerRoom && { whole: `${target}:1..` }),
    ...(left !== undefined && { left }),
    ...(namesCalls && { namesCalls }),
  };
}

function sum(parts: readonly SummaryPart[], count: (text: string) => number): number {
  return parts.reduce((total, { text }) => total + count(text), 0);
}

/** The first ranges: `"5..16,40..80"`. */
function ranges(elided: readonly LineRange[]): string {
  return elided
    .slice(0, mostRanges)
    .map(({ from, to }) => `${from}..${to}`)
    .join(',');
}
