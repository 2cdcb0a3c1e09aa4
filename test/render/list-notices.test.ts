import { expect, test } from 'vitest';
import {
  fieldsOf,
  type ListNotice,
  listWording,
  sayTogether,
  shownName,
} from '../../src/render/list-notices.ts';
import type { PassedOver, SearchHint } from '../../src/types/result.ts';

test('every sentence, as it is', () => {
  const say = (...notices: Parameters<typeof sayTogether>[0]): string => sayTogether(notices, listWording);
  expect(say({ kind: 'limit', of: 'matches', limit: 100, next: 100 })).toBe(
    '100 matches limit reached. Use offset=100 to continue, limit=200 for more, or refine pattern',
  );
  expect(say({ kind: 'limit', of: 'results', limit: 1000, next: 3000 })).toBe(
    '1000 results limit reached. Use offset=3000 to continue, limit=2000 for more, or refine pattern',
  );
  expect(say({ kind: 'limit', of: 'entries', limit: 500, next: 500 })).toBe(
    '500 entries limit reached. Use offset=500 to continue, limit=1000 for more',
  );
  const budget = { kind: 'budget', by: 'bytes', budget: 51_200, shown: 50, found: 100, next: 150 } as const;
  expect(say({ ...budget, of: 'matches', more: true })).toBe(
    '50 KiB limit reached (50 of 100+ matches shown). Use offset=150 to continue',
  );
  expect(say({ ...budget, of: 'matches', more: false })).toBe(
    '50 KiB limit reached (50 of 100 matches shown). Use offset=150 to continue',
  );
  expect(say({ ...budget, of: 'results', more: true })).toBe(
    '50 KiB limit reached. Use offset=150 to continue',
  );
  expect(say({ ...budget, of: 'entries', by: 'tokens', budget: 900, more: true })).toBe(
    '900 token limit reached. Use offset=150 to continue',
  );
  expect(say({ kind: 'clipped', characters: 500, use: 'a.js:1..1' })).toBe(
    'Some lines truncated to 500 chars. Use read a.js:1..1 to see the first of them in full',
  );
  expect(say({ kind: 'clipped', characters: 500 })).toBe(
    'Some lines truncated to 500 chars. Use read to see full lines',
  );
  expect(say({ kind: 'beyond', of: 'results', offset: 9, total: 3 })).toBe(
    'offset=9 is beyond the last of 3 results. Use offset=0 to begin again',
  );
  expect(say({ kind: 'timed-out' }, { kind: 'denied' }, { kind: 'too-deep' }, { kind: 'too-many' })).toBe(
    'The time limit was reached: more may follow. Narrow the path or the pattern. ' +
      'Some files or directories could not be read (permission denied). ' +
      'Directories whose paths are longer than 4096 bytes were left out. ' +
      'The directory has more entries than are read: some were left out',
  );
  expect(say({ kind: 'untypable', count: 2, use: 'file:///a%0Ab' })).toBe(
    '2 names cannot be typed. Use read file:///a%0Ab for the first of them',
  );
  expect(say()).toBe('');
});

test('a name is one line and none of our sentences', () => {
  expect(shownName('a\nb\t\x1b')).toBe('a\\nb\\t\\x1b');
  expect(shownName('[slug]')).toBe('[slug]');
  expect(shownName('[500 entries limit reached. Use limit=1000 for more]')).toBe(
    '"[500 entries limit reached. Use limit=1000 for more]"',
  );
});

