/** Packages as written by other programs. */

import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { utils, write as writeBook } from '@e965/xlsx';
import { docx, fixture, paragraph, pdf, sheetRow, xlsx } from '../../support/documents.ts';
import { textOf, unhurried, workspace } from '../../support/workspace.ts';

const LOCAL_BYTES = 30;

/** The members with all their sizes and places in the fields of zip64, as programs write them that stream. */
function wideZip(stored: Buffer): Buffer {
  const locals: Buffer[] = [];
  const records: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(unzipSync(stored))) {
    const crc = crcOf(stored, name);
    const numbers = (values: readonly number[]): Buffer => {
      const field = Buffer.alloc(4 + 8 * values.length);
      field.writeUInt16LE(1, 0);
      field.writeUInt16LE(8 * values.length, 2);
      for (const [i, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
      return field;
    };
    const title = Buffer.from(name);
    const local = Buffer.alloc(LOCAL_BYTES);
    const size = content.length;
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(45, 4);
    local.writeUInt32LE(crc, 14);
    local.fill(0xff, 18, 26);
    local.writeUInt16LE(title.length, 26);
    local.writeUInt16LE(20, 28);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(45, 4);
    record.writeUInt16LE(45, 6);
    record.writeUInt32LE(crc, 16);
    record.fill(0xff, 20, 28);
    record.writeUInt16LE(title.length, 28);
    record.writeUInt16LE(28, 30);
    record.fill(0xff, 42, 46);
    records.push(record, title, numbers([size, size, at]));
    const whole = Buffer.concat([local, title, numbers([size, size]), content]);
    locals.push(whole);
    at += whole.length;
  }
  const directory = Buffer.concat(records);
  const count = BigInt(records.length / 3);
  const end = Buffer.alloc(56 + 20 + 22);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(45, 12);
  end.writeUInt16LE(45, 14);
  end.writeBigUInt64LE(count, 24);
  end.writeBigUInt64LE(count, 32);
  end.writeBigUInt64LE(BigInt(directory.length), 40);
  end.writeBigUInt64LE(BigInt(at), 48);
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(at + directory.length), 64);
  end.writeUInt32LE(1, 72);
  end.writeUInt32LE(0x06054b50, 76);
  end.fill(0xff, 84, 96);
  return Buffer.concat([...locals, directory, end]);
}

/** As the directory of the original states it. */
function crcOf(stored: Buffer, name: string): number {
  const at = stored.lastIndexOf(name) - 46;
  return stored.readUInt32LE(at + 16);
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
  const excel = 'urn:schemas-microsoft-com:office:spreadsheet';
  write(
    'a.xls',
    `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="${excel}" xmlns:ss="${excel}"><Worksheet ss:Name="S"><Table><Row><Cell><Data ss:Type="String">item</Data></Cell></Row></Table></Worksheet></Workbook>`,
  );
  expect(await text('a.xls:S:A1:raw')).toBe('|  | A |\n| --- | --- |\n| 1 | item |\n');
});

test('packages and texts of Office 2003 in one XML file are read', async () => {
  const { write, text } = workspace(unhurried);
  const parts = Object.entries(unzipSync(docx(paragraph('words')))).map(([name, content]) =>
    name.startsWith('[')
      ? ''
      : `<pkg:part pkg:name="/${name}" pkg:contentType="${name.startsWith('_') ? 'application/vnd.openxmlformats-package.relationships+xml' : 'application/xml'}"><pkg:xmlData>${Buffer.from(
          content,
        )
          .toString()
          .replace(/<\?.*?\?>/, '')}</pkg:xmlData></pkg:part>`,
  );
  write('a.doc', `<?xml version="1.0"?><pkg:package xmlns:pkg="p">${parts.join('')}</pkg:package>`);
  expect(await text('a.doc:raw')).toBe('words\n');
  const run = (words: string, properties = ''): string => `<w:r>${properties}<w:t>${words}</w:t></w:r>`;
  const item = (words: string): string =>
    `<w:p><w:pPr><w:listPr><w:ilvl w:val="0"/><w:ilfo w:val="1"/><wx:t wx:val="5."/></w:listPr></w:pPr>${run(words)}</w:p>`;
  const note = '<w:r><w:footnote><w:p><w:r><w:t>below</w:t></w:r></w:p></w:footnote></w:r>';
  const comment =
    '<w:r><aml:annotation aml:id="1" w:type="Word.Comment" aml:author="Bo"><aml:content><w:p><w:r><w:t>Why?</w:t></w:r></w:p></aml:content></aml:annotation></w:r>';
  const change = (kind: string, words: string): string =>
    `<aml:annotation aml:id="2" w:type="Word.${kind}"><aml:content>${words}</aml:content></aml:annotation>`;
  const body = [
    `<w:p>${run('10')}${run('6', '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>')}${note}${comment}</w:p>`,
    `<w:p>${change('Insertion', run('new '))}${change('Deletion', '<w:r><w:delText>GONE</w:delText></w:r>')}${run('kept')}</w:p>`,
    item('five') + item('six'),
    '<w:sectPr><w:hdr w:type="odd"><w:p><w:r><w:t>On top</w:t></w:r></w:p></w:hdr></w:sectPr>',
  ];
  const list =
    '<w:lists><w:listDef w:listDefId="3"><w:lvl w:ilvl="0"><w:start w:val="5"/><w:nfc w:val="0"/><w:lvlText w:val="%1."/></w:lvl></w:listDef><w:list w:ilfo="1"><w:ilst w:val="3"/></w:list></w:lists>';
  write(
    'b.doc',
    `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:wx="wx" xmlns:aml="aml">${list}<w:body><wx:sect>${body.join('')}</wx:sect></w:body></w:wordDocument>`,
  );
  expect(await text('b.doc:raw')).toBe(
    '10^6[^1] [comment by Bo: Why?]\n\nnew kept\n\n5. five\n6. six\n\n[^1]: below\n\n## Headers and footers\n\n- header: On top\n[Not shown: tracked deletions]',
  );
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
