/** Reads several paths in one string, `a.ts,b.ts:5-9`: each as if it were read alone, all within one budget. */

import { sep } from 'node:path';
import { advised, type ErrorCode, isOrielError, type OrielError } from '../errors.ts';
import { isWeb } from '../formats/web/detect.ts';
import { partHeader, readAnswer } from '../render/answers.ts';
import { wording } from '../render/notices.ts';
import {
  joinedPaths,
  MAX_LISTED_PATHS,
  pathLists,
  type SeparatedList,
  separatedLists,
} from '../selector/rewrites.ts';
import { canonicalTarget, findTarget, openSpelling } from '../target/find-target.ts';
import { nearPaths } from '../target/missing-path.ts';
import { estimateTokens } from '../text/limits.ts';
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
  const paths = await pathsThatExist(request.target, call);
  if (!paths) {
    const { target } = request;
    const error = (await explainLongList(target, call)) ?? (await explainList(target, call));
    if (error) throw error;
    return undefined;
  }
  const readPart = (typed: string, limits: Limits): Promise<SingleResult | OrielError> =>
    readOne({ ...request, target: typed }, { ...call, limits, isPart: true }).catch((error: unknown) => {
      if (!isOrielError(error)) throw error;
      call.signal.throwIfAborted();
      return error;
    });
  const parts: Part[] = [];
  let left = call.limits;
  let full: CutBy | undefined;
  for (const [at, typed] of paths.entries()) {
    const share = full ?? shareOf(left, paths.length - at, typed);
    if (typeof share === 'string' && at > 0) {
      // A later path is not shown either, even if its shorter header would fit.
      full = share;
      parts.push({ typed, result: { full }, text: '', limits: left });
      continue;
    }
    // The header of the first path may be larger than the whole budget.
    const limits = typeof share === 'string' ? call.limits : share;
    const result = await readPart(typed, limits);
    const text = partHeader(typed) + textOf(result);
    parts.push({ typed, result, text, limits });
    left = remainingLimits(left, text, call);
  }
  if (full === undefined) await useRest(parts, readPart, call);
  const first = parts.map(({ result }) => result).find(isResult);
  if (!first) return undefined;
  const { kind, resolvedPath } = first;
  return {
    is: 'several',
    target: request.target,
    resolvedPath,
    kind,
    facts: {},
    parts: parts.map(({ typed, result }) => ({ typed, result })),
  };
}

/** A part with its text, which counts towards the budget, and the limits that it was read with. */
interface Part extends PartResult {
  readonly text: string;
  readonly limits: Limits;
}

/** Reads truncated parts again, the first ones first, with what the parts after them did not use. */
async function useRest(
  parts: Part[],
  readPart: (typed: string, limits: Limits) => Promise<SingleResult | OrielError>,
  call: Call,
): Promise<void> {
  for (const [at, { typed, result, limits }] of parts.entries()) {
    if (!isResult(result) || result.is !== 'text' || !result.excerpt.next) continue;
    const others = parts.filter((_, i) => i !== at).map(({ text }) => text);
    const left = others.reduce((rest, text) => remainingLimits(rest, text, call), call.limits);
    const more = largerShare(limits, left, typed, result.excerpt.cutBy);
    const again = more && (await readPart(typed, more));
    if (!again || isOrielError(again)) continue;
    parts[at] = { typed, result: again, text: partHeader(typed) + textOf(again), limits: more };
  }
}

function isResult(result: PartResult['result']): result is SingleResult {
  return !('full' in result) && !isOrielError(result);
}

/** The paths of a list in the form of notices; undefined unless all of them exist. */
async function pathsThatExist(target: string, call: Call): Promise<string[] | undefined> {
  for (const paths of pathLists(target)) {
    if (paths.length < 2 || paths.length > MAX_LISTED_PATHS || paths.includes('')) continue;
    const found = await Promise.all(paths.map((path) => canonicalTarget(path, call)));
    const names = found.filter((name) => name !== undefined);
    if (names.length === paths.length) return names;
  }
  return undefined;
}