test.each<[Parameters<typeof sayTogether>[0][number], string]>([
  [
    { kind: 'limit', of: 'matches', limit: 1, next: 7 },
    '1 match limit reached. Use offset=7 to continue, limit=2 for more, or refine pattern',
  ],
  [
    { kind: 'limit', of: 'files', limit: 1, next: 7 },
    '1 file limit reached. Use offset=7 to continue, limit=2 for more, or refine pattern',
  ],
  [
    { kind: 'limit', of: 'entries', limit: 1, next: 7 },
    '1 entry limit reached. Use offset=7 to continue, limit=2 for more',
  ],
  [
    { kind: 'beyond', of: 'results', offset: 9, total: 1 },
    'offset=9 is beyond the last of 1 result. Use offset=0 to begin again',
  ],
  [{ kind: 'failed' }, 'Some files or directories could not be read (input/output error)'],
  [
    { kind: 'rules', count: 1 },
    '1 ignore file not used: unreadable, larger than 1 MiB, or not a regular file',
  ],
  [
    { kind: 'passed', reason: 'container', count: 1, call: { inside: true }, pattern: '' },
    '1 document, notebook, archive or database was not searched. Use inside=true to search inside',
  ],
  [
    { kind: 'passed', reason: 'container', count: 2, call: { inside: true }, pattern: '' },
    '2 documents, notebooks, archives or databases were not searched. Use inside=true to search inside',
  ],
  ...(
    [
      [
        { reason: 'ignored', count: 1, call: { path: 'dist' } },
        '1 ignored file or directory left out. Use path=dist to include it',
      ],
      [
        { reason: 'ignored', count: 2, call: { path: 'a,b' } },
        '2 ignored files or directories left out. Use path=a,b to include them',
      ],
      [
        { reason: 'ignored', count: 4, call: { path: 'a,b' } },
        '4 ignored files or directories left out. Use path=a,b to include the first of them',
      ],
      [
        { reason: 'ignored', count: 2, use: '.env' },
        '2 ignored files or directories left out. Use read .env to see the first of them',
      ],
      [{ reason: 'link', count: 1 }, '1 link left out'],
      [{ reason: 'private', count: 1 }, '1 private file or directory left out'],
      [{ reason: 'private', count: 2 }, '2 private files or directories left out'],
      [{ reason: 'undecoded', count: 1 }, '1 text is not UTF-8, in an encoding that is not known'],
      [{ reason: 'special', count: 2 }, '2 pipes, sockets or devices left out'],
      [{ reason: 'binary', count: 2 }, '2 binary files left out'],
      [
        { reason: 'garbled', count: 1, use: 'a.js:raw' },
        '1 text left out: NUL bytes, as in binary files. Use read a.js:raw to see it',
      ],
      [
        { reason: 'undecoded', count: 2, use: 'a.txt' },
        '2 texts are not UTF-8, in an encoding that is not known. Use read a.txt to see the first of them',
      ],
      [
        { reason: 'directory', count: 1, call: { glob: 'src/**' } },
        'src is a directory. Use src/** for the files below it',
      ],
      [{ reason: 'glob', count: 3 }, 'No file matches the glob g|h'],
      [
        { reason: 'glob', count: 3, call: { glob: '{g,h}' } },
        'Alternatives are written as {a,b}. Use glob={g,h}',
      ],
      [{ reason: 'type', count: 3 }, 'None of 3 files is of the type'],
      [{ reason: 'type', count: 1 }, 'The only file is not of the type'],
    ] satisfies [PassedOver, string][]
  ).map(([one, sentence]): [ListNotice, string] => [{ kind: 'passed', pattern: 'g|h', ...one }, sentence]),
  [{ kind: 'best', use: 'a.ts:#b\n' }, 'Use read a.ts:#b\\n for the best ones'],
  [
    { kind: 'unparsed', count: 2 },
    '2 code files not parsed before the time limit. Make the same call again to parse them: the answer and its order may change',
  ],
  [
    { kind: 'unknown', count: 2 },
    'Of 2 code files not all symbols are known: too large, too many symbols, or unreadable. Use grep to search them too',
  ],
  [
    { kind: 'cut', count: 2 },
    '2 texts searched in part: too large, damaged, cut off, or a BLOB. Read the document, its pages, cells or rows, or the member for the rest',
  ],
  [
    { kind: 'changed', count: 1 },
    '1 file changed during the search: lines may be missing, or from two versions. Call again',
  ],
  [
    { kind: 'unread', count: 1, names: [] },
    '1 document, archive, member or table was not searched: damaged, encrypted, or over a limit',
  ],
  [
    { kind: 'unread', count: 1, names: ['a.gz'], full: true },
    '1 document, archive, member or table was not searched ("a.gz"): the disk for temporary files is full',
  ],
  [
    { kind: 'unread', count: 2, names: ['a.gz', 'b.gz'], full: true },
    '2 documents, archives, members or tables were not searched ("a.gz", "b.gz"): damaged, encrypted, over a limit, or the disk for temporary files is full',
  ],
  [
    { kind: 'unread', count: 2, names: ['a.zip', 'b\n.zip'] },
    '2 documents, archives, members or tables were not searched ("a.zip", "b\\n.zip"): damaged, encrypted, or over a limit',
  ],
  [
    { kind: 'unread', count: 3, names: ['x'.repeat(100), `y${'x'.repeat(100)}`] },
    `3 documents, archives, members or tables were not searched ("${'x'.repeat(100)}", "…${'x'.repeat(99)}", …): damaged, encrypted, or over a limit`,
  ],
  [
    { kind: 'nested', count: 1, names: ['a.zip:b.zip'], use: 'a.zip:b.zip' },
    '1 archive or database inside an archive was not searched ("a.zip:b.zip"). Use read a.zip:b.zip to list it, then read what it holds',
  ],
  [
    { kind: 'nested', count: 2, names: ['a.zip:b.zip', 'a.zip:c.db'], use: 'a.zip:b.zip' },
    '2 archives or databases inside archives were not searched ("a.zip:b.zip", "a.zip:c.db"). Use read a.zip:b.zip to list the first of them, then read what it holds',
  ],
  [
    { kind: 'nested', count: 1, names: ['a.zip:b.zip'] },
    '1 archive or database inside an archive was not searched ("a.zip:b.zip")',
  ],
  [
    { kind: 'untypable', count: 1, use: 'file:///a%0A' },
    '1 name cannot be typed. Use read file:///a%0A for it',
  ],
  [
    { kind: 'scanned', count: 2 },
    '2 pages without text not searched: empty, or scanned. Read a page as :p1:image to see it',
  ],
  [
    { kind: 'large', count: 1 },
    '1 text over 16 MiB not searched over several lines. Use multiline=false for those',
  ],
  [
    { kind: 'guessed', count: 1, path: 'a\t.txt', encoding: 'gbk' },
    'a\\t.txt was decoded from gbk, which is a guess',
  ],
  [
    { kind: 'guessed', count: 2, path: 'a\t.txt', encoding: 'gbk' },
    '2 files were decoded with a guessed encoding (a\\t.txt from gbk)',
  ],
  [
    { kind: 'broken', code: 'BUSY' },
    'BUSY: the search ended before it was complete, so these results are partial. Make the same call again',
  ],
  [
    { kind: 'broken', code: 'LIMIT' },
    'LIMIT: the search ended before it was complete, so these results are partial. Narrow the path or the pattern',
  ],
])('%j', (notice, sentence) => {
  expect(sayTogether([notice], listWording)).toBe(sentence);
});

