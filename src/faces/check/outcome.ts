/** The outcomes of a case that did not pass. */

/** A law is violated: the message says what happened. */
export class Broken extends Error {}

/** The case cannot be tried: the message says why. */
export class Skipped extends Error {}
