/**
 * A file that grows, such as a log, for whoever reads it by several requests: they say how long it was when they began, and
 * are sent parts of it as it was then, as long as it has only become longer.
 */

import { createHash } from 'node:crypto';
import { readAt } from '../../access/bytes.ts';
import type { OpenedFile } from '../../types/access.ts';

/** `*` with the first request, then the size that its answer told. */
export const SIZE_HEADER = 'oriel-size';

/** Tells apart what the file began with: of two answers with the same one, the file of the later has only grown, if anything. */
const PREFIX_HEADER = 'oriel-prefix';

/** Bytes before that size that are compared. In a file that was rewritten other ones are there. */
const COMPARED = 4096;

export interface Prefix {
  /** Bytes of the file that there are for this request. */
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** `asked`: the header of the request. A file of that size is compared by its tag, as ever. */
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
