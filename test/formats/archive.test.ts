import { readdir, readFile, stat } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { makePng } from '../support/images.ts';
import { packed } from '../support/packed.ts';
import { type Reader, reader } from '../support/reader.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { pax, tar } from '../support/tar.ts';
import { zip } from '../support/zip.ts';

const files = [
  { name: 'dir/x.ts', content: 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n' },
  { name: 'dir/sub/deep.txt', content: 'deep\n' },
  { name: 'ok.txt', content: 'fine\n' },
  { name: 'empty.txt', content: '' },
];

let oriel: Reader;

beforeEach(() => {
  oriel = reader();
  const all = tar([...files, { name: 'void/', flag: '5' }]);
  oriel.write('a.zip', zip([...files, { name: 'void/', method: 0 }]));
  oriel.write('a.tar', all);
  oriel.write('a.tar.gz', gzipSync(all));
  oriel.write('t.tar.xz', packed.xz.tar);
});

describe.each(['a.zip', 'a.tar', 'a.tar.gz'])('%s', (name) => {
  test('lists the immediate children of each directory, sorted', async () => {
    expect(await oriel.read(name)).toBe('dir/\nempty.txt\nok.txt (5 B)\nvoid/\n');
    expect(await oriel.read(`${name}:dir`)).toBe('sub/\nx.ts (45 B)\n');
    expect(await oriel.read(`${name}:dir/`)).toBe('sub/\nx.ts (45 B)\n');
    expect(await oriel.read(`${name}:/dir//./sub/`)).toBe('deep.txt (5 B)\n');
    expect(await oriel.read(`${name}:void`)).toBe('(empty directory)\n');
  });

  test('reads members with every selector', async () => {
    expect(await oriel.read(`${name}:dir/sub/deep.txt`)).toBe('1|deep\n');
    expect(await oriel.read(`${name}:dir/x.ts:5..6`)).toBe('5|five\n6|six\n');
    expect(await oriel.read(`${name}:dir/x.ts:5-5`)).toBe('4|four\n5|five\n6|six\n7|seven\n8|eight\n');
    expect(await oriel.read(`${name}:dir/x.ts:-2`)).toBe('8|eight\n9|nine\n');
    expect(await oriel.read(`${name}:dir/x.ts:2..2:raw`)).toBe('two\n');
    expect(await oriel.read(`${name}:dir/x.ts:@4+4`)).toBe(
      `2|two\n[Showing bytes 4-8 of 45 (lines 2-2). Use ${name}:dir/x.ts:@8+4 to continue]`,
    );
    expect(await oriel.read(`${name}:dir/x.ts:99`)).toBe(
      `[Line 99 is beyond the end of ${name}:dir/x.ts (9 lines). Use ${name}:dir/x.ts:9 for the end or ${name}:dir/x.ts:1 for the start]`,
    );
  });

  test('a selector that is none is answered with the path that works', async () => {
    expect(await oriel.read(`${name}:ok.txt:what`)).toMatch(
      new RegExp(`^BAD_SELECTOR: :what is not a selector of ${name}:ok\\.txt\\. `),
    );
    expect(await oriel.read(`${name}:dir:what`)).toBe(
      `BAD_SELECTOR: :what names nothing in ${name}:dir/. Use ${name}:dir/.`,
    );
  });

  test.each(['ok.txt', 'dir/'])('a wrong range of %s names the complete call', async (path) => {
    const { error } = await oriel.details(`${name}:${path}:9-2`);
    expect(error).toMatchObject({ code: 'BAD_SELECTOR', next: `${name}:${path}:2-9` });
  });

  test('gives details beside the text', async () => {
    const { meta, kind, totals } = await oriel.details(`${name}:ok.txt`);
    expect({ meta, kind, totals }).toEqual({
      meta: { format: name.slice(2), member: 'ok.txt', size: 5 },
      kind: 'archive',
      totals: { bytes: 5, lines: 1 },
    });
  });
});

test('500 entries are shown, and the notices lead to all', { tags: 'slow' }, async () => {
  const names = Array.from({ length: 1_203 }, (_, i) => `f${String(i).padStart(4, '0')}.txt`);
  oriel.write('many.zip', zip(names.map((name) => ({ name: `d/${name}`, content: 'x' }))));
  const seen: string[] = [];
  const calls: string[] = [];
  for (let use: string | undefined = 'many.zip:d'; use !== undefined;) {
    calls.push(use);
    const lines: string[] = (await oriel.read(use)).trimEnd().split('\n');
    use = /Use (\S+) to continue\]$/.exec(lines.at(-1) ?? '')?.[1];
    seen.push(...(use === undefined ? lines : lines.slice(0, -1)));
  }
  expect(calls).toEqual(['many.zip:d', 'many.zip:d/:501..', 'many.zip:d/:1001..']);
  expect(seen).toEqual(names.map((name) => `${name} (1 B)`));
});

