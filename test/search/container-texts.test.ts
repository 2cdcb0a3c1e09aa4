import { linkSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  docx,
  fixture,
  paragraph,
  pdfPages,
  pdfStream,
  pdfText,
  sheetRow,
  xlsx,
} from '../support/documents.ts';
import { withoutLag } from '../support/lag.ts';
import { some } from '../support/properties.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { tar } from '../support/tar.ts';
import { codeOf, textOf, unhurried, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

/** The lines of the answer, and whether each call in them reads the line that is shown. */
async function found(w: ReturnType<typeof workspace>, path: string, pattern: string): Promise<string[]> {
  const lines = textOf(await w.oriel.tool('grep').run({ path, pattern })).split('\n');
  for (const line of lines) {
    const [, call, no, text = ''] = /^(.*):(\d+): (.*)$/.exec(line) ?? [];
    const shown = text.replace(/^\[truncated\] \.\.\.| {2,}.*/g, '');
    expect(await w.text(`${call}:${no}..${no}`)).toContain(shown);
  }
  return lines;
}

test('searches the pages of a PDF, slides, and text lines', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  w.write('a.pdf', pdfPages(['one', 'needle two', 'three'].map(pdfText)));
  w.write('a.pptx', fixture('slides.pptx'));
  w.write('a.docx', docx(['one', 'a needle', 'three'].map(paragraph).join('')));
  expect(await found(w, 'a.pdf', 'needle')).toEqual(['a.pdf:p2:3: needle two']);
  expect(await found(w, 'a.pptx', 'SLIDE-TBL-102')).toEqual([
    'a.pptx:p2:9: | Lamp | 12.50 | Ada SLIDE-TBL-102 |',
  ]);
  expect(await found(w, 'a.docx', 'needle')).toEqual(['a.docx:3: a needle']);
});

const runs = (...texts: readonly string[]): string =>
  `<w:p>${texts.map((text) => (text.startsWith('*') ? `<w:r><w:rPr><w:b/></w:rPr><w:t>${text.slice(1)}</w:t></w:r>` : `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`)).join('')}</w:p>`;

test('escapes and emphasis hide nothing from a search', async () => {
  const w = workspace(unhurried);
  const long = 'some words '.repeat(100);
  w.write(
    'a.docx',
    docx(
      runs(`call __init__ with d[i], T&lt;int&gt; in C:\\Users\\me; a*b`) +
        runs('Inter', '*national') +
        paragraph('plain') +
        runs(`${long}half a wo`, '*rd here', ` and ${long}`),
    ),
  );
  const first = 'a.docx:1: call \\_\\_init\\__ with d\\[i], T\\<int> in C:\\\\Users\\\\me; a*b';
  for (const pattern of ['__init__', 'd\\[i\\]', 'T<int>', 'Users\\\\me; a\\*b', 'd\\\\\\[i', '\\b__init']) {
    expect(await found(w, 'a.docx', pattern), pattern).toEqual([first]);
  }
  for (const pattern of ['International', 'Inter\\*\\*national', '^International$'])
    expect(await found(w, 'a.docx', pattern), pattern).toEqual(['a.docx:3: Inter**national**']);
  const over = { path: 'a.docx', pattern: 'International\\n\\nplain', multiline: true };
  expect(textOf(await w.oriel.tool('grep').run(over)).split('\n')[0]).toBe('a.docx:3: Inter**national**');
  const late = { path: 'a.docx', pattern: 'a word here' };
  expect(textOf(await w.oriel.tool('grep').run(late))).toContain('half a wo**rd here**');
});

test('content like a page mark is not taken for one', async () => {
  const w = workspace(unhurried);
  w.write('d.rtf', '{\\rtf1 one\\par --- page 3 ---\\par a needle\\par}');
  w.write('a.pdf', pdfPages([pdfText('--- page 2 ---) Tj 0 -40 Td (a needle'), pdfText('two')]));
  const [first = ''] = await found(w, 'd.rtf', 'needle');
  expect(first).toMatch(/^d\.rtf:\d+: a needle$/);
  expect((await found(w, 'a.pdf', 'needle'))[0]).toMatch(/^a\.pdf:p1:\d+: .*a needle$/);
});

