/** The answer to a read that was summarised: the parts, what was left out, and the calls that show it. */

import { makeVisible } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Notice } from '../types/notice.ts';
import type { SummaryResult } from '../types/result.ts';
import type { LineRange, SummaryPart } from '../types/summary.ts';
import { textAnswer, withNotices } from './answer.ts';
import { showPart } from './display.ts';
import { detailOf, type Wording } from './notices.ts';
import { encodingNotices } from './read-notices.ts';

/** Bytes of the ranges in a footer: a notice has 1 KiB at most. */
const footerRoom = 700;

/** `prefix` stands above everything: what the path resolved to. */
export function summaryAnswer(
  result: SummaryResult,
  prefix: string,
  origin: Record<string, unknown>,
  words: Wording,
): Answer {
  const { summary, totals, display, snapshot, encoding } = result;
  const notices = summaryNotices(result);
  const header = snapshot ? `${snapshot.header}\n` : '';
  const body = summary.parts.map((part) => showPart(part, display)).join('');
  return textAnswer(prefix + header + withNotices(body, notices, words), {
    ...origin,
    totals,
    ...(encoding.name !== 'utf-8' && { encoding: encoding.name }),
    ...(encoding.bom > 0 && { byteOrderMark: true }),
    summary: {
      lines: summary.parts.length,
      elidedSpans: summary.elided.map(({ from, to }) => [from, to]),
      elidedLines: summary.elidedLines,
      ...(summary.left && { symbolsLeft: summary.left.symbols }),
    },
    ...(snapshot && { snapshot: snapshot.tag }),
    notices: notices.map((notice) => detailOf(notice, words)),
  });
}

function summaryNotices(result: SummaryResult): Notice[] {
  const { summary, notes, target } = result;
  const { parts, elided, elidedLines, left } = summary;
  const invalid = result.invalid ? sum(parts, (text) => text.split('\ufffd').length - 1) : 0;
  const escaped = sum(parts, (text) => makeVisible(text).escaped);
  const use = `${target}:${ranges(elided, footerRoom - Buffer.byteLength(target))}`;
  return [
    ...encodingNotices(result, invalid),
    ...(escaped > 0 ? [{ kind: 'escaped', count: escaped, use: `${target}:raw` } as const] : []),
    ...notes,
    { kind: 'summary', target, elidedLines, use, ...(left && { left: left.symbols }) },
  ];
}

function sum(parts: readonly SummaryPart[], count: (text: string) => number): number {
  return parts.reduce((total, { text }) => total + count(text), 0);
}

/** `"5..16,40..80"`: from the first on, as many as fit, at least one. */
function ranges(elided: readonly LineRange[], room: number): string {
  let text = '';
  for (const { from, to } of elided) {
    const next = `${text === '' ? '' : `${text},`}${from}..${to}`;
    if (text !== '' && next.length > room) break;
    text = next;
  }
  return text;
}
