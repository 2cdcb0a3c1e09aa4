/** Maximum sizes of a value in the shared store. */

/** Maximum bytes of a value before encryption. */
export const MOST_VALUE: number = 2 << 20;

/** Maximum characters of an encrypted value: base64 takes four for three bytes, plus a header. Longer ones are not fetched. */
export const MOST_SEALED: number = Math.ceil(MOST_VALUE / 3) * 4 + 256;
