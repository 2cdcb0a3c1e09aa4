/** Reads several paths in one string, `a.ts,b.ts:5-9`: each as if it were read alone, all within one budget. */

import { advised, type ErrorCode, isOrielError, type OrielError } from '../errors.ts';
import { partHeader, readAnswer } from '../render/answers.ts';
import { wording } from '../render/notices.ts';
import { MAX_LISTED_PATHS, pathLists, pathsIn } from '../selector/rewrites.ts';
import { canonicalTarget, findTarget } from '../target/find-target.ts';
import { estimateTokens, shownSize } from '../text/limits.ts';
import { oneLine, quote } from '../text/visible.ts';
import type { Call } from '../types/call.ts';
import type { CutBy, Limits } from '../types/excerpt.ts';
import type { ReadRequest } from '../types/request.ts';
import type { PartResult, SeveralResult, SingleResult } from '../types/result.ts';

/** Errors after which the string is not tried as a list. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BUSY',
  'CANCELLED',
  'DENIED',
  'PRIVATE',
  'OUTSIDE_ROOT',
  'TIMEOUT',
]);

type ReadOne = (request: ReadRequest, call: Call) => Promise<SingleResult>;

/**
 * Undefined if the string is not a list of two or more paths. `cause` is the error of reading it as one path. Throws if only
 * some of them exist, or if there are too many.
 */
export async function readSeveral(
  request: ReadRequest,
  cause: OrielError,
  readOne: ReadOne,
  call: Call,
): Promise<SeveralResult | undefined> {
  if (FINAL.has(cause.code)) return undefined;
  const { target } = request;
  const paths = await pathsThatExist(target, call);
  if (!paths) {
    const error = await explainPartialList(target, call);
    if (error) throw error;
    return undefined;
  }
  const parts: PartResult[] = [];
  let left = call.limits;
  for (const [at, typed] of paths.entries()) {
    const share = shareOf(left, paths.length - at, typed);
    if (typeof share === 'string' && at > 0) {
      parts.push(...paths.slice(at).map((path) => ({ typed: path, result: { full: share } })));
      break;
    }
    // The header of the first path may be larger than the whole budget.
    const limits = typeof share === 'string' ? call.limits : share;
    const result = await readOne({ ...request, target: typed }, { ...call, limits, isPart: true }).catch(
      (error: unknown) => {
        if (!isOrielError(error)) throw error;
        call.signal.throwIfAborted();
        return error;
      },
    );
    parts.push({ typed, result });
    left = remainingLimits(left, partHeader(typed) + textOf(result), call);
  }
  const first = parts.map(({ result }) => result).find(isResult);
  if (!first) return undefined;
  const { format, resolvedPath } = first;
  return { kind: 'several', target, resolvedPath, format, facts: {}, parts };
}

function isResult(result: PartResult['result']): result is SingleResult {
  return !('full' in result) && !isOrielError(result);
}

/** The paths of a list in the form of notices; undefined unless all of them exist. Throws `LIMIT` for more than are read. */
async function pathsThatExist(target: string, call: Call): Promise<string[] | undefined> {
  for (const paths of pathLists(target)) {
    if (paths.length < 2 || paths.includes('')) continue;
    const found = await Promise.all(
      paths.slice(0, MAX_LISTED_PATHS).map((path) => canonicalTarget(path, call)),
    );
    const names = found.filter((name) => name !== undefined);
    if (names.length < found.length) continue;
    if (paths.length === names.length) return names;
    const next = listOf(names);
    // The call is not shortened, because it is to be copied.
    const advice =
      next === undefined
        ? 'Read the others in another call.'
        : `Use ${oneLine(next)} for the first ${MAX_LISTED_PATHS}, then read the others.`;
    throw advised('LIMIT', `At most ${MAX_LISTED_PATHS} paths are read in one call.`, advice, { next });
  }
  return undefined;
}

