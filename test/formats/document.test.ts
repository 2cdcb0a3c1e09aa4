import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import {
  ballast,
  fixture,
  pdfPages,
  pdfStream,
  pdfText,
  sheetCell,
  sheetRow,
  xlsx,
} from '../support/documents.ts';
import { codeOf, textOf, unhurried, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

test('the format is detected by the content', async () => {
  const { write, text } = workspace(unhurried);
  write('misnamed.doc', fixture('report.docx'));
  write('no-name', fixture('small.rtf'));
  write('page.doc', '<html><p>a page</p></html>\n');
  expect(await text('misnamed.doc:1')).toContain('Quarterly Report of the Lighthouse Project');
  expect(await text('no-name')).toContain('MARK-SMALL-1');
  expect(await text('page.doc')).toBe('1|a page');
  write('table.xls', Buffer.from('\ufeffname\tprice\nrope\t3\n', 'utf16le'));
  expect(await text('table.xls:raw')).toContain('name\tprice\nrope\t3\n');
});

test('a missing slide does not affect the others', async () => {
  const { write, read, text } = workspace(unhurried);
  const parts = Object.entries(unzipSync(fixture('slides.pptx'))).filter(
    ([name]) => name !== 'ppt/slides/slide2.xml',
  );
  write('deck.pptx', zip(parts.map(([name, content]) => ({ name, content }))));
  const whole = await text('deck.pptx:raw');
  expect(whole.match(/^--- slide \d+ ---$/gm)).toHaveLength(16);
  expect(whole).toContain('--- slide 2 ---\n\n(the slide is missing or damaged)\n');
  expect(whole).toContain('SLIDE-END-199');
  expect(await text('deck.pptx:p3:raw')).toContain('--- slide 3 ---');
  expect(codeOf(await read('deck.pptx:p2'))).toBe('CORRUPT');
});

test('cell ranges, rows and pages with the grammar of databases', async () => {
  const { write, text, read } = workspace(unhurried);
  write('sheet.xlsx', fixture('sheet.xlsx'));
  expect(await text('sheet.xlsx:Sales:A1:C3')).toBe(
    '1||  | A | B | C |\n2|| --- | --- | --- | --- |\n3|| 1 | Date | Region | Units |\n4|| 2 | 2026-01-01 | North | 47 |\n5|| 3 | 2026-01-02 | South | 377 |\n',
  );
  expect(await text('sheet.xlsx:b2:c2')).toContain('| 2 | North | 47 |');
  expect(await text('sheet.xlsx:Merged & Wide:raw')).toMatch(/^## Merged & Wide\n/);
  const page = await text("sheet.xlsx:Sales?where=Region='South' and Units>450&order=Units:desc&limit=2");
  expect(page).toContain('489');
  expect(page.trim().split('\n')).toHaveLength(4);
  expect(await text('sheet.xlsx:Sales:2')).toContain('Region: North');
  expect(await text('sheet.xlsx?q=select count(*) as n from Sales')).toContain('| 45 |');
  const missing = await read('sheet.xlsx:Nope?limit=1');
  expect(missing.details['error']).toMatchObject({ code: 'NOT_FOUND', next: 'sheet.xlsx:Sales' });
});

test('columns named like the row number keep their values', async () => {
  const { write, text } = workspace(unhurried);
  const sheets: Readonly<Record<string, readonly string[]>> = {
    One: ['RowID', 'amount'],
    Two: ['rowid', 'oid'],
    Three: ['_rowid_', 'OID', 'ROWID'],
    Four: ['_rowid_', 'OID', 'ROWID', 'rowid_'],
  };
  const cellsOf = (names: readonly string[], first: number): number[] => names.map((_, i) => first + i);
  const rowsOf = (names: readonly string[]): string =>
    sheetRow(1, names) + sheetRow(2, cellsOf(names, 9000)) + sheetRow(3, cellsOf(names, 9100));
  write(
    'ids.xlsx',
    xlsx(
      Object.entries(sheets).map(
        ([sheet, names]) => [sheet, `<sheetData>${rowsOf(names)}</sheetData>`] as const,
      ),
    ),
  );
  for (const [sheet, names] of Object.entries(sheets)) {
    const first = await text(`ids.xlsx:${sheet}?limit=5`);
    for (const cell of cellsOf(names, 9000)) expect(first, sheet).toContain(`| ${cell} `);
    expect(await text(`ids.xlsx:${sheet}?where="${names[0]}"=9100`), sheet).toContain('9101');
    expect(await text(`ids.xlsx:${sheet}:3`), sheet).toContain('9100');
  }
});

test('cells A1 and XFD1048576, and a sheet named __proto__', { tags: 'slow' }, async () => {
  const { write, text } = workspace(unhurried);
  const far = `<sheetData><row r="1">${sheetCell('A1', 'near')}</row><row r="1048576">${sheetCell('XFD1048576', 'far')}</row></sheetData>`;
  const one = `<sheetData>${sheetRow(1, ['value'])}</sheetData>`;
  write(
    'far.xlsx',
    xlsx([
      ['Far', far],
      ['__proto__', one],
      ['constructor', one],
    ]),
  );
  const whole = await text('far.xlsx:raw');
  expect(whole).toContain('|  | A | XFD |\n| --- | --- | --- |\n| 1 | near |  |\n| 1048576 |  | far |\n');
  expect(whole).toContain('## __proto__');
  expect(await text('far.xlsx:__proto__?limit=1')).toContain('value');
});

test('a huge sheet answers cells, rows and queries far down', { tags: 'slow' }, async () => {
  const { write, text } = workspace(unhurried);
  const rows = Array.from(
    { length: 150_000 },
    (_, i) => `<row r="${i + 1}"><c r="A${i + 1}"><v>${i}</v></c></row>`,
  );
  write('long.xlsx', xlsx([['Long', `<sheetData>${rows.join('')}</sheetData>`]]));
  expect(await text('long.xlsx:Long:A149999:A150000')).toContain('4|| 150000 | 149999 |');
  expect(await text('long.xlsx:Long?limit=1&offset=149999')).toContain('| 149999 |');
});

test('rows of a large workbook without declared size are counted', { tags: 'slow' }, async () => {
  const { write, text, oriel } = workspace(unhurried);
  const rows = Array.from({ length: 1_400 }, (_, i) => sheetRow(i + 1, ['a word', `name ${i}`]));
  // Larger than what is read completely to count its rows.
  write('wide.xlsx', xlsx([['Wide', `<sheetData>${rows.join('')}</sheetData>`]], 'parts', ballast(13 << 20)));
  const page = await text('wide.xlsx:Wide:B1:B2');
  expect(page).toContain('| 2 | name 1 |');
  const whole = await text('wide.xlsx:1..4');
  expect(whole).toContain('A1:B1400, 1400 rows, 2 columns');
  expect(whole).toContain('Wide has 1400 rows, of which the first 20 are shown');
  expect(whole).toContain('wide.xlsx:Wide:A1:B50 for cells');
  const found = await oriel.tool('grep').run({ path: 'wide.xlsx', pattern: 'name 1399' });
  expect(textOf(found)).toMatch(/^wide\.xlsx:Wide:A21:B1400:1382: /);
  expect(await text('wide.xlsx:Wide:1400')).toContain('name 1399');
});

test('a workbook with too much text for search says so', { tags: 'slow' }, async () => {
  const { write, oriel } = workspace(unhurried);
  const row = (_: unknown, i: number): string =>
    `<row r="${i + 1}"><c r="A${i + 1}" t="s"><v>0</v></c><c r="B${i + 1}"><v>${i}</v></c></row>`;
  const rows = Array.from({ length: 2_500 }, row).join('');
  write(
    'same.xlsx',
    xlsx([['Same', `<sheetData>${rows}</sheetData>`]], 'parts', {
      'xl/sharedStrings.xml': `<?xml version="1.0"?><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>${'same '.repeat(6_500)}</t></si></sst>`,
    }),
  );
  const grep = async (pattern: string): Promise<string> =>
    textOf(await oriel.tool('grep').run({ path: 'same.xlsx', pattern, output: 'count' }));
  const gap =
    '[1 text searched in part: too large, damaged, cut off, or a BLOB. Read the document, its pages, cells or rows, or the member for the rest]';
  // The last rows are not among them.
  expect(await grep('\\| (?:2000|2499) \\|')).toBe(`same.xlsx:Same:A21:B2500: 2\n${gap}`);
});

test('cells as spreadsheets write them: Sheet!A1:B2, names in quotes', async () => {
  const { write, text } = workspace(unhurried);
  const sheet = (value: string) => `<sheetData>${sheetRow(1, [value, 'b'])}</sheetData>`;
  const names = ['Sales', 'My Sheet', 'it&apos;s', 'x!y', 'a!A1'];
  write('book.xlsx', xlsx(names.map((name) => [name, sheet(`in ${name}`)] as const)));
  for (const [typed, name] of [
    ['Sales!A1:B1', 'Sales'],
    ['sales!$A$1:$B$1', 'Sales'],
    ["'Sales'!A1:B1", 'Sales'],
    ["'My Sheet'!A1:B1", 'My Sheet'],
    ["'it''s'!A1:B1", "it's"],
    ["'x!y'!A1:B1", 'x!y'],
    ['x!y!A1:B1', 'x!y'],
    ['x!y:A1:B1', 'x!y'],
    ['a!A1:A1:B1', 'a!A1'],
    ["'a!A1':A1:B1", 'a!A1'],
  ] as const) {
    expect(await text(`book.xlsx:${typed}`), typed).toContain(`| 1 | in ${name} | b |`);
  }
  expect(await text("book.xlsx:'My Sheet'")).toContain('## My Sheet');
  expect(await text("book.xlsx:'My Sheet'?limit=1")).toContain('in My Sheet');
  expect(await text('book.xlsx:My Sheet!A1..1')).toContain('has no sheet My Sheet!A1..1');
});

test('cells of the column P are not pages', async () => {
  const { write, text } = workspace(unhurried);
  const cells = Array.from({ length: 18 }, (_, i) => `cell ${i + 1}`);
  write('book.xlsx', xlsx([['Plan', `<sheetData>${sheetRow(1, cells)}</sheetData>`]]));
  write('named.xlsx', xlsx([['P2', `<sheetData>${sheetRow(1, ['in P2'])}</sheetData>`]]));
  for (const typed of ['P1', 'p1', 'P1:Q1', 'Plan:P1', 'Plan!P1:Q1', 'P:Q'])
    expect(await text(`book.xlsx:${typed}`), typed).toContain('| cell 16 |');
  expect(await text('named.xlsx:P2')).toContain('## P2');
});

test('long names and many sheets are bounded in the answer', { tags: 'slow' }, async () => {
  const { write, read } = workspace(unhurried);
  const one = `<sheetData>${sheetRow(1, ['value'])}</sheetData>`;
  const long = 'N'.repeat(100_000);
  write('long.xlsx', xlsx(Object.entries({ [long]: one, b: one })));
  write('many.xlsx', xlsx(Array.from({ length: 600 }, (_, i) => [`Sheet number ${i}`, one] as const)));
  for (const path of ['long.xlsx', 'long.xlsx:zz', 'many.xlsx', 'many.xlsx:zz']) {
    const answer = await read(path);
    expect(textOf(answer).length).toBeLessThan(52_000);
    expect(JSON.stringify(answer.details).length).toBeLessThan(16_000);
  }
  expect(textOf(await read(`long.xlsx:${'N'.repeat(255)}:A1`))).toContain('| 1 | value |');
  expect(textOf(await read('many.xlsx:Sheet number 599:A1'))).toContain('| 1 | value |');
  expect((await read('many.xlsx')).details['meta']).toMatchObject({ document: { sheetCount: 600 } });
});

test('the notice of a large sheet is short, whatever name', { tags: 'slow' }, async () => {
  const { write, read, text } = workspace(unhurried);
  const rows = Array.from({ length: 1_200 }, (_, i) => sheetRow(i + 1, [i]));
  const large = `<sheetData>${rows.join('')}</sheetData>`;
  for (const [i, letter] of ['N', '\u{1f30a}', ':', '\u200b'].entries()) {
    const names = ['1', '2', '3'].map((end) => `${letter.repeat(letter.length === 1 ? 254 : 127)}${end}`);
    write(`${i}.xlsx`, xlsx(names.map((name) => [name, large] as const)));
    const notices = (await read(`${i}.xlsx`)).details['notices'] as readonly { text: string }[];
    const said = notices.map((one) => one.text).join('\n');
    expect(Buffer.byteLength(said)).toBeLessThanOrEqual(1024);
    expect(said).toContain('has 1200 rows, of which the first 20 are shown');
  }
  // The name of a sheet is in its heading, and is what its calls begin with.
  expect(await text(`0.xlsx:${'N'.repeat(254)}2?limit=1&offset=40`)).toContain('| 40 |');
});

test('pages begin at 1', { tags: 'slow' }, async () => {
  const { write, read } = workspace(unhurried);
  write('report.pdf', fixture('report.pdf'));
  write('slides.pptx', fixture('slides.pptx'));
  for (const [path, next] of [
    ['report.pdf:p0', 'report.pdf:p1'],
    ['report.pdf:p0-2', 'report.pdf:p1-2'],
    ['report.pdf:p0-', 'report.pdf:p1-'],
    ['report.pdf:p000:image', 'report.pdf:p1:image'],
    ['report.pdf:p0:1..3', 'report.pdf:p1:1..3'],
    ['slides.pptx:p0', 'slides.pptx:p1'],
  ]) {
    expect((await read(path as string)).details['error']).toEqual({
      code: 'OUT_OF_RANGE',
      message: `There is no page 0: pages begin at 1. Use ${next}.`,
      next,
    });
    expect((await read(next as string)).isError).toBe(false);
  }
  expect((await read('report.pdf:images/p0-1.png')).details['error']).toMatchObject({ code: 'NOT_FOUND' });
});

test('pages of a PDF: marks, numbers, selections', { tags: 'slow' }, async () => {
  const { write, text, read } = workspace(unhurried);
  write('report.pdf', fixture('report.pdf'));
  expect(await text('report.pdf:1-3')).toContain(
    '1|PDF, 13 pages; title: Quarterly Report of the Lighthouse Project; author: Test Author; created: 2026-11-20\n',
  );
  const two = await text('report.pdf:p3-4:raw');
  expect(two).toMatch(/^--- page 3 ---\n/);
  expect(two.match(/^--- page \d+ ---$/gm)).toEqual(['--- page 3 ---', '--- page 4 ---']);
  expect((await read('report.pdf:p14:image')).details['error']).toMatchObject({ next: 'report.pdf:p13' });
  expect(await text('report.pdf:password=a b:outline')).toContain('(report.pdf:password=a%20b:p1)');
});

test('a PDF without text', { tags: 'slow' }, async () => {
  const { write, text, read } = workspace(unhurried);
  const picture = 'q 200 0 0 200 50 50 cm BI /W 1 /H 1 /BPC 8 /CS /G ID 0 EI Q';
  write(
    'scan.pdf',
    pdfPages(['', '0 0 9 9 re W n', picture, '0 0 9 9 re f'].map((drawing) => pdfStream(drawing))),
  );
  const [blank, none] = ['(the page is empty)', '(no text layer: the page is empty or scanned)'];
  const scan = await text('scan.pdf');
  const said = scan.match(/^\d+\|\(.*\)$/gm)?.map((line) => line.replace(/^\d+\|/, ''));
  expect(said).toEqual([blank, blank, none, none]);
  expect(scan).toContain(
    '[2 pages without a text layer (scanned: 3, 4); reading them needs OCR. Use scan.pdf:p3:image to see the first]',
  );
  const image = await read('scan.pdf:p3:image');
  expect(image.content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' });
});

test('documents in an archive, and the parts of a document', async () => {
  const { write, text, read } = workspace(unhurried);
  write(
    'all.zip',
    zip([
      { name: 'in/sheet.xlsx', content: fixture('sheet.xlsx') },
      { name: 'in/report.pdf', content: fixture('report.pdf') },
    ]),
  );
  write('sheet.xlsx', fixture('sheet.xlsx'));
  expect(await text('all.zip:in/sheet.xlsx:Sales:A1:B1')).toContain('| 1 | Date | Region |');
  expect(await text('all.zip:in/report.pdf:p2:raw')).toMatch(/^--- page 2 ---\n/);
  expect((await read('sheet.xlsx:xl/workbook.xml')).details['kind']).toBe('archive');
});

test('a missing part is answered with the selectors that work', async () => {
  const { write, read } = workspace(unhurried);
  write('a.pdf', pdfPages([pdfText('hello')]));
  expect((await read('a.pdf:nope')).details['error']).toEqual({
    code: 'BAD_SELECTOR',
    message:
      ':nope is not a selector of a.pdf. Use a.pdf alone, or followed by pages (:p3, :p3-5), lines (:50-100), :raw or :outline.',
    next: 'a.pdf',
  });
});

test.each([
  ['Sale', 'book.xlsx has no sheet Sale. It has Sales, Costs. Did you mean book.xlsx:Sales?'],
  ['Sale:A1:B2', 'book.xlsx has no sheet Sale. It has Sales, Costs. Did you mean book.xlsx:Sales?'],
  ['Sale?limit=2', 'book.xlsx has no sheet Sale. It has Sales, Costs. Did you mean book.xlsx:Sales?'],
  ['Other', 'book.xlsx has no sheet Other. It has Sales, Costs. Use book.xlsx:Sales.'],
  ['xl/workbook.xm', 'book.xlsx has no entry xl/workbook.xm. Did you mean book.xlsx:xl/workbook.xml? '],
])('a sheet that does not exist: %s', async (typed, said) => {
  const { write, text } = workspace(unhurried);
  const row = sheetRow(1, ['a', 'b']);
  write(
    'book.xlsx',
    xlsx(Object.entries({ Sales: `<sheetData>${row}</sheetData>`, Costs: `<sheetData>${row}</sheetData>` })),
  );
  expect(await text(`book.xlsx:${typed}`)).toContain(said);
});

test('a PDF page read alone has the same lines', { tags: 'slow' }, async () => {
  const { write, text, oriel } = workspace(unhurried);
  const line = (y: number, size: number, words: string): string =>
    `BT /F1 ${size} Tf 72 ${y} Td (${words}) Tj ET\n`;
  const body = (i: number): string =>
    Array.from({ length: 20 }, (_, k) =>
      line(600 - 14 * k, 11, `Line ${k} of page ${i} tells of tides`),
    ).join('');
  // What a heading is, and of which level, is told by the sizes of all pages.
  const page = (i: number): string =>
    i % 7 === 5
      ? line(700, 24, `Part ${i}`) + body(i)
      : i % 7 === 6
        ? line(650, 15, `Names ${i}`) + line(600, 15, `Others ${i}`)
        : body(i);
  write('long.pdf', pdfPages(Array.from({ length: 40 }, (_, i) => pdfStream(page(i + 1)))));
  const whole = await text('long.pdf:p1-:raw');
  for (const number of [1, 5, 6, 20, 27, 40]) {
    const alone = await text(`long.pdf:p${number}:raw`);
    expect(alone).toMatch(new RegExp(`^--- page ${number} ---\n[^]*page|Others`));
    expect(whole).toContain(alone);
    expect(await text(`long.pdf:p${Math.max(1, number - 1)}-${number + 3}:raw`)).toContain(alone);
  }
  // So the call that a match names shows its line.
  const found = textOf(await oriel.tool('grep').run({ path: 'long.pdf', pattern: 'Others 27' }));
  const [, call = '', no = '', shown = ''] = /^(long\.pdf:p27):(\d+): (.*)$/m.exec(found) ?? [];
  expect(await text(`${call}:${no}..${no}`)).toBe(`${no}|${shown}\n`);
});
