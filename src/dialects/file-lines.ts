/**
 * The line reader of the `coder` tools and of the HTTP route `/read-file-lines`: numbered lines in JSON fields. It refuses
 * what exceeds the limits and says how to continue, instead of truncating.
 */

import { isAbsolute } from 'node:path';
import type { Order } from '../engine/open-call.ts';
import { type ErrorCode, OrielError } from '../errors.ts';
import { baseLimits, KIB } from '../limits.ts';
import { plain } from '../render/display.ts';
import { countEscaped } from '../render/read-notices.ts';
import { quote } from '../text/visible.ts';
import type { Display } from '../types/display.ts';
import type { Line } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { LinesRequest } from '../types/request.ts';
import type { BinaryResult, LinesResult, TextResult } from '../types/result.ts';
import type { Changed, FileLines } from '../types/workspace.ts';
import type { Callable } from './dialect.ts';

export interface FileLinesLimits {
  /** Maximum bytes of a file that is read without `offset` and `limit`. */
  readonly fileSize: number;
  /** Maximum bytes of a line, without number and terminator; a longer one is cut and marked. */
  readonly lineBytes: number;
  readonly responseLines: number;
  /** Maximum bytes of `content`, with numbers, markers and newlines. */
  readonly responseBytes: number;
}

export const fileLinesLimits: FileLinesLimits = {
  fileSize: KIB * KIB,
  lineBytes: KIB,
  responseLines: 2000,
  responseBytes: 32 * KIB,
};

export interface FileLinesInput {
  /** Absolute. */
  readonly path: string;
  /** 1-based; 0 or absent for the first line. */
  readonly offset?: number | undefined;
  /** Number of lines; 0 or absent for as many as fit into an answer. */
  readonly limit?: number | undefined;
}

/** The request. Throws `BAD_PATH` for a path that is not absolute. */
export function fileLinesOrder(
  input: FileLinesInput,
  limits: FileLinesLimits,
  base: Limits = baseLimits,
): Order<LinesRequest> {
  if (input.path === '') throw new OrielError('BAD_PATH', 'path is required');
  if (!isAbsolute(input.path)) {
    const shown = quote(input.path).replaceAll('"', '\\"');
    throw new OrielError('BAD_PATH', `file path must be absolute: "${shown}"`);
  }
  const from = firstOf(input);
  const wantsAll = from === 1 && !input.limit;
  return {
    request: {
      do: 'lines',
      path: input.path,
      range: {
        from,
        to: Math.min(from + (input.limit || limits.responseLines) - 1, Number.MAX_SAFE_INTEGER),
      },
      ...(wantsAll && { wholeUpTo: limits.fileSize }),
    },
    limits: {
      ...base,
      lines: limits.responseLines,
      bytes: limits.responseBytes,
      line: limits.lineBytes,
      countBytes: Number.POSITIVE_INFINITY,
    },
    policy: policyFrom(from, limits.lineBytes),
  };
}

function firstOf({ offset }: FileLinesInput): number {
  return Math.max(offset ?? 1, 1);
}

const MARKER = '... [truncated]';

/** `12\tcontent` */
const tabbed: Display = {
  show(line) {
    const text = plain.show(line);
    const ended = text.endsWith('\n');
    const content = ended ? text.slice(0, -1) : text;
    if (line.cut !== 'clip') return `${line.no}\t${content}`;
    return `${line.no}\t${content.replace(/\r$/, '')}${MARKER}`;
  },
  text: plain.text,
};

function policyFrom(first: number, lineBytes: number): TextPolicy {
  return {
    overflow: 'refuse',
    longLine: { as: 'clip', at: lineBytes, unit: 'byte' },
    display: tabbed,
    cost: (line: Line) => tabbedBytes(line) + (line.no === first ? 0 : '\n'.length),
  };
}

function tabbedBytes(line: Line): number {
  const { no, text, ascii, cut } = line;
  if (!ascii || cut) return Buffer.byteLength(tabbed.show(line));
  return String(no).length + '\t'.length + text.length - (text.endsWith('\n') ? 1 : 0);
}