/** Undefined if a path has a comma in its name, so that the string would be read as other paths. */
function listOf(names: readonly string[]): string | undefined {
  const list = names.join(',');
  return pathsIn(list).length === names.length ? list : undefined;
}

/** A slash or an extension, and none of the characters of prose, shells and quotations. */
const PATH_FORM = /^(?=.*[/\\.])[^\s"'`|<>&$;{}]+$/;

/**
 * The error for a list of which only some paths exist: about the first that is missing, with the call for the others. Undefined
 * if `target` may be something else: one mistyped path, a URL, a shell command, prose.
 */
async function explainPartialList(target: string, call: Call): Promise<OrielError | undefined> {
  const paths = pathsIn(target);
  if (paths.length < 2 || paths.length > MAX_LISTED_PATHS || target.includes('://')) return undefined;
  const found = await Promise.all(paths.map((path) => canonicalTarget(path, call)));
  const names = [...new Set(found.filter((name) => name !== undefined))];
  const missing = paths.filter((_, at) => found[at] === undefined);
  const [first] = missing;
  if (first === undefined || names.length === 0 || !missing.every((path) => PATH_FORM.test(path)))
    return undefined;
  // The string is one path if its commas belong to a query or a member name.
  if ((await canonicalTarget(target, call)) !== undefined) return undefined;
  const cause = await findTarget(first, 'selectors', call, false).catch((error: unknown) => error);
  call.signal.throwIfAborted();
  if (!isOrielError(cause)) return undefined;
  const next = listOf(names) ?? names[0] ?? '.';
  const others = paths.length === 2 ? 'the other path' : 'the others';
  return advised(cause.code, cause.why, `Use ${quote(next)} for ${others}.`, { next, cause });
}

/** The text that counts towards the budget, including notices. */
function textOf(result: SingleResult | OrielError): string {
  if (isOrielError(result)) return result.message;
  const { content } = readAnswer(result, wording);
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

/** A share with fewer bytes than this is too small if others need one as well. */
const MIN_SHARE_BYTES = 256;

/** The size of a part's notice: bytes without the paths in it, the most paths in it, and its lines. */
const NOTICE = { bytes: 200, paths: 3, lines: 3 };

/**
 * An equal share of what is left for `parts` paths, without its header and notices, but enough for a few lines: so the first
 * paths are shown, and the last are not. The limit that is used up, if there is no room for the next one.
 */
function shareOf(left: Limits, parts: number, typed: string): Limits | CutBy {
  const others = parts > 1;
  const taken =
    Buffer.byteLength(partHeader(typed)) +
    (others ? NOTICE.bytes + NOTICE.paths * Buffer.byteLength(typed) : 0);
  const least = Math.max(1, Math.min(MIN_SHARE_BYTES, left.bytes / 2));
  const bytes = Math.max(Math.floor(left.bytes / parts), Math.ceil(least) + taken) - taken;
  const part = (limit: number): number => (Number.isFinite(limit) ? Math.floor(limit / parts) : limit);
  const answerLines = Math.max(part(left.answerLines), NOTICE.lines + 1) - (others ? NOTICE.lines : 0);
  if (left.lines < 1 || left.answerLines < answerLines) return 'lines';
  if (left.tokens < 1) return 'tokens';
  if (left.bytes < bytes + taken) return 'bytes';
  const lines = Math.max(1, part(left.lines));
  const tokens = Math.max(1, part(left.tokens));
  return { ...left, bytes, lines, answerLines, tokens, line: Math.min(left.line, bytes) };
}

/** What is left of a budget after `shown`, the text of a part with its header and notices. */
function remainingLimits(left: Limits, shown: string, { settings }: Call): Limits {
  const { tokens: count = estimateTokens } = settings;
  const shownLines = shown.split('\n').length;
  return {
    ...left,
    bytes: Math.max(0, left.bytes - shownSize(shown, left)),
    lines: Math.max(0, left.lines - (shownLines - 2)),
    answerLines: Math.max(0, left.answerLines - shownLines),
    tokens: Math.max(0, left.tokens - count(shown)),
  };
}
