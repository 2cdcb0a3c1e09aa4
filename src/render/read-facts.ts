/** Owns the facts about a read that travel beside its text, in every dialect under the same names. */

import type { Limits } from '../types/limits.ts';
import type { ReadResult, TextResult } from '../types/result.ts';

/** What was read. */
export function originFacts(result: ReadResult): Record<string, unknown> {
  const { target, resolvedPath, kind, suffix, facts } = result;
  return {
    source: target,
    resolvedPath,
    kind,
    ...(suffix && { suffixResolution: suffix }),
    ...(Object.keys(facts).length > 0 && { meta: facts }),
  };
}

/** What was read, by which window, and what it is part of. */
export function textFacts(result: TextResult): Record<string, unknown> {
  const { selection, excerpt, encoding } = result;
  return {
    ...originFacts(result),
    ...(selection.window && { window: selection.window }),
    ...(selection.mode && { mode: selection.mode }),
    totals: excerpt.totals,
    ...(encoding.name !== 'utf-8' && { encoding: encoding.name }),
    ...(encoding.bom > 0 && { byteOrderMark: true }),
    ...(excerpt.invalid > 0 && { invalid: excerpt.invalid }),
    limits: jsonLimits(result.limits),
  };
}

/** JSON has no infinity: a limit that is none is left out. */
function jsonLimits(limits: Limits): Record<string, number> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => Number.isFinite(value)));
}
