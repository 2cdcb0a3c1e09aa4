/** Sheets: their row counts, omitted parts, and the suggested calls. */

import { deflateRawSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { utils, write as writeBook } from '@e965/xlsx';
import { fixture, sheetRow, xlsx } from '../../support/documents.ts';
import { textOf, unhurried, workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

/** A number and a word in each row, below a header. */
function sheet(rows: number, word = 'name', before = ''): string {
  const below = Array.from({ length: rows }, (_, i) => sheetRow(i + 2, [i, `${word} ${i}`]));
  return `${before}<sheetData>${sheetRow(1, ['id', 'name'])}${below.join('')}</sheetData>`;
}

const noticesOf = (answer: { readonly details: Record<string, unknown> }): string[] =>
  ((answer.details['notices'] ?? []) as { text: string }[]).map(({ text }) => text);

test.each(['HR', 'Q1', 'USA', 'FY24', 'A1', 'A', 'A:B', 'A1:B2'])(
  'a large sheet named %s is reported as truncated, alone too',
  async (name) => {
    const { write, read } = workspace(unhurried);
    write(
      'book.xlsx',
      xlsx([
        ['Other', sheet(1)],
        [name, sheet(1_500)],
      ]),
    );
    const cut = expect.stringContaining('has 1501 rows, of which the first 20 are shown');
    expect(noticesOf(await read('book.xlsx'))).toEqual([cut]);
    const typed = name.replaceAll(':', '%3A');
    expect(noticesOf(await read(`book.xlsx:${typed}`))).toEqual([cut]);
    // The cells of a range are all shown.
    expect(noticesOf(await read(`book.xlsx:${typed}:A1:B3`))).toEqual([]);
  },
);

test('all truncated sheets are counted, and the calls lead to all', { tags: 'slow' }, async () => {
  const { write, read } = workspace(unhurried);
  const names = Array.from({ length: 19 }, (_, i) => `Sheet ${i}`);
  for (const count of [4, 19]) {
    write(`${count}.xlsx`, xlsx(names.slice(0, count).map((name) => [name, sheet(1_100)] as const)));
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
  expect(noticesOf(await read('19.xlsx:Sheet 18'))).toEqual([
    expect.stringContaining('Sheet 18 has 1101 rows'),
  ]);
});

test.each(['book.bak', 'book.dat', 'book.tmp', 'book.doc', 'book.docx', 'book.odt', 'book'])(
  'every suggested call for a workbook named %s works',
  { tags: 'slow' },
  async (file) => {
    const { write, read, text } = workspace(unhurried);
    write(
      file,
      xlsx([
        ['Sales', sheet(1_500)],
        ['Small', sheet(1)],
      ]),
    );
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

/** Random numbers are packed badly: it is larger than what is read whole. */
function largeBook(declared: string): Buffer {
  const rows = Array.from({ length: 30_000 }, (_, i) =>
    sheetRow(i + 1, i === 0 ? ['id', 'a', 'b', 'c'] : [i, Math.random(), Math.random(), Math.random()]),
  );
  // Cells that have a format only.
  const formatted = Array.from(
    { length: 500 },
    (_, i) => `<row r="${i + 40_000}"><c r="A${i + 40_000}" s="1"/></row>`,
  );
  return xlsx([
    ['Small', sheet(1)],
    ['Data', `<dimension ref="${declared}"/><sheetData>${rows.join('')}${formatted.join('')}</sheetData>`],
  ]);
}

test.each(['A1', 'A1:D1500', 'A1:D30000', 'A1:D1048576'])(
  'the rows of a large sheet are counted, whatever it declares: %s',
  { tags: 'slow' },
  async (declared) => {
    const { write, read, text } = workspace(unhurried);
    write('large.xlsx', largeBook(declared));
    const whole = await read('large.xlsx');
    expect(textOf(whole)).toContain('## Data\n');
    expect(textOf(whole)).toContain('A1:D30000, 30000 rows, 4 columns\n');
    expect(noticesOf(whole)).toEqual([
      expect.stringContaining('Data has 30000 rows, of which the first 20 are shown'),
    ]);
    expect(await text('large.xlsx:Data:A29999:A30001')).toContain('| 30000 | 29999 |');
    expect(await text('large.xlsx:Data:A50000:A50001')).toContain('(no cells there, only in A1:D30000)');
  },
);

test.each(['xlsb', 'biff8', 'ods'] as const)(
  'the rows of a large %s are counted too',
  { tags: 'slow' },
  async (bookType) => {
    const { write, text } = workspace(unhurried);
    const cells = Array.from({ length: 20_000 }, (_, i) => [i, Math.random(), Math.random(), Math.random()]);
    const book = utils.book_new();
    // The writer of xlsb looks up a thousand cells in each row, which is fast in a dense sheet only.
    // Its types know this option for reading only.
    const dense: object = { dense: true };
    const data = utils.aoa_to_sheet([['id', 'a', 'b', 'c'], ...cells], dense);
    utils.book_append_sheet(book, data, 'Data');
    utils.book_append_sheet(book, utils.aoa_to_sheet([['x']]), 'Small');
    write('named.xls', writeBook(book, { type: 'buffer', bookType, compression: true }) as Buffer);
    expect(await text('named.xls')).toContain('A1:D20001, 20001 rows, 4 columns');
    expect(await text('named.xls:Data:A20001')).toContain('| 20001 | 19999 |');
  },
);

test('columns with equal names get unique names, and no other sheet is lost', async () => {
  const { write, text } = workspace(unhurried);
  const rows = (header: readonly string[]): string =>
    `<sheetData>${sheetRow(1, header)}${sheetRow(2, [1, 2, 3, 4])}</sheetData>`;
  write(
    'dup.xlsx',
    xlsx([
      ['S', rows(['Total C', 'Total', 'Total', 'total'])],
      ['T', rows(['B', '', 'b', 'B B'])],
      ['Other', rows(['a', 'b', 'c', 'd'])],
    ]),
  );
  expect(await text('dup.xlsx:S?limit=1')).toContain('| Total C | Total | Total C C | total D |');
  expect(await text('dup.xlsx:Other?limit=1')).toContain('| a | b | c | d |');
  expect((await text('dup.xlsx:T?limit=1')).split('\n')[2]).toMatch(/^\| 1 +\| 2 +\| 3 +\| 4 +\|$/);
});

test('the header of a sheet is detected from its first rows', { tags: 'slow' }, async () => {
  const { write, read, text } = workspace(unhurried);
  const far = `<row r="9000">${[...'ABCDEFGH'].map((letter) => `<c r="${letter}9000"><v>${Math.random()}</v></c>`).join('')}</row>`;
  const noise = Array.from({ length: 9_000 }, (_, i) => sheetRow(i + 2, [i, Math.random()])).slice(0, 8_998);
  const filler = Array.from({ length: 20_000 }, (_, i) =>
    sheetRow(i + 1, [Math.random(), Math.random(), Math.random()]),
  );
  write(
    'late.xlsx',
    xlsx([
      ['Late', `<sheetData>${sheetRow(1, ['id', 'value'])}${noise.join('')}${far}</sheetData>`],
      ['Filler', `<sheetData>${filler.join('')}</sheetData>`],
    ]),
  );
  expect(noticesOf(await read('late.xlsx'))[0]).toContain('late.xlsx:Late?limit=50&offset=19 for rows');
  expect((await text('late.xlsx:Late?limit=1&offset=19')).split('\n')[2]).toMatch(/^\| 19 +\|/);
});

test('a hidden sheet of OpenDocument is marked by its own style, whatever other styles come first', async () => {
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

test(
  'columns that do not fit a table are reported, with the call for their cells',
  { tags: 'slow' },
  async () => {
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
  },
);

test('an empty sheet has no rows, and the calls for it work', async () => {
  const { write, read, text } = workspace(unhurried);
  write(
    'empty.xlsx',
    xlsx([
      ['E', '<sheetData/>'],
      ['Full', sheet(1)],
    ]),
  );
  expect(await text('empty.xlsx:E?limit=2')).toContain('(no rows)');
  const { details } = await read('empty.xlsx:E:1');
  expect(details['error']).toMatchObject({ code: 'NOT_FOUND', next: 'empty.xlsx:E?limit=20' });
  expect((await read('empty.xlsx:E?limit=20')).isError).toBe(false);
});

test.each([
  ['whose bytes have changed', (xml: Buffer) => ({ content: xml, packed: broken(xml) })],
  ['that ends in the middle', (xml: Buffer) => ({ content: xml.subarray(0, xml.length >> 1) })],
  ['with another checksum', (xml: Buffer) => ({ content: xml, crc: 1 })],
])('a sheet %s is reported as damaged, and the others are read', async (_, damage) => {
  const { write, text } = workspace(unhurried);
  const parts = unzipSync(
    xlsx([
      ['Lost', sheet(200)],
      ['Kept', sheet(2, 'kept')],
    ]),
  );
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
