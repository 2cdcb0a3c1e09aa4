/** Damage to valid files, as edits that fast-check can shrink. */

import { fc } from '../support/properties.ts';

export interface Edit {
  readonly at: number;
  readonly what: string;
  readonly value: number;
}

/** Bytes set, removed, doubled, or all after them cut off. */
export const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    at: fc.nat(1 << 16),
    what: fc.constantFrom('set', 'remove', 'double', 'cut'),
    value: fc.nat(255),
  }),
  { minLength: 1, maxLength: 6 },
);

export function damaged(bytes: Uint8Array, wanted: readonly Edit[]): Uint8Array {
  let now = Buffer.from(bytes);
  for (const { at, what, value } of wanted) {
    const place = now.length === 0 ? 0 : at % now.length;
    if (what === 'set') now[place] = value;
    if (what === 'remove')
      now = Buffer.concat([now.subarray(0, place), now.subarray(place + 1 + (value % 16))]);
    if (what === 'double')
      now = Buffer.concat([now.subarray(0, place), now.subarray(Math.max(0, place - value))]);
    if (what === 'cut') now = now.subarray(0, place);
  }
  return now;
}
