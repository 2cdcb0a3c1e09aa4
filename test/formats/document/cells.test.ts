/** Cells of workbooks by kind of file: each is in its column with its value, and a search finds what is read. */

import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { type CellObject, CFB, utils, write as writeBook } from '@e965/xlsx';
import { ballast, sheetRow, xlsx } from '../../support/documents.ts';
import { textOf, unhurried, workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

/** An OpenDocument sheet with these rows, in the XML of its content. */
function ods(rows: string): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['x']]), 'S');
  const parts = unzipSync(writeBook(book, { type: 'buffer', bookType: 'ods' }) as Buffer);
  const content = Buffer.from(parts['content.xml'] as Uint8Array)
    .toString()
    .replace(/<table:table-row[^]*<\/table:table-row>/, rows);
  return zip(
    Object.entries({ ...parts, 'content.xml': Buffer.from(content) }).map(([name, part]) => ({
      name,
      content: Buffer.from(part),
    })),
  );
}

const odsRow = (...cells: string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`;
const odsText = (text: string, attributes = ''): string =>
  `<table:table-cell office:value-type="string"${attributes}><text:p>${text}</text:p></table:table-cell>`;
const odsDate = (value: string): string =>
  `<table:table-cell office:value-type="date" office:date-value="${value}"><text:p>shown</text:p></table:table-cell>`;

test.each([
  ['<table:covered-table-cell table:number-columns-repeated="2"/>', '|  |  | x | y |'],
  ['<table:covered-table-cell/><table:covered-table-cell/>', '|  |  | x | y |'],
  [
    '<table:covered-table-cell table:number-columns-repeated="2"><text:p>hidden</text:p></table:covered-table-cell>',
    '|  |  | x | y |',
  ],
])('cells right of a merged area keep their columns: %s', async (covered, line) => {
  const { write, text } = workspace(unhurried);
  const merged = odsText('merged', ' table:number-columns-spanned="2" table:number-rows-spanned="2"');
  const end = odsText('end');
  write(
    's.ods',
    ods(
      odsRow(merged, covered, end) +
        odsRow(covered, odsText('x'), odsText('y')) +
        odsRow(end, end, end, end, end),
    ),
  );
  const columns = line.split('|').length - 2;
  expect(await text('s.ods')).toContain(`| 2 ${line}${'  |'.repeat(6 - columns - 1)}`.trimEnd());
});

const odsTime = (value: string, attributes = ''): string =>
  `<table:table-cell office:value-type="time" office:time-value="${value}"${attributes}><text:p>shown</text:p></table:table-cell>`;

test('durations of OpenDocument sheets keep days, sign and fractions', async () => {
  const { write, text } = workspace(unhurried);
  const row = odsRow(
    odsTime('PT36H05M00S'),
    odsTime('-PT2H00M00.4S', ' table:style-name="bold"'),
    odsTime('P1DT4H3M5S'),
    odsTime('P1Y2M'),
    '<table:table-cell office:value-type="float" office:value="20"/>',
  );
  write('s.ods', ods(row));
  expect(await text('s.ods')).toContain('| 1 | 36:05:00 | -2:00:00 | 28:03:05 | P1Y2M | 20 |');
});

test('values of OpenDocument cells are shown where their text is empty or absent', async () => {
  const { write, text } = workspace(unhurried);
  const cell = (attributes: string, inside: string): string =>
    `<table:table-cell office:value-type=${attributes}>${inside}</table:table-cell>`;
  const row = odsRow(
    cell('"string" office:string-value="a &amp; b"', ''),
    cell('"string" office:string-value="hidden"', '<text:p/>'),
    '<table:table-cell office:value-type="string" office:string-value="alone"/>',
    cell('"float" office:value="7"', '<text:p/>'),
    cell('"string"', '<text:p>A</text:p><text:p/><text:p>B</text:p>'),
  );
  write('s.ods', ods(row));
  expect(await text('s.ods')).toContain('| 1 | a & b | hidden | alone | 7 | "A\\n\\nB" |');
});

test('the text of a shape does not join that of its cell', async () => {
  const { write, text } = workspace(unhurried);
  const box =
    '<draw:frame><draw:text-box><text:p>IN A</text:p><text:p>BOX</text:p></draw:text-box></draw:frame>';
  const cell = `<table:table-cell office:value-type="float" office:value="20"><draw:g>${box}</draw:g><text:p>20</text:p></table:table-cell>`;
  write('s.ods', ods(odsRow(cell, odsText('end'))));
  expect(await text('s.ods:raw')).toMatch(/\| 1 \| 20 \| end \|\n\n## Drawings\n\n- shape: IN A BOX\n$/);
});

test('dates of OpenDocument sheets keep time and day every year', { tags: 'slow' }, async () => {
  const { write, text } = workspace(unhurried);
  const days = [
    '2024-02-29',
    '2024-02-29T23:59:00',
    '2024-02-29T23:59:58',
    '1850-05-06',
    '1899-12-31',
    '1900-02-28',
  ];
  write('s.ods', ods(odsRow(odsText('day')) + days.map((day) => odsRow(odsDate(day))).join('')));
  const shown = days.map((day) => day.replace('T', ' ').replace(/(:\d\d):00$/, '$1'));
  const all = await text('s.ods');
  for (const [i, day] of shown.entries()) expect(all).toContain(`| ${i + 2} | ${day} |`);
  expect(await text("s.ods:S?where=day='2024-02-29 23:59'")).toContain('2024-02-29 23:59');
  expect(await text("s.ods:S?where=day<'1899-12-31'")).toContain('1850-05-06');
});

test('large numbers are the same in cells, rows and queries', async () => {
  const { write, text } = workspace(unhurried);
  const values = [2 ** 53, 2 ** 63, -(2 ** 63), Number('12345678901234567890'), 1e300, 0.5];
  const rows = [['id', 'Value'], ...values.map((value, i) => [i, value])];
  const cells = rows.map((row, i) => sheetRow(i + 1, row)).join('');
  write('n.xlsx', xlsx([['S', `<sheetData>${cells}</sheetData>`]]));
  expect(await text('n.xlsx:S?where=Value>9e18')).toMatch(
    / 9223372036854776000\.0 [^]* 12345678901234567000\.0 [^]* 1e\+300 /,
  );
  expect(await text('n.xlsx:S?where=Value<-9e18')).toContain(' -9223372036854776000.0 ');
});

test('bytes after the last record of .xls do not hang', { tags: 'slow' }, async () => {
  const { write, text } = workspace(unhurried);
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['name'], ['x']]), 'S');
  const file = CFB.read(writeBook(book, { type: 'buffer', bookType: 'biff8' }), { type: 'buffer' });
  const records = Buffer.from(CFB.find(file, 'Workbook')?.content as Uint8Array);
  const xls = (content: Buffer): Buffer => {
    CFB.utils.cfb_add(file, 'Workbook', content);
    return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array);
  };
  write('a.xls', xls(records));
  const plain = await text('a.xls:raw');
  expect(plain).toContain('| x');
  const bare = writeBook(book, { type: 'buffer', bookType: 'biff2' }) as Buffer;
  for (const rest of [[7], [7, 0], [7, 0, 1], [0, 0]]) {
    write('a.xls', xls(Buffer.concat([records, Buffer.from(rest)])));
    expect([rest, await text('a.xls:raw')]).toEqual([rest, plain]);
    write('bare.xls', Buffer.concat([bare, Buffer.from(rest)]));
    expect([rest, await text('bare.xls:raw')]).toEqual([rest, expect.stringContaining('| x')]);
  }
  for (const content of [
    [7, 0],
    [7, 0, 1],
    [9, 8, 1],
  ]) {
    write('a.xls', xls(Buffer.from(content)));
    expect([content, await text('a.xls')]).toEqual([
      content,
      '[Cannot read .xls file: it is damaged or truncated. Get the file again, or ask for a copy in another format.]',
    ]);
  }
});

test.each([
  ['an array formula', [0x21, 0, 2, 0, 1, 1]],
  ['a formula', [0x06, 0, 20, 0, ...Array.from({ length: 20 }, () => 0)]],
  ['a shared formula', [0xbc, 4, 8, 0, ...Array.from({ length: 8 }, () => 0)]],
])('%s of .xls in a short record does not hang', async (_, record) => {
  const { write, text } = workspace(unhurried);
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['name'], ['x']]), 'S');
  const file = CFB.read(writeBook(book, { type: 'buffer', bookType: 'biff8' }), { type: 'buffer' });
  const records = Buffer.from(CFB.find(file, 'Workbook')?.content as Uint8Array);
  // Before the end of the sheet, which is the last record.
  const content = Buffer.concat([records.subarray(0, -4), Buffer.from(record), records.subarray(-4)]);
  CFB.utils.cfb_add(file, 'Workbook', content);
  write('a.b1.xls', Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array));
  expect(await text('a.b1.xls')).toContain('[Cannot read .xls file: it is damaged or truncated. ');
});

test('links of .xls over a whole sheet are left out', async () => {
  const { write, text } = workspace(unhurried);
  const book = utils.book_new();
  const sheet = utils.aoa_to_sheet([['linked'], ['not linked']]);
  (sheet['A1'] as CellObject).l = { Target: 'https://example.com/a', Tooltip: 'a tip' };
  utils.book_append_sheet(book, sheet, 'S');
  const file = CFB.read(writeBook(book, { type: 'buffer', bookType: 'biff8' }), { type: 'buffer' });
  const records = Buffer.from(CFB.find(file, 'Workbook')?.content as Uint8Array);
  const parts: Buffer[] = [];
  for (let at = 0; at + 4 <= records.length; at += 4 + records.readUInt16LE(at + 2)) {
    const record = Buffer.from(records.subarray(at, at + 4 + records.readUInt16LE(at + 2)));
    parts.push(record);
    if (![0x01b8, 0x0800].includes(record.readUInt16LE(0))) continue;
    // The same link for all cells, and cut short in the middle of its area.
    const all = Buffer.from(record);
    all.set([0, 0, 255, 255, 0, 0, 255, 255], record.readUInt16LE(0) === 0x0800 ? 6 : 4);
    parts.push(all, Buffer.from([...record.subarray(0, 2), 6, 0, ...all.subarray(4, 10)]));
  }
  CFB.utils.cfb_add(file, 'Workbook', Buffer.concat(parts));
  write('a.xls', Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array));
  const shown = await text('a.xls');
  expect(shown).toContain('linked <https://example.com/a>');
  expect(shown).toContain('| not linked');
});

test('rows of empty results or empty cells are not counted', async () => {
  const { write, text } = workspace(unhurried);
  const empty = ['<v></v>', '<v/>', '<f>""</f><v></v>', '<f>""</f><v xml:space="preserve"></v>'];
  const filled = Array.from({ length: 900 }, (_, i) => sheetRow(i + 1, [`w${i}`, `x${i}`]));
  for (const size of ['small', 'large']) {
    const rest = Array.from(
      { length: 500 },
      (_, i) => `<row r="${i + 901}"><c r="A${i + 901}" t="str">${empty[i % 4]}</c></row>`,
    );
    const data = `<sheetData>${filled.join('')}${rest.join('')}</sheetData>`;
    // What is over a megabyte is read in part.
    write(`${size}.xlsx`, xlsx([['S', data]], 'parts', size === 'small' ? {} : ballast()));
    expect(await text(`${size}.xlsx:S:1..3`)).toContain('A1:B900, 900 rows, 2 columns');
  }
});

test.each([
  [600, 5_000],
  [10, 1_002],
  [990, 40_000],
])('a search finds the row below %i others, at %i', { tags: 'slow' }, async (rows, far) => {
  const { write, oriel } = workspace(unhurried);
  const filled = Array.from({ length: rows }, (_, i) => sheetRow(i + 1, ['a word', `near${i}end`]));
  const last = sheetRow(far, ['farneedle', 'deep']);
  write('sparse.xlsx', xlsx([['S', `<sheetData>${filled.join('')}${last}</sheetData>`]], 'parts', ballast()));
  const grep = async (pattern: string): Promise<string> => {
    const { content } = await oriel.tool('grep').run({ pattern, path: 'sparse.xlsx' });
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  };
  expect(await grep('farneedle')).toMatch(
    new RegExp(`sparse\\.xlsx:[^ ]*: .*\\| ${far} \\| farneedle \\| deep \\||\\| ${far} \\| farneedle`),
  );
  expect(await grep(`near${rows - 1}end`)).toContain(`near${rows - 1}end`);
});

test('row 1 of a sheet with header is its header', async () => {
  const { write, text } = workspace(unhurried);
  write(
    'h.xlsx',
    xlsx([['S', `<sheetData>${sheetRow(1, ['id', 'name'])}${sheetRow(2, [7, 'seven'])}</sheetData>`]]),
  );
  expect(await text('h.xlsx:S:1')).toContain('| 1 | id | name |');
  expect(await text('h.xlsx:S:2')).toContain('name: seven');
  expect(await text('h.xlsx:S:9')).toContain('S has no row 9');
});

test('an empty row is answered, one past the end fails', async () => {
  const { write, text, read } = workspace(unhurried);
  const rows = [1, 2, 4].map((number) => sheetRow(number, [number === 1 ? 'id' : number, 'x']));
  write('gap.xlsx', xlsx([['S', `<sheetData>${rows.join('')}</sheetData>`]]));
  const empty = await read('gap.xlsx:S:3');
  expect(textOf(empty)).toBe('[Row 3 of S is empty. Use gap.xlsx:S:A2:B4 for the rows beside it]');
  expect(empty.isError).toBe(false);
  expect(empty.details['error']).toBeUndefined();
  expect(await text('gap.xlsx:S:A2:B4')).toContain('| 4 | 4 | x |');
  expect(await text('gap.xlsx:S:5')).toBe(
    'S has no row 5: it has 3 rows between 1 and 4, its header included. Use gap.xlsx:S?limit=20.',
  );
});

test('a condition without sheet or quotes names the intended call', async () => {
  const { write, read } = workspace(unhurried);
  const rows = [sheetRow(1, ['Region', 'Units']), sheetRow(2, ['North', 4]), sheetRow(3, ['South', 5])];
  write('book.xlsx', xlsx([['My Sales', `<sheetData>${rows.join('')}</sheetData>`]]));
  const next = async (path: string): Promise<string> => {
    const { details } = await read(path);
    return String((details['error'] as { next?: string } | undefined)?.next);
  };
  expect(await next('book.xlsx?where=Units>4')).toBe('book.xlsx:My Sales?where=Units>4');
  const meant = await next('book.xlsx:My Sales?where=Region=North');
  expect(meant).toBe("book.xlsx:My Sales?where=Region='North'");
  expect(textOf(await read(meant))).toContain('| North  | 4     |');
  expect(await next('book.xlsx:My Sales?where=Units>4 and Region like Nor')).toBe(
    "book.xlsx:My Sales?where=Units>4%20and%20Region%20like%20'Nor'",
  );
  // A column that is there, and one that is not, are no texts.
  expect(await next('book.xlsx:My Sales?where=Region=Unitz')).toBe('book.xlsx:My Sales');
  expect(await next('book.xlsx:My Sales?where=nope=4')).toBe('book.xlsx:My Sales');
});

test.each(['small', 'large'])('formulas without a stored result show in a %s workbook', async (size) => {
  const { write, text } = workspace(unhurried);
  const open = (cell: string, formula: string, result = ''): string =>
    `<c r="${cell}"><f>${formula}</f>${result}</c>`;
  const filler = size === 'small' ? 0 : 1_200;
  const rows = [
    sheetRow(1, ['item', 'net']),
    `<row r="2"><c r="A2"><v>2</v></c>${open('B2', 'A2*10')}</row>`,
    `<row r="3">${open('A3', 'SUM(A2:A2)', '<v></v>')}${open('B3', 'SUM(B2:B2)', '<v/>')}</row>`,
    `<row r="4"><c r="A4" t="str"><f>IF(A2=1,1,"")</f><v></v></c></row>`,
    ...Array.from({ length: filler }, (_, i) => `<row r="${i + 5}">${open(`A${i + 5}`, `A2+${i}`)}</row>`),
  ];
  const others = size === 'small' ? {} : ballast();
  write('f.xlsx', xlsx([['S', `<sheetData>${rows.join('')}</sheetData>`]], 'parts', others));
  const whole = await text('f.xlsx:S:1..9');
  expect(whole).toContain(`A1:B${3 + (filler && filler + 1)}, ${3 + filler} rows, 2 columns`);
  expect(whole).toContain('| 2 | 2 | =A2*10 |');
  expect(await text('f.xlsx:S:A3:B4')).toContain('| 3 | =SUM(A2:A2) | =SUM(B2:B2) |');
  expect(await text('f.xlsx:S?limit=1')).toContain('=A2*10');
});

test('a result of 0 is a formula if a calculation is asked for', async () => {
  const { write, text } = workspace(unhurried);
  const cells = [1, 2].map(
    (row) =>
      `<row r="${row}"><c r="A${row}"><v>0</v></c><c r="B${row}"><f>A${row}*2</f><v>${row - 1}</v></c></row>`,
  );
  const parts = unzipSync(xlsx([['S', `<sheetData>${cells.join('')}</sheetData>`]]));
  const main = Buffer.from(parts['xl/workbook.xml'] ?? []).toString();
  const asking = main.replace('</workbook>', '<calcPr calcId="1" fullCalcOnLoad="1"/>$&');
  parts['xl/workbook.xml'] = Buffer.from(asking);
  write('f.xlsx', Buffer.from(zipSync(parts)));
  expect(await text('f.xlsx:raw')).toMatch(/\| 1 \| 0 \| =A1\*2 \|\n\| 2 \| 0 \| 1 \|\n$/);
});

test('a selector shows formulas instead of their results', async () => {
  const { write, text } = workspace(unhurried);
  const book = utils.book_new();
  const cells = [
    [1, 2, { t: 'n', v: 3, f: 'A1+B1' }],
    ['x', { t: 's', v: 'y', f: 'UPPER(A2)' }],
  ];
  utils.book_append_sheet(book, utils.aoa_to_sheet(cells), 'My Sheet');
  const table = '|  | A | B | C |\n| --- | --- | --- | --- |\n| 1 | 1 | 2 | =A1+B1 |\n';
  for (const [name, bookType] of [
    ['f.xlsx', 'xlsx'],
    ['f.ods', 'ods'],
  ] as const) {
    write(name, writeBook(book, { type: 'buffer', bookType }) as Buffer);
    expect(await text(`${name}:My Sheet:formulas:raw`)).toBe(
      `## My Sheet\n\nA1:C2, 2 rows, 3 columns\n\n${table}| 2 | x | =UPPER(A2) |  |\n`,
    );
    expect(await text(`${name}:A1:C1:formulas:raw`)).toBe(table);
  }
  expect(await text('f.xlsx:My Sheet:formulas:7')).toContain('1 | 1 | 2 | =A1+B1');
});

