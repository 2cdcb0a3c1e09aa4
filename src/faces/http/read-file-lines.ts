/**
 * `GET /api/v0/read-file-lines`: a numbered window over a text file. It is refused if it does not fit. Errors of the file
 * system are in the response, not HTTP errors.
 */

import * as z from 'zod';
import { callTool } from '../../call-tool.ts';
import { fileLinesLimits, readFileLines } from '../../dialects/file-lines.ts';
import type { OrielError } from '../../errors.ts';
import { baseLimits } from '../../limits.ts';
import { QueueFull } from '../../queues/queue.ts';
import type { FileLines } from '../../types/workspace.ts';
import { json, problemSchema } from './problem.ts';
import { countOf } from './reading.ts';
import { count } from './request-input.ts';
import { type Route, route, type Served } from './route.ts';
import { taskOf } from './task-of.ts';

/** A request may raise a limit up to this factor. */
const MOST_TIMES = 8;

const tuned = (about: string, base: number) => count(`${about}; ${base} when absent or 0`, base * MOST_TIMES);

const { fileSize, lineBytes, responseLines, responseBytes } = fileLinesLimits;

const query = z.strictObject({
  path: z.string('is required').min(1, 'is required').describe('Absolute path of a text file'),
  offset: count('First line, 1-based; 1 when absent or 0').optional(),
  limit: count(`Lines; max_response_lines when absent or 0`).optional(),
  max_file_size: tuned('Bytes of a file that is read without offset and limit', fileSize).optional(),
  max_line_bytes: tuned('Bytes shown of one line', lineBytes).optional(),
  max_response_lines: tuned('Lines of the answer', responseLines).optional(),
  max_response_bytes: tuned('Bytes of the answer, numbers and joiners included', responseBytes).optional(),
});

const reply = z
  .object({
    success: z.boolean(),
    file_size: z.int().describe('Bytes as stored'),
    total_lines: z.int(),
    lines_read: z.int(),
    content: z.string().describe('Lines as "number, tab, text", joined by line feeds'),
    error: z.string().describe('Empty on success'),
    escaped_characters: z.int().optional().describe('Hidden characters shown as escapes'),
    invalid_sequences: z.int().optional().describe('Invalid sequences shown as U+FFFD'),
    byte_order_mark: z.literal(true).optional().describe('A byte order mark was taken off'),
    encoding: z.string().optional().describe('How the text is stored, where that is not UTF-8'),
    encoding_guessed: z.literal(true).optional().describe('The text does not say so: it is a guess'),
  })
  .describe('A window over a file, or why there is none');

type Query = z.infer<typeof query>;

export const readFileLinesRoute = ({ offer, metrics }: Served): Route =>
  route<Query>({
    method: 'get',
    path: '/api/v0/read-file-lines',
    summary: 'Lines of a text file, numbered',
    query,
    replies: {
      200: { about: 'The lines, or what the file system says', schema: reply },
      503: { about: 'Too many calls wait', schema: problemSchema },
    },
    example: {
      query: { path: '/workspace/app.log', offset: 4999, limit: 2 },
      reply: {
        success: true,
        file_size: 53_893,
        total_lines: 5000,
        lines_read: 2,
        content: '4999\tentry 4999\n5000\tentry 5000',
        error: '',
      },
    },
    async handle(exchange, { query: asked }) {
      const { signal, client } = exchange;
      const reader = readFileLines(asked, {
        fileSize: asked.max_file_size || fileSize,
        lineBytes: asked.max_line_bytes || lineBytes,
        responseLines: asked.max_response_lines || responseLines,
        responseBytes: asked.max_response_bytes || responseBytes,
      });
      const ended = countOf(metrics, reader.name);
      let error: OrielError | undefined;
      const failure = (failed: OrielError): FileLines => reader.failure((error = failed));
      const options = { limits: baseLimits, dialect: 'coder', signal, caller: client, ...taskOf(exchange) };
      const lines = await callTool(offer.engine(client), { ...reader, failure }, undefined, options);
      ended({ bytes: Buffer.byteLength(lines.content), error: error?.code });
      // Not an error of the file system.
      if (error instanceof QueueFull) throw error;
      return json(lines);
    },
  });
