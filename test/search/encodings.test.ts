/**
 * Texts that are not UTF-8 are searched as they are read: in their declared encoding, otherwise by a confident guess.
 *
 * @module-tag slow
 */

import { describe, expect, test } from 'vitest';
import { place } from '../support/dialect.ts';
import { some } from '../support/properties.ts';

/** `値段` in Shift_JIS. */
const PRICE = Buffer.from('926c9269', 'hex');

/** In windows-1252. */
const FRENCH = Buffer.from(
  "// Vérifie que la clé existe déjà et crée le répertoire s'il n'est pas présent\n",
  'latin1',
);

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

const FILES: readonly (readonly [string, Uint8Array])[] = [
  ['a.xml', latin1('<?xml version="1.0" encoding="iso-8859-1"?>\n<p>d\u00e9j\u00e0</p>\n')],
  ['b.html', latin1('<!doctype html>\n<meta charset="iso-8859-1">\n<p>d\u00e9j\u00e0</p>\n')],
  ['c.py', latin1('# -*- coding: latin-1 -*-\nx = "d\u00e9j\u00e0"\n')],
  ['d.el', latin1(';; -*- mode: lisp; coding: latin-1 -*-\n; d\u00e9j\u00e0\n')],
  ['e.c', latin1('int d; // d\u00e9j\u00e0\n// vim: set fileencoding=latin1 :\n')],
  ['f.c', Buffer.concat([latin1('int a;\n'), FRENCH])],
  ['g.txt', Buffer.from('déjà\n')],
];

describe('below a directory', () => {
  test.each([
    ['the text of it', {}],
    ['without regard to case, which no sieve helps', { pattern: 'D\u00c9J\u00c0', ignoreCase: true }],
    ['over several lines', { multiline: true }],
  ])('%s', { tags: 'slow' }, async (_, more) => {
    const { write, call } = place('oriel');
    for (const [name, bytes] of FILES) write(`src/${name}`, bytes);
    for (let i = 0; i < 80; i += 1) write(`src/none${i}.txt`, 'nothing of it\n');
    const { text } = await call('grep', { pattern: 'déjà', ...more });
    expect(text).toBe(
      [
        'src/a.xml:2: <p>déjà</p>',
        'src/b.html:3: <p>déjà</p>',
        'src/c.py:2: x = "déjà"',
        'src/d.el:2: ; déjà',
        'src/e.c:1: int d; // déjà',
        "src/f.c:2: // Vérifie que la clé existe déjà et crée le répertoire s'il n'est pas présent",
        'src/g.txt:1: déjà',
        '[src/f.c was decoded from windows-1252, which is a guess]',
      ].join('\n'),
    );
  });

  test('counts of files, and sorting by time', { tags: 'slow' }, async () => {
    const { write, call } = place('oriel');
    for (const [name, bytes] of FILES) write(name, bytes);
    const names = FILES.map(([name]) => name);
    expect((await call('grep', { pattern: 'déjà', output: 'files' })).text.split('\n')).toEqual(names);
    const { text } = await call('grep', { pattern: 'déjà', sort: 'time' });
    for (const name of names) expect(text).toContain(`${name}:`);
  });

  test('a file too large to be sent by the walk', async () => {
    const { write, call } = place('oriel');
    const lines = Buffer.alloc(5 << 20, 'int a;\n');
    write(
      'large.py',
      Buffer.concat([latin1('# coding: latin-1\n'), lines, latin1('\nx = "d\u00e9j\u00e0"\n')]),
    );
    expect((await call('grep', { pattern: 'déjà' })).text).toMatch(/^large\.py:\d+: x = "déjà"$/);
  });
});

