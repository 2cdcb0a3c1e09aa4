/**
 * What the specifications of the binary formats have for text ([MS-DOC], [MS-PPT], [MS-XLS], [MS-XLSB]): each construct is shown,
 * or counted in a notice. The fixtures were saved by LibreOffice, which leaves out equations.
 */

import { CFB, utils, write as writeBook } from '@e965/xlsx';
import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { fixture } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

type Shown = readonly (readonly [construct: string, shown: string])[];

/** What is between the paragraphs `#0`, `#1`, …. */
const partsOf = (text: string, expected: Shown): Shown => {
  const found = text.split(/(?:^|\n)\\?#(?:\d+|end)\n/).map((part) => part.trim());
  return expected.map(([construct], i) => [construct, found[i + 1] ?? '']);
};

const DOC: Shown = [
  ['bold and italic', 'plain **bold** *it*'],
  ['a superscript and a subscript', '10^6 cells x2'],
  ['a sign', '5 μg'],
  ['a dingbat', '✓ done'],
  ['text in a symbol font', 'α decay'],
  ['a link', '[site](https://ex.org/f)'],
  ['a sign as a field', 'μ'],
  ['an equation field, which was not saved', 'eq'],
  ['a reference', 'Error: Reference source not found'],
  ['a ticked box', 'yes ☒'],
  ['an empty box', 'no ☐'],
  ['a form list', 'c BEE'],
  ['a form text', 't filled'],
  ['tabs and breaks', 'a b\\\nc'],
  ['hyphens', 'ab-c'],
  ['an insertion', 'new'],
  ['a deletion', 'kept'],
  ['hidden text', 'seen'],
  ['a gloss', '漢(kan)'],
  ['a text box', 'before'],
  ['a shape', 'after'],
  ['an equation, which was not saved', ''],
  ['a table', '| A | B |\n| --- | --- |\n| c1<br>c2 | 10^6 |'],
  ['a table in a cell', '|  |  |\n| --- | --- |\n| in1<br>in2<br>out | side |'],
  ['a heading', '# Head'],
  ['a list from 5 on', '- 5\\) five\n- 6\\) six'],
  ['a comment', 'noted'],
  ['a footnote', 'foot[^1]'],
  ['an endnote', 'end[^2]'],
  ['capitals and a struck word', 'Caps ~~strike~~'],
  ['other scripts', 'שלום 😀 ü–“x”'],
  ['a page break', 'p1\n\np2'],
  ['a frame', 'x'],
  ['an ordinal', 'the 1st'],
];

test('each construct of a doc is shown or counted', async () => {
  const { write, text } = workspace(unhurried);
  write('a.doc', fixture('constructs.doc.gz'));
  const shown = await text('a.doc:raw');
  expect(partsOf(shown, DOC)).toEqual(DOC);
  expect(shown.slice(shown.indexOf('\n#end\n') + 6)).toBe(
    '\n[^1]: note text 10^6\n\n[^2]: endnote text\n\n## Comments\n\n- comment by Bo: Why?\n\n## Drawings\n\n- shape: ART\n\n## Text boxes\n\n- boxed\n- framed\n\n## Headers and footers\n\n- header: On top\n- footer: Down below\n[Not shown: tracked deletions, hidden text]',
  );
});

const PPT: Shown = [
  ['a body', 'one\n\ntwo'],
  ['a line break and a tab', 'a\\\nb\tc'],
  ['a superscript and a subscript', '10^6 cells H2'],
  ['text in a symbol font', '5 μg'],
  ['a date', 'on 11/29/2026'],
  ['a numbered list, whose numbers are not shown', '- three'],
  ['a bullet', '- point'],
  ['a group in a group', 'outer\n\ninner'],
  ['a table, whose grid is not shown', 'H1\n\nH2\n\nc1\n\nc2'],
  ['a link', 'site'],
  ['other scripts', '漢 😀 ü'],
  ['bold', 'x **bold**'],
];

test('each construct of a ppt is shown or counted', async () => {
  const { write, text } = workspace(unhurried);
  write('a.ppt', fixture('constructs.ppt.gz'));
  const shown = await text('a.ppt:raw');
  expect(partsOf(shown, PPT)).toEqual(PPT);
  expect(shown).toMatch(/^--- slide 1 ---\n\n## The Title\n/);
  expect(shown.slice(shown.indexOf('\n#end\n') + 6).trim()).toBe(
    '<https://ex.org/s>\n\n--- slide 2 ---\n\n(hidden)\n\nSecond\n\nDraft\n\nhid\n\n[Not shown: 1 table grid, list numbers]',
  );
});

/** Types of records that hold others: documents, lists of slides, masters, slides, shapes, headers and footers, tags, comments. */
const CONTAINERS = [0x3e8, 0xff0, 0x3f8, 0x3ee, 0xf004, 0xfd9, 0x1388, 0x138a, 0x2ee0];

function record(type: number, instance: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt16LE((instance << 4) | (CONTAINERS.includes(type) ? 15 : 0));
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');
const numbers = (...values: number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);

test('what a ppt has beside its slides is shown', async () => {
  const string = (of: number, text: string): Buffer => record(0xfba, of, wide(text));
  const edges = (instance: number, flags: number, ...texts: Buffer[]): Buffer =>
    record(0xfd9, instance, record(0xfda, 0, numbers(flags << 16)), ...texts);
  const list = (instance: number, persist: number, id: number, ...texts: Buffer[]): Buffer =>
    record(0xff0, instance, record(0x3f3, 0, numbers(persist, 0, 0, id, 0)), ...texts);
  const tag = (name: string, ...content: Buffer[]): Buffer =>
    record(0x138a, 0, string(0, name), record(0x138b, 0, ...content));
  const comment = record(0x2ee0, 0, string(0, 'Bo'), string(1, 'Why?'));
  const atom = (master: number, notes: number): Buffer =>
    record(0x3ef, 0, numbers(0, 0, 0, master, notes, 1));
  const title = [record(0xf9f, 0, numbers(0)), record(0xfa0, 0, wide('Title'))];
  const placeholder = record(
    0xf004,
    0,
    record(0xbc3, 0, numbers(0, 0)),
    record(0xfa0, 0, wide('Click to edit')),
  );
  const texts = [' A cat \0', ' \0', 'left out\0'].map(wide);
  const heads = texts.map((alt, i) =>
    Buffer.concat([Buffer.from([0x81 + (i >> 1), 0xc3]), numbers(alt.length)]),
  );
  const picture = record(0xf00b, 1, ...heads, ...texts);
  picture[0] = 0x33;
  const parts = [
    record(
      0x3e8,
      0,
      list(1, 2, 9),
      // Its date is fixed, but not shown.
      edges(3, 32 | 4, string(0, '3 May'), string(2, 'For all')),
      edges(4, 16 | 4 | 1, string(0, '4 May'), string(1, 'Of notes')),
      list(0, 3, 256, ...title),
    ),
    record(0x3f8, 0, atom(0, 0), placeholder, record(0xf004, 0, record(0xfa8, 0, Buffer.from('Secret')))),
    record(
      0x3ee,
      0,
      atom(9, 7),
      record(0xf004, 0, picture),
      record(0x1388, 0, tag('___PPT10', comment), tag('___PPT12')),
    ),
  ];
  const [master, slide, directory] = [1, 2, 3].map(
    (count) => Buffer.concat(parts.slice(0, count)).length,
  ) as [number, number, number];
  const before = record(0x1772, 0, numbers((2 << 20) | 2, 0, slide));
  const places = record(0x1772, 0, numbers((1 << 20) | 1, 0, (1 << 20) | 2, master));
  const edit = (earlier: number, at: number): Buffer => record(0xff5, 0, numbers(0, 0, earlier, at, 1, 3, 0));
  parts.push(before, places, edit(0, directory));
  const last = Buffer.concat(parts).length;
  const stream = Buffer.concat([...parts, edit(last - 36, directory + before.length)]);
  const file = CFB.utils.cfb_new();
  CFB.utils.cfb_add(file, '/PowerPoint Document', stream);
  CFB.utils.cfb_add(file, '/Current User', numbers(0, 0, 0, 0, last));
  const { write, text } = workspace(unhurried);
  write('a.ppt', Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array));
  expect(await text('a.ppt:raw')).toBe(
    '--- slide 1 ---\n\n## Title\n\nA cat\n\n[comment by Bo: Why?]\n\n## Headers and footers\n\n- footer: For all\n- date: 4 May\n- header: Of notes\n- layout: Secret\n',
  );
});

test('the frame of a link in an xls is not its target', async () => {
  const sheet = utils.aoa_to_sheet([['site']]);
  sheet['A1'].l = { Target: 'https://ex.org/c' };
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'S');
  const file = CFB.read(writeBook(book, { type: 'buffer', bookType: 'biff8' }), { type: 'buffer' });
  const stored = Buffer.from(CFB.find(file, '/Workbook')?.content ?? []);
  const at = stored.indexOf(Buffer.from('d0c9ea79f9bace118c8200aa004ba90b', 'hex')) - 12;
  const flags = stored.readUInt32LE(at + 32);
  const frame = Buffer.concat([numbers(7), wide('_blank\0')]);
  const texts = at + 36 + (flags & 16 ? 4 + 2 * stored.readUInt32LE(at + 36) : 0);
  stored.writeUInt32LE(flags | 128, at + 32);
  stored.writeUInt16LE(stored.readUInt16LE(at + 2) + frame.length, at + 2);
  const records = Buffer.concat([stored.subarray(0, texts), frame, stored.subarray(texts)]);
  CFB.utils.cfb_add(file, '/Workbook', records);
  const { write, text } = workspace(unhurried);
  write('a.xls', Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array));
  expect(await text('a.xls:raw')).toContain('| site <https://ex.org/c> |');
});