test('reads archives in archives', async () => {
  const inner = gzipSync(tar([{ name: 'c.txt', content: 'in\nside\n' }]));
  const entries = [
    { name: 'b.tar.gz', content: inner, method: 0 },
    { name: 'n.txt.gz', content: gzipSync('packed\n') },
  ];
  oriel.write('outer.zip', zip(entries));
  expect(await oriel.read('outer.zip:b.tar.gz')).toBe('c.txt (8 B)\n');
  expect(await oriel.read('outer.zip:b.tar.gz:c.txt')).toBe('1|in\n2|side\n');
  expect(await oriel.read('outer.zip:b.tar.gz:c.txt:2..')).toBe('2|side\n');
  expect(await oriel.read('outer.zip:n.txt.gz')).toBe('1|packed\n');
  expect(await oriel.read('outer.zip:b.tar.gz:nope')).toBe(
    'NOT_FOUND: outer.zip:b.tar.gz has no entry nope. Use outer.zip:b.tar.gz to list it.',
  );
});

test('a single compressed file is read as its content', { tags: 'slow' }, async () => {
  oriel.write('notes.txt.gz', gzipSync('a\nb\nc\n'));
  oriel.write('notes.txt.bz2', packed.bz2.hello);
  oriel.write('notes.txt.xz', packed.xz.hello);
  oriel.write('notes.txt.zst', packed.zst.hello);
  oriel.write('hidden.gz', gzipSync(tar([{ name: 'in.txt', content: 'tar\n' }])));
  expect(await oriel.read('notes.txt.gz')).toBe('1|a\n2|b\n3|c\n');
  expect(await oriel.read('notes.txt.gz:2..2')).toBe('2|b\n');
  for (const ending of ['bz2', 'xz', 'zst']) {
    expect(await oriel.read(`notes.txt.${ending}`)).toBe('1|hello\n2|world\n');
  }
  expect(await oriel.read('hidden.gz')).toBe('in.txt (4 B)\n');
  expect(await oriel.read('hidden.gz:in.txt')).toBe('1|tar\n');
});

test('a compressed SVG is read as the SVG', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="5">\n<g/></svg>\n';
  oriel.write('a.svg', svg);
  oriel.write('a.svgz', gzipSync(svg));
  expect(await oriel.read('a.svgz')).toBe(await oriel.read('a.svg'));
  expect(await oriel.read('a.svgz:2..2')).toContain('2|<g/></svg>\n');
});

test('compressed tars of every kind', { tags: 'slow' }, async () => {
  for (const ending of ['bz2', 'xz', 'zst'] as const) {
    oriel.write(`t.tar.${ending}`, packed[ending].tar);
    expect(await oriel.read(`t.tar.${ending}`)).toBe('dir/\nok.txt (5 B)\n');
    expect(await oriel.read(`t.tar.${ending}:dir/a.txt`)).toBe('1|alpha\n2|beta\n');
  }
});

test('the content determines the format, not the name', async () => {
  oriel.write('really-tar.zip', tar([{ name: 'a', content: 'x' }]));
  oriel.write('really-zip.bin', zip([{ name: 'a', content: 'x' }]));
  oriel.write('no.zip', 'just text');
  oriel.write('none.tar', '');
  oriel.write('nothing.tar', Buffer.alloc(1024));
  oriel.write('nothing.zip', zip([]));
  expect(await oriel.read('really-tar.zip')).toBe('a (1 B)\n');
  expect(await oriel.read('really-zip.bin')).toBe('a (1 B)\n');
  expect(await oriel.read('no.zip')).toBe('1|just text\n[No newline at end of file]');
  expect(await oriel.read('none.tar')).toBe(
    'CORRUPT: none.tar cannot be read: the file is empty. Use a shell to look at it: file none.tar, or xxd none.tar | head -100.',
  );
  expect(await oriel.read('nothing.tar')).toBe('(empty archive)\n');
  expect(await oriel.read('nothing.zip')).toBe('(empty archive)\n');
});

test('zip documents are archives if a member is requested', async () => {
  oriel.write('book.epub', zip([{ name: 'OEBPS/ch1.html', content: '<p>hi</p>\n' }]));
  expect(await oriel.read('book.epub:/')).toBe('OEBPS/\n');
  expect(await oriel.read('book.epub:OEBPS/ch1.html')).toBe('1|<p>hi</p>\n');
});