test('pages without text are counted', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  const scanned = pdfStream('0 0 9 9 re f');
  w.write('scan.pdf', pdfPages([scanned, pdfText('a word'), scanned]));
  w.write('one.zip', zip([{ name: 'in/scan.pdf', content: pdfPages([scanned]) }]));
  expect(await found(w, 'scan.pdf', 'needle')).toEqual([
    'No matches found',
    '[2 pages without text not searched: empty, or scanned. Read a page as :p1:image to see it]',
  ]);
  expect((await found(w, 'scan.pdf', 'word')).slice(1)).toEqual([
    '[2 pages without text not searched: empty, or scanned. Read a page as :p1:image to see it]',
  ]);
  expect((await found(w, 'one.zip', 'needle')).slice(1)).toEqual([
    '[1 page without text not searched: empty, or scanned. Read a page as :p1:image to see it]',
  ]);
});

test('every page of a long PDF', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  w.write('long.pdf', pdfPages(Array.from({ length: 230 }, (_, i) => pdfText(`page number ${i + 1} here`))));
  expect(await found(w, 'long.pdf', 'number (7|107|227) here')).toEqual([
    'long.pdf:p7:3: ## page number 7 here',
    'long.pdf:p107:3: ## page number 107 here',
    'long.pdf:p227:3: ## page number 227 here',
  ]);
});

test('searches shown parts of a workbook, all rows if large', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  const rows = (word: string): string =>
    `<sheetData>${Array.from({ length: 3000 }, (_, i) => sheetRow(i + 1, [i, `${word} ${i}`])).join('')}</sheetData>`;
  const book = xlsx(
    [
      ['Big', rows('name')],
      ['Small', `<sheetData>${sheetRow(1, ['name 2990'])}</sheetData>`],
      ['A1', `${rows('other')}<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>`],
    ],
    'parts',
    { 'xl/drawings/drawing1.xml': '<xdr:wsDr xmlns:a="a"><a:t>a shape</a:t></xdr:wsDr>' },
  );
  w.write('big.xlsx', book);
  w.write('a.zip', zip([{ name: 'big.xlsx', content: book }]));
  expect(await found(w, 'big.xlsx', 'name 2990|other 2991')).toEqual([
    'big.xlsx:34: | 1 | name 2990 |',
    'big.xlsx:Big:A21:B3000:2973: | 2991 | 2990 | name 2990 |',
    'big.xlsx:A1:A21:B3000:2974: | 2992 | 2991 | other 2991 |',
  ]);
  // The rows that are shown are found once.
  expect(await found(w, 'big.xlsx', 'name (19|20) ')).toEqual([
    'big.xlsx:26: | 20 | 19 | name 19 |',
    'big.xlsx:Big:A21:B3000:3: | 21 | 20 | name 20 |',
  ]);
  expect(await found(w, 'big.xlsx', '## |Merged|shape')).toEqual([
    'big.xlsx:1: ## Big',
    'big.xlsx:28: ## Small',
    'big.xlsx:36: ## A1',
    'big.xlsx:39: Merged cells: A1:B1',
    'big.xlsx:64: ## Drawings',
    'big.xlsx:66: - shape: a shape',
  ]);
  expect(await found(w, 'a.zip', 'name 2990|shape')).toEqual([
    'a.zip:big.xlsx:34: | 1 | name 2990 |',
    'a.zip:big.xlsx:66: - shape: a shape',
    'a.zip:big.xlsx:Big:A21:B3000:2973: | 2991 | 2990 | name 2990 |',
  ]);
});

test('members of archives, documents among them, and compressed files', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  w.write(
    'a.zip',
    zip([
      { name: 'b/report.pdf', content: pdfPages(['one', 'needle'].map(pdfText)) },
      { name: 'a.txt', content: 'one\na needle\n' },
      { name: 'picture.bin', content: Buffer.from([0, 1, 2]) },
    ]),
  );
  w.write('logs.tar.gz', gzipSync(tar([{ name: 'app/err.log', content: 'fine\nneedle\n' }])));
  w.write('one.log.gz', gzipSync('fine\nneedle\n'));
  expect(await found(w, 'a.zip', 'needle')).toEqual([
    'a.zip:a.txt:2: a needle',
    'a.zip:b/report.pdf:p2:3: needle',
  ]);
  expect(await found(w, 'logs.tar.gz', 'needle')).toEqual(['logs.tar.gz:app/err.log:2: needle']);
  expect(await found(w, 'one.log.gz', 'needle')).toEqual(['one.log.gz:2: needle']);
});

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const STORED: readonly (readonly [name: string, content: Buffer, word: string])[] = [
  ['mark.txt', Buffer.concat([UTF8_MARK, Buffer.from('one\na needle\nabc needle\n')]), 'a needle'],
  ['u16.txt', Buffer.from('\ufeffone\na nëedle\n', 'utf16le'), 'a nëedle'],
  ['bare16.txt', Buffer.from('one line of it\na needle\n', 'utf16le'), 'a needle'],
  ['west.csv', Buffer.from('Stra\xdfe;M\xfcller 7\n'.repeat(40), 'latin1'), 'Müller 7'],
  ['ja.csv', Buffer.from('938c8b9e82cc8fa4956937 0a'.replace(' ', '').repeat(40), 'hex'), '東京の商品7'],
];

