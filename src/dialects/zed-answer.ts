/** The answer of zed's `read_file`: a header above a window, and a few notices below the text. */

import { showParts } from '../render/display.ts';
import { howToLook, sentence, withoutSelectors, type Wording, wording } from '../render/notices.ts';
import { textFacts } from '../render/read-answer.ts';
import { readNotices, shownLines } from '../render/read-notices.ts';
import { plural } from '../render/units.ts';
import { oneLine } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Notice } from '../types/notice.ts';
import type { TextResult } from '../types/result.ts';

export const zedWording: Wording = {
  ...wording,
  ...withoutSelectors,
  binary: ({ target, type, bytes }) =>
    `${oneLine(target)} is binary (${type}${bytes === undefined ? '' : `, ${plural(bytes, 'byte')}`}) and cannot be shown as text. ${howToLook(target)}`,
  outline: ({ target, symbols, left, leftFrom, example }) =>
    `Outline of ${oneLine(target)}: ${plural(symbols, 'symbol')}${left === undefined ? '' : `, ${left} of them not listed`}. ` +
    `Use ${example ? `start_line=${example.from} and end_line=${example.to} to read ${oneLine(example.name)}, ` : ''}${leftFrom === undefined ? '' : `start_line=${leftFrom} for those that are not listed, `}start_byte=0 to read the text`,
  'past-end': ({ target, asked, totals: { lines } }) =>
    `${asked} is beyond the end of ${oneLine(target)}${lines === undefined ? '' : ` (${plural(lines, 'line')})`}. Use start_line=${lines ?? 1}`,
};

const SAID: ReadonlySet<Notice['kind']> = new Set([
  'encoding',
  'invalid',
  'escaped',
  'changed',
  'empty',
  'outline',
  'past-end',
  'said',
]);

/** The text, below a header if it is a part of the file. */
export function headedAnswer(result: TextResult): Answer {
  const { excerpt, display, selection } = result;
  const header = selection.window?.by === 'bytes' || excerpt.next ? headerOf(result) : undefined;
  const body = showParts(excerpt.parts, display, '');
  const notices = readNotices(result)
    .filter(({ kind }) => SAID.has(kind) && !(header && (kind === 'past-end' || kind === 'empty')))
    .map((notice) => ({ kind: notice.kind, text: sentence(notice, zedWording) }));
  // The notice of an outline is above it, because an outline may have thousands of lines.
  const above = notices
    .filter(({ kind }) => kind === 'outline')
    .map(({ text }) => `[${text}]\n`)
    .join('');
  const below = notices
    .filter(({ kind }) => kind !== 'outline')
    .map(({ text }) => `[${text}]`)
    .join('\n');
  const joint = body === '' || body.endsWith('\n') || below === '' ? '' : '\n';
  const said = [...(header === undefined ? [] : [{ kind: 'header', text: header }]), ...notices];
  return {
    content: [
      { type: 'text', text: `${header === undefined ? '' : `[${header}]\n`}${above}${body}${joint}${below}` },
    ],
    details: {
      ...textFacts(result),
      ...(header !== undefined && { range: rangeOf(result) }),
      ...(excerpt.next && {
        truncation: {
          ...(excerpt.cutBy && { by: excerpt.cutBy }),
          next: { start_byte: rangeOf(result).end },
        },
      }),
      ...(said.length > 0 && { notices: said }),
      ...(excerpt.pastEnd && header === undefined && pastEndError(notices.at(-1))),
    },
    isError: false,
  };
}

/** `details.error` of a window past the end. The answer is not an error, but hosts may want to handle it. */
function pastEndError(notice: { readonly kind: string; readonly text: string } | undefined) {
  return notice?.kind === 'past-end' && { error: { code: 'OUT_OF_RANGE' as const, message: notice.text } };
}

/** The shown range in stored bytes, half-open; empty, at the end, for a window past the end. */
function rangeOf({ excerpt }: TextResult): { readonly start: number; readonly end: number } {
  const end = excerpt.totals.bytes ?? 0;
  return excerpt.span ?? { start: end, end };
}

/** `bytes 0-65591 of 1048576, lines 1-812 of 13000; continue with start_byte=65591` */
function headerOf(result: TextResult): string {
  const { oversized, totals } = result.excerpt;
  const { start, end } = rangeOf(result);
  const bytes = `bytes ${start}-${end} of ${totals.bytes}`;
  const next = end === totals.bytes ? 'end of file' : `continue with start_byte=${end}`;
  return `${bytes}${oversized ? insideOf(oversized) : linesOf(result)}; ${next}`;
}

function insideOf({ no, bytes }: NonNullable<TextResult['excerpt']['oversized']>): string {
  return no === undefined ? ', inside a line' : `, inside line ${no} (line is ${bytes} bytes)`;
}

/** Empty if lines are not counted. */
function linesOf({ excerpt }: TextResult): string {
  const runs = shownLines(excerpt);
  const [first, last] = [runs[0]?.[0], runs.at(-1)?.[1]];
  const { lines } = excerpt.totals;
  return lines === undefined || first === undefined ? '' : `, lines ${first}-${last} of ${lines}`;
}
