/** Owns what a dialect decides about text, as data: how it is shown, what happens to long lines and to too much of it. */

import { estimateTokens } from '../text/tokens.ts';
import type { Display } from '../types/display.ts';
import type { Limits, TokenCounter } from '../types/limits.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { Fit } from '../window/fit.ts';

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
