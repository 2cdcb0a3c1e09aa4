/** Reads several paths in one string, `a.ts,b.ts:5-9`: each as if it were read alone, all within one budget. */

import { type ErrorCode, isOrielError, type OrielError } from '../errors.ts';
import { wording } from '../render/notices.ts';
import { partHeader, readAnswer } from '../render/read-answer.ts';
import { MOST_PATHS, pathLists } from '../selector/path-lists.ts';
import type { Call } from '../types/call.ts';
import type { CutBy } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';
import type { ReadRequest } from '../types/request.ts';
import type { PartResult, SeveralResult, SingleResult } from '../types/result.ts';
import { explainList } from './explain-list.ts';
import { explainLongList } from './long-list.ts';
import { largerShare, shareOf, without } from './shares.ts';
import { canonicalTarget } from './target.ts';

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
    left = without(left, text, call);
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
    const left = others.reduce((rest, text) => without(rest, text, call), call.limits);
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
    if (paths.length < 2 || paths.length > MOST_PATHS || paths.includes('')) continue;
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
