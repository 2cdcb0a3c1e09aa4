/** Owns what a dialect decides about text, as data: how it is shown, what happens to long lines and to too much of it. */

import type { Display } from '../render/display.ts';
import { estimateTokens, type TokenCounter } from '../text/tokens.ts';
import type { Fit, LongLine } from '../window/fit.ts';
import type { Limits, Line } from '../window/types.ts';

export interface TextPolicy {
  readonly overflow: 'cut' | 'refuse';
  readonly longLine: LongLine;
  /** Absent: as the host's settings say. */
  readonly display?: Display;
  /** Bytes of a line as shown, where that is not simply what the display shows (joiners, envelopes). */
  cost?(line: Line): number;
}

export const cutPolicy: TextPolicy = { overflow: 'cut', longLine: { as: 'slice' } };

export function fitOf(policy: TextPolicy, display: Display, limits: Limits, tokens?: TokenCounter): Fit {
  return {
    limits,
    prefix: display.prefix ?? 0,
    cost: policy.cost ?? display.cost ?? ((line) => Buffer.byteLength(display.show(line))),
    shown: (text) => Buffer.byteLength(display.text(text)),
    tokens: tokens ?? estimateTokens,
    overflow: policy.overflow,
    longLine: policy.longLine,
  };
}
