/** The limits of reading one page. */

const MIB = 1024 * 1024;

/** The timeout of a page in ms, including redirects, alternates and the wait for a slot, but not for a converter. */
export const PAGE_MS = 15_000;

/** The timeout of one optional request in ms. */
export const PROBE_MS = 4_000;

/** The timeout of all optional requests of a page together, in ms. */
export const PROBES_MS = 5_000;

/** Milliseconds of a page's timeout that are reserved for the page itself if optional requests do not answer. */
export const OWN_MS = 4_000;

/** The most milliseconds that a call for a page waits for its slot; the rest of its timeout is for reading. */
export const MAX_PAGE_WAIT_MS = PAGE_MS - OWN_MS;

export const CONVERT_MS = 10_000;

/** The most bytes of a text, and of any other file (an image, a document, an archive). */
export const MAX_WEB_TEXT_BYTES = 8 * MIB;
export const MAX_WEB_FILE_BYTES = 64 * MIB;

export const MAX_CONVERTED_PAGE_BYTES = 32 * MIB;

/** The memory limit (resident bytes) of the converting child process; half of it for small pages. */
export const CONVERT_MEMORY = 512 * MIB;

/** A page of up to this many bytes counts as small; it has a queue of its own and does not wait for large ones. */
export const SMALL_PAGE = 256 * 1024;

export const PAGE_LINES = 300;