test.each(some(STORED, 2))(
  'a member %s is searched as decoded, over lines too',
  { tags: 'slow' },
  async (name, content, word) => {
    const w = workspace(unhurried);
    w.write('a.zip', zip([{ name, content }]));
    w.write(`${name}.gz`, gzipSync(content));
    for (const [path, call] of [
      ['a.zip', `a.zip:${name}`],
      [`${name}.gz`, `${name}.gz`],
    ] as const) {
      for (const input of [{}, { multiline: true }, { context: 1 }]) {
        const answer = await w.oriel.tool('grep').run({ path, pattern: word, ...input });
        const [, no, text] =
          new RegExp(`^${call.replaceAll('.', '[.]')}:(\\d+): (.*)$`, 'm').exec(textOf(answer)) ?? [];
        expect(text).toContain(word);
        expect(await w.text(`${call}:${no}..${no}`)).toContain(text);
      }
    }
  },
);

test('searches every member of an archive or of all archives', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  const members = Array.from({ length: 40 }, (_, i) => ({ name: `${10 + i}.txt`, content: 'a needle\n' }));
  w.write('a.zip', zip(members));
  const expected = members.map(({ name }) => `a.zip:${name}:1: a needle`);
  expect(await found(w, 'a.zip', 'needle')).toEqual(expected);
  for (const { name } of members) w.write(`d/${name}.zip`, zip([{ name, content: 'a needle\n' }]));
  const inside = await w.oriel.tool('grep').run({ path: 'd', pattern: 'needle', inside: true });
  expect(textOf(inside)).toBe(members.map(({ name }) => `d/${name}.zip:${name}:1: a needle`).join('\n'));
});

test('searches notebook cells with the line numbers of a read', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  const cells = [
    { cell_type: 'markdown', source: '# Title' },
    { cell_type: 'code', source: 'x = 1\nneedle(x)' },
  ];
  w.write('n.ipynb', JSON.stringify({ nbformat: 4, metadata: {}, cells }));
  expect(await found(w, 'n.ipynb', 'needle')).toEqual(['n.ipynb:5: needle(x)']);
  const outputs = (text: string) => [{ output_type: 'stream', name: 'stdout', text }];
  const ran = cells.map((cell, i) => ({
    ...cell,
    outputs: outputs(`out\n${i === 1 ? 'a needle' : 'none'}\n`),
  }));
  const after = { cell_type: 'code', source: 'needle(y)', outputs: outputs('needle of y') };
  w.write('ran.ipynb', JSON.stringify({ nbformat: 4, metadata: {}, cells: [...ran, after] }));
  for (const multiline of [false, true]) {
    const answer = await w.oriel.tool('grep').run({ path: 'ran.ipynb', pattern: 'needle', multiline });
    expect(textOf(answer).split('\n')).toEqual([
      'ran.ipynb:5: needle(x)',
      'ran.ipynb:7: needle(y)',
      'ran.ipynb:outputs:11: a needle',
      'ran.ipynb:outputs:15: needle of y',
    ]);
  }
  expect(await w.text('ran.ipynb:outputs:11..11')).toContain('a needle');
  expect(await w.text('ran.ipynb:outputs:15..15')).toContain('needle of y');
});

test('rows of a database', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  const rows = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)';
  w.write(
    'app.db',
    await databaseBytes(
      'create table users(id integer primary key, name text)',
      `insert into users ${rows} select i, 'name ' || i from n`,
    ),
  );
  expect(await found(w, 'app.db', 'name (3|1101)$')).toEqual([
    'app.db:users:3:2: name: name 3',
    'app.db:users:1101:2: name: name 1101',
  ]);
  expect(await w.text('app.db:users:3')).toBe('id: 3\nname: name 3\n');
  // As a line of a file is read by what stands in front of its text.
  expect(await w.text('app.db:users:3:2')).toContain('name: name 3');
});