test('the texts of slides in the outline of a ppt, and a font that is only for signs', async () => {
  const slide = (number: number, text: string): Buffer => {
    const entry = Buffer.alloc(20);
    entry.writeUInt32LE(number);
    entry.writeUInt32LE(255 + number, 12);
    // All characters in one paragraph without properties, and in one run whose font for signs is font 0.
    const style = Buffer.alloc(20);
    style.writeUInt32LE(text.length + 1);
    style.writeUInt32LE(text.length + 1, 10);
    style.writeUInt32LE(0x800000, 14);
    return Buffer.concat([
      record(0x3f3, 0, entry),
      record(0xf9f, 0, Buffer.alloc(4)),
      record(0xfa0, 0, Buffer.from(text, 'utf16le')),
      record(0xfa1, 0, style),
    ]);
  };
  const font = record(0xfb7, 0, Buffer.from('Wingdings'.padEnd(34, '\0'), 'utf16le'));
  const list = record(0xff0, 0, slide(1, 'First'), slide(2, 'then \uf0e0'));
  const file = CFB.utils.cfb_new();
  CFB.utils.cfb_add(file, '/PowerPoint Document', record(0x3e8, 0, font, list));
  const { write, text } = workspace(unhurried);
  write('a.ppt', Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array));
  expect(await text('a.ppt:raw')).toBe('--- slide 1 ---\n\n## First\n\n--- slide 2 ---\n\n## then →\n\n');
});