test('a bad shared string is one damaged cell', async () => {
  const { write, text } = workspace(unhurried);
  const shared = (cell: string, index: number): string => `<c r="${cell}" t="s"><v>${index}</v></c>`;
  const raised = '<si><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r></si>';
  const strings = `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>a</t></si><si/><si><t>c</t></si>${raised}</sst>`;
  const row = `<row r="1">${[0, 1, 2, 3, 99].map((index, i) => shared(`${'ABCDE'[i]}1`, index)).join('')}<c r="F1"><v>3</v></c></row>`;
  write(
    's.xlsx',
    xlsx([['S', `<sheetData>${row}</sheetData>`]], 'parts', { 'xl/sharedStrings.xml': strings }),
  );
  expect(await text('s.xlsx:raw')).toContain(
    '| 1 | a | c | 10^6 | (damaged: shared text 99 is missing) | 3 |\n',
  );
});

const FORMATS: readonly (readonly [format: string, value: number, shown: string])[] = [
  ['0 %', 0.256, '26 %'],
  ['0.0\\ %', 0.256, '25.6 %'],
  ['0.0\u00a0%', 0.256, '25.6 %'],
  ['0.0\\ %;[Red]\\-0.0\\ %', -0.256, '-25.6 %'],
  ['0.00\u00a0€', 1234.5, '1234.50 €'],
  ['0\\ °C', -3, '-3 °C'],
  ['0.00 USD', 1234.5, '1234.50 USD'],
  ['0 Tage', 1234, '1234 Tage'],
  ['0.00 kg', -3, '-3.00 kg'],
  ['[m]" min"', 0.256, '368 min'],
  ['hh:mm:ss', 0.999995, '00:00:00'],
  ['mm:ss', 0.0416655, '00:00'],
  ['[h]:mm:ss', 1.999995, '48:00:00'],
  ['[h]:mm', -1.5, '-36:00'],
  ['yyyy-mm-dd', 45291, '2023-12-31'],
  ['dd.mm.yy h:mm;@', 45291.5, '2023-12-31 12:00'],
  ['000-0000', 10_000_000, '1000-0000'],
  ['000-00-0000', -1235, '-000-00-1235'],
  ['"a0-0b "0', 5, 'a0-0b 5'],
  ['000-00.0', 5, '000-05.0'],
  ['0.00-00', 12.3456, '12.34-56'],
  ['[>100]"over "0;-0;"in "0', -5, '-5'],
  ['[>100]"over "0;-0;"in "0', 5, 'in 5'],
  ['[>100]"over "0;0;@', 5, '5'],
  ['[=1]"yes";[=0]"no"', 7, '7'],
  ['[=1]"yes";[=0]"no";@', 0, 'no'],
  ['[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', -1235, '-1235'],
  ['[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', 1235, '1.2K'],
  ['[<-999]0.0,"K";0', -1235, '-1.2K'],
  ['[<>0]0.0;"none"', -3, '-3.0'],
  ['[>=0]0.0;(0)', -3, '(3)'],
  ['[<0]"minus "0%;0', -3, 'minus 300%'],
];