/** The text that counts towards the budget, including notices. */
function textOf(result: SingleResult | OrielError): string {
  if (isOrielError(result)) return result.message;
  const { content } = readAnswer(result, wording);
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

// Explains a list of paths in one string, `a.ts,b.ts`, if only some of them exist.

/** Missing paths that the error names. */
const MAX_NAMED_PATHS = 3;

/** A list of which only some paths exist; without duplicates. */
interface PartialList {
  readonly separator: SeparatedList['separator'];
  /** The paths that exist, in the form of notices. */
  readonly names: readonly string[];
  readonly missing: readonly string[];
  readonly urls: readonly string[];
}

/**
 * The error that names what is missing, with the call for the other paths. Undefined if `target` may be something else: one
 * mistyped path, a URL, a shell command, prose.
 */
async function explainList(target: string, call: Call): Promise<OrielError | undefined> {
  if (isUrl(target.trim())) return undefined;
  const list = await partialList(target, call);
  // The string is one path if its commas belong to a query or a member name.
  if (!list || (await canonicalTarget(target, call)) !== undefined) return undefined;
  if (await isNearOnePath(target, call)) return undefined;
  const problem = await problemOf(list, call);
  call.signal.throwIfAborted();
  if (!problem) return undefined;
  const { code, why, cause } = problem;
  const next = joinedPaths(list.names, [list.separator === ';' ? ';' : ',']);
  if (next === undefined) return advised(code, why, 'Read the other paths one by one.', { cause });
  const others = list.names.length === 1 ? 'the other path' : 'the other paths';
  return advised(code, why, `Use ${quote(next)} for ${others}.`, { next, cause });
}

/** The list with the most paths that exist. Everything else in it must look like a path or a URL. */
async function partialList(target: string, call: Call): Promise<PartialList | undefined> {
  let best: PartialList | undefined;
  for (const { separator, paths } of separatedLists(target)) {
    if (paths.length < 2 || paths.length > MAX_LISTED_PATHS) continue;
    const found = await Promise.all(paths.map((path) => canonicalTarget(path, call)));
    const names = [...new Set(found.filter((name) => name !== undefined))];
    const others = [...new Set(paths.filter((_, at) => found[at] === undefined))];
    const urls = others.filter(isUrl);
    const missing = others.filter((path) => !isUrl(path));
    if (others.length === 0 || names.length <= (best?.names.length ?? 0)) continue;
    if (!missing.every(looksLikePath)) continue;
    // `Smith, John.pdf` is one name, although a directory `Smith` exists.
    if (names.some(hasPathForm) || !/\s/.test(target) || (await someFile(names, call)))
      best = { separator, names, missing, urls };
  }
  return best;
}

/** Whether one of the existing paths is a file, such as `Makefile`. */
async function someFile(names: readonly string[], call: Call): Promise<boolean> {
  for (const name of names) {
    const { opened } = await openSpelling(withoutSelector(name), call);
    await opened.close();
    if (opened.is === 'file') return true;
  }
  return false;
}

function isUrl(text: string): boolean {
  return !/\s/.test(text) && (isWeb(text) || /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(text));
}

/** Whether there is a slash or an extension before the selector. */
function hasPathForm(path: string): boolean {
  return /[/\\]|\.\w+$/.test(withoutSelector(path));
}

/** Whether a string has the form of a path, without blanks, separators, and characters of shells and quotations. */
function looksLikePath(text: string): boolean {
  return hasPathForm(text) && !/\s/.test(text) && !/["'`|<>&$,;{}]/.test(withoutSelector(text));
}

function withoutSelector(path: string): string {
  return path.split(/[:#?]/, 1)[0] ?? '';
}

/**
 * Whether the whole string is similar to an existing path, as `test,data/x.json` to `test-data/x.json`. A path with which
 * the string begins does not count: it is the first path of the list.
 */
async function isNearOnePath(target: string, call: Call): Promise<boolean> {
  const { access } = call;
  const whole = access.display(access.absolute(target.replace(/^@/, ''))).toLowerCase();
  const near = await nearPaths(target, call);
  return near.some(
    (path) => path.split(sep).length === whole.split(sep).length && !whole.startsWith(path.toLowerCase()),
  );
}

interface Problem {
  readonly code: ErrorCode;
  readonly why: string;
  readonly cause?: unknown;
}

/** Undefined if a missing path can be read in another way. */
async function problemOf({ missing, urls }: PartialList, call: Call): Promise<Problem | undefined> {
  const ofPaths = missing.length > 0 ? await problemOfPaths(missing, call) : undefined;
  if (urls.length === 0 || (missing.length > 0 && !ofPaths)) return ofPaths;
  const verb = urls.length === 1 ? 'is a URL' : 'are URLs';
  const each = urls.length === 1 ? 'a URL' : 'each URL';
  const ofUrls = `${named(urls)} ${verb}: a list holds only paths, and ${each} is read alone.`;
  return ofPaths ? { ...ofPaths, why: `${ofPaths.why} ${ofUrls}` } : { code: 'UNSUPPORTED', why: ofUrls };
}

async function problemOfPaths(missing: readonly string[], call: Call): Promise<Problem | undefined> {
  const [first, second] = missing;
  if (first !== undefined && second === undefined) {
    const error = await errorOf(findTarget(first, 'selectors', call, false));
    return error && { code: error.code, why: error.why, cause: error };
  }
  const codes = await Promise.all(missing.map((path) => codeOf(path, call)));
  const other = codes.find((code) => code !== 'NOT_FOUND');
  return {
    code: other ?? 'NOT_FOUND',
    why: `${named(missing)} ${other ? 'cannot be read' : 'do not exist'}.`,
  };
}

async function codeOf(path: string, call: Call): Promise<ErrorCode> {
  const opening = openSpelling(path, call).then(({ opened }) => opened.close());
  return (await errorOf(opening))?.code ?? 'NOT_FOUND';
}

async function errorOf(work: Promise<unknown>): Promise<OrielError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isOrielError(error)) return error;
    throw error;
  }
}

/** `a.ts, b.ts and c.ts`, `a.ts, b.ts, c.ts and 2 more` */
function named(all: readonly string[]): string {
  const shown = all.slice(0, MAX_NAMED_PATHS).map(quote);
  const left = all.length - shown.length;
  const last = left > 0 ? `${left} more` : shown.pop();
  return shown.length === 0 ? `${last}` : `${shown.join(', ')} and ${last}`;
}

// Explains a list with more paths than one call reads.

/** The error with the call for the first paths. Undefined unless `target` is a list that is too long, and these exist. */
async function explainLongList(target: string, call: Call): Promise<OrielError | undefined> {
  const names = await firstNames(target, call);
  if (!names || (await canonicalTarget(target, call)) !== undefined) return undefined;
  const why = `At most ${MAX_LISTED_PATHS} paths are read in one call.`;
  const next = joinedPaths(names, [',', ';']);
  if (next === undefined) return advised('LIMIT', why, 'Read the others in another call.');
  // The call is not shortened, because it is to be copied.
  const advice = `Use ${oneLine(next)} for the first ${MAX_LISTED_PATHS}, then read the others.`;
  return advised('LIMIT', why, advice, { next });
}

/** The first paths in the form of notices, if all of them exist. */
async function firstNames(target: string, call: Call): Promise<string[] | undefined> {
  for (const paths of listsOf(target)) {
    if (paths.length <= MAX_LISTED_PATHS) continue;
    const first = paths.slice(0, MAX_LISTED_PATHS);
    if (first.includes('')) continue;
    const found = await Promise.all(first.map((path) => canonicalTarget(path, call)));
    const names = found.filter((name) => name !== undefined);
    if (names.length === MAX_LISTED_PATHS) return names;
  }
  return undefined;
}

function* listsOf(target: string): Generator<readonly string[]> {
  yield* pathLists(target);
  for (const { paths } of separatedLists(target)) yield paths;
}

// Shares of one budget for several paths that are read one after the other.

/** A share with fewer bytes than this is too small if others need one as well. */
const MIN_SHARE_BYTES = 256;

/** The size of a part's notice: bytes without the paths in it, the most paths in it, and its lines. */
const NOTICE = 200;
const PATHS = 3;
const NOTICE_LINES = 3;

/**
 * The budget of the next of `parts` paths. If an equal share would be too small, fewer paths share, so that the first paths
 * are shown and the last are not. The limit that is used up, if there is no room even for one.
 */
function shareOf(left: Limits, parts: number, typed: string): Limits | CutBy {
  let share: Limits | CutBy = 'bytes';
  for (let sharing = parts; sharing > 0; sharing -= 1) {
    share = equalShare(left, sharing, typed);
    if (typeof share === 'object') return share;
  }
  return share;
}

/** A part is read again only if the limit that cut it becomes this many times larger. */
const WORTHWHILE = 1.25;

/** All that is `left`, for a part that `by` cut when it was read with the limits `before`. Undefined if it is hardly more. */
function largerShare(before: Limits, left: Limits, typed: string, by: CutBy | undefined): Limits | undefined {
  const share = equalShare(left, 1, typed, false);
  if (typeof share === 'string' || by === undefined || by === 'window') return undefined;
  const name = by === 'line' ? 'bytes' : by;
  if (share[name] < before[name] * WORTHWHILE) return undefined;
  return {
    ...share,
    bytes: Math.max(before.bytes, share.bytes),
    lines: Math.max(before.lines, share.lines),
    answerLines: Math.max(before.answerLines, share.answerLines),
    tokens: Math.max(before.tokens, share.tokens),
    line: Math.max(before.line, share.line),
  };
}

/** An equal share minus its header and notices. The notices of the last part do not count. */
function equalShare(left: Limits, parts: number, typed: string, isLast = parts === 1): Limits | CutBy {
  const notices = isLast ? 0 : NOTICE + PATHS * Buffer.byteLength(typed);
  const bytes = Math.floor(left.bytes / parts) - Buffer.byteLength(partHeader(typed)) - notices;
  const lines = Math.floor(left.lines / parts);
  const answerLines = Math.floor(left.answerLines / parts) - (isLast ? 0 : NOTICE_LINES);
  const tokens = Number.isFinite(left.tokens) ? Math.floor(left.tokens / parts) : left.tokens;
  if (lines < 1 || answerLines < 1) return 'lines';
  if (tokens < 1) return 'tokens';
  if (bytes < Math.max(1, Math.min(MIN_SHARE_BYTES, left.bytes / 2))) return 'bytes';
  return { ...left, bytes, lines, answerLines, tokens, line: Math.min(left.line, bytes) };
}

/** What is left of a budget after `shown`, the text of a part with its header and notices. */
function remainingLimits(left: Limits, shown: string, { settings }: Call): Limits {
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
