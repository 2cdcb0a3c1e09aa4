/** A search inside any container finds every word that `read` shows of it, with a call that shows this word. */

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { docx, fixture, paragraph, pdfPages, pdfText, sheetRow, xlsx } from '../support/documents.ts';
import { some } from '../support/properties.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { tar } from '../support/tar.ts';
import { textOf, unhurried, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

/** Words `needle1q`, `needle2q`, … that no other contains. */
function needles(): { next: () => string; all: string[] } {
  const all: string[] = [];
  const next = (): string => {
    all.push(`needle${all.length + 1}q`);
    return all.at(-1) as string;
  };
  return { next, all };
}

const LONG = 'some more words '.repeat(300);

/** In front of a word and behind it, in texts of any kind. */
const AROUND: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['12:30: ', ' at 5: 7'],
  ['a | b ', ' | c'],
  ['Grüße 東京 🙂 ', ' Straße'],
  ['  indented ', '  '],
  [LONG, ''],
  ['', LONG],
  [LONG, LONG],
];

const UTF8_MARK = '\ufeff';

function lines(next: () => string, around = AROUND): string {
  return around.map(([before, after]) => `${before}${next()}${after}\n`).join('');
}

const WESTERN = AROUND.map(([a, b]) => [a.replace(/[^\0-\xff]+/gu, ''), b] as const);

/** The files that hold a text, by their names. */
function textFiles(next: () => string): [name: string, content: Buffer][] {
  return [
    ['plain.txt', Buffer.from(lines(next))],
    ['crlf.txt', Buffer.from(lines(next).replaceAll('\n', '\r\n'))],
    ['mark.txt', Buffer.from(UTF8_MARK + lines(next))],
    ['u16.txt', Buffer.from(UTF8_MARK + lines(next), 'utf16le')],
    ['u16be.txt', Buffer.from(UTF8_MARK + lines(next), 'utf16le').swap16()],
    ['west.txt', Buffer.from(lines(next, WESTERN), 'latin1')],
    ['a b:5-9.txt', Buffer.from(lines(next))],
    ['raw', Buffer.from(lines(next))],
    ['last.txt', Buffer.from(`one\ntwo\n${next()}`)],
  ];
}

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function workbook(next: () => string): Buffer {
  const large = Array.from({ length: 1_200 }, (_, i) =>
    sheetRow(i + 1, [i, [0, 19, 20, 21, 600, 1_199].includes(i) ? next() : 'none', 'x']),
  );
  const small = AROUND.map(([before, after], i) => sheetRow(i + 1, [xml(`${before}${next()}${after}`), i]));
  const wide = sheetRow(
    2,
    Array.from({ length: 20 }, () => next()),
  );
  const sheet = (rows: readonly string[]): string => `<sheetData>${rows.join('')}</sheetData>`;
  return xlsx(
    [
      ['Small', sheet(small)],
      ['Large', sheet(large)],
      ['Q1', sheet([wide])],
      [next(), sheet(large.slice(0, 1).map((row) => row.replace(/needle\d+q/, next())))],
      ['It&apos;s a: b', sheet([sheetRow(70_000, [next()])])],
    ],
    'parts',
    { 'xl/drawings/drawing1.xml': `<xdr:wsDr xmlns:a="a"><a:t>a shape ${next()}</a:t></xdr:wsDr>` },
  );
}

const sql = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function database(next: () => string): Promise<Uint8Array> {
  const cells = [...AROUND, ['one\ntwo ', '\nthree'], ['\n', '\r\n'], ['\t', '\u202e']] as const;
  const values = (): string[] => cells.map(([before, after]) => sql(`${before}${next()}${after}`));
  const columns = Array.from({ length: 40 }, (_, i) => `"column ${i}"`);
  const keys = [
    "'a'",
    "''",
    "'a:b'",
    "'5-10'",
    "'raw'",
    "'-3'",
    "'?x=1'",
    "'%41'",
    "'a b/c'",
    "x'00ff'",
    '1.5',
    '7',
  ];
  return databaseBytes(
    'create table notes(id integer primary key, body text)',
    ...values().map((value, i) => `insert into notes values (${i - 2}, ${value})`),
    'create table bare(body, other)',
    ...values().map((value) => `insert into bare values (${value}, 'none')`),
    `create table wide(${columns.join(', ')})`,
    ...values().map((value, i) => `insert into wide("column ${3 * i}") values (${value})`),
    'create table keyed(key primary key, body) without rowid',
    ...keys.map((key) => `insert into keyed values (${key}, ${sql(next())})`),
    'create table words(key text primary key, body)',
    ...keys.map((key) => `insert into words values (${key}, ${sql(next())})`),
    `insert into words values (null, ${sql(next())}), (${sql('k'.repeat(1_000))}, ${sql(next())})`,
    'create table pairs(a, b, body, primary key (a, b)) without rowid',
    ...values().map((value, i) => `insert into pairs values (1, ${i}, ${value})`),
    `create table "a (b):c?d"(body)`,
    ...values().map((value) => `insert into "a (b):c?d" values (${value})`),
    'create table "5"(body)',
    ...values().map((value) => `insert into "5" values (${value})`),
    'create view best as select body from notes',
  );
}

