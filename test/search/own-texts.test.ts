/** Below a directory no match names a line that `read` does not show: files with a text form are not searched as stored. */

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { docx, paragraph, pdfPages, pdfText } from '../support/documents.ts';
import { some } from '../support/properties.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { textOf, unhurried, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

const rtf = (lines: number): string =>
  `{\\rtf1\\ansi\n{\\*\\comment needle that is not shown}\n${'a line\\par\n\n'.repeat(lines)}a needle \\bin{}here\\par Gr\\u252?\\u223?e\\par}`;

const printed = (text: string) => ({ output_type: 'stream', name: 'stdout', text });

const notebook = JSON.stringify(
  {
    nbformat: 4,
    metadata: { title: 'needle that is not shown' },
    cells: [
      { cell_type: 'code', source: ['x = 1\n', 'needle(x)  # Grüße\n', 'print("a\\tneedle")'], outputs: [] },
      { cell_type: 'code', source: 'nothing()', outputs: [printed('')] },
      { cell_type: 'code', source: 'y = 2', outputs: [printed('one\na needle that was printed\n')] },
      { cell_type: 'code', source: 'the_end()', outputs: [printed('')] },
    ],
  },
  undefined,
  1,
);

const member = 'a needle in a member, Grüße\n';
const library = `!<arch>\n${'a.txt/'.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'644'.padEnd(8)}${String(Buffer.byteLength(member)).padEnd(10)}\`\n${member}`;

const html = '<html>\n<p>a needle, Grüße</p>\n</html>\n';
const svg = '<svg xmlns="http://www.w3.org/2000/svg">\n<text>a needle, Grüße</text>\n</svg>\n';

/** Of the last ones the name says nothing. */
const FILES: Readonly<Record<string, () => string | Uint8Array | Promise<Uint8Array>>> = {
  'handbook.rtf': () => rtf(3),
  'HANDBOOK.RTF': () => rtf(3),
  'large.rtf': () => rtf(350_000),
  'memo.doc': () => rtf(3),
  'book.ipynb': () => notebook,
  'BOOK.IPYNB': () => notebook,
  'a.docx': () => docx(paragraph('a needle, Grüße')),
  'junk.pdf': () => Buffer.concat([Buffer.from('needle\nneedle\n'), pdfPages([pdfText('a needle')])]),
  'a.db': () => databaseBytes('create table t(a)', "insert into t values ('a needle, Grüße')"),
  'a.whl': () => zip([{ name: 'a.txt', content: member }]),
  'log.txt.gz': () => gzipSync(member),
  'drawing.svgz': () => gzipSync(svg),
  'page.doc': () => html,
  'drawing.svg': () => svg,
  'plain.txt': () => member,
  notes: () => rtf(3),
  'notes.txt': () => rtf(3),
  'library.deb': () => library,
  'library.a': () => library,
};

const TEXTS: readonly string[] = ['drawing.svg', 'plain.txt'];

test.each(some(Object.keys(FILES), 8))(
  '%s below a directory, with its lines as read',
  { tags: 'slow' },
  async (name) => {
    const { write, oriel } = workspace(unhurried);
    write(`d/${name}`, await (FILES[name] as () => string | Uint8Array | Promise<Uint8Array>)());
    for (const inside of [false, true]) {
      for (const input of [{}, { multiline: true }, { pattern: 'n[e]+dle' }, { ignoreCase: true }]) {
        const answer = textOf(
          await oriel.tool('grep').run({ path: 'd', pattern: 'needle', inside, limit: 20, ...input }),
        );
        const calls = answer.split('\n').flatMap((line) => /^(d\/.*?):(\d+): (.*)$/.exec(line) ?? []);
        for (let at = 0; at < calls.length; at += 4) {
          const [, path = '', no = '', text = ''] = calls.slice(at, at + 4);
          expect(textOf(await oriel.tool('read').run({ path: `${path}:${no}..${no}` }))).toContain(text);
          expect(text).not.toContain('that is not shown');
        }
        if (inside || TEXTS.includes(name)) expect(calls.length).toBeGreaterThan(0);
        else {
          expect(answer).toBe(
            'No matches found\n[1 document, notebook, archive or database was not searched. Use inside=true to search inside]',
          );
        }
      }
    }
    if (name === 'junk.pdf') return;
    // Words that are stored otherwise than they are shown.
    const words = await oriel
      .tool('grep')
      .run({ path: 'd', pattern: 'Grüße', inside: true, output: 'files' });
    expect(textOf(words)).toMatch(/^d\//);
  },
);

test('containers recognised by content are always counted as not searched', async () => {
  const { write, oriel } = workspace(unhurried);
  for (let i = 0; i < 100; i += 1) write(`d/${i}.txt`, i % 2 ? 'a line\n' : `a needle ${i}\n`);
  for (const name of ['d/0a', 'd/5a.txt', 'd/zz']) write(name, rtf(1));
  for (const pattern of ['needle 98', 'absent', 'n[e]+dle 98']) {
    const answer = await oriel.tool('grep').run({ path: 'd', pattern });
    expect(answer.details).toMatchObject({ leftOut: { container: 3 } });
    const said = '[3 documents, notebooks, archives or databases were not searched.';
    expect(textOf(answer).includes(said)).toBe(pattern === 'absent');
  }
  const inside = await oriel
    .tool('grep')
    .run({ path: 'd', pattern: 'a needle', inside: true, output: 'files' });
  expect(textOf(inside).split('\n').slice(-3)).toEqual(['d/0a', 'd/5a.txt', 'd/zz']);
});

test('a dialect that reads files as stored searches them so', async () => {
  const w = workspace(unhurried);
  w.write('d/book.ipynb', notebook);
  const pi = w.with({ dialect: 'pi' });
  expect(textOf(await pi.tool('grep').run({ path: 'd', pattern: 'needle\\(' }))).toContain('needle(x)');
});
