/** Sheets: their row counts, omitted parts, and the suggested calls. */

import { deflateRawSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { utils, write as writeBook } from '@e965/xlsx';
import { ballast, fixture, sheetRow, xlsx } from '../../support/documents.ts';
import { databaseBytes } from '../../support/sqlite.ts';
import { textOf, unhurried, workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

/** A number and a word in each row, below a header. */
function sheet(rows: number, word = 'name', before = ''): string {
  const below = Array.from({ length: rows }, (_, i) => sheetRow(i + 2, [i, `${word} ${i}`]));
  return `${before}<sheetData>${sheetRow(1, ['id', 'name'])}${below.join('')}</sheetData>`;
}

const noticesOf = (answer: { readonly details: Record<string, unknown> }): string[] =>
  ((answer.details['notices'] ?? []) as { text: string }[]).map(({ text }) => text);

async function reportsTruncation(name: string): Promise<void> {
  const { write, read } = workspace(unhurried);
  write('book.xlsx', xlsx(Object.entries({ Other: sheet(1), [name]: sheet(1_500) })));
  const cut = expect.stringContaining('has 1501 rows, of which the first 20 are shown');
  expect(noticesOf(await read('book.xlsx'))).toEqual([cut]);
  const typed = name.replaceAll(':', '%3A');
  expect(noticesOf(await read(`book.xlsx:${typed}`))).toEqual([cut]);
  // The cells of a range are all shown.
  expect(noticesOf(await read(`book.xlsx:${typed}:A1:B3`))).toEqual([]);
}

const truncated = 'a large sheet named %s is reported truncated, alone too';
test.each(['HR', 'A1:B2'])(truncated, reportsTruncation);
test.each(['Q1', 'USA', 'FY24', 'A1', 'A', 'A:B'])(truncated, { tags: 'slow' }, reportsTruncation);

test('all truncated sheets are counted and reached by calls', { tags: 'slow' }, async () => {
  const { write, read } = workspace(unhurried);
  const names = Array.from({ length: 8 }, (_, i) => `Sheet ${i}`);
  const large = sheet(1_100);
  for (const count of [4, 8]) {
    write(`${count}.xlsx`, xlsx(names.slice(0, count).map((name) => [name, large] as const)));
    const said = noticesOf(await read(`${count}.xlsx`));
    expect(said.slice(0, 3)).toEqual(
      names.slice(0, 3).map((name) => expect.stringContaining(`${name} has 1101 rows`)),
    );
    expect(said[3]).toMatch(
      new RegExp(`^${count - 3} more sheets? (?:is|are) shown in part; .*Use ${count}.xlsx:Sheet 3 for`),
    );
    expect(said).toHaveLength(4);
    expect(Buffer.byteLength(said.join('\n'))).toBeLessThanOrEqual(1024);
  }
  expect(noticesOf(await read('8.xlsx:Sheet 7'))).toEqual([expect.stringContaining('Sheet 7 has 1101 rows')]);
});

test.each(['book.bak', 'book.odt', 'book'])(
  'every suggested call for a workbook named %s works',
  { tags: 'slow' },
  async (file) => {
    const { write, read, text } = workspace(unhurried);
    write(file, xlsx(Object.entries({ Sales: sheet(1_500), Small: sheet(1) })));
    const [notice = ''] = noticesOf(await read(file));
    for (const call of [...notice.matchAll(/(?<=: |, )(\S+?) for (?:rows|cells)/g)].map(
      ([, use = '']) => use,
    )) {
      const answer = await read(call);
      expect([call, answer.isError]).toEqual([call, false]);
      expect(textOf(answer)).toContain('name 30');
    }
    expect(await text(`${file}:Small`)).toContain('| 2 | 0 | name 0 |');
    expect(await text(`${file}:Sales:42`)).toContain('name: name 40');
    expect(await text(`${file}:xl/workbook.xml`)).toContain('<sheet name="Sales"');
  },
);

/** Larger than what is read whole. */
function largeBook(declared: string): Buffer {
  const rows = Array.from({ length: 3_000 }, (_, i) =>
    sheetRow(i + 1, i === 0 ? ['id', 'a', 'b', 'c'] : [i, i / 7, i / 9, i / 11]),
  );
  // Cells that have a format only.
  const formatted = Array.from(
    { length: 500 },
    (_, i) => `<row r="${i + 4_000}"><c r="A${i + 4_000}" s="1"/></row>`,
  );
  const data = `<dimension ref="${declared}"/><sheetData>${rows.join('')}${formatted.join('')}</sheetData>`;
  return xlsx(
    [
      ['Small', sheet(1)],
      ['Data', data],
    ],
    'parts',
    ballast(),
  );
}

test.each(['A1', 'A1:D3000', 'A1:D1048576'])(
  'rows of a large sheet are counted despite declarations: %s',
  { tags: 'slow' },
  async (declared) => {
    const { write, read, text } = workspace(unhurried);
    write('large.xlsx', largeBook(declared));
    const whole = await read('large.xlsx');
    expect(textOf(whole)).toContain('## Data\n');
    expect(textOf(whole)).toContain('A1:D3000, 3000 rows, 4 columns\n');
    expect(noticesOf(whole)).toEqual([
      expect.stringContaining('Data has 3000 rows, of which the first 20 are shown'),
    ]);
    expect(await text('large.xlsx:Data:A2999:A3001')).toContain('| 3000 | 2999 |');
    expect(await text('large.xlsx:Data:A5000:A5001')).toContain('(no cells there, only in A1:D3000)');
  },
);

test.each(['xlsb', 'biff8', 'ods'] as const)(
  'the rows of a large %s are counted too',
  { tags: 'slow' },
  async (bookType) => {
    const { write, text } = workspace(unhurried);
    const cells = Array.from({ length: 2_000 }, (_, i) => [i, i / 7, i / 9, i / 11]);
    const book = utils.book_new();
    // The writer of xlsb looks up a thousand cells in each row, which is fast in a dense sheet only.
    // Its types know this option for reading only.
    const dense: object = { dense: true };
    const data = utils.aoa_to_sheet([['id', 'a', 'b', 'c'], ...cells], dense);
    utils.book_append_sheet(book, data, 'Data');
    utils.book_append_sheet(book, utils.aoa_to_sheet([['x']]), 'Small');
    write('named.xls', writeBook(book, { type: 'buffer', bookType, compression: true }) as Buffer);
    expect(await text('named.xls')).toContain('A1:D2001, 2001 rows, 4 columns');
    expect(await text('named.xls:Data:A2001')).toContain('| 2001 | 1999 |');
  },
);

test('equal column names become unique and lose no other sheet', async () => {
  const { write, text } = workspace(unhurried);
  const rows = (header: readonly string[]): string =>
    `<sheetData>${sheetRow(1, header)}${sheetRow(2, [1, 2, 3, 4])}</sheetData>`;
  write(
    'dup.xlsx',
    xlsx(
      Object.entries({
        S: rows(['Total C', 'Total', 'Total', 'total']),
        T: rows(['B', '', 'b', 'B B']),
        Other: rows(['a', 'b', 'c', 'd']),
      }),
    ),
  );
  expect(await text('dup.xlsx:S?limit=1')).toContain('| Total C | Total | Total C C | total D |');
  expect(await text('dup.xlsx:Other?limit=1')).toContain('| a | b | c | d |');
  expect((await text('dup.xlsx:T?limit=1')).split('\n')[2]).toMatch(/^\| 1 +\| 2 +\| 3 +\| 4 +\|$/);
});

test('the header of a sheet comes from its first rows', { tags: 'slow' }, async () => {
  const { write, read, text } = workspace(unhurried);
  const far = `<row r="2000">${[...'ABCDEFGH'].map((letter) => `<c r="${letter}2000"><v>7</v></c>`).join('')}</row>`;
  const noise = Array.from({ length: 1_998 }, (_, i) => sheetRow(i + 2, [i, i / 7]));
  write(
    'late.xlsx',
    xlsx(
      [['Late', `<sheetData>${sheetRow(1, ['id', 'value'])}${noise.join('')}${far}</sheetData>`]],
      'parts',
      ballast(),
    ),
  );
  expect(noticesOf(await read('late.xlsx'))[0]).toContain('late.xlsx:Late?limit=50&offset=19 for rows');
  expect((await text('late.xlsx:Late?limit=1&offset=19')).split('\n')[2]).toMatch(/^\| 19 +\|/);
});

test('hidden OpenDocument sheets are marked by their own style', async () => {
  const { write, text } = workspace(unhurried);
  const parts = Object.entries(unzipSync(fixture('sheet.ods'))).map(([name, content]) => {
    if (name !== 'content.xml') return { name, content };
    const before = '<style:style style:name="z1" style:family="table-cell"/>';
    const xml = Buffer.from(content).toString('utf8');
    return { name, content: xml.replace('<office:automatic-styles>', (tag) => tag + before) };
  });
  write('styled.ods', zip(parts));
  const heads = (await text('styled.ods:raw')).match(/^## .*$/gm);
  expect(heads).toEqual(['## Sales', '## Merged & Wide', '## Hidden (hidden)', '## Empty']);
});

test('columns beyond a table are reported with their call', { tags: 'slow' }, async () => {
  const { write, read, text } = workspace(unhurried);
  const cells = utils.aoa_to_sheet([
    Array.from({ length: 1_200 }, (_, i) => `c${i}`),
    Array.from({ length: 1_200 }, (_, i) => i),
    Array.from({ length: 1_200 }, (_, i) => -i),
  ]);
  const book = utils.book_new();
  utils.book_append_sheet(book, cells, 'Wide');
  utils.book_append_sheet(book, utils.aoa_to_sheet([['a'], [1]]), 'Narrow');
  write('wide.xlsx', writeBook(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer);
  for (const path of [
    'wide.xlsx:Wide?limit=1',
    'wide.xlsx:Wide:2',
    'wide.xlsx?q=select count(*) from Wide',
  ]) {
    const said = noticesOf(await read(path));
    expect([path, said]).toEqual([
      path,
      expect.arrayContaining([
        'Wide has 1200 columns; those from ALM on are not in its rows. Use wide.xlsx:Wide:ALM1:ATD50 for their cells',
      ]),
    ]);
  }
  expect(await text('wide.xlsx:Wide:ALM1:ATD50')).toContain('| 2 | 1000 | 1001 |');
  expect(noticesOf(await read('wide.xlsx:Narrow?limit=1')).join('')).not.toContain('columns');
});

test('an empty sheet has no rows, and its calls work', async () => {
  const { write, read, text } = workspace(unhurried);
  write('empty.xlsx', xlsx(Object.entries({ E: '<sheetData/>', Full: sheet(1) })));
  expect(await text('empty.xlsx:E?limit=2')).toContain('(no rows)');
  const { details } = await read('empty.xlsx:E:1');
  expect(details['error']).toMatchObject({ code: 'NOT_FOUND', next: 'empty.xlsx:E?limit=20' });
  expect((await read('empty.xlsx:E?limit=20')).isError).toBe(false);
});

test.each([
  ['whose bytes have changed', (xml: Buffer) => ({ content: xml, packed: broken(xml) })],
  ['that ends in the middle', (xml: Buffer) => ({ content: xml.subarray(0, xml.length >> 1) })],
  ['with another checksum', (xml: Buffer) => ({ content: xml, crc: 1 })],
])('a sheet %s is reported damaged; the others are read', async (_, damage) => {
  const { write, text } = workspace(unhurried);
  const parts = unzipSync(xlsx(Object.entries({ Lost: sheet(200), Kept: sheet(2, 'kept') })));
  write(
    'a.xlsx',
    zip(
      Object.entries(parts).map(([name, content]) => ({
        name,
        ...(name.endsWith('sheet1.xml') ? damage(Buffer.from(content)) : { content }),
      })),
    ),
  );
  const shown = (await text('a.xlsx')).replaceAll(/^\d+\|/gm, '');
  expect(shown).toContain('## Lost\n\n(damaged: cells of this sheet are missing)\n');
  expect(shown).toContain('## Kept\n\nA1:B3');
});

/** Packed, with one byte flipped in the middle. */
function broken(xml: Buffer): Buffer {
  const packed = deflateRawSync(xml);
  packed[packed.length >> 1] = (packed[packed.length >> 1] as number) ^ 0xff;
  return packed;
}

test('a sheet or a table with the name of a question about code is shown', async () => {
  const { write, read } = workspace(unhurried);
  write('book.xlsx', xlsx(Object.entries({ Other: sheet(1), refs: sheet(1, 'of refs') })));
  expect(textOf(await read('book.xlsx:refs'))).toContain('of refs 0');
  write('app.db', await databaseBytes("create table refs(v); insert into refs values ('stored')"));
  expect(textOf(await read('app.db:refs'))).toContain('| stored |');
});
