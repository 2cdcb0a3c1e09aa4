/** Owns the words that pi's tools share. */

import { decimalSize } from '../render/units.ts';
import type { CutBy, Limits } from '../window/types.ts';

/** `30KB limit`. */
export function piLimit(by: CutBy, limits: Limits): string {
  return by === 'tokens' ? `${limits.tokens} token limit` : `${decimalSize(limits.bytes)} limit`;
}