const notebook = (next: () => string): Buffer =>
  Buffer.from(
    JSON.stringify({
      nbformat: 4,
      metadata: {},
      cells: [
        { cell_type: 'markdown', source: lines(next) },
        {
          cell_type: 'code',
          source: `x = 1\n${next()}\n`,
          outputs: [{ output_type: 'stream', name: 'stdout', text: `out\n${next()}\n` }],
        },
        { cell_type: 'raw', source: [`a\n`, next()] },
      ],
    }),
  );

const word = (next: () => string): Buffer =>
  docx(
    AROUND.map(([before, after]) => paragraph(xml(`${before}${next()}${after}`))).join('') +
      `<w:tbl><w:tr><w:tc>${paragraph(next())}</w:tc><w:tc>${paragraph(next())}</w:tc></w:tr></w:tbl>`,
  );

const paged = (next: () => string): Buffer =>
  pdfPages(Array.from({ length: 30 }, (_, i) => pdfText(`page ${i + 1} with ${next()}`)));

const CONTAINERS: Readonly<Record<string, (next: () => string) => Uint8Array | Promise<Uint8Array>>> = {
  'a.zip': (next) => zip(textFiles(next).map(([name, content]) => ({ name, content }))),
  'a.tar.gz': (next) => gzipSync(tar(textFiles(next).map(([name, content]) => ({ name, content })))),
  'plain.txt.gz': (next) => gzipSync(lines(next)),
  'u16.txt.gz': (next) => gzipSync(Buffer.from(UTF8_MARK + lines(next), 'utf16le')),
  'a.xlsx': workbook,
  'a.docx': word,
  'a.pdf': paged,
  'a.ipynb': notebook,
  'a.db': database,
  'documents.zip': (next) =>
    zip([
      { name: 'd/a.xlsx', content: workbook(next) },
      { name: 'd/a.docx', content: word(next) },
      { name: 'd/a.pdf', content: paged(next) },
      { name: 'd/a.ipynb', content: notebook(next) },
      { name: 'd/a.pptx', content: fixture('slides.pptx') },
    ]),
};

interface FoundLine {
  readonly call: string;
  readonly needles: readonly string[];
}

/** The lines of an answer of `grep`, each with the call that shows it. */
function foundIn(answer: string): FoundLine[] {
  return answer.split('\n').flatMap((line) => {
    const [front] = line.split(/: (?=.*needle)/, 1);
    const [, call, no] = /^(.*):(\d+)$/.exec(/^(.*?:\d+): .*$/.exec(line)?.[1] ?? front ?? '') ?? [];
    return call === undefined
      ? []
      : [{ call: `${call}:${no}..${no}`, needles: line.match(/needle\d+q/g) ?? [] }];
  });
}

test.each(some(Object.keys(CONTAINERS), 5))(
  'words anywhere in %s, by calls that show them',
  { tags: 'slow' },
  async (name) => {
    const { write, oriel } = workspace(unhurried);
    const { next, all } = needles();
    write(name, await (CONTAINERS[name] as (next: () => string) => Uint8Array | Promise<Uint8Array>)(next));
    const search = async (pattern: string, offset = 0): Promise<FoundLine[]> =>
      foundIn(textOf(await oriel.tool('grep').run({ path: name, pattern, limit: 50, offset })));
    const found: FoundLine[] = [];
    for (let offset = 0; offset < 2 * all.length; offset += 50)
      found.push(...(await search(String.raw`needle\d+q`, offset)));
    const lost: string[] = [];
    for (const needle of some(all, 24)) {
      const listed = found.filter((line) => line.needles.includes(needle));
      // Of a long line another part may be shown.
      const calls = listed.length > 0 ? listed : await search(needle);
      if (calls.length === 0) lost.push(needle);
      for (const { call } of calls) {
        const shown = textOf(await oriel.tool('read').run({ path: call }));
        if (!shown.includes(needle)) lost.push(`${call}: ${shown.slice(0, 200)}`);
      }
    }
    expect(all.length).toBeGreaterThan(0);
    expect(lost).toEqual([]);
  },
);