test('a binary member gives a note with the next call', async () => {
  oriel.write('bin.zip', zip([{ name: 'b.bin', content: Buffer.from([0, 1, 2, 255]) }]));
  expect(await oriel.read('bin.zip:b.bin')).toBe(
    "[Cannot read binary archive entry 'b.bin' (NUL bytes, 4 B). Unpack it in a shell to look at it: file, xxd]",
  );
  expect(await oriel.read('bin.zip:b.bin:raw')).toMatch(/^\\x00/);
});

test('images and notebooks inside are shown as such', async () => {
  const notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [
      { id: 'a', cell_type: 'code', metadata: {}, execution_count: null, outputs: [], source: 'print(1)' },
    ],
  };
  const entries = [
    { name: 'pic.png', content: makePng(3, 2) },
    { name: 'n.ipynb', content: JSON.stringify(notebook) },
    { name: 'not.pdf', content: 'only text\n' },
  ];
  oriel.write('media.zip', zip(entries));
  oriel.write('media.tgz', gzipSync(tar(entries)));
  for (const name of ['media.zip', 'media.tgz']) {
    expect((await oriel.details(`${name}:pic.png`))['kind']).toBe('image');
    expect(await oriel.read(`${name}:pic.png:meta`)).toMatch(/^.*png.*3.*2/i);
    expect(await oriel.read(`${name}:n.ipynb`)).toMatch(/# %% \[code\] cell:0\n.*print\(1\)/);
    expect(await oriel.read(`${name}:n.ipynb:raw`)).toBe(JSON.stringify(notebook));
    expect(await oriel.read(`${name}:not.pdf`)).toBe('1|only text\n');
    expect((await oriel.details(`${name}:not.pdf`))['kind']).toBe('archive');
  }
});

test('a database inside is read as a database', { tags: 'slow' }, async () => {
  const bytes = await databaseBytes(
    'create table t (id integer primary key, name text)',
    "insert into t values (1, 'one'), (2, 'two')",
  );
  oriel.write('db.zip', zip([{ name: 'in/d.sqlite', content: bytes }]));
  oriel.write('d.sqlite.gz', gzipSync(bytes));
  for (const path of ['db.zip:in/d.sqlite', 'd.sqlite.gz']) {
    expect(await oriel.read(`${path}:t:2`)).toMatch(/two/);
    expect(await oriel.read(`${path}?q=select name from t where id = 1`)).toMatch(/one/);
  }
});

test('UTF-16 members and invalid UTF-8 are text', async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('wide\n', 'utf16le')]);
  oriel.write(
    'enc.zip',
    zip([
      { name: 'w', content: utf16 },
      { name: 'b', content: Buffer.from('a\xffb\n', 'latin1') },
    ]),
  );
  expect(await oriel.read('enc.zip:w')).toBe('1|wide\n');
  expect(await oriel.read('enc.zip:b')).toMatch(/^1\|a\ufffdb\n/);
});

test('encrypted members are marked and refused one by one', async () => {
  const entries = [
    { name: 'open.txt', content: 'yes\n' },
    { name: 'shut.txt', content: 'no', flags: 0x801 },
    { name: 'strong.txt', content: 'no', flags: 0x841 },
  ];
  oriel.write('enc2.zip', zip(entries));
  expect(await oriel.read('enc2.zip')).toBe(
    'open.txt (4 B)\nshut.txt (2 B, encrypted)\nstrong.txt (2 B, encrypted)\n',
  );
  expect(await oriel.read('enc2.zip:open.txt')).toBe('1|yes\n');
  for (const name of ['shut.txt', 'strong.txt']) {
    expect(await oriel.read(`enc2.zip:${name}`)).toBe(
      `ENCRYPTED: enc2.zip:${name} cannot be read: it is encrypted (7z or unzip unpacks it with its password). Use enc2.zip.`,
    );
  }
});

const RARE_METHODS = [
  { name: 'lzma.txt', method: 14, flags: 0x802, base64: 'GgIFAF0AEAAAADebiM524vTjZd79IVAZ4U/nlrx3///jg2AA' },
  { name: 'ppmd.txt', method: 98, flags: 0x800, base64: 'BwBvAil76LqDuaXFCMnF1w5uEYG0XvAA' },
];

test('members of rare compression are read, or refused by its name', async () => {
  const content = 'one two three\n'.repeat(20);
  const rare = RARE_METHODS.map(({ base64, ...entry }) => ({
    ...entry,
    content,
    packed: Buffer.from(base64, 'base64'),
  }));
  oriel.write('m.zip', zip([...rare, { name: 'd64.txt', method: 9, content }]));
  for (const { name } of rare) expect(await oriel.read(`m.zip:${name}:20..20`)).toBe('20|one two three\n');
  expect(await oriel.read('m.zip:d64.txt')).toBe(
    'UNSUPPORTED: m.zip:d64.txt cannot be read: it is compressed with Deflate64, which is not supported (7z unpacks it). Use m.zip.',
  );
});