test('searches long database values, addressed by the calls for them', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  const long = `${'word '.repeat(400)}needle at the end`;
  const columns = Array.from({ length: 20 }, (_, i) => `column_${i}`);
  w.write(
    'app.db',
    await databaseBytes(
      'create table notes(id integer primary key, body text)',
      `insert into notes values (6, '${long}'), (7, 'short' || char(10) || 'second needle'), (8, 'none')`,
      `create table wide(${columns.join(', ')})`,
      `insert into wide(column_19) values ('none'), ('a needle')`,
      'create table words(word text primary key, about) without rowid',
      `insert into words values ('a:b', 'needle of a:b'), ('${'k'.repeat(900)}', 'needle behind a long key')`,
      'create table pairs(a, b, c, primary key (a, b)) without rowid',
      `insert into pairs values (1, 2, 'none'), (1, 3, 'needle of 1 and 3')`,
      `create view best as select body from notes where id < 8`,
    ),
  );
  const lines = await found(w, 'app.db', 'needle');
  expect(lines.pop()).toContain('Some lines truncated');
  expect(lines.map((line) => line.replace(/:\d+: .*/, ''))).toEqual([
    'app.db:best?limit=1&offset=0',
    'app.db:best?limit=1&offset=1',
    'app.db:notes:6',
    'app.db:notes:7',
    'app.db:pairs?limit=1&offset=1',
    'app.db:wide:2',
    'app.db:words:a%3Ab',
    'app.db:words?limit=1&offset=1',
  ]);
  const counted = await w.oriel.tool('grep').run({ path: 'app.db', pattern: 'needle', output: 'count' });
  expect(textOf(counted)).toBe(
    'app.db:best: 2\napp.db:notes: 2\napp.db:pairs: 1\napp.db:wide: 1\napp.db:words: 2',
  );
});

test('searches every table of a database despite pages and errors', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  const names = Array.from({ length: 80 }, (_, i) => `t${10 + i}${'x'.repeat(700)}`);
  w.write(
    'app.db',
    await databaseBytes(
      ...names.map((name) => `create table ${name}(word text)`),
      `insert into ${names[0]} values ('a needle')`,
      `insert into ${names[79]} values ('a needle')`,
      `create table "a (b)"(word text)`,
      `insert into "a (b)" values ('a needle')`,
      'create table gone(word text)',
      'create view m as select * from gone',
      'drop table gone',
    ),
  );
  const grep = async (pattern: string): Promise<string> =>
    textOf(await w.oriel.tool('grep').run({ path: 'app.db', pattern }));
  const gap = /^\[1 document, archive, member or table was not searched \("app\.db:m"\): /;
  const lines = (await grep('needle')).split('\n');
  expect(lines.slice(0, 3).map((line) => /^app\.db:(.{5}).*:1:1: /.exec(line)?.[1])).toEqual([
    'a (b)',
    't10xx',
    't89xx',
  ]);
  expect(lines.slice(3)).toEqual([expect.stringMatching(gap)]);
  expect((await grep('absent')).split('\n')).toEqual(['No matches found', expect.stringMatching(gap)]);
});

test('a directory’s containers follow its texts; unreadable ones are counted', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  w.write('d/z.txt', 'a needle\n');
  w.write('d/b.pdf', pdfPages([pdfText('a needle')]));
  w.write('d/c/a.zip', zip([{ name: 'x.txt', content: 'a needle\n' }]));
  w.write('d/bad.docx', 'PK\x03\x04');
  const grep = async (input: object): Promise<string> =>
    textOf(await w.oriel.tool('grep').run({ path: 'd', pattern: 'needle', ...input }));
  expect(await grep({})).toBe('d/z.txt:1: a needle');
  expect(await grep({ pattern: 'absent' })).toBe(
    'No matches found\n' +
      '[3 documents, notebooks, archives or databases were not searched. Use inside=true to search inside]',
  );
  expect(await grep({ glob: '*.docx' })).toBe(
    'No matches found\n' +
      '[1 document, notebook, archive or database was not searched. Use inside=true to search inside]',
  );
  expect(await grep({ inside: true })).toBe(
    [
      'd/z.txt:1: a needle',
      'd/b.pdf:p1:3: a needle',
      'd/c/a.zip:x.txt:1: a needle',
      '[1 document, archive, member or table was not searched ("d/bad.docx"): damaged, encrypted, or over a limit]',
    ].join('\n'),
  );
  expect(await grep({ inside: true, glob: '*.zip' })).toBe('d/c/a.zip:x.txt:1: a needle');
});