const XLS: Shown = [
  ['a text', 'text'],
  ['two lines', '"a\\nb"'],
  ['a superscript', '10^6 x'],
  ['a number', '1.5'],
  ['a boolean as a number', '1'],
  ['a percentage', '25.6%'],
  ['a date', '2024-03-01'],
  ['a duration', '36:05:00'],
  ['a link', 'site <https://ex.org/c>'],
  ['a comment', 'noted [comment: Why?]'],
  ['an error', '#VALUE!'],
];

test('each construct of an xls is shown or counted', async () => {
  const { write, text } = workspace(unhurried);
  const file = CFB.read(fixture('constructs.xls.gz'), { type: 'buffer' });
  CFB.utils.cfb_add(file, '/MBD00000001/Package', Buffer.alloc(8));
  write('a.xls', Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array));
  const shown = await text('a.xls:raw');
  expect(
    XLS.map(([name], i) => [name, new RegExp(`^\\| ${i + 1} \\| (.*) \\|$`, 'm').exec(shown)?.[1]]),
  ).toEqual(XLS);
  expect(shown).toContain('\n## Hid (hidden)\n');
  expect(shown).toMatch(
    /\n## Drawings\n\n- shape: shape text\n- shape: box text\n- shape: custom text\n\n## Headers and footers\n\n- header: On top\n- footer: Page below\n\[Not shown: 1 embedded object\]$/,
  );
});

test('each construct of an xlsb is shown', async () => {
  const { write, text } = workspace(unhurried);
  const sheet = utils.aoa_to_sheet([['text'], [1.5], [true], [{ t: 'e', v: 0x2a }], ['a\nb'], ['漢 😀 <b']]);
  sheet['A7'] = { t: 'n', v: 0.256, z: '0.0%' };
  sheet['A8'] = { t: 'n', v: 45_352, z: 'yyyy-mm-dd' };
  sheet['A9'] = { t: 's', v: 'site', l: { Target: 'https://ex.org/c' } };
  sheet['A10'] = { t: 's', v: 'noted', c: [{ a: 'Bo', t: 'Why?' }] };
  sheet['!ref'] = 'A1:A10';
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'S');
  utils.book_append_sheet(book, utils.aoa_to_sheet([['h']]), 'Hid');
  book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
  write('a.xlsb', writeBook(book, { type: 'buffer', bookType: 'xlsb' }) as Buffer);
  const shown = await text('a.xlsb:raw');
  const cells = Array.from(
    { length: 10 },
    (_, i) => new RegExp(`^\\| ${i + 1} \\| (.*) \\|$`, 'm').exec(shown)?.[1],
  );
  expect(cells).toEqual([
    'text',
    '1.5',
    'TRUE',
    '#N/A',
    '"a\\nb"',
    '漢 😀 <b',
    '25.6%',
    '2024-03-01',
    'site <https://ex.org/c>',
    'noted [comment: Why?]',
  ]);
  expect(shown).toContain('\n## Hid (hidden)\n');
});

