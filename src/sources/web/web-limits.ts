/** The limits of reading one page. */

const MIB = 1024 * 1024;

/** Milliseconds for a page with its redirects, its alternates and its wait for a slot, without that for a converter. */
export const PAGE_MS = 15_000;

/** Milliseconds for an alternate that may not be there. */
export const PROBE_MS = 4_000;

/** Milliseconds for all alternates of one page together: what is there has to be converted still. */
export const PROBES_MS = 5_000;

/** Milliseconds of a page's time that are left to it where other forms of it do not answer. */
export const OWN_MS = 4_000;

/** Milliseconds for which a call for a page waits for its slot: as much as it needs is left to the page then. */
export const MOST_WAIT_MS = PAGE_MS - OWN_MS;

/** Milliseconds for the conversion. */
export const CONVERT_MS = 10_000;

/** Bytes of a text, and of everything else: an image, a document, an archive. */
export const MOST_TEXT = 8 * MIB;
export const MOST_FILE = 64 * MIB;

/** Bytes of what a page is converted to. */
export const MOST_CONVERTED = 32 * MIB;

/** Resident bytes of the converting child; of one for small pages half of them. */
export const CONVERT_MEMORY = 512 * MIB;

/** Bytes of a page that is converted beside the large ones. */
export const SMALL_PAGE = 256 * 1024;

/** Lines of one answer. */
export const PAGE_LINES = 300;
