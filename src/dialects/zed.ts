/** The `zed` dialect: `read_file` with line ranges, byte windows rounded to whole lines, or the whole file. */

import { OrielError } from '../errors.ts';
import { baseLimits, KIB } from '../limits.ts';
import { errorAnswer } from '../render/answer.ts';
import { displays } from '../render/display.ts';
import { readAnswer } from '../render/read-answer.ts';
import { binarySize } from '../render/units.ts';
import type { Window } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { ReadRequest } from '../types/request.ts';
import { linesToEnds } from './line-fields.ts';
import { type Dialect, lineRange, reads, tool } from './dialect.ts';
import { headedAnswer, zedWording } from './zed-answer.ts';

/** Files of at most this many bytes are returned whole if no window is given. */
const WHOLE = 16 * KIB;
const DEFAULT_MAX_BYTES = 64 * KIB;
const HARD_MAX_BYTES = 256 * KIB;

const limits: Limits = {
  ...baseLimits,
  lines: Number.POSITIVE_INFINITY,
  bytes: HARD_MAX_BYTES,
  line: HARD_MAX_BYTES,
  window: DEFAULT_MAX_BYTES,
  windowMax: HARD_MAX_BYTES,
};

interface ReadFileInput {
  readonly path: string;
  readonly start_line?: number | undefined;
  readonly end_line?: number | undefined;
  readonly start_byte?: number | undefined;
  readonly max_bytes?: number | undefined;
}

const policy: TextPolicy = { overflow: 'cut', longLine: { as: 'slice' }, display: displays.plain };

const readFile = tool<ReadFileInput, ReadRequest>({
  name: 'read_file',
  title: 'Read file',
  example: { path: 'src/app.ts', start_line: 50, end_line: 100 },
  effects: reads,
  about: ({ window, windowMax }) =>
    `Reads the content of a text file; use it rather than a terminal. Without a window, a file of up to ${binarySize(WHOLE)} is answered whole, a larger ` +
    `one with its outline where it has one, else with its first window.

Byte windows: start_byte and max_bytes (${binarySize(window)} by default, at most ${binarySize(windowMax)}). The answer is ` +
    'rounded to whole lines and begins with a header that gives the effective byte range; to continue reading, pass its ' +
    '"continue with start_byte" as the next start_byte, until it says "end of file". Prefer byte windows for paging, and ' +
    'set max_bytes generously when you expect to need more context: fewer, larger calls are faster and stay clear of ' +
    `rate limits.

Line ranges: start_line and end_line, 1-based and inclusive, at most ${binarySize(windowMax)}. Use them to follow up on line ` +
    'numbers from an outline or a search (e.g. start_line 120, end_line 180). They take precedence over byte windows.',
  input: (zod) => {
    const optional = () => zod.int().min(0).optional();
    return zod.strictObject({
      path: zod.string().describe('Path of the file, relative to the working directory or absolute'),
      start_line: optional().describe('First line to read (1-based)'),
      end_line: optional().describe('Last line to read (1-based, inclusive; default: the last of the file)'),
      start_byte: optional().describe(
        `Byte offset to read from (0-based; default: 0). Moved back to the start of its line`,
      ),
      max_bytes: optional().describe(
        `Size of the window in bytes (default: ${DEFAULT_MAX_BYTES}, at most ${HARD_MAX_BYTES}). Rounded to whole lines`,
      ),
    });
  },
  adapt: linesToEnds,
  // Lines are shown without numbers, so the requested line must be the first one.
  placed: (input, { path, from, to, line = from }) =>
    windowOf(input)
      ? undefined
      : { ...input, path, start_line: line, ...(to !== undefined && { end_line: to }) },
  request(input) {
    const window = windowOf(input);
    return {
      do: 'read',
      target: input.path,
      grammar: 'literal',
      kinds: ['file', 'image'],
      ...(window ? { window } : { outlineOver: WHOLE }),
    };
  },
  policy: () => policy,
  answer(read) {
    return read.is === 'text' ? headedAnswer(read) : readAnswer(read, zedWording);
  },
  failure(error) {
    if (error.code !== 'IS_DIRECTORY') return errorAnswer(error);
    return errorAnswer(
      new OrielError(error.code, `${error.message} Use the path of a file in it.`, { cause: error }),
    );
  },
});

/** Lines take precedence over bytes. Undefined for the whole file. */
function windowOf({ start_line, end_line, start_byte, max_bytes }: ReadFileInput): Window | undefined {
  if (start_line !== undefined || end_line !== undefined) {
    const from = Math.max(start_line ?? 1, 1);
    // A range that ends before it starts selects its first line.
    return lineRange(from, end_line === undefined ? undefined : Math.max(end_line - from + 1, 1));
  }
  if (start_byte === undefined && max_bytes === undefined) return undefined;
  return { by: 'bytes', start: start_byte ?? 0, ...(max_bytes !== undefined && { length: max_bytes }) };
}

export const zed: Dialect = {
  name: 'zed',
  limits,
  tools: [readFile],
  departs: [
    {
      law: 4,
      tool: 'read_file',
      why: 'the next call is named by a header above the text, where a second cut spares it',
    },
  ],
};
