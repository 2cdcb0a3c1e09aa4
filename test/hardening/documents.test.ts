/**
 * @module-tag slow
 */

import { deflateSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { docx, fixture, paragraph, pdf, pdfPages, pdfStream, pdfText, xlsx } from '../support/documents.ts';
import { deflatedZeros } from '../support/images.ts';
import { convertersOf, openDescriptors } from '../support/children.ts';
import { withoutLag } from '../support/lag.ts';
import { codeOf, SECRET, textOf, unhurried, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

/** A raw deflate stream out of a zlib one. */
const raw = (bytes: Buffer): Buffer => bytes.subarray(2, -4);

test('D01 docx whose XML inflates to a gigabyte', async () => {
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

test('D02 docx with images in other files and on other hosts: shown as text, never opened', async () => {
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

test('D09 PDF with 20,000 pages: the first pages and the total are shown, and any page can be read', async () => {
  const { write, read, text } = workspace(unhurried);
  write('many.pdf', pdfPages(Array.from({ length: 20_000 }, (_, i) => pdfText(`Page number ${i + 1}`))));
  const answer = textOf(await read('many.pdf'));
  expect(answer).toContain('PDF, 20000 pages');
  expect(answer.length).toBeLessThan(65_536);
  expect(answer).toContain('Use many.pdf:p101- to continue');
  expect(await text('many.pdf:p19999')).toContain('Page number 19999');
});

test('D10 PDF with code in its FontMatrix', async () => {
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

test('D11 PDF with JavaScript, a file URI and an action: none is executed', async () => {
  const { write, text, O } = workspace();
  const action = `/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/AA<</O<</S/URI/URI(file://${O}/secret.txt)>>>>`;
  write('action.pdf', pdfPages([pdfText('hello')], action));
  const shown = await text('action.pdf');
  expect(shown).toContain('hello');
  expect(shown).not.toContain(SECRET);
});

test('D12 PDF of 2 kB that inflates to 580 MB', async () => {
  const { write, read } = workspace();
  const bomb = deflateSync(await deflatedZeros(580_000_000), { level: 9 });
  write('bomb.pdf', pdfPages([pdfStream(bomb, '/Filter[/FlateDecode/FlateDecode]')]));
  write('small.pdf', pdfPages([pdfText('hello')]));
  const answer = await read('bomb.pdf');
  expect(textOf(answer)).toMatch(/^\[Cannot read \.pdf file: |no text layer/);
  expect(textOf(await read('small.pdf'))).toContain('hello');
});

test('D14 truncated PDF, and arrays nested 500,000 deep', async () => {
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

test('D15 truncated, damaged and random documents of every type: one answer each, and the next read works', async () => {
  const { write, read, text } = workspace(unhurried);
  write('good.docx', docx(paragraph('hello')));
  let state = 7;
  const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31);
  const seeds = [
    'report.docx',
    'report.doc',
    'report.odt',
    'report.epub',
    'small.rtf',
    'sheet.xlsx',
    'sheet.xls',
    'sheet.ods',
    'slides.pptx',
    'slides.odp',
    'tables.pdf',
    'twocol.pdf',
  ];
  for (const name of seeds) {
    const whole = fixture(name);
    const damaged = Buffer.from(whole);
    for (let i = 0; i < 40; i += 1) damaged[random() % damaged.length] = random() % 256;
    // What counts and points is damaged most often: the end of a zip or a PDF, the head of the others.
    const pointers = Buffer.from(whole);
    for (let i = 0; i < 20; i += 1) pointers[pointers.length - 1 - (random() % 200)] = random() % 256;
    for (let i = 0; i < 4; i += 1) pointers[8 + (random() % 500)] = 0xff;
    const doubled = Buffer.concat([whole.subarray(0, whole.length / 3), whole]);
    const noise = Buffer.from(Array.from({ length: 3000 }, () => random() % 256));
    const parts = {
      half: whole.subarray(0, whole.length / 2),
      head: whole.subarray(0, 100),
      damaged,
      pointers,
      doubled,
      noise,
    };
    for (const [what, bytes] of Object.entries(parts)) {
      write(`${what}-${name}`, bytes);
      const answer = await read(`${what}-${name}`);
      expect(['OK', 'CORRUPT', 'LIMIT', 'ENCRYPTED', 'UNSUPPORTED']).toContain(codeOf(answer));
      if (answer.isError) expect(textOf(answer)).toMatch(/^\[Cannot read \.\w+ file: [^\n]*\]$/);
    }
  }
  expect(await text('good.docx')).toContain('hello');
}, 180_000);

/** A text of about 3 MiB, so large that its conversion lies in a private file. */
const largeText = (name: string): Buffer =>
  docx(Array.from({ length: 6000 }, (_, i) => paragraph(`${name} ${i} ${'word '.repeat(100)}`)).join(''));

test.runIf(process.platform === 'linux')(
  'D20 converters killed and calls cancelled at any moment: one answer each, nothing left open, the next call works',
  async () => {
    const { write, with: inside } = workspace();
    write('large.docx', largeText('large'));
    write('sheet.xlsx', fixture('sheet.xlsx'));
    write('report.pdf', fixture('report.pdf'));
    const paths = ['large.docx', 'sheet.xlsx:Sales?limit=2', 'report.pdf:p2', 'report.pdf:p1:image'];
    const first = inside({});
    for (const path of paths) expect(codeOf(await first.tool('read').run({ path }))).toBe('OK');
    await first.close();
    const before = openDescriptors();
    let state = 11;
    const random = (most: number): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % most;
    const seen = new Set<string>();
    for (let round = 0; round < 8; round += 1) {
      const oriel = inside({});
      const calls = Array.from({ length: 6 }, async (_, i) => {
        const cancel = new AbortController();
        const timer = setTimeout(() => cancel.abort(), random(200));
        const path = paths[random(paths.length)] ?? '';
        const answer = await oriel.tool('read').run({ path }, i % 2 === 0 ? { signal: cancel.signal } : {});
        clearTimeout(timer);
        return codeOf(answer);
      });
      const killer = setInterval(() => {
        const [pid] = convertersOf(process.pid);
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      }, 40);
      for (const code of await Promise.all(calls)) seen.add(code);
      clearInterval(killer);
      await oriel.close();
    }
    for (const code of seen) expect(['OK', 'CANCELLED', 'LIMIT']).toContain(code);
    const last = inside({});
    for (const path of paths) expect(codeOf(await last.tool('read').run({ path }))).toBe('OK');
    await last.close();
    await expect.poll(() => openDescriptors(), { timeout: 20_000 }).toBeLessThanOrEqual(before + 6);
    expect(convertersOf(process.pid).length).toBeLessThanOrEqual(2);
  },
  120_000,
);

/** A page whose one form draws ten others, each of which draws ten, twelve levels down. */
function formsWithoutEnd(): Buffer {
  const form = (content: string, resources: string): Buffer =>
    pdfStream(content, `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${resources}>>`);
  const levels = Array.from({ length: 12 }, (_, i) =>
    i === 11 ? form('0 0 5 5 re f', '') : form('/X Do '.repeat(10), `/XObject<</X ${6 + i} 0 R>>`),
  );
  return pdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</XObject<</X 5 0 R>>>>/Contents 4 0 R>>',
    pdfStream('/X Do'),
    ...levels,
  ]);
}

test('D23 PDF with 10^11 forms: progress is reported, the call can be cancelled, and the next document is read', async () => {
  const { write, oriel, text } = workspace();
  write('forms.pdf', formsWithoutEnd());
  write('small.pdf', pdfPages([pdfText('hello')]));
  const cancel = new AbortController();
  const said: string[] = [];
  const answer = await oriel.tool('read').run(
    { path: 'forms.pdf:p1:image' },
    {
      signal: cancel.signal,
      onProgress({ message }) {
        said.push(message);
        cancel.abort();
      },
    },
  );
  expect(codeOf(answer)).toBe('CANCELLED');
  expect(said[0]).toMatch(/^converting, \d+ s$/);
  expect(await text('small.pdf')).toContain('hello');
});

test('D21 texts of many large documents read concurrently are in files, not in memory', async () => {
  const { write, oriel } = workspace();
  const names = Array.from({ length: 12 }, (_, i) => `large${i}.docx`);
  for (const name of names) write(name, largeText(name));
  const answers = await Promise.all(names.map((path) => oriel.tool('read').run({ path: `${path}:1..1` })));
  for (const [i, answer] of answers.entries()) expect(textOf(answer)).toContain(`large${i}.docx 0 word`);
  const stats = oriel.session.store.stats().get('document');
  expect(stats?.entries).toBe(12);
  expect(stats?.weight.disk).toBeGreaterThan(12 * 2_000_000);
  expect(stats?.weight.memory).toBeLessThan(100_000);
});

test('D24 a workbook of 20,000 sheets with long names is read, and its index stays small', async () => {
  const { write, oriel, read } = workspace(unhurried);
  const sheets = Array.from({ length: 20_000 }, (_, i) => [`${i} ${'N'.repeat(240)}`, ''] as const);
  write('sheets.xlsx', xlsx(sheets, 'one part'));
  const answer = await withoutLag(() => oriel.tool('read').run({ path: 'sheets.xlsx' }));
  expect(textOf(answer)).toContain('## 0 NNN');
  expect(answer.details['meta']).toMatchObject({ document: { sheetCount: 20_000 } });
  expect(JSON.stringify(answer.details).length).toBeLessThan(16_000);
  expect(textOf(await read(`sheets.xlsx:7 ${'N'.repeat(240)}`))).toContain('## 7 NNN');
});

test('D22 without a directory that is writable this is reported, and small documents are still read', async () => {
  const { write, read } = workspace();
  // No other test's text, which the cache on disk may still have.
  write('large.docx', largeText('unwritten'));
  const file = write('small.docx', docx(paragraph('hello')));
  for (const name of ['TMPDIR', 'XDG_CACHE_HOME']) vi.stubEnv(name, file);
  expect(codeOf(await read('large.docx'))).toBe('LIMIT');
  expect(textOf(await read('small.docx'))).toContain('hello');
});