test('a sheet whose format has many dashes is read in time', async () => {
  const { write, text } = workspace(unhurried);
  const book = utils.book_new();
  const sheet = utils.aoa_to_sheet(Array.from({ length: 20 }, (_, at) => [at + 0.5]));
  for (let row = 1; row <= 20; row += 1) (sheet[`A${row}`] as { z: string }).z = `${'0-'.repeat(16_000)}.`;
  utils.book_append_sheet(book, sheet, 'S');
  write('d.xlsx', writeBook(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer);
  expect(await text('d.xlsx:S?limit=1&offset=19')).toContain('| 19.5 |');
});

test('numbers in other locales keep signs, durations are no dates', async () => {
  const { write, text } = workspace(unhurried);
  const book = utils.book_new();
  const sheet = utils.aoa_to_sheet(FORMATS.map(([format, value]) => [format, value]));
  for (const [i, [format]] of FORMATS.entries()) (sheet[`B${i + 1}`] as { z: string }).z = format;
  utils.book_append_sheet(book, sheet, 'S');
  write('f.xlsx', writeBook(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer);
  const lines = (await text('f.xlsx:raw')).split('\n').filter((line) => /^\| \d/.test(line));
  const shown = lines.map((line) => line.replace(/^.*\| (.*) \|$/, '$1'));
  expect(shown).toEqual(FORMATS.map(([, , expected]) => expected));
});

test.each(['foo', 'AAAA1', 'A1:ZZZZ9', 'B', 'x:1..2'])(
  '%s after a sheet name is refused as its part',
  async (tail) => {
    const { write, read } = workspace(unhurried);
    write(
      'o.xlsx',
      xlsx([['orders', `<sheetData>${sheetRow(1, ['id', 'name'])}${sheetRow(2, [7, 'seven'])}</sheetData>`]]),
    );
    for (const path of [`o.xlsx:orders:${tail}`, `o.xlsx:'orders':${tail}`]) {
      const answer = await read(path);
      expect(answer.details['error']).toEqual({
        code: 'BAD_SELECTOR',
        message: `${tail} is no row, cell, range or selector of the sheet orders. Use o.xlsx:orders:A1:B50.`,
        next: 'o.xlsx:orders:A1:B50',
      });
      expect((await read('o.xlsx:orders:A1:B50')).isError).toBe(false);
    }
  },
);

test.each(['A1-B2', 'a1..b2', '$A$1 – $B$2'])(
  '%s is no range, the advice names the meant one',
  async (typed) => {
    const { write, read } = workspace(unhurried);
    write('o.xlsx', xlsx([['orders', `<sheetData>${sheetRow(1, ['id', 'name'])}</sheetData>`]]));
    for (const sheet of ['', ':orders'])
      expect((await read(`o.xlsx${sheet}:${typed}`)).details['error']).toMatchObject({
        next: `o.xlsx${sheet}:A1:B2`,
      });
  },
);