test('the number of containers not searched is given', { tags: 'slow' }, async () => {
  const w = workspace(unhurried);
  w.write('a.txt', 'a needle\nanother needle\n');
  w.write('.gitignore', 'ignored\n');
  for (const name of ['b.pdf', 'ignored/c.pdf', '.git/d.zip']) w.write(name, '');
  const leftOut = async (input: object): Promise<unknown> =>
    (await w.oriel.tool('grep').run({ pattern: 'needle', ...input })).details['leftOut'];
  expect(await leftOut({ limit: 1 })).toBeUndefined();
  expect(await leftOut({ offset: 1 })).toEqual({ ignored: 1, container: 1 });
  expect(await leftOut({ glob: '*.txt' })).toEqual({ ignored: 1 });
});

test('a dialect that reads no documents does not search them', async () => {
  const w = workspace(unhurried);
  w.write('a.pdf', pdfPages([pdfText('needle')]));
  const pi = w.with({ dialect: 'pi' });
  expect(textOf(await pi.tool('grep').run({ pattern: 'needle' }))).toBe(
    'No matches found\n[1 binary file left out]',
  );
  expect(codeOf(await pi.tool('grep').run({ path: 'a.pdf', pattern: 'needle' }))).toBe('UNSUPPORTED');
  await pi.close();
});

test('context stays in its page; limits and errors are named', async () => {
  const w = workspace(unhurried);
  w.write('a.pdf', pdfPages(['needle 1', 'needle 2', 'needle 3'].map(pdfText)));
  w.write('bad.docx', 'PK\x03\x04');
  const grep = (input: object) => w.oriel.tool('grep').run({ path: 'a.pdf', pattern: 'needle', ...input });
  const first = textOf(await grep({ limit: 1 }));
  expect(first).toContain('a.pdf:p1:3: needle 1');
  expect(first).toContain('offset=1');
  expect(textOf(await grep({ offset: 1, limit: 1 }))).toContain('a.pdf:p2:3: needle 2');
  expect(textOf(await grep({ context: 1, limit: 1 }))).toContain('a.pdf:p1-2-');
  expect(codeOf(await grep({ path: 'bad.docx' }))).toBe('CORRUPT');
});

test.runIf(process.platform === 'linux')(
  'a container without matches is closed before the next opens',
  { tags: 'slow' },
  async () => {
    const w = workspace(unhurried);
    for (let i = 0; i < 400; i += 1) w.write(`a${i}.log.gz`, gzipSync('some words\n'));
    w.write('z.log.gz', gzipSync('a needle\n'));
    const open = (): number => readdirSync('/proc/self/fd').length;
    // What is loaded and held from the first call on is there before.
    await w.oriel.tool('grep').run({ path: 'z.log.gz', pattern: 'ne+dle' });
    const before = open();
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, open() - before)), 5);
    const answer = await w.oriel.tool('grep').run({ pattern: 'ne+dle', inside: true, limit: 1 });
    clearInterval(timer);
    expect(textOf(answer)).toBe('z.log.gz:1: a needle');
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(200);
  },
);

