/** The outcomes of a case that did not pass. */

/** A law is not kept: the message says what happened instead. */
export class Broken extends Error {}

/** The case cannot be tried: the message says why. */
export class Skipped extends Error {}
