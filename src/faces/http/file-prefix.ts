/**
 * Consistent reads of a growing file, such as a log, by several requests: they send the size from the first response, and
 * get parts of this prefix as long as bytes were only appended.
 */

import { createHash } from 'node:crypto';
import { readAt } from '../../access/bytes.ts';
import type { OpenedFile } from '../../types/access.ts';

/** The request header: `*` in the first request, then the size from its response. */
export const SIZE_HEADER = 'oriel-size';

/** The response header with a digest of the prefix: if it is equal in two responses, bytes were only appended between them. */
const PREFIX_HEADER = 'oriel-prefix';

/** Bytes at the end of the prefix that are compared; they differ in a rewritten file. */
const COMPARED = 4096;

export interface Prefix {
  /** The size of the file for this request. */
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** `asked`: the header of the request. A file that still has that size is compared by its ETag instead. */
export async function prefixOf(
  { bytes, size: now }: OpenedFile,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<Prefix> {
  const had = asked === '*' ? now : /^\d{1,15}$/.test(asked ?? '') ? Number(asked) : undefined;
  const { inode } = bytes.identity;
  const isOther = had === undefined || inode === undefined || had > now || (had === now && asked !== '*');
  if (isOther) return { size: now, headers: {} };
  const end = await readAt(bytes, Math.max(0, had - COMPARED), Math.min(had, COMPARED), signal);
  const prefix = createHash('sha1')
    .update(JSON.stringify([inode, had]))
    .update(end)
    .digest('base64url');
  return { size: had, headers: { [PREFIX_HEADER]: prefix } };
}
