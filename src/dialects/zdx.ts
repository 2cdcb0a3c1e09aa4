/** The `zdx` dialect: unchanged content and facts in the fields of a JSON envelope. */

import type { ZodType } from 'zod';
import { type Dialect, lineRange, reads, runs, type SchemaKit, tool } from '../call/dialect.ts';
import { OrielError } from '../errors.ts';
import { textFacts } from '../render/answers.ts';
import { outputDisplays, raw, showParts } from '../render/display.ts';
import { textAnswer } from '../render/notices.ts';
import { baseLimits, KIB } from '../text/limits.ts';
import { quote, safeJson, shellWord } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { ImageResource } from '../types/call.ts';
import type { Limits, TextPolicy, Window } from '../types/excerpt.ts';
import type { ReadRequest, RunRequest } from '../types/request.ts';
import type { ReadResult, RunResult, RunStream, TextResult } from '../types/result.ts';

// Shared parts of zdx's tools: the JSON envelope of answers, and numbers that may be given as strings.

/** `{"ok":true,"data":{…}}` */
function zdxSuccess(data: Record<string, unknown>, details: Record<string, unknown>): Answer {
  return textAnswer(safeJson({ ok: true, data }), details);
}

/** `{"ok":false,"error":{"code":…,"message":…}}` */
function zdxFailure({ code, message, next }: OrielError): Answer {
  const error = { code, message };
  const details = { error: { ...error, next } };
  return textAnswer(safeJson({ ok: false, error }), details, true);
}

/** The schema `number`, which also accepts a decimal number in a string. */
function numeric(zod: SchemaKit, number: ZodType<number>): ZodType<number> {
  return zod.preprocess(
    (value) => (typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value),
    number,
  );
}

// zdx's `bash`: stdout and stderr unchanged, each within its own limit, and the files with the full outputs.

const MAX_STREAM_BYTES = 50 * KIB;

interface BashInput {
  readonly command: string;
  readonly timeout?: number | undefined;
  readonly keep?: 'head' | 'ends' | undefined;
}

const zdxBash = tool<BashInput, RunRequest>({
  name: 'bash',
  title: 'Bash',
  example: { command: 'cargo test' },
  effects: runs,
  about: (limits) =>
    `Runs a command in bash, e.g. cargo test. Use read to look at files. Answers JSON: data.stdout and data.stderr, each cut after ${bytesOf(limits)} bytes; then ` +
    'stdout_truncated or stderr_truncated is true, the total is in stdout_total_bytes or stderr_total_bytes, and ' +
    'stdout_file or stderr_file is a file with all of it that read can page through. A command that fails or times out ' +
    'is ok too: see exit_code and timed_out.',
  input: (zod) =>
    zod.strictObject({
      command: zod.string().describe('What bash -c runs'),
      timeout: numeric(zod, zod.number())
        .optional()
        .describe('Seconds until the command is ended (default: 120 unless the host says otherwise)'),
      keep: zod
        .enum(['head', 'ends'])
        .optional()
        .describe(
          'What is shown of too long a stream: its head (the default), or head and tail (ends): then ' +
            'stdout_tail_byte or stderr_tail_byte is the byte of the stream at which the tail begins',
        ),
    }),
  limits: (_, limits) => ({
    ...limits,
    lines: Number.POSITIVE_INFINITY,
    bytes: bytesOf(limits),
    tokens: limits.tokens / 2,
    line: bytesOf(limits),
  }),
  request: ({ command, timeout, keep = 'head' }) => ({
    kind: 'run',
    command,
    timeout,
    streams: 'split',
    keep,
    snap: 'char',
    display: 'stream',
  }),
  answer: runOf,
  failure: zdxFailure,
});

/** The limit of each stream: both share the bytes of an answer. */
function bytesOf({ bytes }: Limits): number {
  return Math.min(MAX_STREAM_BYTES, Math.floor(bytes / 2));
}

function runOf(result: RunResult): Answer {
  if (result.cancelled) throw new OrielError('CANCELLED', 'The command was cancelled.');
  const [stdout, stderr] = result.streams as [RunStream, RunStream];
  const facts = {
    exit_code: result.exitCode ?? -1,
    timed_out: result.timedOut,
    stdout_truncated: stdout.truncated,
    stderr_truncated: stderr.truncated,
    stdout_total_bytes: stdout.bytes,
    stderr_total_bytes: stderr.bytes,
    ...cutFacts(stdout),
    ...cutFacts(stderr),
    ...(result.capped !== undefined && { timeout_capped_at: result.timeout }),
  };
  const { signal, background } = result;
  return zdxSuccess(
    { stdout: streamText(stdout), stderr: streamText(stderr), ...facts },
    { ...facts, signal, background },
  );
}

