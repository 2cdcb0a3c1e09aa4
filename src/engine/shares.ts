/** Shares of one budget for several paths that are read one after the other. */

import { estimateTokens } from '../limits.ts';
import { partHeader } from '../render/read-answer.ts';
import type { Call } from '../types/call.ts';
import type { CutBy } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';

/** A share with fewer bytes than this is too small if others need one as well. */
const LEAST_BYTES = 256;

/** The size of a part's notice: bytes without the paths in it, the most paths in it, and its lines. */
const NOTICE = 200;
const PATHS = 3;
const NOTICE_LINES = 3;

/**
 * The budget of the next of `parts` paths. If an equal share would be too small, fewer paths share, so that the first paths
 * are shown and the last are not. The limit that is used up, if there is no room even for one.
 */
export function shareOf(left: Limits, parts: number, typed: string): Limits | CutBy {
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
export function largerShare(
  before: Limits,
  left: Limits,
  typed: string,
  by: CutBy | undefined,
): Limits | undefined {
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
  if (bytes < Math.max(1, Math.min(LEAST_BYTES, left.bytes / 2))) return 'bytes';
  return { ...left, bytes, lines, answerLines, tokens, line: Math.min(left.line, bytes) };
}

/** What is left of a budget after `shown`, the text of a part with its header and notices. */
export function without(left: Limits, shown: string, { settings }: Call): Limits {
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
