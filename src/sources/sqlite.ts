/**
 * Owns what is a SQLite database: `db.sqlite` lists, `db.sqlite:users` is a schema with samples, `db.sqlite:users:42`
 * a row, `db.sqlite:users?limit=50&order=name` a page, `db.sqlite?q=select …` the result of any query that reads.
 */

import type { Source } from '../types/source.ts';

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const EXTENSION = /\.(sqlite3?|db3?)$/i;

export const sqliteSource: Source = {
  kind: 'sqlite',
  claims: ({ name, head, opened }) =>
    opened.is === 'file' && EXTENSION.test(name) && MAGIC.equals(head.subarray(0, MAGIC.length)),
  holds: (name) => EXTENSION.test(name),
  async open(subject, call) {
    const { openDatabase } = await import('./sqlite/open-database.ts');
    return openDatabase(subject, call);
  },
};
