/** Reads several paths in one string, `a.ts,b.ts:5-9`: each as if it were read alone, all within one budget. */

import { type ErrorCode, isOrielError, type OrielError } from '../errors.ts';
import { estimateTokens } from '../limits.ts';
import { wording } from '../render/notices.ts';
import { partHeader, readAnswer } from '../render/read-answer.ts';
import { MOST_PATHS, pathLists } from '../selector/path-lists.ts';
import type { Call } from '../types/call.ts';
import type { Limits } from '../types/limits.ts';
import type { ReadRequest } from '../types/request.ts';
import type { PartResult, SeveralResult, SingleResult } from '../types/result.ts';
import { explainList } from './explain-list.ts';
import { canonicalTarget } from './target.ts';

/** Errors after which the string is not tried as a list. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BUSY',
  'CANCELLED',
  'DENIED',
  'OUTSIDE_ROOT',
  'TIMEOUT',
]);

/** A part with a smaller budget than this, in bytes, is not shown. */
const LEAST_BYTES = 256;

type ReadOne = (request: ReadRequest, call: Call) => Promise<SingleResult>;

/**
 * Undefined if the string is not a list of two or more paths. `cause` is the error of reading it as one path. Throws if only
 * some of them exist.
 */
export async function readSeveral(
  request: ReadRequest,
  cause: OrielError,
  readOne: ReadOne,
  call: Call,
): Promise<SeveralResult | undefined> {
  if (FINAL.has(cause.code)) return undefined;
  const paths = await pathsThatExist(request.target, call);
  if (!paths) {
    const error = await explainList(request.target, call);
    if (error) throw error;
    return undefined;
  }
  const parts: PartResult[] = [];
  let left = call.limits;
  for (const [at, typed] of paths.entries()) {
    const share = shareOf(
      left,
      paths.length - at,
      Buffer.byteLength(partHeader(typed)),
      Buffer.byteLength(typed),
    );
    if (!share) {
      parts.push({ typed, result: 'full' });
      continue;
    }
    const result = await readOne(
      { ...request, target: typed },
      { ...call, limits: share, isPart: true },
    ).catch((error: unknown) => {
      if (!isOrielError(error)) throw error;
      call.signal.throwIfAborted();
      return error;
    });
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

/** The paths of a list in the form of notices; undefined unless all of them exist. */
async function pathsThatExist(target: string, call: Call): Promise<string[] | undefined> {
  for (const paths of pathLists(target)) {
    if (paths.length < 2 || paths.length > MOST_PATHS || paths.includes('')) continue;
    const found = await Promise.all(paths.map((path) => canonicalTarget(path, call)));
    const names = found.filter((name) => name !== undefined);
    if (names.length === paths.length) return names;
  }
  return undefined;
}

/** The size of a part's notice: bytes without the paths in it, the most paths in it, and its lines. */
const NOTICE = 200;
const PATHS = 3;
const NOTICE_LINES = 3;

/** The budget of one of `parts`: an equal share minus its header and notices. Undefined if nothing would fit. */
function shareOf(left: Limits, parts: number, header: number, path: number): Limits | undefined {
  const bytes = Math.floor(left.bytes / parts) - header - (parts > 1 ? NOTICE + PATHS * path : 0);
  const lines = Math.floor(left.lines / parts);
  const answerLines = Math.floor(left.answerLines / parts) - (parts > 1 ? NOTICE_LINES : 0);
  const tokens = Number.isFinite(left.tokens) ? Math.floor(left.tokens / parts) : left.tokens;
  if (bytes < Math.min(LEAST_BYTES, left.bytes / 2) || lines < 1 || answerLines < 1 || tokens < 1)
    return undefined;
  return { ...left, bytes, lines, answerLines, tokens, line: Math.min(left.line, bytes) };
}

function without(left: Limits, shown: string, { settings }: Call): Limits {
  const bytes = Buffer.byteLength(shown);
  const { tokens: count = estimateTokens } = settings;
  const tokens = count(shown);
  return {
    ...left,
    bytes: Math.max(0, left.bytes - bytes),
    lines: Math.max(0, left.lines - (shown.split('\n').length - 2)),
    answerLines: Math.max(0, left.answerLines - shown.split('\n').length),
    tokens: Math.max(0, left.tokens - tokens),
  };
}

/** The text that counts towards the budget, including notices. */
function textOf(result: SingleResult | OrielError): string {
  if (isOrielError(result)) return result.message;
  const { content } = readAnswer(result, wording);
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}
