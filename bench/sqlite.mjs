// A database of a million rows and one of 2 GB (in quick mode of 20,000 rows), compared with whole runs of the sqlite3 shell.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { folder } from './lib/data.mjs';
import { insideProcess, wholeProcess } from './lib/process.mjs';
import { quick, sized } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

/** Of each database. */
export const ROWS = sized(1_000_000, 20_000);

/** The name and the padding of the smaller one. */
export const USERS = sized(['users-72mb.db', 20], ['users-1mb.db', 20]);

/** Makes a table of users, each with `padding` additional bytes. The path, or undefined without the shell. */
export function users(name, padding) {
  const path = resolve(folder, name);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  rmSync(`${path}.part`, { force: true });
  const { error, status } = spawnSync('sqlite3', [`${path}.part`], {
    input: `pragma journal_mode = off; pragma synchronous = off;
      create table users(id integer primary key, name text, email text, score real, bio text);
      with recursive n(i) as (values(1) union all select i + 1 from n where i < ${ROWS})
      insert into users select i, 'user ' || i, 'user' || i || '@example.com', i * 1.5, printf('%.*c', ${padding}, 'x') from n;`,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  if (error || status !== 0) return undefined;
  renameSync(`${path}.part`, path);
  return path;
}

/** A row near the end. */
const FAR = 0.9 * ROWS;

/** The queries: the text after the path, and the equivalent SQL for the shell. */
const questions = [
  ['list with counts', '', 'select count(*) from users'],
  ['row by key', `:users:${FAR}`, `select * from users where id = ${FAR}`],
  ['first page', ':users?limit=20', 'select * from users limit 20'],
  [`page at offset ${FAR}`, `:users?limit=20&offset=${FAR}`, `select * from users limit 20 offset ${FAR}`],
  ['scan for a value', ':users?where=score%20=%201000.5', 'select * from users where score = 1000.5'],
  ['scan and sum', '?q=select sum(score) from users', 'select sum(score) from users'],
];

export function rows() {
  const databases = [
    [`${ROWS.toLocaleString('en')} rows`, users(...USERS), questions],
    ...(quick ? [] : [['1M rows, 2 GB', users('users-2gb.db', 1900), questions.slice(0, 3)]]),
  ];
  return databases.flatMap(([size, path, asked]) =>
    asked.map(([what, rest, sql]) => {
      if (!path) return { what, size, peer: 'sqlite3 shell: not installed' };
      const mine = insideProcess('ours', { input: { path: path + rest }, repeat: 15 });
      const shell = wholeProcess('sqlite3', ['-readonly', path, sql], 9);
      return {
        what,
        size,
        oriel: ms(mine.warm) ?? mine.failure,
        'oriel, first call': ms(mine.cold),
        peer: 'sqlite3 shell, whole run',
        'peer time': ms(shell),
        ratio: mine.warm === undefined ? undefined : ratio(mine.warm, shell),
        'oriel memory': mb(mine.mb),
      };
    }),
  );
}