describe('a single file', () => {
  test('that declares its encoding', async () => {
    const { write, call } = place('oriel');
    write('c.py', Buffer.concat([latin1('# coding: shift_jis\n'), PRICE, latin1(' = 1\n')]));
    const { text } = await call('grep', { pattern: '値段', path: 'c.py', context: 1 });
    expect(text).toBe('c.py-1- # coding: shift_jis\nc.py:2: 値段 = 1');
  });

  test('whose encoding is guessed', async () => {
    const { write, call } = place('oriel');
    write('f.c', Buffer.concat([FRENCH, FRENCH]));
    const { text } = await call('grep', { pattern: 'clé', path: 'f.c', limit: 1 });
    expect(text.split('\n').at(-1)).toBe(
      '[f.c was decoded from windows-1252, which is a guess. 1 match limit reached. Use offset=1 to continue, limit=2 for more, or refine pattern]',
    );
  });

  test('long lines are shown from the start, whatever their bytes', async () => {
    const { write, call } = place('oriel');
    write('long.py', latin1(`# coding: latin-1\n"${'\u00e9'.repeat(2000)}x"\n`));
    const { text } = await call('grep', { pattern: 'éx', path: 'long.py' });
    expect(text).toContain(`long.py:2: "${'é'.repeat(499)}... [truncated]`);
  });
});

test('anchors and symbols are those of the decoded text', async () => {
  const { write, call } = place('oriel', { display: 'hashline' });
  write(
    'c.py',
    latin1('# -*- coding: latin-1 -*-\ndef cl\u00e9():\n    a = 1\n    return "d\u00e9j\u00e0"\n'),
  );
  const read = await call('read', { path: 'c.py' });
  const tag = /^¶c\.py#[0-9A-F]+$/m.exec(read.text)?.[0];
  // The first parse may take longer than a search waits for symbols; it continues.
  await expect
    .poll(async () => (await call('grep', { pattern: 'déjà' })).text)
    .toBe(`${String(tag)}\nin clé [L2-4]\n4:    return "déjà"`);
});

const BOM = Buffer.from('\ufeff');
const LONG = 'a line of text\n'.repeat(700);
const utf16 = (text: string): Uint8Array =>
  Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

const WITH_NULS: readonly (readonly [what: string, bytes: Uint8Array, isText: boolean])[] = [
  ['a NUL behind the first 4 KiB', Buffer.from(`${LONG}\0\nneedle\n`), true],
  ['a NUL behind 64 KiB', Buffer.from(`${LONG.repeat(8)}\0\nneedle\n`), true],
  ['a NUL behind 4 MiB', Buffer.from(`${LONG.repeat(500)}\0\nneedle\n`), true],
  ['a NUL near its start', Buffer.from('one\0\nneedle\n'), false],
  ['a NUL near its start, of a large file', Buffer.from(`one\0\n${LONG.repeat(500)}needle\n`), false],
  ['a mark of UTF-8, and a NUL', Buffer.concat([BOM, Buffer.from('one\0\nneedle\n')]), false],
  ['U+0000 in UTF-16', utf16('one\0\nneedle\n'), true],
  [
    'latin-1 with a NUL behind the first 4 KiB',
    latin1(`${FRENCH.toString('latin1')}${LONG}\0\nneedle\n`),
    true,
  ],
];

test.each(some(WITH_NULS, 4))(
  '%s: a search takes for text what read does',
  { tags: 'slow' },
  async (_, bytes, isText) => {
    const { write, call } = place('oriel');
    write('d/a.txt', bytes);
    for (let i = 0; i < 80; i += 1) write(`d/none${i}.txt`, 'nothing of it\n');
    const { text: read } = await call('read', { path: 'd/a.txt:1' });
    expect(!/is binary/.test(read)).toBe(isText);
    const found = expect.stringMatching(/d\/a\.txt:\d+: needle/);
    for (const more of [{}, { multiline: true }, { pattern: 'needl.' }]) {
      const { text: below } = await call('grep', { pattern: 'needle', path: 'd', ...more });
      expect(below).toEqual(isText ? found : expect.stringContaining('No matches'));
      const { text: named } = await call('grep', { pattern: 'needle', path: 'd/a.txt', ...more });
      expect(named).toEqual(isText ? found : expect.stringContaining('not plain text'));
    }
  },
);
