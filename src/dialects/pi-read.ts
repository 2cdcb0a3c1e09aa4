/** pi's `read`: whole lines from `offset` on, and below them one notice with the next call. */

import { type DeclaredTool, lineRange, reads, tool } from '../call/dialect.ts';
import { OrielError } from '../errors.ts';
import { readAnswer, textFacts } from '../render/answers.ts';
import { decimalSize, displays, showParts } from '../render/display.ts';
import { errorAnswer, type NoticeWording, sentence, withoutSelectors, wording } from '../render/notices.ts';
import { readNotices, shownLines } from '../render/read-notices.ts';
import { oneLine, safeJson, shellWord } from '../text/visible.ts';
import type { Answer, Notice } from '../types/answer.ts';
import type { CutBy, Limits, TextPolicy } from '../types/excerpt.ts';
import type { ReadRequest } from '../types/request.ts';
import type { TextResult } from '../types/result.ts';
import { withFindCall } from './lists.ts';

interface ReadInput {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** The byte limit counts lines and the `\n` between them, but not the last `\n`, as in pi. */
function policyFrom(first: number): TextPolicy {
  const { plain } = displays;
  return {
    overflow: 'cut',
    longLine: { kind: 'stop' },
    display: plain,
    bareLines: true,
    cost(line) {
      const shown = plain.show(line);
      return Buffer.byteLength(shown) - (shown.endsWith('\n') ? 1 : 0) + (line.no === first ? 0 : 1);
    },
  };
}

export function piRead(style: PiStyle): DeclaredTool {
  return tool<ReadInput, ReadRequest>({
    name: 'read',
    title: 'Read',
    example: { path: 'src/app.ts', offset: 50, limit: 100 },
    effects: reads,
    about: ({ lines, bytes }, { offers, settings }) =>
      `Read the contents of a text file${settings.imageMetadataOnly ? '' : ' or an image'}. Output is truncated to ${lines} lines or ${style.size(bytes)}, ` +
      'whichever is hit first, always after a whole line; a notice in brackets at the end gives the offset to continue ' +
      'with. Use this tool rather than cat, with offset and limit for large files (e.g. offset 2001), and go on until no notice follows. A single line over the size ' +
      `limit is not shown${offers('bash') ? ': the notice gives the bash command that shows it' : ''}.`,
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
    // Line 0 is the first one, as it is in pi.
    adapt: (fields) => (fields['offset'] === 0 ? { ...fields, offset: 1 } : fields),
    request: ({ path, offset, limit }) => ({
      kind: 'read',
      target: path,
      grammar: 'literal',
      kinds: ['file', 'image'],
      window: lineRange(offset, limit),
      tellsEnd: style.countsLast !== 'never' || undefined,
    }),
    policy: ({ offset = 1 }) => policyFrom(offset),
    answer(read, input) {
      return read.kind === 'text' ? textOf(read, input, style) : readAnswer(read, words(read.resolvedPath));
    },
    failure(error, input) {
      if (error.code !== 'IS_DIRECTORY' || !input) return errorAnswer(withFindCall(error));
      return errorAnswer(new OrielError(error.code, `${error.message} Use ls to list it.`, { cause: error }));
    },
  });
}

/** pi's sentences. `path`: the path as it was typed. */
function words(path: string): NoticeWording {
  return {
    ...wording,
    ...withoutSelectors,
    binary: ({ target, type }) =>
      `${oneLine(target)} is binary (${type}). Use bash to look at it: xxd ${shellWord(path)} | head -100`,
  };
}

/** The kinds of notices that are shown beside the one with the next call. */
const SAID: ReadonlySet<Notice['kind']> = new Set([
  'encoding',
  'invalid',
  'escaped',
  'changed',
  'empty',
  'said',
]);

function textOf(result: TextResult, input: ReadInput, style: PiStyle): Answer {
  const { excerpt, display } = result;
  const { offset = 1 } = input;
  const total = totalOf(result, style);
  if (excerpt.pastEnd && offset > 1 && offset !== total) return beyondEnd(input, total);
  const body = showParts(excerpt.parts, display, '');
  const said = readNotices(result)
    .filter(({ kind }) => SAID.has(kind))
    .map((notice) => sentence(notice, words(result.resolvedPath)));
  const endedBy = endOf(result, input, Buffer.byteLength(body), style);
  const next = continuation(result, endedBy, total, style);
  const notice = [...said, ...next].join('. ') + (next.length > 0 && !excerpt.oversized ? style.stop : '');
  const joint = body === '' ? '' : `${body.endsWith('\n') ? '' : '\n'}${style.gap}`;
  const truncation =
    endedBy && endedBy !== 'caller' && truncationOf(result, endedBy, total, Buffer.byteLength(body));
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

/** The number of lines as this version of pi counts them. */
function totalOf({ excerpt, endsWithNewline }: TextResult, { countsLast }: PiStyle): number | undefined {
  const { lines } = excerpt.totals;
  return lines !== undefined && countsLast !== 'never' && endsWithNewline ? lines + 1 : lines;
}

/** The limit that ended the page before the end of the file: one of the answer, or the caller's. */
function endOf(
  { excerpt, limits, endsWithNewline }: TextResult,
  { limit }: ReadInput,
  bytes: number,
  { countsLast }: PiStyle,
): CutBy | 'caller' | undefined {
  if (excerpt.cutBy) return excerpt.cutBy;
  if (excerpt.span?.end !== excerpt.totals.bytes) return 'caller';
  // The empty line after the final newline counts as a line and a byte.
  if (countsLast === 'never' || !endsWithNewline) return undefined;
  const shown = excerpt.parts.flat().length;
  if (shown === limit) return 'caller';
  if (shown === limits.lines && countsLast === 'always') return 'lines';
  return bytes > limits.bytes ? 'bytes' : undefined;
}

function beyondEnd({ path, offset }: ReadInput, lines: number | undefined): Answer {
  const total = lines === undefined ? '' : ` (${lines} lines total)`;
  const use = lines === undefined || lines === 0 ? 'Use offset=1' : `Use an offset from 1 to ${lines}`;
  const message = `Offset ${offset} is beyond end of file${total}. ${use}.`;
  const next = safeJson({ path, offset: lines || 1 });
  return errorAnswer(new OrielError('OUT_OF_RANGE', message, { next }));
}

function continuation(
  { excerpt, limits, target, resolvedPath }: TextResult,
  endedBy: CutBy | 'caller' | undefined,
  total: number | undefined,
  style: PiStyle,
): string[] {
  const { oversized } = excerpt;
  const [first, last] = [shownLines(excerpt)[0]?.[0], shownLines(excerpt).at(-1)?.[1]];
  if (oversized) {
    // These a shell understands otherwise.
    const path = /^([~@]|file:)/i.test(target) ? resolvedPath : target;
    return [oversizedLine(oversized, limits, shellWord(path), style)];
  }
  if (first === undefined || last === undefined || endedBy === undefined) return [];
  const use = `Use offset=${last + 1} to continue`;
  if (endedBy === 'caller') {
    return [`${total === undefined ? 'More' : `${total - last} more`} lines in file. ${use}`];
  }
  const of = total === undefined ? '' : ` of ${total}`;
  const why = endedBy === 'lines' ? '' : ` (${limitOf(style, endedBy, limits)})`;
  return [`Showing lines ${first}-${last}${of}${why}. ${use}`];
}

function oversizedLine(
  { no, bytes }: NonNullable<TextResult['excerpt']['oversized']>,
  limits: Limits,
  path: string,
  style: PiStyle,
): string {
  const most = Math.min(limits.bytes, limits.tokens * 4);
  const by = bytes !== undefined && bytes <= limits.bytes ? 'tokens' : 'bytes';
  const size =
    bytes === undefined ? '' : ` is ${by === 'tokens' ? style.size(bytes) : style.overSize(bytes, limits)},`;
  const what = `Line ${no}${size} exceeds ${limitOf(style, by, limits)}`;
  return no === 1 && style.first === 'head'
    ? `${what}. Use bash to read: head -c ${most} ${path}`
    : `${what}. Use bash: sed -n '${no}p' ${path} | head -c ${most}`;
}

/** The fields of pi's `TruncationResult`. Totals are those of the file. */
function truncationOf(
  { excerpt, limits }: TextResult,
  cutBy: CutBy,
  totalLines: number | undefined,
  outputBytes: number,
): Record<string, unknown> {
  const { totals, oversized } = excerpt;
  return {
    truncated: true,
    truncatedBy: cutBy,
    outputLines: excerpt.parts.flat().length,
    outputBytes,
    totalLines,
    totalBytes: totals.bytes,
    lastLinePartial: false,
    firstLineExceedsLimit: oversized !== undefined,
    maxLines: limits.lines,
    maxBytes: limits.bytes,
  };
}

// The differences between the versions of pi: the format of sizes and notices, and what counts as a line.

export interface PiStyle {
  size(bytes: number): string;
  /** The size of something that exceeds the byte limit. */
  overSize(bytes: number, limits: Limits): string;
  /** The separator between whole lines and the notice below them. */
  readonly gap: '' | '\n';
  /** The end of a notice with the next call. */
  readonly stop: '' | '.';
  /** Where the empty string after a final newline counts as a line: only in the total of a file, or against each limit of lines. */
  readonly countsLast: 'never' | 'in totals' | 'always';
  /** The command that shows an oversized first line. */
  readonly first: 'head' | 'sed';
  /** Whether `grep` says how many of the matches are shown. */
  readonly tellsShown: boolean;
}

/** The style of pi's design: whole KB of 1,000 bytes. */
export const seedStyle: PiStyle = {
  size: decimalSize,
  // Rounded up, because a size that is rounded down to the limit would not seem to exceed it.
  overSize: (bytes, { bytes: limit }) =>
    limit < 1000 || bytes <= limit ? decimalSize(bytes) : decimalSize(Math.max(bytes, limit + 500)),
  gap: '',
  stop: '',
  countsLast: 'never',
  first: 'head',
  tellsShown: true,
};

/** The style of pi 0.74: KB of 1,024 bytes with one decimal. */
export const publishedStyle: PiStyle = {
  size: oneDecimal,
  overSize: oneDecimal,
  gap: '\n',
  stop: '.',
  countsLast: 'always',
  first: 'sed',
  tellsShown: false,
};

/** The style of pi 1.6. */
export const currentStyle: PiStyle = { ...publishedStyle, countsLast: 'in totals' };

/** `30KB limit`. */
export function limitOf({ size }: PiStyle, by: CutBy, limits: Limits): string {
  return by === 'tokens' ? `${limits.tokens} token limit` : `${size(limits.bytes)} limit`;
}

/** `512B`, `50.0KB`, `1.5MB`. */
function oneDecimal(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 ** 2).toFixed(1)}MB`;
}
