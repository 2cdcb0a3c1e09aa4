/** Which code points have no ink of their own. */

/**
 * Whether a code point has no ink of its own, from the properties that the engine knows; spaces that scripts use are
 * seen as spaces. Beside them what Unicode draws blank although no property says so.
 */
const WITHOUT_INK = [
  /[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/u,
  /(?!\p{Extended_Pictographic})\p{Cn}/u,
  // The others in Cf are signs that enclose or precede digits.
  /(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])\p{Cf}/u,
  /(?![\u0020\u00a0\u1680\u202f\u3000])\p{Zs}/u,
  /[\u2800\u{16fe4}\u{1d159}\u{13441}\u{13442}\ufffc]/u,
];

export const hasNoInk = (code: number): boolean =>
  WITHOUT_INK.some((some) => some.test(String.fromCodePoint(code)));
