/** Decides which files are SQLite databases. */

import type { SourceSubject } from '../../types/call.ts';

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const EXTENSION = /\.(sqlite3?|db3?)$/i;

export function isNamedDatabase(name: string): boolean {
  return EXTENSION.test(name);
}

export function isDatabase({ head }: Pick<SourceSubject, 'head'>): boolean {
  return MAGIC.equals(head.subarray(0, MAGIC.length));
}