/** What was looked for, the sentence of its hint, and the fields of the call that it names. */
test.each<[SearchHint, string, string, object | undefined]>([
  ['extended-glob', '+(a)', 'Extended globs like +(a|b) are read as plain text. Use {a,b}', undefined],
  ['brace-range', '{1..9}', 'Ranges like {1..9} are read as plain text. Use [1-9] or {1,2}', undefined],
  [
    'backslash',
    'src\\\\a\\b',
    'A character after a backslash is plain text. Use pattern src/a/b for names in a directory',
    { pattern: 'src/a/b' },
  ],
  [
    'backslash',
    'src\\a.ts',
    'A character after a backslash is plain text. Use pattern src/a.ts for names in a directory',
    { pattern: 'src/a.ts' },
  ],
  [
    'backslash',
    '^src.*\\.tsx$',
    'find takes a glob, not a regular expression. Use pattern src*.tsx',
    { pattern: 'src*.tsx' },
  ],
  [
    'words',
    'read a file',
    'Code is found by words with symbol. Use symbol "read a file" for code about these words',
    { symbol: 'read a file' },
  ],
  [
    { kind: 'escaped-operators' },
    'a\\|',
    'After a backslash | ( ) { } + ? are plain characters here; without it they are operators.',
    undefined,
  ],
  [
    { kind: 'escaped-operators', pattern: 'a|b' },
    'a\\|b',
    'After a backslash | ( ) { } + ? are plain characters here; without it they are operators. Use pattern a|b',
    { pattern: 'a|b' },
  ],
  [{ kind: 'near', pattern: 'b.ts', others: [] }, 'a.ts', 'Did you mean b.ts?', { pattern: 'b.ts' }],
  [
    { kind: 'near', pattern: 'b.ts', others: ['c\n.ts', 'd.ts'] },
    'a.ts',
    'Did you mean b.ts, c\\n.ts or d.ts?',
    { pattern: 'b.ts' },
  ],
  [{ kind: 'empty-group', pattern: 'a' }, 'a()', '() is a group of nothing. Use pattern a', { pattern: 'a' }],
  [
    { kind: 'elsewhere', field: 'glob', path: '../lib', glob: '*.ts' },
    '../lib/*.ts',
    'The glob leads out of the searched directory. Use path=../lib with glob *.ts',
    { path: '../lib', glob: '*.ts' },
  ],
  [
    'backslash',
    '.*\\.tsx',
    'find takes a glob, not a regular expression. Use pattern *.tsx',
    { pattern: '*.tsx' },
  ],
  [
    'backslash',
    'a.+\\(b\\)$',
    'find takes a glob, not a regular expression. Use pattern a*(b)',
    { pattern: 'a*(b)' },
  ],
  [{ kind: 'slashes', ignoreCase: true }, '/(/i', 'Slashes around a pattern are part of it.', undefined],
  [
    { kind: 'slashes', pattern: 'a', ignoreCase: true },
    '/a/i',
    'Slashes around a pattern are part of it. Use pattern a with ignoreCase=true',
    { pattern: 'a', ignoreCase: true },
  ],
  [
    { kind: 'slashes', pattern: 'a', ignoreCase: false },
    '/a/',
    'Slashes around a pattern are part of it. Use pattern a',
    { pattern: 'a' },
  ],
])('%j of %j', (hint, pattern, sentence, fields) => {
  expect(sayTogether([{ kind: 'hint', hint, pattern }], listWording)).toBe(sentence);
  expect(fieldsOf({ kind: 'hint', hint, pattern })).toEqual(fields);
});