test('superscripts in a comment of an xls are noticed', async () => {
  const { write, text } = workspace(unhurried);
  const file = CFB.read(fixture('constructs.xls.gz'), { type: 'buffer' });
  const records = Buffer.from(CFB.find(file, '/Workbook')?.content ?? []);
  // The first font of the comment, in the record behind that of its text: font 5 is that of superscripts.
  records.writeUInt16LE(5, records.indexOf(Buffer.from('3c0005000057', 'hex')) + 15);
  CFB.utils.cfb_add(file, '/Workbook', records);
  write('a.xls', Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array));
  expect(await text('a.xls:raw')).toMatch(/noted \[comment: Why\?\][^]*\n\[Not shown: superscripts\]$/);
});

test('superscripts of an xlsb are noticed, headers and footers shown', async () => {
  const { write, text } = workspace(unhurried);
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['106']]), 'S');
  const parts = unzipSync(writeBook(book, { type: 'buffer', bookType: 'xlsb' }) as Buffer);
  // The record of the first font: its type (43), its size, its height of 12 points; its position is the fourth number.
  const styles = Buffer.from(parts['xl/styles.bin'] ?? []);
  styles.writeUInt16LE(1, styles.indexOf(Buffer.from([240, 0]), styles.indexOf(43)) + 6);
  // The record of headers and footers (479), before the last one: flags, and the texts with their lengths.
  const said = ['&L&"Arial,Bold"On top', '&CDown below'].map((one) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(one.length);
    return Buffer.concat([length, Buffer.from(one, 'utf16le')]);
  });
  const margins = Buffer.concat([Buffer.alloc(2), ...said, Buffer.alloc(16, 255)]);
  const sheet = Buffer.from(parts['xl/worksheets/sheet1.bin'] ?? []);
  const record = Buffer.concat([Buffer.from([0xdf, 3, margins.length]), margins]);
  const written = Buffer.concat([sheet.subarray(0, -3), record, sheet.subarray(-3)]);
  write(
    'a.xlsb',
    Buffer.from(zipSync({ ...parts, 'xl/styles.bin': styles, 'xl/worksheets/sheet1.bin': written })),
  );
  expect(await text('a.xlsb:raw')).toMatch(
    /\n- header: On top\n- footer: Down below\n\[Not shown: superscripts\]$/,
  );
});

test.each([
  [
    'page.xls',
    '<table><tr><th>Name<th>Qty<tr><td>Caf\xe9<td>7</table>',
    '| Name | Qty |\n| --- | --- |\n| Café | 7 |',
  ],
  [
    'mail.doc',
    'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="B"\r\n\r\n--B\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>Caf=C3=A9</p>\r\n--B\r\nContent-Type: text/html\r\n\r\n<p>more</p>\r\n--B--',
    'Café\n\nmore',
  ],
  ['dash.doc', '<meta charset="windows-1252"><p>5 \x80 \x96 \x93so\x94</p>', '5 € – “so”'],
  [
    'wide.xls',
    Buffer.from('\ufeff<table><tr><td>a<tr><td>é</table>', 'utf16le').toString('latin1'),
    'a\n\né',
  ],
  ['deck.ppt', '<html><p>Ring</html>', 'Ring'],
  ['list.xls', 'a;b\n1;2\n', 'a;b\n1;2\n'],
])('%s: a page with the name of a document is converted', async (name, content, shown) => {
  const { write, text } = workspace(unhurried);
  write(name, Buffer.from(content, 'latin1'));
  expect(await text(`${name}:raw`)).toBe(shown);
});

test('superscripts of a doc with one byte for a character', async () => {
  const { write, text } = workspace(unhurried);
  write('a.doc', fixture('narrow.doc.gz'));
  expect(await text('a.doc:raw')).toBe('5 × 10^6 cells, x^2\n');
});