test.each([
  ['Shift_JIS', '8e9197bf322e747874', '資料2.txt'],
  ['GBK', 'b2e2cad4cec4bcfe2e747874', '测试文件.txt'],
  ['EUC-KR', 'c7d1b1b9beee20b9aebcadc0d32e747874', '한국어 문서임.txt'],
  ['Big5', 'a4a4a4e5c0c9aed72e747874', '中文檔案.txt'],
])('names of a zip in %s are guessed, and can be typed', async (encoding, bytes, name) => {
  oriel.write('n.zip', zip([{ name: Buffer.from(bytes, 'hex'), flags: 0, content: 'in\n' }]));
  const listing = await oriel.read('n.zip');
  expect(listing).toContain(`${name} (3 B)`);
  expect(listing).toContain(`read as ${encoding}, which is a guess`);
  expect(await oriel.read(`n.zip:${name}`)).toBe('1|in\n');
});

test('accents of code page 437 are no East Asian names', async () => {
  const names = ['Gr\x94n M\x94bel', '\x9abersicht', 'fa\x87ade na\x8bve', 'Gr\x94\xe1e'];
  oriel.write('n.zip', zip(names.map((name) => ({ name: Buffer.from(name, 'latin1'), flags: 0 }))));
  expect(await oriel.read('n.zip')).toBe('Grön Möbel\nGröße\nfaçade naïve\nÜbersicht\n');
});

test('sparse files in a tar are read with their holes', async () => {
  const sparse = pax({
    'GNU.sparse.major': '1',
    'GNU.sparse.minor': '0',
    'GNU.sparse.name': 's.txt',
    'GNU.sparse.realsize': '1030',
  });
  const map = '2\n1024\n6\n1030\n0\n'.padEnd(512, '\0');
  const whole = tar([sparse, { name: 'GNUSparseFile.0/s.txt', content: `${map}hello\n` }, ...files]);
  oriel.write('s.tar', whole);
  oriel.write('s.tar.gz', gzipSync(whole));
  for (const name of ['s.tar', 's.tar.gz']) {
    expect(await oriel.read(`${name}:s.txt:@1024:raw`)).toMatch(/hello\n$/);
    expect(await oriel.read(`${name}:ok.txt`)).toBe('1|fine\n');
  }
});

test('links lead through directories', async () => {
  const entries = [
    { name: 'real/up.txt', flag: '2', link: '../top.txt' },
    { name: 'top.txt', content: 'top\n' },
    { name: 'short', flag: '2', link: 'real' },
  ];
  oriel.write('links.tar', tar(entries));
  expect(await oriel.read('links.tar:short')).toBe('up.txt -> ../top.txt\n');
  expect(await oriel.read('links.tar:short/up.txt')).toMatch(/^1\|top\n/);
});

test('long names of both kinds', async () => {
  const long = `${'directory/'.repeat(30)}name.txt`;
  const entries = [
    pax({ path: long, comment: 'é' }),
    { name: 'cut', content: 'pax\n' },
    { name: '././@LongLink', flag: 'L', content: `gnu/${long}\0` },
    { name: 'cut', content: 'gnu\n' },
  ];
  oriel.write('long.tar', tar(entries));
  expect(await oriel.read('long.tar')).toBe('directory/\ngnu/\n');
  expect(await oriel.read(`long.tar:${long}`)).toBe('1|pax\n');
  expect(await oriel.read(`long.tar:gnu/${long}`)).toBe('1|gnu\n');
});

test('reading changes nothing on disk and repeats its answer', { tags: 'slow' }, async () => {
  const before = await stat(oriel.folder);
  const names = (await readdir(oriel.folder)).sort();
  const bytes = await readFile(`${oriel.folder}/a.tar.gz`);
  for (const path of ['a.tar.gz', 'a.tar.gz:dir/x.ts', 'a.zip:dir', 't.tar.xz:ok.txt']) {
    expect(await oriel.read(path)).toBe(await oriel.read(path));
  }
  expect((await readdir(oriel.folder)).sort()).toEqual(names);
  expect((await stat(oriel.folder)).mtimeMs).toBe(before.mtimeMs);
  expect(await readFile(`${oriel.folder}/a.tar.gz`)).toEqual(bytes);
});

test('a changed archive is listed again', async () => {
  oriel.write('live.zip', zip([{ name: 'old', content: '1' }]));
  expect(await oriel.read('live.zip')).toBe('old (1 B)\n');
  oriel.write('live.zip', zip([{ name: 'newer', content: '12' }]));
  expect(await oriel.read('live.zip')).toBe('newer (2 B)\n');
});
