/**
 * The source of archives: listings of their directories, and their members as what they contain. Nothing is unpacked
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
