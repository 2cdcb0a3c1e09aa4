import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { docx, fixture, paragraph, pdf, pdfPages, pdfStream, pdfText } from '../support/documents.ts';
import { deflatedZeros } from '../support/images.ts';
import { codeOf, SECRET, textOf, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

/** A raw deflate stream out of a zlib one. */
const raw = (bytes: Buffer): Buffer => bytes.subarray(2, -4);

test('D01 docx whose XML unfolds to a gigabyte', async () => {
  const { write, read } = workspace();
  const packed = raw(await deflatedZeros(1 << 30));
  const name = 'word/document.xml';
  write(
    'bomb.docx',
    zip([
      { name: '[Content_Types].xml', content: '<Types/>' },
      { name, packed, size: 1 << 30 },
    ]),
  );
  // It declares less than it holds.
  write(
    'liar.docx',
    zip([
      { name: '[Content_Types].xml', content: '<Types/>' },
      { name, packed, size: 1000 },
    ]),
  );
  for (const path of ['bomb.docx', 'liar.docx'])
    expect(['LIMIT', 'CORRUPT']).toContain(codeOf(await read(path)));
});

test('D02 docx with images of other files and hosts: named, never opened', async () => {
  const { write, text, O } = workspace();
  const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="file://${O}/secret.txt" TargetMode="External"/></Relationships>`;
  const drawing = '<w:p><w:r><w:drawing><a:blip r:link="rId9"/></w:drawing></w:r></w:p>';
  write('image.docx', docx(paragraph('hello') + drawing, '', { 'word/_rels/document.xml.rels': relations }));
  const shown = await text('image.docx');
  expect(shown).toContain('hello');
  expect(shown).not.toContain(SECRET);
});

test('D03 docx with external entities and an entity bomb', async () => {
  const { write, read, O } = workspace();
  const external = `<!DOCTYPE d [<!ENTITY x SYSTEM "file://${O}/secret.txt">]>`;
  const bomb = Array.from(
    { length: 10 },
    (_, i) => `<!ENTITY a${i} "${i ? `&a${i - 1};`.repeat(10) : 'lol'}">`,
  );
  write('external.docx', docx(paragraph('a &x; b'), external));
  write('bomb.docx', docx(paragraph('a &a9; b'), `<!DOCTYPE d [${bomb.join('')}]>`));
  for (const path of ['external.docx', 'bomb.docx']) {
    const answer = textOf(await read(path));
    expect(answer).not.toContain(SECRET);
    expect(answer.length).toBeLessThan(1000);
  }
});

test('D04 docx with 200,000 nested elements, and with 20,000 nested tables', async () => {
  const { write, read } = workspace();
  write('nest.docx', docx(`${'<w:sdt>'.repeat(200_000)}${'</w:sdt>'.repeat(200_000)}`));
  const table = ['<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>'];
  write('tables.docx', docx(`${table[0]?.repeat(20_000)}${table[1]?.repeat(20_000)}`));
  for (const path of ['nest.docx', 'tables.docx'])
    expect(['LIMIT', 'CORRUPT']).toContain(codeOf(await read(path)));
});

test('D09 PDF with 20,000 pages: the first ones, the count, any page on demand', async () => {
  const { write, read, text } = workspace();
  write('many.pdf', pdfPages(Array.from({ length: 20_000 }, (_, i) => pdfText(`Page number ${i + 1}`))));
  const answer = textOf(await read('many.pdf'));
  expect(answer).toContain('PDF, 20000 pages');
  expect(answer.length).toBeLessThan(65_536);
  expect(answer).toContain('Use many.pdf:p101- to continue');
  expect(await text('many.pdf:p19999')).toContain('Page number 19999');
});

test('D10 PDF whose FontMatrix is code', async () => {
  const { write, read } = workspace();
  const matrix = '[1 0 0 1 0 (0\\); globalThis.PWNED = 1; //)]';
  const page =
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>';
  write(
    'code.pdf',
    pdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[4 0 R]/Count 1>>',
      `<</Type/Font/Subtype/Type1/BaseFont/X/FontMatrix${matrix}>>`,
      page,
      pdfText('hello'),
    ]),
  );
  await read('code.pdf');
  expect(Reflect.has(globalThis, 'PWNED')).toBe(false);
});

test('D11 PDF with JavaScript, a file URI and an action: inert', async () => {
  const { write, text, O } = workspace();
  const action = `/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/AA<</O<</S/URI/URI(file://${O}/secret.txt)>>>>`;
  write('action.pdf', pdfPages([pdfText('hello')], action));
  const shown = await text('action.pdf');
  expect(shown).toContain('hello');
  expect(shown).not.toContain(SECRET);
});

test('D12 PDF whose 2 kB unfold to 580 MB', async () => {
  const { write, read } = workspace();
  const bomb = deflateSync(await deflatedZeros(580_000_000), { level: 9 });
  write('bomb.pdf', pdfPages([pdfStream(bomb, '/Filter[/FlateDecode/FlateDecode]')]));
  write('small.pdf', pdfPages([pdfText('hello')]));
  const answer = await read('bomb.pdf');
  expect(textOf(answer)).toMatch(/^\[Cannot read \.pdf file: |no text layer/);
  expect(textOf(await read('small.pdf'))).toContain('hello');
});

test('D14 PDF cut short, and with arrays 500,000 deep', async () => {
  const { write, read } = workspace();
  write('trunc.pdf', fixture('report.pdf').subarray(0, 3000));
  const deep = `/X ${'['.repeat(500_000)}${']'.repeat(500_000)}`;
  write('nest.pdf', pdfPages([pdfText('hello')], deep));
  for (const path of ['trunc.pdf', 'nest.pdf']) {
    const answer = await read(path);
    expect(codeOf(answer)).toBe('CORRUPT');
    expect(textOf(answer)).toMatch(/^\[Cannot read \.pdf file: [^\n]*\]$/);
  }
});

test('D15 documents cut short, damaged and random, of every type: one answer each, and the next read works', async () => {
  const { write, read, text } = workspace();
  write('good.docx', docx(paragraph('hello')));
  let state = 7;
  const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31);
  const seeds = [
    'report.docx',
    'report.doc',
    'report.odt',
    'sheet.xlsx',
    'sheet.xls',
    'slides.pptx',
    'tables.pdf',
  ];
  for (const name of seeds) {
    const whole = fixture(name);
    const damaged = Buffer.from(whole);
    for (let i = 0; i < 40; i += 1) damaged[random() % damaged.length] = random() % 256;
    const noise = Buffer.from(Array.from({ length: 3000 }, () => random() % 256));
    const parts = { half: whole.subarray(0, whole.length / 2), head: whole.subarray(0, 100), damaged, noise };
    for (const [what, bytes] of Object.entries(parts)) {
      write(`${what}-${name}`, bytes);
      const answer = await read(`${what}-${name}`);
      expect(['OK', 'CORRUPT', 'LIMIT', 'ENCRYPTED', 'UNSUPPORTED']).toContain(codeOf(answer));
      if (answer.isError) expect(textOf(answer)).toMatch(/^\[Cannot read \.\w+ file: [^\n]*\]$/);
    }
  }
  expect(await text('good.docx')).toContain('hello');
}, 60_000);
