/** Owns the words that pi's tools share. */

import { decimalSize } from '../render/units.ts';
import type { CutBy } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';

/** `30KB limit`. */
export function piLimit(by: CutBy, limits: Limits): string {
  return by === 'tokens' ? `${limits.tokens} token limit` : `${decimalSize(limits.bytes)} limit`;
}
