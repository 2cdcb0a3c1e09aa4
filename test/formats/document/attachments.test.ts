/** Files that are attached to a PDF: listed, and read through their own sources. */

import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pdf, pdfPages, pdfText } from '../../support/documents.ts';
import { place } from '../../support/dialect.ts';
import { zip } from '../../support/zip.ts';

type File = readonly [name: string, content: Buffer, packed?: string];

/** One page with files attached to it. */
function withFiles(files: readonly File[]): Buffer {
  const names = files
    .map(([name], i) => `(${i} ${name.replaceAll(/[^ -~]|[()\\]/g, '')}) ${6 + 2 * i} 0 R`)
    .join(' ');
  return pdf([
    `<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[${names}]>>>>>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>',
    pdfText('the page itself'),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...files.flatMap(([name, content, packed = ''], i) => [
      `<</Type/Filespec/F<${Buffer.from(name, 'latin1').toString('hex')}>/EF<</F ${7 + 2 * i} 0 R>>>>`,
      packed === '' ? stream(content, '') : stream(deflateSync(content), packed),
    ]),
  ]);
}

const stream = (content: Buffer, entries: string): Buffer =>
  Buffer.concat([
    Buffer.from(`<</Type/EmbeddedFile/Length ${content.length}${entries}>>\nstream\n`),
    content,
    Buffer.from('\nendstream'),
  ]);

function reader(files: readonly File[]) {
  const here = place('oriel', { display: 'plain' });
  here.write('report.pdf', withFiles(files));
  return async (rest: string) => here.call('read', { path: `report.pdf${rest}` });
}

test('are mentioned, listed, and read with every selector', async () => {
  const read = reader([
    ['notes.txt', Buffer.from('one\ntwo\nthree\n')],
    ['data.zip', zip([{ name: 'in/a.txt', content: 'packed\n' }])],
    ['inner.pdf', pdfPages([pdfText('a page inside')])],
  ]);
  expect((await read('')).text).toContain(
    '[Files may be attached to it. Use report.pdf:attachments to list them]',
  );
  const { text } = await read(':attachments');
  expect(text).toMatch(/^notes\.txt {2}14 bytes\ndata\.zip {2}\d+ bytes\ninner\.pdf {2}\d+ bytes\n/);
  expect((await read(':attachments:1..1')).text).toContain('notes.txt  14 bytes\n');
  expect((await read(':attachments/notes.txt')).text).toBe('one\ntwo\nthree\n');
  expect((await read(':attachments/notes.txt:2..2')).text).toBe('two\n');
  expect((await read(':attachments/data.zip:in/a.txt')).text).toBe('packed\n');
  expect((await read(':attachments/inner.pdf:p1')).text).toContain('a page inside');
});

test('of private ones only the names are shown', async () => {
  const here = place('oriel', { display: 'plain', deny: ['.env'] });
  here.write(
    'report.pdf',
    withFiles([
      ['.env', Buffer.from('marrow\n')],
      ['b.txt', Buffer.from('hum\n')],
      ['.env', Buffer.from('marrow\n')],
    ]),
  );
  const { text } = await here.call('read', { path: 'report.pdf:attachments' });
  expect(text).toMatch(/^\.env \(private\)\nb\.txt {2}4 bytes\n \(2\)\.env \(private\)\n/);
  for (const path of ['.env', '.env:raw', ' (2).env'].map((name) => `report.pdf:attachments/${name}`))
    expect((await here.call('read', { path })).text).toContain('is private by the rule .env');
  const found = await here.call('grep', { pattern: 'marrow', path: 'report.pdf' });
  expect(found.text).toBe('No matches found\n[2 private files or directories left out]');
});

test('a missing one is answered with similar ones', async () => {
  const read = reader([['notes.txt', Buffer.from('x')]]);
  expect((await read(':attachments/note.txt')).text).toBe(
    'There is no attachment note.txt. Did you mean report.pdf:attachments/notes.txt? Use report.pdf:attachments for the list.',
  );
});

test('names are not paths; two of one name stay separate', async () => {
  const read = reader([
    ['../../etc/passwd', Buffer.from('a\n')],
    ['a:5-9\u001b[2J', Buffer.from('b\n')],
    ['same.txt', Buffer.from('c\n')],
    ['same.txt', Buffer.from('d\n')],
    ['same.txt', Buffer.from('e\n')],
  ]);
  const { text } = await read(':attachments');
  const names = text
    .split('\n')
    .slice(0, 5)
    .map((line) => line.replace(/ {2}\d+ bytes$/, ''));
  expect(names.slice(2)).toEqual(['same.txt', 'same (2).txt', 'same (3).txt']);
  const contents: string[] = [];
  for (const name of names) {
    expect(name).not.toMatch(/[\p{Cc}:/\\]/u);
    contents.push((await read(`:attachments/${name}`)).text);
  }
  expect(contents).toEqual(['a\n', 'b\n', 'c\n', 'd\n', 'e\n']);
});

test('one that unpacks to gigabytes is refused, its page read', { tags: 'slow' }, async () => {
  const read = reader([['bomb', Buffer.alloc(400 << 20), '/Filter/FlateDecode']]);
  expect((await read('')).text).toContain('the page itself');
  const { text, isError, details } = await read(':attachments');
  expect(isError).toBe(true);
  expect(details).toMatchObject({ error: { code: 'LIMIT' } });
  expect(text).toMatch(/^\[Cannot read \.pdf file: /);
  expect((await read(':p1')).text).toContain('the page itself');
});

test('a document without any says so', async () => {
  const here = place('oriel', { display: 'plain' });
  here.write('plain.pdf', pdfPages([pdfText('x')]));
  expect((await here.call('read', { path: 'plain.pdf' })).text).not.toContain('attached');
  expect((await here.call('read', { path: 'plain.pdf:attachments' })).text).toBe('(no files are attached)\n');
});

test('those not listed are counted', async () => {
  const files = Array.from({ length: 1_004 }, (_, i) => [`n${i}.txt`, Buffer.from('x')] as const);
  const read = reader(files);
  expect((await read(':attachments:-2')).text).toMatch(/^n999\.txt {2}1 bytes\n\(4 more are attached\)\n/);
});

test('are searched with the document, each through its own source', async () => {
  const here = place('oriel', { display: 'plain' });
  here.write(
    'report.pdf',
    withFiles([
      ['notes.txt', Buffer.from('one\nneedle two\n')],
      ['inner.pdf', pdfPages([pdfText('a needle inside')])],
      ['data.zip', zip([{ name: 'in/a.txt', content: 'packed\n' }])],
    ]),
  );
  const { text } = await here.call('grep', { pattern: 'needle', path: 'report.pdf' });
  expect(text).toContain('report.pdf:attachments/notes.txt:2: needle two');
  expect(text).toMatch(/^report\.pdf:attachments\/inner\.pdf:p1:\d+: .*a needle inside$/m);
  // Of an archive in it only a list was seen.
  expect(text).toContain('report.pdf:attachments/data.zip');
});
