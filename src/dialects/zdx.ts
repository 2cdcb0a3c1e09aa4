/** The `zdx` dialect: unchanged content and facts in the fields of a JSON envelope. */

import { OrielError } from '../errors.ts';
import { baseLimits, KIB } from '../limits.ts';
import { raw, showParts } from '../render/display.ts';
import { textFacts } from '../render/read-answer.ts';
import { shellWord } from '../text/shell.ts';
import { quote } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Window } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { ReadRequest } from '../types/request.ts';
import type { ImageResource } from '../types/resource.ts';
import type { ReadResult, TextResult } from '../types/result.ts';
import { type Dialect, lineRange, reads, tool } from './dialect.ts';
import { linesToOffset, placeAsOffset } from './line-fields.ts';
import { bash, MAX_STREAM_BYTES } from './zdx-bash.ts';
import { failure, numeric, success } from './zdx-envelope.ts';

/** Maximum bytes of a character. */
const CHARACTER = 4;
const MAX_LINES = 2000;
/** Maximum characters of a line. */
const MAX_LINE_LENGTH = 500;

/** Maximum bytes of a page: without it, 2,000 lines of 500 characters would be a megabyte. */
const MAX_PAGE_BYTES = 40 * KIB;

/** `bytes` is the limit of two streams together. The fields require counted lines. */
const zdxLimits: Limits = {
  ...baseLimits,
  lines: MAX_LINES,
  line: MAX_LINE_LENGTH * CHARACTER,
  bytes: 2 * MAX_STREAM_BYTES,
  countBytes: Number.POSITIVE_INFINITY,
};

interface ReadInput {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly max_line_length?: number | undefined;
  readonly keep?: 'head' | 'ends' | undefined;
}

const read = tool<ReadInput, ReadRequest>({
  name: 'read',
  title: 'Read',
  example: { path: 'src/app.ts', offset: 50, limit: 100 },
  effects: reads,
  about: (limits, { bash, settings }) =>
    `Reads a text file${settings.imageMetadataOnly ? '' : ' or an image'}; use it rather than cat. Answers JSON: data.content is an unchanged slice of the file, lines_shown of its total_lines ` +
    `lines from line offset on; truncated tells whether lines follow. At most ${limits.lines} lines and ${pageOf(limits)} bytes ` +
    '(byte_limited says that these ended the page). To continue while truncated is true, call again with offset = ' +
    `offset + lines_shown (e.g. 2001 after a first page of 2000). Lines over ${charactersOf(limits.line)} characters are cut silently; pass max_line_length for longer ` +
    `ones${bash ? ', or use bash' : ''}.${settings.imageMetadataOnly ? '' : ' An image is shown.'}`,
  input: (zod) => {
    const count = (least: number) => numeric(zod, zod.int().min(least)).optional();
    return zod.strictObject({
      path: zod.string().describe('Path of the file, absolute or relative to the working directory'),
      offset: count(0).describe('Line to start from (1-indexed; default: 1)'),
      limit: count(1).describe(`Most lines to return (default and maximum: ${MAX_LINES})`),
      max_line_length: count(0).describe(
        `Characters after which a line is cut (default: ${MAX_LINE_LENGTH}; 0: as many as fit in the answer)`,
      ),
      keep: zod
        .enum(['head', 'ends'])
        .optional()
        .describe(
          'Of too many lines, show the first (head, the default), or the first and the last (ends): then tail_offset ' +
            'is the line at which the last ones begin',
        ),
    });
  },
  limits: (_, limits) => ({ ...limits, bytes: pageOf(limits), countBytes: zdxLimits.countBytes }),
  adapt: linesToOffset,
  placed: placeAsOffset,
  request: (input, limits) => ({
    do: 'read',
    target: input.path,
    grammar: 'literal',
    kinds: ['file', 'image'],
    window: windowOf(input, limits),
  }),
  policy: (input, { line, bytes }): TextPolicy => {
    const asked = input.max_line_length ?? charactersOf(line);
    const at = asked === 0 ? bytes : Math.min(asked, bytes);
    return { overflow: 'cut', longLine: { as: 'clip', at, unit: 'char' }, display: raw };
  },
  answer: (found, input) => {
    if (found.is === 'text') return textOf(found, input);
    if (found.is === 'image' && found.resource.image) return imageOf(found.resource, pathOf(found, input));
    throw notText(found, input.path);
  },
  failure: (error, input) => {
    if (error.code !== 'IS_DIRECTORY' || !input) return failure(error);
    const message = `${error.message} Use bash to list it, with the command ls ${quote(shellWord(input.path))}`;
    return failure(new OrielError(error.code, message, { cause: error }));
  },
});

