/** Packages as written by other programs. */

import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { utils, write as writeBook } from '@e965/xlsx';
import { docx, fixture, paragraph, pdf, sheetRow, xlsx } from '../../support/documents.ts';
import { textOf, unhurried, workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

/** The members with all their sizes and places in the fields of zip64, as programs write them that stream. */
function wideZip(stored: Buffer): Buffer {
  const [none, wide] = [0xffffffff, Buffer.alloc(76)];
  let at = 0;
  const members = Object.entries(unzipSync(stored)).map(([name, content]) => {
    const extra = Buffer.alloc(28);
    extra.writeUInt32LE(0x180001);
    for (const [i, value] of [content.length, content.length, at].entries())
      extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
    at += 30 + name.length + extra.length + content.length;
    return { name, content, method: 0, size: none, packedSize: none, extra };
  });
  const damage = (directory: Buffer): void => {
    for (let from = 0; from < directory.length; from += 46 + 28 + directory.readUInt16LE(from + 28))
      directory.fill(0xff, from + 42, from + 46);
  };
  const narrow = zip(members, { damage });
  const [files, end] = [narrow.subarray(0, -22), narrow.subarray(-22)];
  wide.writeUInt32LE(0x06064b50);
  wide.writeUInt8(44, 4);
  wide.writeUInt32LE(0x2d002d, 12);
  wide.writeUInt16LE(members.length, 24);
  wide.writeUInt16LE(members.length, 32);
  wide.writeUInt32LE(end.readUInt32LE(12), 40);
  wide.writeUInt32LE(at, 48);
  wide.writeUInt32LE(0x07064b50, 56);
  wide.writeUInt32LE(files.length, 64);
  wide.writeUInt8(1, 72);
  end.fill(0xff, 8, 20);
  return Buffer.concat([files, wide, end]);
}

function openBook(): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['id'], ['needle']]), 'S');
  return writeBook(book, { type: 'buffer', bookType: 'ods', compression: true }) as Buffer;
}

test.each([
  ['a.docx', docx(paragraph('needle'))],
  ['a.xlsx', xlsx([['S', `<sheetData>${sheetRow(1, ['id'])}${sheetRow(2, ['needle'])}</sheetData>`]])],
  ['a.ods', openBook()],
])('%s in a zip with 64-bit fields is read alike', async (name, bytes) => {
  const { write, text } = workspace(unhurried);
  write(name, bytes);
  write(`wide-${name}`, wideZip(bytes));
  expect(await text(name)).toContain('needle');
  expect(await text(`wide-${name}`)).toBe(await text(name));
});

test('slides in a zip with 64-bit fields have their numbers', async () => {
  const { write, text } = workspace(unhurried);
  write('a.pptx', wideZip(fixture('slides.pptx')));
  expect(await text('a.pptx:p2')).toContain('--- slide 2 ---');
});

