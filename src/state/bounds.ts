/** How large one value of the shared store may be, before and after it is sealed. */

/** Bytes of one value. */
export const MOST_VALUE: number = 2 << 20;

/** Characters of one sealed value: base64 takes four for three bytes, and a few in front. A longer one is not fetched whole. */
export const MOST_SEALED: number = Math.ceil(MOST_VALUE / 3) * 4 + 256;