/** 1-based; 0 counts as 1. */
function firstOf({ offset = 1 }: ReadInput): number {
  return Math.max(offset, 1);
}

function windowOf(input: ReadInput, { lines }: Limits): Window {
  const { limit, keep } = input;
  const offset = firstOf(input);
  if (keep === 'ends') return { by: 'ends', from: offset, most: Math.min(limit ?? lines, lines) };
  return lineRange(offset, limit);
}

/** The path in the answer: as typed if the target is a file URL, which only encodes special characters. */
function pathOf({ target }: ReadResult, { path }: ReadInput): string {
  return target.startsWith('file:') ? path : target;
}

/** Maximum bytes of a page. */
function pageOf({ bytes }: Limits): number {
  return Math.min(MAX_PAGE_BYTES, bytes);
}

/** Converts the limit of a line from bytes to characters. */
function charactersOf(line: number): number {
  return Math.floor(line / CHARACTER);
}

/** An image is a content block of its own beside the envelope. */
function imageOf({ image, facts }: ImageResource, path: string): Answer {
  if (!image) throw new TypeError('the image is described and not shown');
  const { mimeType, data } = image;
  const shown = { path, type: 'image', mime_type: mimeType, bytes: data.length };
  const { content, ...answer } = success(shown, { ...facts, ...shown });
  const block = { type: 'image', mimeType, data: Buffer.from(data).toString('base64') } as const;
  return { ...answer, content: [...content, block] };
}

function textOf(result: TextResult, input: ReadInput): Answer {
  const { max_line_length } = input;
  const offset = firstOf(input);
  const { excerpt, display, encoding } = result;
  const path = pathOf(result, input);
  const [, tail] = excerpt.parts;
  const lines = excerpt.parts.flat();
  const total = excerpt.totals.lines ?? 0;
  const truncated = lines.length > 0 && offset - 1 + lines.length < total;
  const tailOffset = tail?.[0]?.no;
  // With `max_line_length: 0` whole lines were requested, so the cut lines are listed.
  const cutLines = max_line_length === 0 ? lines.flatMap(({ no, cut }) => (cut ? [no] : [])) : [];
  const byteLimited =
    cutLines.length > 0 || (truncated && (excerpt.cutBy === 'bytes' || excerpt.cutBy === 'tokens'));
  const data = {
    path,
    content: showParts(excerpt.parts, display, ''),
    offset,
    lines_shown: lines.length,
    total_lines: total,
    truncated,
    ...(truncated && tailOffset !== undefined && { tail_offset: tailOffset }),
    ...(byteLimited && { byte_limited: true }),
    ...(cutLines.length > 0 && { cut_lines: cutLines }),
    ...(encoding.name !== 'utf-8' && { encoding: encoding.name }),
    ...(encoding.known === 'guessed' && { encoding_guessed: true }),
    ...(encoding.bom > 0 && { byte_order_mark: true }),
    ...(excerpt.invalid > 0 && { invalid_sequences: excerpt.invalid }),
  };
  const { content: _, ...facts } = data;
  return success(data, { ...textFacts(result), ...facts });
}

function notText(found: Exclude<ReadResult, TextResult>, path: string): OrielError {
  const what = found.is === 'binary' ? `binary (${found.type})` : `no text`;
  return new OrielError(
    'UNSUPPORTED',
    `${quote(path)} is ${what}. Use bash to look at it: xxd ${quote(shellWord(path))} | head -100`,
  );
}

export const zdx: Dialect = {
  name: 'zdx',
  limits: zdxLimits,
  tools: [read, bash],
  answersJson: true,
  departs: [
    {
      law: 1,
      tool: 'read',
      why: 'a line over 500 characters is cut without a word; max_line_length lifts that',
    },
    {
      law: 4,
      tool: 'read',
      why: 'what follows is told by truncated, offset and lines_shown, not by a notice',
    },
    { law: 1, tool: 'bash', why: 'a stream is cut after its last whole character, not after a whole line' },
    { law: 4, tool: 'bash', why: 'what was cut is told by fields, which name the file that holds all of it' },
    { law: 7, tool: 'bash', why: 'stdout and stderr are unchanged: nothing in them is escaped' },
    { law: 7, tool: 'read', why: 'content is an unchanged slice of the text: nothing in it is escaped' },
  ],
};