test('a PDF without pages is reported as such', async () => {
  const { write, read } = workspace(unhurried);
  write('zero.pdf', pdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[]/Count 0>>']));
  for (const path of ['zero.pdf', 'zero.pdf:p1'])
    expect(textOf(await read(path))).toContain('(it has no pages)');
});

const FLAT = 'urn:oasis:names:tc:opendocument:xmlns';
const flat = (kind: string, body: string): string =>
  `<?xml version="1.0"?><office:document xmlns:office="${FLAT}:office:1.0" xmlns:text="${FLAT}:text:1.0" xmlns:table="${FLAT}:table:1.0" office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`;

test('documents in one XML file are read as their packages', async () => {
  const { write, text } = workspace(unhurried);
  write('a.fodt', flat('text', '<text:h text:outline-level="1">Title</text:h><text:p>words</text:p>'));
  expect(await text('a.fodt:raw')).toBe('# Title\n\nwords\n');
  const cell = '<table:table-cell office:value-type="string"><text:p>item</text:p></table:table-cell>';
  const sheet = `<table:table table:name="S"><table:table-row>${cell}</table:table-row></table:table>`;
  write('a.fods', flat('spreadsheet', sheet));
  expect(await text('a.fods:S:A1:raw')).toBe('|  | A |\n| --- | --- |\n| 1 | item |\n');
  const chart = `<office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title>${sheet.replace('"S"', '"local-table"')}</chart:chart></office:chart>`;
  const object = `<table:shapes><draw:frame><draw:object draw:notify="S"><office:document><office:body>${chart}</office:body></office:document></draw:object></draw:frame></table:shapes>`;
  const sheets = sheet.replace('<table:table-row>', `${object}$&`) + sheet.replace('"S"', '"T"');
  write('c.fods', flat('spreadsheet', sheets));
  const table = 'A1, 1 row, 1 column\n\n|  | A |\n| --- | --- |\n| 1 | item |\n';
  expect(await text('c.fods:raw')).toBe(
    `## S\n\n${table}\n## T\n\n${table}\n## Drawings\n\n- chart: Sales\n`,
  );
  const excel = 'urn:schemas-microsoft-com:office:spreadsheet';
  write(
    'a.xls',
    `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="${excel}" xmlns:ss="${excel}"><Worksheet ss:Name="S"><Table><Row><Cell><Data ss:Type="String">item</Data></Cell></Row></Table></Worksheet></Workbook>`,
  );
  expect(await text('a.xls:S:A1:raw')).toBe('|  | A |\n| --- | --- |\n| 1 | item |\n');
});

const said = (type: string, value: string): string => `<Data ss:Type="${type}">${value}</Data>`;
const HTML = 'xmlns="http://www.w3.org/TR/REC-html40"';

/** What the schemas of Excel 2003 (SpreadsheetML) have for text: attributes and content of a cell. */
const EXCEL_2003: readonly (readonly [construct: string, cell: string, content: string, shown: string])[] = [
  ['a text', '', said('String', 'text'), 'text'],
  ['two lines and signs', '', said('String', 'a&#10;b &lt;c&gt;'), '"a\\nb <c>"'],
  ['rich text', '', `<ss:Data ss:Type="String" ${HTML}>10<Sup>6</Sup> <B>x</B></ss:Data>`, '10^6 x'],
  [
    'fonts',
    '',
    `<ss:Data ss:Type="String" ${HTML}><B>a</B><Font> b</Font><Sup><Font>2</Font></Sup></ss:Data>`,
    'a b^2',
  ],
  ['a number', '', said('Number', '1.5'), '1.5'],
  ['a format', ' ss:StyleID="zeros"', said('Number', '1'), '01'],
  ['a locale, which is no currency', ' ss:StyleID="locale"', said('Number', '5'), '5.00 kg'],
  ['a percentage', ' ss:StyleID="percent"', said('Number', '0.256'), '25.60%'],
  ['a date', '', said('DateTime', '2024-03-01T00:00:00.000'), '2024-03-01'],
  ['a boolean', '', said('Boolean', '1'), 'TRUE'],
  ['an error', '', said('Error', '#N/A'), '#N/A'],
  ['a result', ' ss:Formula="=SUM(R1C1)"', said('Number', '3'), '3'],
  ['a formula without a result', ' ss:Formula="=RC[-1]"', '', '=RC[-1]'],
  ['a link', ' ss:HRef="https://ex.org/c"', said('String', 'site'), 'site <https://ex.org/c>'],
  [
    'a comment',
    '',
    `${said('String', 'noted')}<Comment ss:Author="Bo"><ss:Data ${HTML}><B>Why?</B></ss:Data></Comment>`,
    'noted [comment: Why?]',
  ],
];

test('each construct of Excel 2003 XML is shown', async () => {
  const { write, text } = workspace(unhurried);
  const excel = 'urn:schemas-microsoft-com:office:spreadsheet';
  const rows = EXCEL_2003.map(([, cell, content]) => `<Row><Cell${cell}>${content}</Cell></Row>`);
  const formats = { zeros: '00', locale: '[$-409]0.00&quot; kg&quot;', percent: 'Percent' };
  const styles = Object.entries(formats).map(
    ([id, format]) => `<Style ss:ID="${id}"><NumberFormat ss:Format="${format}"/></Style>`,
  );
  const options = (content: string): string =>
    `<WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel">${content}</WorksheetOptions>`;
  const margins = '<PageSetup><Header x:Data="&amp;LOn top"/><Footer x:Data="Page &amp;P"/></PageSetup>';
  const away = '<Worksheet ss:Name="Away"><Table/>';
  write(
    'a.xls',
    `<?xml version="1.0"?><Workbook xmlns="${excel}" xmlns:ss="${excel}" xmlns:x="urn:x"><Styles>${styles.join('')}</Styles><Worksheet ss:Name="S"><Table>${rows.join('')}</Table>${options(margins)}</Worksheet>${away}${options('<Visible>SheetHidden</Visible>')}</Worksheet></Workbook>`,
  );
  const shown = await text('a.xls:raw');
  expect(
    EXCEL_2003.map(([name], i) => [name, new RegExp(`^\\| ${i + 1} \\| (.*) \\|$`, 'm').exec(shown)?.[1]]),
  ).toEqual(EXCEL_2003.map(([name, , , is]) => [name, is]));
  expect(shown).toMatch(/\n## Away \(hidden\)\n[^]*\n## Headers and footers\n\n- header: On top\n?$/);
});

test('XML without the type of its document, and XML that is no document', async () => {
  const { write, text } = workspace(unhurried);
  write('a.fodt', flat('text', '<text:p>words</text:p>').replace(/ office:mimetype="[^"]*"/, ''));
  expect(await text('a.fodt:raw')).toBe('words\n');
  const late = `<?xml version="1.0"?><Workbook ${' '.repeat(5_000)} xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>`;
  write('late.xls', late);
  expect(await text('late.xls:raw')).toBe(late);
});

test('a package with backslashes in its names is read', async () => {
  const { write, text } = workspace(unhurried);
  const named = (bytes: Buffer): Buffer =>
    Buffer.from(
      zipSync(
        Object.fromEntries(
          Object.entries(unzipSync(bytes)).map(([name, content]) => [name.replaceAll('/', '\\'), content]),
        ),
      ),
    );
  write('a.docx', named(docx(paragraph('words'))));
  expect(await text('a.docx:raw')).toBe('words\n');
  write('a.xlsx', named(xlsx([['S', `<sheetData>${sheetRow(1, ['item'])}</sheetData>`]])));
  expect(await text('a.xlsx:S:A1:raw')).toBe('|  | A |\n| --- | --- |\n| 1 | item |\n');
});

test('a package with its main part in another directory is read', async () => {
  const { write, text } = workspace(unhurried);
  const raised =
    '<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r></w:p>';
  const moved = Object.entries(unzipSync(docx(raised))).map(([name, content]) => [
    name.replace('word/document', 'other/main'),
    Buffer.from(Buffer.from(content).toString().replace('word/document', 'other/main')),
  ]);
  write('a.docx', Buffer.from(zipSync(Object.fromEntries(moved) as Record<string, Uint8Array>)));
  expect(await text('a.docx:raw')).toBe('10^6\n');
});

test('styles of an OpenDocument text that are begun many times do not delay it', async () => {
  const { write, text } = workspace(unhurried);
  const content =
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:p>Hi</text:p></office:text></office:body></office:document-content>';
  const parts = {
    mimetype: Buffer.from('application/vnd.oasis.opendocument.text'),
    'content.xml': Buffer.from(content),
    'styles.xml': Buffer.from('<office:styles '.repeat(60_000)),
  };
  write('a.odt', Buffer.from(zipSync(parts)));
  expect(await text('a.odt:raw')).toBe('Hi\n');
});