describe('parts that could not be searched are reported', () => {
  const bad = 'PK\x03\x04';
  const gap = (subject: string, names: string): string =>
    `[${subject} not searched (${names}): damaged, encrypted, or over a limit]`;
  const ONE = '1 document, archive, member or table was';

  test('archive members: a damaged one, and a nested archive', async () => {
    const w = workspace(unhurried);
    const inner = zip([{ name: 'x.txt', content: 'a needle\n' }]);
    w.write(
      'a.zip',
      zip([
        { name: 'a.txt', content: 'a needle\n' },
        { name: 'b.docx', content: bad },
        { name: 'c.zip', content: inner },
        { name: 'd.bin', content: Buffer.from([0, 1, 2]) },
      ]),
    );
    expect(await w.text('a.zip:b.docx')).toMatch(/^\[Cannot read \.docx file: /);
    const grep = async (input: object): Promise<string> =>
      textOf(await w.oriel.tool('grep').run({ path: 'a.zip', ...input }));
    const gaps =
      `[1 document, archive, member or table was not searched ("a.zip:b.docx"): damaged, encrypted, or over a limit. ` +
      `1 archive or database inside an archive was not searched ("a.zip:c.zip"). Use read a.zip:c.zip to list it, then read what it holds]`;
    expect(await grep({ pattern: 'needle' })).toBe(`a.zip:a.txt:1: a needle\n${gaps}`);
    expect(await grep({ pattern: 'absent', output: 'count' })).toBe(
      `No matches found\n${gaps.slice(0, -1)}. 1 binary file left out]`,
    );
    // The named calls lead to the text.
    const named = await w.oriel.tool('grep').run({ path: 'a.zip:c.zip', pattern: 'needle' });
    expect(textOf(named)).toBe(
      'a.zip:c.zip lies inside a.zip: only whole files are searched. Use a.zip, or read a.zip:c.zip.',
    );
    expect(named.details['error']).toMatchObject({ code: 'UNSUPPORTED', next: 'a.zip:c.zip' });
    expect(await w.text('a.zip:c.zip')).toMatch(/^x\.txt /);
    expect(await w.text('a.zip:c.zip:x.txt')).toBe('1|a needle\n');
    expect(await grep({ path: 'a.zip:a.txt', pattern: 'needle' })).toBe(
      'a.zip:a.txt lies inside a.zip: only whole files are searched. Use a.zip, or read a.zip:a.txt.',
    );
    expect(textOf(await w.oriel.tool('ls').run({ path: 'a.zip:c.zip' }))).toBe(
      'a.zip:c.zip lies inside the file a.zip: only directories are listed. Use read a.zip:c.zip.',
    );
  });

  test('documents below a directory, except those deleted meanwhile', async () => {
    const w = workspace(unhurried);
    w.write('bad.docx', bad);
    w.write('good.zip', zip([{ name: 'x.txt', content: 'a needle\n' }]));
    symlinkSync('nothing.pdf', `${w.W}/gone.pdf`);
    const grep = async (pattern: string): Promise<string> =>
      textOf(await w.oriel.tool('grep').run({ pattern, inside: true }));
    expect(await grep('needle')).toBe(`good.zip:x.txt:1: a needle\n${gap(ONE, '"bad.docx"')}`);
    expect(await grep('absent')).toBe(
      `No matches found\n${gap(ONE, '"bad.docx"').slice(0, -1)}. 1 link left out]`,
    );
  });

  test('by three names on one line; long names are shortened', async () => {
    const w = workspace(unhurried);
    const long = `${'d'.repeat(90)}/${'e'.repeat(120)}.docx`;
    for (const name of ['a\nb.docx', 'cut.ipynb', long, 'z.docx']) w.write(name, bad);
    expect(textOf(await w.oriel.tool('grep').run({ pattern: 'absent', inside: true }))).toBe(
      `No matches found\n${gap(
        '4 documents, archives, members or tables were',
        `"a\\nb.docx", "cut.ipynb", "…${'e'.repeat(94)}.docx", …`,
      )}`,
    );
  });
});

describe('more containers than are counted, and a slow glob', () => {
  /** 140 alternatives that all nearly match. */
  const slow = `{z.zip,${Array.from({ length: 140 }, (_, i) => `*a*${i.toString(36)}q`).join(',')}}`;

  test('do not block other calls; one past 50,000 is found', { tags: 'slow' }, async () => {
    const w = workspace(unhurried);
    const name = 'a'.repeat(60);
    w.write(`${name}0.zip`, zip([{ name: 'x.txt', content: 'no' }]));
    for (let i = 1; i <= 50_000; i += 1) linkSync(join(w.W, `${name}0.zip`), join(w.W, `${name}${i}.zip`));
    w.write('z.zip', zip([{ name: 'x.txt', content: 'a needle' }]));
    const grep = async (glob?: string): Promise<string> =>
      textOf(await w.oriel.tool('grep').run({ pattern: 'a needle', inside: true, ...(glob && { glob }) }));
    for (const glob of ['z.zip', slow])
      expect(await withoutLag(() => grep(glob))).toBe('z.zip:x.txt:1: a needle');
    expect(await grep('a*')).toContain('more entries than are read');
  });
});