function streamText({ excerpt }: RunStream): string {
  return showParts(excerpt.parts, outputDisplays.stream, '');
}

/** The fields about a truncated stream: the file with the full output. */
function cutFacts({ name, truncated, excerpt, spill, unkept }: RunStream): Record<string, unknown> {
  const [, tail] = excerpt.parts;
  return {
    ...(truncated && spill && { [`${name}_file`]: spill.path }),
    ...(truncated && unkept && { [`${name}_unkept`]: unkept }),
    ...(truncated && tail?.[0] && { [`${name}_tail_byte`]: tail[0].start }),
  };
}

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
  unit: 'bytes',
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
  about: (limits, { offers, settings }) =>
    `Reads a text file${settings.imageMetadataOnly ? '' : ' or an image'}; use it rather than cat. Answers JSON: data.content is an unchanged slice of the file, lines_shown of its total_lines ` +
    `lines from line offset on; truncated tells whether lines follow. At most ${limits.lines} lines and ${pageOf(limits)} bytes ` +
    '(byte_limited says that these ended the page). To continue while truncated is true, call again with offset = ' +
    `offset + lines_shown (e.g. 2001 after a first page of 2000). Lines over ${charactersOf(limits.line)} characters are cut silently; pass max_line_length for longer ` +
    `ones${offers('bash') ? ', or use bash' : ''}.${settings.imageMetadataOnly ? '' : ' An image is shown.'}`,
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
  request: (input, limits) => ({
    kind: 'read',
    target: input.path,
    grammar: 'literal',
    kinds: ['file', 'image'],
    window: windowOf(input, limits),
  }),
  policy: (input, { line, bytes }): TextPolicy => {
    const asked = input.max_line_length ?? charactersOf(line);
    const at = asked === 0 ? bytes : Math.min(asked, bytes);
    return { overflow: 'cut', longLine: { kind: 'clip', at, unit: 'char' }, display: raw };
  },
  answer: (found, input) => {
    if (found.kind === 'text') return textAnswerOf(found, input);
    if (found.kind === 'image' && found.resource.image) return imageOf(found.resource, pathOf(found, input));
    throw notText(found, input.path);
  },
  failure: (error, input) => {
    if (error.code !== 'IS_DIRECTORY' || !input) return zdxFailure(error);
    const message = `${error.message} Use bash to list it, with the command ls ${quote(shellWord(input.path))}`;
    return zdxFailure(new OrielError(error.code, message, { cause: error }));
  },
});

/** 1-based; 0 counts as 1. */
function firstOf({ offset = 1 }: ReadInput): number {
  return Math.max(offset, 1);
}

function windowOf(input: ReadInput, { lines }: Limits): Window {
  const { limit, keep } = input;
  const offset = firstOf(input);
  if (keep === 'ends') return { kind: 'ends', from: offset, most: Math.min(limit ?? lines, lines) };
  return lineRange(offset, limit);
}

/** The path in the answer: as typed if the target is a file URL, which only encodes special characters. */
function pathOf({ target }: ReadResult, { path }: ReadInput): string {
  return target.startsWith('file:') ? path : target;
}

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
  const { content, ...answer } = zdxSuccess(shown, { ...facts, ...shown });
  const block = { type: 'image', mimeType, data: Buffer.from(data).toString('base64') } as const;
  return { ...answer, content: [...content, block] };
}

function textAnswerOf(result: TextResult, input: ReadInput): Answer {
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
    tail_offset: truncated ? tailOffset : undefined,
    byte_limited: byteLimited || undefined,
    cut_lines: cutLines.length > 0 ? cutLines : undefined,
    encoding: encoding.name !== 'utf-8' ? encoding.name : undefined,
    encoding_guessed: encoding.known === 'guessed' || undefined,
    byte_order_mark: encoding.bom > 0 || undefined,
    invalid_sequences: excerpt.invalid > 0 ? excerpt.invalid : undefined,
  };
  const { content: _, ...facts } = data;
  return zdxSuccess(data, { ...textFacts(result), ...facts });
}

function notText(found: Exclude<ReadResult, TextResult>, path: string): OrielError {
  const what = found.kind === 'binary' ? `binary (${found.type})` : `no text`;
  return new OrielError(
    'UNSUPPORTED',
    `${quote(path)} is ${what}. Use bash to look at it: xxd ${quote(shellWord(path))} | head -100`,
  );
}

export const zdx: Dialect = {
  name: 'zdx',
  limits: zdxLimits,
  tools: [read, zdxBash],
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

/** As published: a stream has no more than a page. */
export const publishedZdx: Dialect = {
  ...zdx,
  name: 'zdx@0.10',
  limits: { ...zdxLimits, bytes: 2 * MAX_PAGE_BYTES },
};
