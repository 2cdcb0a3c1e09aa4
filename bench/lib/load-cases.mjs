// The requests of the load, and the expected answers: computed here, or requested once before the load for conversions.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import sqlite from '@sqlite.org/sqlite-wasm';
import { createOriel } from '../../dist/index.js';
import { zipWith } from './archives.mjs';
import { folder } from './data.mjs';
import { sized } from './quick.mjs';

const FILES = 200;
const LINES = 200;
const LARGE = sized(8, 2);
const LARGE_LINES = 32_768;

const nameOf = (file) => `small-${file}.txt`;
/** 64 bytes with the newline; no two lines are equal. */
const lineOf = (name, line) => `${name} line ${line} `.padEnd(63, '.');

/** The directory to serve, and the kinds of requests with their expected answers. */
export async function prepare(pages) {
  const directory = await makeFiles();
  const cases = makeCases(directory, pages);
  await answerInCalm(cases, directory);
  return { directory, cases };
}

async function makeFiles() {
  const path = resolve(folder, 'load');
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  const text = (name, lines) => Array.from({ length: lines }, (_, i) => `${lineOf(name, i + 1)}\n`).join('');
  for (let i = 0; i < FILES; i += 1) writeFileSync(join(path, nameOf(i)), text(nameOf(i), LINES));
  for (let i = 0; i < LARGE; i += 1)
    writeFileSync(join(path, `large-${i}.log`), text(`large-${i}`, LARGE_LINES));
  for (let i = 0; i < 4; i += 1)
    cpSync(
      zipWith(`load-${i}.zip`, 'in/member.txt', Buffer.from(text(`zip-${i}`, 500))),
      join(path, `${i}.zip`),
    );
  writeFileSync(join(path, 'rows.db'), await databaseOf(1_000));
  for (const name of ['report.docx', 'report.pdf', 'sheet.xlsx'])
    cpSync(join('test/fixtures/documents', name), join(path, name));
  cpSync('bench/lib/mcp.mjs', join(path, 'code.mjs'));
  return path;
}

const read = (path) => ({ tool: 'read', input: { path } });

/** Kinds of requests with their weights in percent. `ask(random)` returns a request and its `expected` text. */
function makeCases(directory, pages) {
  const pick = (random, n) => Math.floor(random() * n);
  const window = (random, lines, most) => {
    const from = 1 + pick(random, lines - most);
    return [from, from + pick(random, most)];
  };
  const range = (from, to, line) => Array.from({ length: to - from + 1 }, (_, i) => line(from + i));
  const small = (random) => {
    const name = nameOf(pick(random, FILES));
    const [from, to] = window(random, LINES, 30);
    const expected = range(from, to, (n) => `${n}|${lineOf(name, n)}\n`).join('');
    return { ...read(`${name}:${from}..${to}`), expected };
  };
  const lines = (random) => {
    const name = nameOf(pick(random, FILES));
    const [from, to] = window(random, LINES, 30);
    const query = new URLSearchParams({ path: join(directory, name), offset: from, limit: to - from + 1 });
    const expected = range(from, to, (n) => `${n}\t${lineOf(name, n)}`).join('\n');
    return { get: `/api/v0/read-file-lines?${query}`, field: 'content', expected };
  };
  const large = (random) => {
    const name = `large-${pick(random, LARGE)}`;
    const [from] = window(random, LARGE_LINES, 700);
    const expected = range(from, from + 699, (n) => `${lineOf(name, n)}\n`).join('');
    return { ...read(`${name}.log:${from}..${from + 699}:raw`), expected };
  };
  const download = (random) => {
    const name = `large-${pick(random, LARGE)}`;
    const [from] = window(random, LARGE_LINES, 16_384);
    const query = new URLSearchParams({
      path: join(directory, `${name}.log`),
      offset: (from - 1) * 64,
      limit: 1 << 20,
    });
    const expected = () => range(from, from + 16_383, (n) => `${lineOf(name, n)}\n`).join('');
    return { get: `/api/v0/read-file?${query}`, expected };
  };
  const calm = (...questions) => ({ questions, ask: (random) => questions[pick(random, questions.length)] });
  return [
    { name: 'small read', weight: 66, ask: small },
    { name: 'read-file-lines', weight: 12, ask: lines },
    { name: 'large read (45 kB)', weight: 9, ask: large },
    { name: 'download of 1 MiB', weight: 1, ask: download },
    {
      name: 'archive, database, outline, search',
      weight: 8,
      ...calm(
        ...[0, 1, 2, 3].map((i) => read(`${i}.zip:in/member.txt:5..20`)),
        ...[7, 500, 999].map((i) => read(`rows.db:rows:${i}`)),
        read('code.mjs:outline'),
        { tool: 'grep', input: { pattern: 'small-7.txt line 1[0-9] ', path: '.' } },
        { tool: 'find', input: { pattern: 'small-1*.txt', path: '.' } },
      ),
    },
    {
      name: 'document',
      weight: 2,
      ...calm(read('report.docx:10..30'), read('report.pdf:p2'), read('sheet.xlsx')),
    },
    {
      name: 'page of the web',
      weight: 2,
      ...calm(...Array.from({ length: 10 }, (_, i) => read(`${pages}/${i}`))),
    },
  ];
}

/** Gets the expected answers that are not computed, from an instance of its own. */
async function answerInCalm(cases, directory) {
  const oriel = createOriel({
    cwd: directory,
    roots: [directory],
    cache: false,
    web: { allow: ['127.0.0.1'] },
  });
  for (const question of cases.flatMap(({ questions = [] }) => questions)) {
    const answer = await oriel.tool(question.tool).run(question.input);
    if (answer.isError) throw new Error(`${JSON.stringify(question)}: ${answer.content[0].text}`);
    question.expected = answer.content[0].text;
  }
  await oriel.close();
}

async function databaseOf(rows) {
  const { oo1, capi } = await sqlite();
  const db = new oo1.DB(':memory:');
  db.exec(`create table rows(id integer primary key, name text);
    with recursive n(i) as (values(1) union all select i + 1 from n where i < ${rows})
    insert into rows select i, 'row ' || i from n`);
  const bytes = capi.sqlite3_js_db_export(db);
  db.close();
  return bytes;
}
