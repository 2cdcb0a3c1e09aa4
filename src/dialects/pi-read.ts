/** pi's `read`: whole lines from `offset` on, and one bracket below them that names the next call. */

import { OrielError } from '../errors.ts';
import { errorAnswer } from '../render/answer.ts';
import { displays, showParts } from '../render/display.ts';
import { sentence, type Wording, wording } from '../render/notices.ts';
import { readAnswer, textFacts } from '../render/read-answer.ts';
import { readNotices, shownLines } from '../render/read-notices.ts';
import { decimalSize, plural } from '../render/units.ts';
import { shellWord } from '../text/shell.ts';
import { oneLine } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Limits } from '../types/limits.ts';
import type { Notice } from '../types/notice.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { ReadRequest } from '../types/request.ts';
import type { TextResult } from '../types/result.ts';
import { lineRange, reads, tool } from './dialect.ts';
import { piLimit, piSize } from './pi-words.ts';

interface ReadInput {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** The byte limit counts lines and the `\n` between them, as pi joins them: the last one's is free. */
function policyFrom(first: number): TextPolicy {
  const { plain } = displays;
  return {
    overflow: 'cut',
    longLine: { as: 'stop' },
    display: plain,
    bareLines: true,
    cost(line) {
      const shown = plain.show(line);
      return Buffer.byteLength(shown) - (shown.endsWith('\n') ? 1 : 0) + (line.no === first ? 0 : 1);
    },
  };
}

export const read = tool<ReadInput, ReadRequest>({
  name: 'read',
  title: 'Read',
  effects: reads,
  about: ({ lines, bytes }, { bash, settings }) =>
    `Read the contents of a text file${settings.imageMetadataOnly ? '' : ' or an image'}. Output is truncated to ${lines} lines or ${decimalSize(bytes)}, ` +
    'whichever is hit first, always after a whole line; a notice in brackets at the end gives the offset to continue ' +
    'with. Use this tool rather than cat, with offset and limit for large files (e.g. offset 2001), and go on until no notice follows. A single line over the size ' +
    `limit is not shown${bash ? ': the notice gives the bash command that shows it' : ''}.`,
  input: (zod) =>
    zod.strictObject({
      path: zod.string().describe('Path to the file to read (relative or absolute)'),
      offset: zod
        .int()
        .min(1)
        .optional()
        .describe('Line number to start reading from (1-indexed; default: 1)'),
      limit: zod
        .int()
        .min(1)
        .optional()
        .describe('Maximum number of lines to read (default: as many as fit)'),
    }),
  request: ({ path, offset, limit }) => ({
    do: 'read',
    target: path,
    grammar: 'literal',
    kinds: ['file', 'image'],
    window: lineRange(offset, limit),
  }),
  policy: ({ offset = 1 }) => policyFrom(offset),
  answer(read, input) {
    return read.is === 'text' ? textOf(read, input) : readAnswer(read, words(read.resolvedPath));
  },
  failure(error, input) {
    if (error.code !== 'IS_DIRECTORY' || !input) return errorAnswer(error);
    return errorAnswer(
      new OrielError(error.code, `${error.message} Use ls to list it.`, { next: input.path, cause: error }),
    );
  },
});

/** What pi says differently; `path` is what its own notices stand below. */
function words(path: string): Wording {
  return {
    ...wording,
    escaped: ({ count }) => `${plural(count, 'control or invisible character')} shown as escapes`,
    binary: ({ target, type }) =>
      `${oneLine(target)} is binary (${type}). Use bash to look at it: xxd ${shellWord(path)} | head -100`,
  };
}

/** What is worth saying besides the next call; the text itself shows where it ends. */
const SAID: ReadonlySet<Notice['kind']> = new Set([
  'encoding',
  'invalid',
  'escaped',
  'changed',
  'empty',
  'said',
]);

function textOf(result: TextResult, { offset = 1 }: ReadInput): Answer {
  const { excerpt, display } = result;
  const { lines } = excerpt.totals;
  if (excerpt.pastEnd && offset > 1) return beyondEnd(offset, lines);
  const body = showParts(excerpt.parts, display, '');
  const said = readNotices(result)
    .filter(({ kind }) => SAID.has(kind))
    .map((notice) => sentence(notice, words(result.resolvedPath)));
  const sentences = [...said, ...continuation(result)];
  const notice = sentences.join('. ');
  const joint = body === '' || body.endsWith('\n') ? '' : '\n';
  const truncation = truncationOf(result, Buffer.byteLength(body));
  return {
    content: [{ type: 'text', text: notice === '' ? body : `${body}${joint}[${notice}]` }],
    details: {
      ...textFacts(result),
      ...(truncation && { truncation }),
      ...(notice !== '' && { notices: [{ kind: 'read', text: notice }] }),
    },
    isError: false,
  };
}

function beyondEnd(offset: number, lines: number | undefined): Answer {
  const total = lines === undefined ? '' : ` (${lines} lines total)`;
  const use = lines === undefined || lines === 0 ? 'Use offset=1' : `Use an offset from 1 to ${lines}`;
  const message = `Offset ${offset} is beyond end of file${total}. ${use}.`;
  return errorAnswer(new OrielError('OUT_OF_RANGE', message, { next: `offset=${lines || 1}` }));
}

function continuation({ excerpt, limits, target, resolvedPath }: TextResult): string[] {
  const { cutBy, oversized, next, totals, span } = excerpt;
  const [first, last] = [shownLines(excerpt)[0]?.[0], shownLines(excerpt).at(-1)?.[1]];
  if (oversized)
    return [oversizedLine(oversized, limits, shellWord(inShell(target) ? target : resolvedPath))];
  if (first === undefined || last === undefined) return [];
  if (next && cutBy) {
    const of = totals.lines === undefined ? '' : ` of ${totals.lines}`;
    const why = cutBy === 'lines' ? '' : ` (${piLimit(cutBy, limits)})`;
    return [`Showing lines ${first}-${last}${of}${why}. Use offset=${last + 1} to continue`];
  }
  if (span?.end === totals.bytes) return [];
  const more = totals.lines === undefined ? 'More' : `${totals.lines - last} more`;
  return [`${more} lines in file. Use offset=${last + 1} to continue`];
}

/** A shell reads some spellings of a path otherwise than a tool does. */
function inShell(typed: string): boolean {
  return !/^([~@]|file:)/i.test(typed);
}

function oversizedLine(
  { no, bytes }: NonNullable<TextResult['excerpt']['oversized']>,
  limits: Limits,
  path: string,
): string {
  const most = Math.min(limits.bytes, limits.tokens * 4);
  const by = bytes !== undefined && bytes <= limits.bytes ? 'tokens' : 'bytes';
  const size =
    bytes === undefined ? '' : ` is ${by === 'tokens' ? decimalSize(bytes) : piSize(bytes, limits)},`;
  const what = `Line ${no}${size} exceeds ${piLimit(by, limits)}`;
  return no === 1
    ? `${what}. Use bash to read: head -c ${most} ${path}`
    : `${what}. Use bash: sed -n '${no}p' ${path} | head -c ${most}`;
}

function truncationOf(
  { excerpt, limits }: TextResult,
  outputBytes: number,
): Record<string, unknown> | undefined {
  const { cutBy, totals, oversized } = excerpt;
  if (!cutBy) return undefined;
  return {
    truncated: true,
    truncatedBy: cutBy,
    outputLines: excerpt.parts.flat().length,
    outputBytes,
    ...(totals.lines !== undefined && { totalLines: totals.lines }),
    ...(totals.bytes !== undefined && { totalBytes: totals.bytes }),
    lastLinePartial: false,
    firstLineExceedsLimit: oversized !== undefined,
    maxLines: limits.lines,
    maxBytes: limits.bytes,
  };
}
