/**
 * The source of SQLite databases: `db.sqlite` lists the tables, `db.sqlite:users` shows a schema with sample rows,
 * `db.sqlite:users:42` a row, `db.sqlite:users?limit=50&order=name` a page of rows, `db.sqlite?q=select …` a query.
 */

import type { ContentSource } from '../../types/call.ts';

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const EXTENSION = /\.(sqlite3?|db3?)$/i;

export function isNamedDatabase(name: string): boolean {
  return EXTENSION.test(name);
}

export const sqliteSource: ContentSource = {
  format: 'sqlite',
  claims: ({ head, opened }) => opened.kind === 'file' && MAGIC.equals(head.subarray(0, MAGIC.length)),
  holds: isNamedDatabase,
  async open(subject, call) {
    const { openDatabase } = await import('./open.ts');
    return openDatabase(subject, call);
  },
};
