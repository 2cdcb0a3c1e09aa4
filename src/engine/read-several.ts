/** Several paths in one string, `a.ts,b.ts:5-9`: each is read as if it came alone, all under one budget. */

import { type ErrorCode, isOrielError, type OrielError } from '../errors.ts';
import { estimateTokens } from '../limits.ts';
import { displays, GAP, isNumbered, showPart, showParts } from '../render/display.ts';
import { partHeader } from '../render/read-answer.ts';
import { isSelector } from '../selector/selection.ts';
import type { Call } from '../types/call.ts';
import type { Limits } from '../types/limits.ts';
import type { ReadRequest } from '../types/request.ts';
import type { PartResult, SeveralResult, SingleResult } from '../types/result.ts';
import { isThere } from './target.ts';

/** Failures after which the string is not tried as a list. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BUSY',
  'CANCELLED',
  'DENIED',
  'OUTSIDE_ROOT',
  'TIMEOUT',
]);

const MOST_PATHS = 20;

/** A part with a smaller budget than this shows nothing. */
const LEAST_BYTES = 256;

type ReadOne = (request: ReadRequest, call: Call) => Promise<SingleResult>;

/** Undefined where the string is not a list of at least two paths that all exist. `cause`: why it is no single path. */
export async function readSeveral(
  request: ReadRequest,
  cause: OrielError,
  readOne: ReadOne,
  call: Call,
): Promise<SeveralResult | undefined> {
  if (FINAL.has(cause.code)) return undefined;
  const paths = await pathsThatExist(request.target, call);
  if (!paths) return undefined;
  const parts: PartResult[] = [];
  let left = call.limits;
  for (const [at, typed] of paths.entries()) {
    const share = shareOf(left, paths.length - at, Buffer.byteLength(partHeader(typed)));
    if (!share) {
      parts.push({ typed, result: 'full' });
      continue;
    }
    const result = await readOne({ ...request, target: typed }, { ...call, limits: share }).catch(
      (error: unknown) => {
        if (!isOrielError(error)) throw error;
        call.signal.throwIfAborted();
        return error;
      },
    );
    parts.push({ typed, result });
    left = without(left, partHeader(typed) + textOf(result), call);
  }
  const first = parts.map(({ result }) => result).find(isResult);
  if (!first) return undefined;
  const { kind, resolvedPath } = first;
  return { is: 'several', target: request.target, resolvedPath, kind, facts: {}, parts };
}

function isResult(result: PartResult['result']): result is SingleResult {
  return result !== 'full' && !isOrielError(result);
}

/** The paths of a list whose paths are all there. */
async function pathsThatExist(target: string, call: Call): Promise<string[] | undefined> {
  for (const paths of listsIn(target)) {
    let there = paths.length > 1 && paths.length <= MOST_PATHS;
    for (const path of there ? paths : []) there &&= await isThere(path, call);
    if (there) return paths;
  }
  return undefined;
}

/** With commas; in brackets and quotes; with semicolons, one a line, or with blanks between them. */
function* listsIn(target: string): Generator<string[]> {
  yield pathsIn(target);
  const bare = target.trim().replace(/^\[(.*)\]$/s, '$1');
  const unquoted = piecesOf(bare, ',').map((piece) => piece.replace(/^(["'])(.*)\1$/s, '$2'));
  if (bare !== target && unquoted.every((piece) => piece !== '')) yield unquoted;
  yield piecesOf(bare, ';');
  yield piecesOf(bare, '\n');
  yield bare.split(/(?<!\\)\s+/, MOST_PATHS + 1);
}

function piecesOf(text: string, separator: string): string[] {
  return text.split(separator, MOST_PATHS + 1).map((piece) => piece.trim());
}

/** `a.ts:1-5,9,b.ts` → `a.ts:1-5,9` and `b.ts`: a piece that can belong to the selector before it does. */
function pathsIn(target: string): string[] {
  const paths: string[][] = [];
  let hasSelector = false;
  for (const piece of target.split(',').map((part) => part.trim())) {
    if (hasSelector && isSelector(piece)) paths.at(-1)?.push(piece);
    else {
      if (piece === '' || paths.length === MOST_PATHS) return [];
      paths.push([piece]);
      hasSelector = /:(?!\/\/)/.test(piece);
    }
  }
  return paths.map((pieces) => pieces.join(','));
}

/** The budget of one of `parts`: an equal share. Undefined where nothing would fit. */
function shareOf(left: Limits, parts: number, header: number): Limits | undefined {
  const bytes = Math.floor(left.bytes / parts) - header;
  const lines = Math.floor(left.lines / parts);
  const tokens = Number.isFinite(left.tokens) ? Math.floor(left.tokens / parts) : left.tokens;
  if (bytes < Math.min(LEAST_BYTES, left.bytes / 2) || lines < 1 || tokens < 1) return undefined;
  return { ...left, bytes, lines, tokens, line: Math.min(left.line, bytes) };
}

function without(left: Limits, shown: string, { settings }: Call): Limits {
  const bytes = Buffer.byteLength(shown);
  const { tokens: count = estimateTokens } = settings;
  const tokens = count(shown);
  return {
    ...left,
    bytes: Math.max(0, left.bytes - bytes),
    lines: Math.max(0, left.lines - (shown.split('\n').length - 2)),
    tokens: Math.max(0, left.tokens - tokens),
  };
}

/** What counts against the budget. */
function textOf(result: SingleResult | OrielError): string {
  if (isOrielError(result)) return result.message;
  switch (result.is) {
    case 'text': {
      const { display, excerpt, snapshot, above = snapshot?.header ?? '' } = result;
      const gap = isNumbered(display) || display === displays.plain ? GAP : '';
      return above + showParts(excerpt.parts, display, gap);
    }
    case 'summary':
      return result.summary.parts.map((part) => showPart(part, result.display)).join('');
    case 'image':
      return result.resource.text;
    case 'binary':
    case 'note':
      return '';
  }
}
