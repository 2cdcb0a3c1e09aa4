/**
 * The lens: shows what a model gets for a path under a dialect, with the blocks of the answer and the next
 * call.
 */

import { dialectNames, type DialectName } from '../dialects/dialect-table.ts';
import { OrielError } from '../errors.ts';
import type { LimitOptions } from '../limits.ts';
import type { Oriel } from '../oriel.ts';
import type { Caller } from '../queues/caller.ts';
import { parseSelection } from '../selector/selection.ts';
import { quote } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Window } from '../types/excerpt.ts';

export interface LensQuestion {
  readonly dialect: DialectName;
  /** A path with a selector, for any dialect. Alternatively `input`: the input of the tool. */
  readonly path?: string | undefined;
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  readonly limits?: LimitOptions | undefined;
}

export interface Seen {
  readonly dialect: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly answer: Answer;
  /** The input of the next call, if the answer was cut. */
  readonly next?: Readonly<Record<string, unknown>>;
}

/** The fields of a dialect for a window of lines: first line, and last line (`to`) or number of lines (`count`). */
const LINES: Partial<Record<DialectName, readonly [string, string, 'to' | 'count']>> = {
  pi: ['offset', 'limit', 'count'],
  'pi@0.74': ['offset', 'limit', 'count'],
  zdx: ['offset', 'limit', 'count'],
  coder: ['offset', 'limit', 'count'],
  zed: ['start_line', 'end_line', 'to'],
};

/** Maximum limits, so that a browser can show the answer. */
const MOST_BYTES = 1 << 20;

/** Maximum fields of an input, and characters of each. */
const [MOST_FIELDS, MOST_CHARACTERS] = [64, 8_192];

/** Checks the limits. Throws OrielError (`BAD_INPUT`) if one is too large for the lens. */
export function lensLimits(limits: LimitOptions = {}): LimitOptions {
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === 'number' && value > MOST_BYTES && name !== 'countBytes') {
      throw new OrielError('BAD_INPUT', `The limit ${quote(name)} is at most ${MOST_BYTES} here.`);
    }
  }
  return limits;
}

/** `absolute` makes a path absolute, for dialects that require it. */
export async function look(
  oriel: Oriel,
  { dialect, path, input: given }: LensQuestion,
  absolute: (path: string) => string,
  { signal, caller }: { readonly signal: AbortSignal; readonly caller: Caller },
): Promise<Seen> {
  const tool = oriel.tools.find(({ name }) => name === 'read' || name === 'read_file');
  if (!tool)
    throw new OrielError(
      'BAD_INPUT',
      `The dialect ${dialect} reads nothing. Use one of ${dialectNames.join(', ')}.`,
    );
  checkSize(given ?? { path });
  const input = given ?? inputOf(dialect, path ?? '.', absolute);
  const answer = await tool.run(input, { signal, caller, task: 'lens', host: 'lens' });
  const next = nextOf(dialect, input, answer);
  return { dialect, tool: tool.name, input, answer, ...(next && { next }) };
}

/** Limits the size of the input, because the answer contains it. Throws `BAD_INPUT`. */
function checkSize(input: Readonly<Record<string, unknown>>): void {
  const sizes = Object.entries(input).map(([name, value]) => name.length + sizeOf(value));
  if (sizes.length <= MOST_FIELDS && sizes.every((size) => size <= MOST_CHARACTERS)) return;
  throw new OrielError(
    'BAD_INPUT',
    `The input has at most ${MOST_FIELDS} fields of ${MOST_CHARACTERS} characters here.`,
  );
}

/** Characters of a field. Fields of reading tools are strings, numbers, or lists of them. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + 1 + sizeOfPlain(one), 0);
  return sizeOfPlain(value);
}

function sizeOfPlain(value: unknown): number {
  return typeof value === 'object' && value !== null ? Number.POSITIVE_INFINITY : String(value).length;
}

function inputOf(
  dialect: DialectName,
  typed: string,
  absolute: (path: string) => string,
): Record<string, unknown> {
  if (dialect === 'oriel') return { path: typed };
  const { path, window } = splitWindow(typed);
  const fields = { path: dialect === 'coder' ? absolute(path) : path };
  const names = LINES[dialect];
  if (window?.by === 'lines' && window.ranges.length === 1 && names) {
    const [{ from, to } = { from: 1 }] = window.ranges;
    const [first, last, kind] = names;
    return {
      ...fields,
      [first]: from,
      ...(to !== undefined && { [last]: kind === 'to' ? to : to - from + 1 }),
    };
  }
  if (window?.by === 'bytes' && dialect === 'zed') {
    return {
      ...fields,
      start_byte: window.start,
      ...(window.length !== undefined && { max_bytes: window.length }),
    };
  }
  if (window)
    throw new OrielError(
      'BAD_INPUT',
      `The dialect ${dialect} has no such window. Use ${quote(path)}:1..100 or ${quote(path)}.`,
    );
  return fields;
}

/** `"a.ts:5..9"` → its path and window. Other selectors are part of the path. */
function splitWindow(typed: string): { readonly path: string; readonly window?: Window } {
  for (let colon = typed.lastIndexOf(':'); colon > 0; colon = typed.lastIndexOf(':', colon - 1)) {
    const selection = parseSelection(typed.slice(colon + 1));
    if (selection?.window) return { path: typed.slice(0, colon), window: selection.window };
    if (selection && (selection.mode !== undefined || selection.symbol !== undefined)) break;
  }
  return { path: typed };
}

function nextOf(
  dialect: DialectName,
  input: Readonly<Record<string, unknown>>,
  { details, content }: Answer,
): Record<string, unknown> | undefined {
  const { next } = Object(details['truncation']) as { next?: unknown };
  if (typeof next === 'string') return { path: next };
  if (typeof next === 'object' && next !== null) {
    const { start_line: _, end_line: __, ...rest } = input;
    return { ...rest, ...next };
  }
  if (dialect === 'coder' || dialect === 'zdx') return nextPage(input, details, dialect);
  const [block] = content;
  const offset =
    block?.type === 'text' ? /Use offset=(\d+) to continue/.exec(block.text.slice(-300))?.[1] : undefined;
  return offset === undefined ? undefined : { ...input, offset: Number(offset) };
}

/** The next page for dialects that report the number of shown lines and of all lines. */
function nextPage(
  input: Readonly<Record<string, unknown>>,
  details: Answer['details'],
  dialect: DialectName,
): Record<string, unknown> | undefined {
  const lines = Number(details[dialect === 'coder' ? 'lines_read' : 'lines_shown'] ?? 0);
  const offset = Math.max(1, Number(input['offset'] ?? 1)) + lines;
  return lines > 0 && offset <= Number(details['total_lines'] ?? 0) ? { ...input, offset } : undefined;
}
