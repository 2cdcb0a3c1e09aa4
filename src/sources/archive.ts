/**
 * The source of archives: lists their directories, and reads a member as the kind of file that it is. Nothing is unpacked
 * into the file system, links are never followed out of the archive, and declared sizes are not trusted.
 *
 * "a.zip" → its root · "a.zip:dir/" → a directory · "a.zip:dir/x.ts:5-9" → lines of a member ·
 * "a.zip:b.tar.gz:c.txt" → a member of a member · "a.zip:%~3" → the third member, whatever its name
 */

import type { Source } from '../types/source.ts';
import { claimsArchive, isNamedArchive } from './archive/formats.ts';

export const archiveSource: Source = {
  kind: 'archive',
  claims: claimsArchive,
  holds: isNamedArchive,
  open: async (subject, call) => (await import('./archive/read-archive.ts')).readArchive(subject, call),
};
