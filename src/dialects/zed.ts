/** The `zed` dialect: `read_file` with line ranges, byte windows rounded to whole lines, or the whole file. */

import { type Dialect, lineRange, reads, tool } from '../call/dialect.ts';
import { OrielError } from '../errors.ts';
import { readAnswer, textFacts } from '../render/answers.ts';
import { binarySize, displays, plural, showParts } from '../render/display.ts';
import {
  errorAnswer,
  howToLook,
  type NoticeWording,
  sentence,
  withoutSelectors,
  wording,
} from '../render/notices.ts';
import { readNotices, shownLines } from '../render/read-notices.ts';
import { baseLimits, KIB, shownOfWindow } from '../text/limits.ts';
import { oneLine } from '../text/visible.ts';
import type { Answer, Notice } from '../types/answer.ts';
import type { Limits, TextPolicy, Window } from '../types/excerpt.ts';
import type { ReadRequest } from '../types/request.ts';
import type { TextResult } from '../types/result.ts';

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

const policy: TextPolicy = { overflow: 'cut', longLine: { kind: 'slice' }, display: displays.plain };

const readFile = tool<ReadFileInput, ReadRequest>({
  name: 'read_file',
  title: 'Read file',
  example: { path: 'src/app.ts', start_line: 50, end_line: 100 },
  effects: reads,
  about: (given) => {
    const most = shownOfWindow(given);
    return (
      `Reads the content of a text file; use it rather than a terminal. Without a window, a file of up to ${binarySize(WHOLE)} is answered whole, a larger ` +
      `one with its outline where it has one, else with its first window.

Byte windows: start_byte and max_bytes (${binarySize(Math.min(given.window, most))} by default, at most ${binarySize(most)}). The answer is ` +
      'rounded to whole lines and begins with a header that gives the effective byte range; to continue reading, pass its ' +
      '"continue with start_byte" as the next start_byte, until it says "end of file". Prefer byte windows for paging, and ' +
      'set max_bytes generously when you expect to need more context: fewer, larger calls are faster and stay clear of ' +
      `rate limits.

Line ranges: start_line and end_line, 1-based and inclusive, at most ${binarySize(most)}. Use them to follow up on line ` +
      'numbers from an outline or a search (e.g. start_line 120, end_line 180). They take precedence over byte windows.'
    );
  },
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
  request(input) {
    const window = windowOf(input);
    return {
      kind: 'read',
      target: input.path,
      grammar: 'literal',
      kinds: ['file', 'image'],
      ...(window ? { window } : { outlineOver: WHOLE }),
    };
  },
  policy: () => policy,
  answer(read) {
    return read.kind === 'text' ? headedAnswer(read) : readAnswer(read, zedWording);
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
  return { kind: 'bytes', start: start_byte ?? 0, length: max_bytes };
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

// The answer of zed's `read_file`: a header above a window, and a few notices below the text.

const zedWording: NoticeWording = {
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
function headedAnswer(result: TextResult): Answer {
  const { excerpt, display, selection } = result;
  const header = selection.window?.kind === 'bytes' || excerpt.next ? headerOf(result) : undefined;
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
          by: excerpt.cutBy || undefined,
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
  if (!oversized) return `${bytes}${linesOf(result)}; ${next}`;
  const line =
    oversized.no === undefined ? 'a line' : `line ${oversized.no} (line is ${oversized.bytes} bytes)`;
  return `${bytes}, inside ${line}; ${next}`;
}

/** Empty if lines are not counted. */
function linesOf({ excerpt }: TextResult): string {
  const runs = shownLines(excerpt);
  const [first, last] = [runs[0]?.[0], runs.at(-1)?.[1]];
  const { lines } = excerpt.totals;
  return lines === undefined || first === undefined ? '' : `, lines ${first}-${last} of ${lines}`;
}
