/**
 * What one input does is gone before the next: documents and pages are converted in pairs, in both orders and in one child,
 * and each answer is that of a child of its own.
 *
 * @module-tag slow
 */

import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { utils, type WorkSheet, write as writeBook } from '@e965/xlsx';
import { expect, onTestFinished, test } from 'vitest';
import { memoryBytes, chunksOf } from '../../src/text/bytes.ts';
import { ChildPool } from '../../src/process/child-pool.ts';
import { builtFile } from '../../src/files/package-files.ts';
import { Queue } from '../../src/queues/queue.ts';
import { docx, fixture, paragraph, sheetRow, xlsx } from '../support/documents.ts';
import { makePng } from '../support/images.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { tar } from '../support/tar.ts';
import { textOf, unhurried, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';
import { library } from './ways/library.ts';
import { makePlace } from './ways/place.ts';
import type { Door } from './ways/way.ts';

const LIE = '999,000.00 (paid)';
const NOTE = 'A note that nobody wrote here';
const SECRET = 'SECRET-OF-ANOTHER-CLIENT';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

function relations(...targets: readonly (readonly [type: string, target: string])[]): string {
  const list = targets.map(
    ([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`;
}

/** A workbook with a sheet, and a chart sheet that has a comment for the cell `ref`. */
function chartComment(ref: string): Buffer {
  const types = [
    ['xl/workbook.xml', 'sheet.main'],
    ['xl/worksheets/sheet1.xml', 'worksheet'],
    ['xl/chartsheets/sheet1.xml', 'chartsheet'],
    ['xl/comments1.xml', 'comments'],
  ].map(
    ([part, type]) =>
      `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`,
  );
  const parts = {
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${types.join('')}</Types>`,
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/><sheet name="Chart" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ['worksheet', 'worksheets/sheet1.xml'],
      ['chartsheet', 'chartsheets/sheet1.xml'],
    ),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${sheetRow(1, ['hello'])}</sheetData></worksheet>`,
    'xl/chartsheets/sheet1.xml': `<chartsheet xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheetViews><sheetView workbookViewId="0"/></sheetViews></chartsheet>`,
    'xl/chartsheets/_rels/sheet1.xml.rels': relations(['comments', '../comments1.xml']),
    'xl/comments1.xml': `<comments xmlns="${MAIN}"><authors><author>x</author></authors><commentList><comment ref="${ref}" authorId="0"><text><r><t>${NOTE}</t></r></text></comment></commentList></comments>`,
  };
  return zip(Object.entries(parts).map(([name, content]) => ({ name, content: Buffer.from(content) })));
}

const BUILT_IN = [2, 4, 9, 14];

/** A workbook that gives the built-in number formats another meaning. */
const otherFormats = (): Buffer =>
  xlsx([['Data', `<sheetData><row r="1"><c r="A1" s="0"><v>1</v></c></row></sheetData>`]], 'parts', {
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts count="4">${BUILT_IN.map((id) => `<numFmt numFmtId="${id}" formatCode="&quot;${LIE}&quot;"/>`).join('')}</numFmts><cellXfs count="4">${BUILT_IN.map((id) => `<xf numFmtId="${id}" applyNumberFormat="1"/>`).join('')}</cellXfs></styleSheet>`,
  });

function book(rows: readonly unknown[][], bookType: 'xlsx' | 'biff8' | 'ods', note?: string): Buffer {
  const sheet: WorkSheet = utils.aoa_to_sheet(rows as unknown[][]);
  if (note) utils.cell_add_comment(sheet['A1'] as object as never, note, 'someone');
  const made = utils.book_new();
  utils.book_append_sheet(made, sheet, 'Data');
  return writeBook(made, { type: 'buffer', bookType }) as Buffer;
}

const amount = (v: number, z: string) => ({ t: 'n', v, z });
const INVOICE = [
  ['who', 'amount', 'share', 'due'],
  ['acme', amount(12.5, '0.00'), amount(0.25, '0%'), amount(45_000, 'm/d/yy')],
];

const workbooks: Readonly<Record<string, Buffer>> = {
  'proto.xlsx': chartComment('__proto__'),
  'constructor.xlsx': chartComment('constructor'),
  'formats.xlsx': otherFormats(),
  'note.xlsx': book([['quarter'], ['Q3']], 'xlsx', SECRET),
  'good.xlsx': book(
    [
      ['name', 'paid'],
      ['alice', 'no'],
    ],
    'xlsx',
  ),
  'invoice.xls': book(INVOICE, 'biff8'),
  'sheet.ods': book(INVOICE, 'ods'),
};

const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>endobj
4 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
5 0 obj<</Length 43>>stream
BT /F 12 Tf 20 100 Td (Total 4711) Tj ET   
endstream
endobj
trailer<</Root 1 0 R/Size 6>>
%%EOF
`;

const formats: Readonly<Record<string, Buffer>> = {
  'proto.xlsx': workbooks['proto.xlsx'] as Buffer,
  'invoice.xls': workbooks['invoice.xls'] as Buffer,
  'a.docx': docx(paragraph('Some words')),
  'a.rtf': fixture('small.rtf'),
  'a.pdf': Buffer.from(PDF),
  'damaged.pdf': Buffer.from(PDF.slice(0, 200)),
  'damaged.xlsx': (workbooks['good.xlsx'] as Buffer).subarray(0, 900),
};

const pages: Readonly<Record<string, Buffer>> = {
  'a.html': Buffer.from(`<title>A</title><main><h1>A</h1><p>${'Some words. '.repeat(60)}</p></main>`),
  'hostile.html': Buffer.from(
    `<title __proto__="x" constructor="y">B</title><main><p __proto__="x">${'Other words. '.repeat(60)}</p><__proto__>x</__proto__><a href="__proto__" constructor>c</a></main>`,
  ),
  'a.xml': Buffer.from(
    '<rss version="2.0"><channel><title>F</title><item><title>I</title><description>words</description></item></channel></rss>',
  ),
  'a.json': Buffer.from('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"a": 1}}, "b": [1]}'),
};

/** Children that end after `jobs` jobs: one for a child of its own, infinitely many for one child for all. */
function converters(
  kind: 'document' | 'page',
  isReused: boolean,
): (name: string, bytes: Buffer) => Promise<string> {
  const path = kind === 'document' ? 'formats/document/convert-child.js' : 'formats/web/page-child.js';
  const pool = new ChildPool({
    entry: () => builtFile(path),
    queue: new Queue('pairs', 'pairs are converted', { limit: 1, waiting: 1 }),
    idleMs: 60_000,
    heapMb: 768,
    keepUpTo: isReused ? Number.POSITIVE_INFINITY : 0,
  });
  onTestFinished(() => pool.close());
  return async (name, bytes) => {
    const { signal } = new AbortController();
    const body = chunksOf(memoryBytes(bytes), 0, bytes.length, 1 << 20, signal);
    const limits = { maxOutput: 96 << 20, maxMemory: 2 ** 31, maxMs: 120_000 };
    const head = kind === 'document' ? { want: { kind: 'whole' }, most: 1 << 20 } : pageJob(name);
    const reply = await pool.run({ head, body, bytes: bytes.length, ...limits }, { signal });
    return `${JSON.stringify(reply.head)}\n${reply.body.toString('utf8')}`;
  };
}

const url = 'http://site.example/a/b';
const pageJob = (name: string) =>
  ({ '.xml': { kind: 'feed', url }, '.json': { kind: 'json', url } })[extname(name)] ?? { kind: 'page', url };

/** A sequence in which each of `count` is followed by each, itself included. */
function everyPair(count: number): number[] {
  const next = Array.from({ length: count }, () => count - 1);
  const [open, sequence]: [number[], number[]] = [[0], []];
  while (open.length > 0) {
    const at = open.at(-1) as number;
    const to = next[at] as number;
    if (to < 0) sequence.push(open.pop() as number);
    else {
      next[at] = to - 1;
      open.push(to);
    }
  }
  return sequence;
}

/** Which inputs have, in this order, not the answer of a child of their own. */
async function changedBy(
  kind: 'document' | 'page',
  inputs: readonly (readonly [name: string, bytes: Buffer])[],
  order: readonly number[] = everyPair(inputs.length),
): Promise<string[]> {
  const alone = converters(kind, false);
  const after = converters(kind, true);
  const expected: string[] = [];
  for (const [name, bytes] of inputs) expected.push(await alone(name, bytes));
  const changed: string[] = [];
  let before = 'nothing';
  for (const at of order) {
    const [name, bytes] = inputs[at] as readonly [string, Buffer];
    if ((await after(name, bytes)) !== expected[at]) changed.push(`${name} after ${before}`);
    before = name;
  }
  return changed;
}

test('pairs: each is followed by each once', () => {
  const sequence = everyPair(4);
  const pairs = sequence.slice(1).map((to, i) => `${sequence[i]}${to}`);
  expect(new Set(pairs).size).toBe(16);
  expect(pairs).toHaveLength(16);
});

test('D25 workbooks: no pair changes the second one', async () => {
  expect(await changedBy('document', Object.entries(workbooks))).toEqual([]);
});

test('documents: no pair of two formats changes the second one', async () => {
  expect(await changedBy('document', Object.entries(formats))).toEqual([]);
});

test('pages, feeds and JSON: no pair changes the second one', async () => {
  expect(await changedBy('page', Object.entries(pages))).toEqual([]);
});

test('D26 two libraries with own roots never affect each other', async () => {
  const [mine, theirs] = [workspace(unhurried), workspace(unhurried)];
  mine.write('proto.xlsx', workbooks['proto.xlsx'] as Buffer);
  mine.write('formats.xlsx', workbooks['formats.xlsx'] as Buffer);
  theirs.write('note.xlsx', workbooks['note.xlsx'] as Buffer);
  theirs.write('invoice.xls', workbooks['invoice.xls'] as Buffer);
  expect(await mine.text('proto.xlsx')).toContain('hello');
  await mine.text('formats.xlsx');
  expect(await theirs.text('note.xlsx')).toContain(SECRET);
  expect(await theirs.text('invoice.xls')).toContain('| acme | 12.50 | 25% | 2023-03-15 |');
  mine.write('collect.xlsx', workbooks['good.xlsx'] as Buffer);
  const collected = textOf(await mine.read('collect.xlsx'));
  expect(collected).toContain('| alice | no |');
  expect(collected).not.toMatch(new RegExp(`${SECRET}|${NOTE}`));
});

/** What a polluted prototype of this process would add. */
const intrinsics = (): unknown =>
  [Object, Array, Function, String, Map, Set, RegExp, Error, Uint8Array, Buffer, JSON, Reflect].map((one) => [
    Reflect.ownKeys(one),
    Reflect.ownKeys(Object((one as { prototype?: object }).prototype)),
  ]);

test('a read without a child changes nothing in this process', async () => {
  const { write, read } = workspace(unhurried);
  const before = intrinsics();
  const names = ['__proto__', 'constructor', 'prototype', 'toString'];
  const cell = { cell_type: 'code', metadata: {}, source: ['1'], outputs: [], ['__proto__']: { a: 1 } };
  const json = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
  write(
    'a.ipynb',
    json.replace(
      '"metadata":{}',
      '"metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"b":1}}}',
    ),
  );
  write('a.json', '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}');
  write('a.csv', `${names.join()}\n1,2,3,4\n`);
  write('a.zip', zip(names.map((name) => ({ name: `${name}/__proto__`, content: Buffer.from('x') }))));
  const columns = names.map((name) => `"${name}"`).join();
  write(
    'a.db',
    await databaseBytes(
      `create table "__proto__" (${columns})`,
      `insert into "__proto__" values (1, 2, 3, 4)`,
    ),
  );
  for (const path of [
    'a.ipynb',
    'a.json:outline',
    'a.csv:outline',
    'a.zip',
    'a.zip:__proto__/__proto__',
    'a.db',
    'a.db:__proto__',
  ])
    expect([path, (await read(path)).isError]).toEqual([path, false]);
  expect(intrinsics()).toEqual(before);
});

const notebook = JSON.stringify({
  cells: [
    { cell_type: 'markdown', metadata: {}, source: ['# Title'] },
    { cell_type: 'code', metadata: {}, source: ['1 + 1'], outputs: [], execution_count: 1 },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

/** What is read without a child of documents or pages, whole and damaged, and one of these. */
const otherFiles = async (): Promise<Readonly<Record<string, Uint8Array>>> => {
  const image = makePng(40, 30);
  const archive = zip([{ name: 'a/b.txt', content: Buffer.from('Some words\n') }]);
  const packed = tar([{ name: 'a/b.txt', content: 'Other words\n' }]);
  const database = await databaseBytes('create table t (a, b)', `insert into t values (1, '__proto__')`);
  return {
    'a.png': image,
    'damaged.png': image.subarray(0, 400),
    'damaged.zip': archive.subarray(0, archive.length - 30),
    'a.tar': packed,
    'damaged.tar.gz': gzipSync(packed).subarray(0, 60),
    'a.ipynb': Buffer.from(notebook),
    'damaged.ipynb': Buffer.from(notebook.slice(0, 120)),
    'a.db': database,
    'damaged.db': database.map((byte, at) => (at >= 4096 ? 255 : byte)),
    'a.docx': formats['a.docx'] as Buffer,
    'a.html': pages['a.html'] as Buffer,
  };
};

test('no file changes what one process answers for the next', async () => {
  const place = await makePlace();
  onTestFinished(() => place.remove());
  const open = async (): Promise<Door> => {
    const door = await library.open({ cwd: place.W, roots: [place.W], home: place.home('library') });
    onTestFinished(async () => void (await door.close()));
    return door;
  };
  let reads = 0;
  // A file of its own for each read, so that nothing is answered from what was kept.
  const read = async (door: Door, name: string, bytes: Uint8Array): Promise<string> => {
    reads += 1;
    const path = `${reads}-${name}`;
    place.write(path, bytes);
    const reply = await door.call('read', { path });
    return `${reply?.code} ${reply?.images} ${reply?.text.replaceAll(path, name)}`;
  };
  const files = Object.entries(await otherFiles());
  const expected: string[] = [];
  for (const [name, bytes] of files) {
    const alone = await open();
    expected.push(await read(alone, name, bytes));
    await alone.close();
  }
  const changed: string[] = [];
  const one = await open();
  let before = 'nothing';
  for (const at of everyPair(files.length)) {
    const [name, bytes] = files[at] as readonly [string, Uint8Array];
    if ((await read(one, name, bytes)) !== expected[at]) changed.push(`${name} after ${before}`);
    before = name;
  }
  expect(changed).toEqual([]);
  expect(expected.filter((answer) => answer.startsWith('OK')).length).toBeGreaterThan(5);
});