/** The fields for a result. Throws OrielError for a result without lines; `fileLinesError` has the message. */
export function fileLines(found: LinesResult, input: FileLinesInput): FileLines {
  switch (found.is) {
    case 'workspace':
      if (found.lines.success) return found.lines;
      throw new OrielError(codeOfWords(found.lines.error), found.lines.error);
    case 'text':
      return linesOf(found, firstOf(input));
    case 'binary':
      throw new OrielError('UNSUPPORTED', binaryWords(found, input.path));
    case 'too-large':
      throw new OrielError(
        'LIMIT',
        `file is ${found.bytes} bytes which exceeds the maximum of ${found.most} bytes. Use grep, sed, or awk to extract the content you need, or use offset and limit to read a portion.`,
      );
    default:
      throw new OrielError('NOT_REGULAR', `not a file: ${quote(input.path)}`);
  }
}

function linesOf(result: TextResult, offset: number): FileLines {
  const { excerpt, limits } = result;
  const { totals, refusedBy } = excerpt;
  const total = totals.lines ?? 0;
  if (refusedBy) {
    const most = refusedBy === 'lines' || refusedBy === 'tokens' ? refusedBy : 'bytes';
    throw new OrielError(
      'LIMIT',
      `output would exceed ${limits[most]} ${most}. Read less at a time using offset and limit parameters.`,
    );
  }
  if (excerpt.pastEnd && offset > 1) {
    throw new OrielError('OUT_OF_RANGE', `offset ${offset} is beyond the file length of ${total} lines`);
  }
  const lines = excerpt.parts.flatMap((part) => part.map((line) => tabbed.show(line)));
  return {
    success: true,
    file_size: totals.bytes ?? 0,
    total_lines: total,
    lines_read: lines.length,
    content: lines.join('\n'),
    error: '',
    ...changedIn(result),
  };
}

function changedIn({ excerpt, encoding }: TextResult): Changed {
  const escaped = countEscaped(excerpt);
  return {
    ...(escaped > 0 && { escaped_characters: escaped }),
    ...(excerpt.invalid > 0 && { invalid_sequences: excerpt.invalid }),
    ...(encoding.bom > 0 && { byte_order_mark: true }),
    ...(encoding.name !== 'utf-8' && { encoding: encoding.name }),
    ...(encoding.known === 'guessed' && { encoding_guessed: true as const }),
  };
}

function binaryWords({ type, bytes }: BinaryResult, path: string): string {
  const size = bytes === undefined ? '' : `, ${bytes} bytes`;
  return `not a text file: ${quote(path)} (${type}${size}). Use xxd or file to look at it.`;
}

/** The error code for the message of a remote workspace, which has the same messages. */
function codeOfWords(words: string): ErrorCode {
  const known = Object.entries(SENTENCES).find(([, sentence]) => words.startsWith(`${sentence}: `));
  if (known) return known[0] as ErrorCode;
  return words.startsWith('offset ') ? 'OUT_OF_RANGE' : 'LIMIT';
}

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: 'file does not exist',
  NOT_DIRECTORY: 'file does not exist',
  DENIED: 'permission denied',
  OUTSIDE_ROOT: 'permission denied',
  IS_DIRECTORY: 'not a file',
  NOT_REGULAR: 'not a file',
};

/** The error with the message of this reader. */
export function fileLinesError(error: OrielError, path: string): OrielError {
  const words = SENTENCES[error.code];
  return words === undefined
    ? error
    : new OrielError(error.code, `${words}: ${quote(path)}`, { cause: error });
}

/** An operation that returns the fields themselves, for a face that answers with JSON. */
export function readFileLines(input: FileLinesInput, limits: FileLinesLimits): Callable<FileLines> {
  return {
    name: 'read-file-lines',
    prepare: () => ({
      ...fileLinesOrder(input, limits),
      answer: (result: LinesResult) => fileLines(result, input),
    }),
    failure(error) {
      const { message } = fileLinesError(error, input.path);
      return { success: false, file_size: 0, total_lines: 0, lines_read: 0, content: '', error: message };
    },
  };
}
