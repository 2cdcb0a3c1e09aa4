/**
 * Owns `GET /api/v0/read-file-lines`: a numbered window over a text file, refused as a whole where it does not fit,
 * with the remedy named. The file system's verdicts are answers, not HTTP errors.
 */

import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { type Engine, pass } from '../../engine/gate.ts';
import type { ReadResult } from '../../engine/read.ts';
import { type ErrorCode, OrielError } from '../../errors.ts';
import type { Display } from '../../render/display.ts';
import { makeVisible, quote } from '../../text/visible.ts';
import type { Limits } from '../../window/types.ts';
import { count } from './input.ts';
import { json } from './problem.ts';
import { type Route, route, type Served } from './route.ts';

/** All inclusive. */
const DEFAULTS = { fileSize: 2 ** 20, lineBytes: 1024, lines: 2000, bytes: 32 * 1024 } as const;

/** A call may raise the defaults up to this many times. */
const MOST_TIMES = 8;

const MARKER = '... [truncated]';

const tuned = (about: string, base: number) =>
  count(`${about}; ${base} when absent or 0`).refine((value) => value <= base * MOST_TIMES, {
    error: `must be at most ${base * MOST_TIMES}`,
  });

const query = z.strictObject({
  path: z.string('is required').min(1, 'is required').describe('Absolute path of a text file'),
  offset: count('First line, 1-based; 1 when absent or 0').optional(),
  limit: count(`Lines; ${DEFAULTS.lines} when absent or 0`).optional(),
  max_file_size: tuned('Bytes of a file that is read without offset and limit', DEFAULTS.fileSize).optional(),
  max_line_bytes: tuned('Bytes shown of one line', DEFAULTS.lineBytes).optional(),
  max_response_lines: tuned('Lines of the answer', DEFAULTS.lines).optional(),
  max_response_bytes: tuned('Bytes of the answer, numbers and joiners included', DEFAULTS.bytes).optional(),
});

const reply = z
  .object({
    success: z.boolean(),
    file_size: z.int().describe('Bytes as stored'),
    total_lines: z.int(),
    lines_read: z.int(),
    content: z.string().describe('Lines as "number, tab, text", joined by line feeds'),
    error: z.string().describe('Empty on success'),
  })
  .describe('A window over a file, or why there is none');

export type ReadFileLinesQuery = z.infer<typeof query>;
export type ReadFileLinesReply = z.infer<typeof reply>;

export const readFileLinesRoute = ({ offer }: Served): Route =>
  route<ReadFileLinesQuery>({
    method: 'get',
    path: '/api/v0/read-file-lines',
    summary: 'Lines of a text file, numbered',
    query,
    replies: { 200: { about: 'The lines, or what the file system says', schema: reply } },
    handle: async (context, input) =>
      json(await readFileLines(offer.engine, input.query, context.req.raw.signal)),
  });

/** Never throws for what the file system says. */
export async function readFileLines(
  engine: Engine,
  asked: ReadFileLinesQuery,
  signal?: AbortSignal,
): Promise<ReadFileLinesReply> {
  const nothing = { success: false, file_size: 0, total_lines: 0, lines_read: 0, content: '', error: '' };
  try {
    return { ...nothing, ...(await read(engine, asked, signal)), success: true };
  } catch (error) {
    if (!(error instanceof OrielError)) throw error;
    return { ...nothing, error: wordsFor(error, asked.path) };
  }
}

/** What the failures of opening a file are called here; other failures keep their own words. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: 'file does not exist',
  NOT_DIRECTORY: 'file does not exist',
  DENIED: 'permission denied',
  IS_DIRECTORY: 'not a file',
  NOT_REGULAR: 'not a file',
};

function wordsFor(error: OrielError, path: string): string {
  const words = WORDS[error.code];
  return words === undefined ? error.message : `${words}: ${quote(path)}`;
}

async function read(
  engine: Engine,
  asked: ReadFileLinesQuery,
  signal: AbortSignal | undefined,
): Promise<Omit<ReadFileLinesReply, 'success' | 'error'>> {
  const { path } = asked;
  if (!isAbsolute(path)) throw refusal(`file path must be absolute: ${JSON.stringify(quote(path))}`);
  const offset = asked.offset || 1;
  const isPart = offset > 1 || Boolean(asked.limit);
  const most = {
    fileSize: asked.max_file_size || DEFAULTS.fileSize,
    lineBytes: asked.max_line_bytes || DEFAULTS.lineBytes,
    lines: asked.max_response_lines || DEFAULTS.lines,
    bytes: asked.max_response_bytes || DEFAULTS.bytes,
  };
  if (!isPart) await refuseLarge(engine, path, most.fileSize, signal);
  const result = (await pass(engine, {
    request: {
      do: 'read',
      target: path,
      grammar: 'literal',
      kinds: ['file'],
      window: {
        by: 'lines',
        ranges: [{ from: offset, to: offset + (asked.limit || most.lines) - 1 }],
        context: false,
      },
    },
    limits: limitsOf(most),
    policy: {
      overflow: 'refuse',
      longLine: { as: 'clip', at: most.lineBytes, unit: 'byte', marker: MARKER },
      display,
      cost: (line) => Buffer.byteLength(display.show(line)) + 1,
    },
    ...(signal && { signal }),
  })) as ReadResult;
  if (result.is !== 'text') throw refusal(`file is not text: ${quote(path)}`);
  const { parts, totals, pastEnd, refusedBy } = result.excerpt;
  const total = totals.lines ?? 0;
  if (refusedBy !== undefined) {
    const limit = refusedBy === 'lines' ? `${most.lines} lines` : `${most.bytes} bytes`;
    throw refusal(`output would exceed ${limit}. Read less at a time using offset and limit parameters.`);
  }
  if (pastEnd && (total > 0 || offset > 1)) {
    throw refusal(`offset ${offset} is beyond the file length of ${total} lines`);
  }
  const lines = parts.flat();
  return {
    file_size: totals.bytes ?? 0,
    total_lines: total,
    lines_read: lines.length,
    content: lines.map(display.show).join('\n'),
  };
}

async function refuseLarge(engine: Engine, path: string, most: number, signal?: AbortSignal): Promise<void> {
  const opened = await engine.access.open(engine.access.absolute(path), signal);
  await opened.close();
  if (opened.is === 'file' && opened.size > most) {
    throw refusal(
      `file is ${opened.size} bytes which exceeds the maximum of ${most} bytes. Use grep, sed, or awk to extract ` +
        'the content you need, or use offset and limit to read a portion.',
    );
  }
}

function refusal(message: string): OrielError {
  return new OrielError('LIMIT', message);
}

function limitsOf(most: { readonly lines: number; readonly bytes: number }): Limits {
  const none = Number.POSITIVE_INFINITY;
  // The last line needs no joiner, and each is charged one.
  return {
    lines: most.lines,
    bytes: most.bytes + 1,
    line: none,
    tokens: none,
    window: none,
    windowMax: none,
    countBytes: none,
  };
}

/** `41<tab>def alpha():`, without its line feed. */
const display: Display = {
  show: (line) => `${line.no}\t${withoutFeed(visible(line.text))}${line.cut ? MARKER : ''}`,
  text: visible,
};

function visible(text: string): string {
  return makeVisible(text).text;
}

function withoutFeed(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