test('only brackets with a blank could be our sentences', () => {
  expect([shownName('[a b] c'), shownName('c [a b]'), shownName('[ab]')]).toEqual([
    '[a b] c',
    'c [a b]',
    '[ab]',
  ]);
});

test('no notice is longer than 1 KiB, whatever it names', () => {
  const best = (use: string): string => sayTogether([{ kind: 'best', use }], listWording);
  const path = 'a/'.repeat(3_000);
  expect(Buffer.byteLength(best(path))).toBeLessThanOrEqual(1022);
  expect(best(path).endsWith('a/ for the best ones')).toBe(true);
  // But a call that can be made stands whole.
  expect(best(path.slice(0, 4_000))).toContain(path.slice(0, 4_000));
});

test('a question among notices ends without a full stop', () => {
  const near = {
    kind: 'hint',
    hint: { kind: 'near', pattern: 'a.ts', others: [] },
    pattern: 'b.ts',
  } as const;
  const [question, skipped] = [near, { kind: 'unparsed', count: 1 } as const];
  const [first, second] = [sayTogether([question], listWording), sayTogether([skipped], listWording)];
  expect(first).toMatch(/[^.]\?$/);
  expect(sayTogether([question, skipped, question], listWording)).toBe(`${first} ${second}. ${first}`);
});
