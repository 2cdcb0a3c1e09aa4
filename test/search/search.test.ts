import { execFileSync } from 'node:child_process';
import { appendFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { matchesStyle } from '../../src/dialects/pi.ts';
import { seedStyle } from '../../src/dialects/pi-read.ts';
import { search } from '../../src/search/search.ts';
import { createOriel } from '../../src/oriel.ts';
import { matchesAnswer } from '../../src/render/list-answers.ts';
import { searchRequest } from '../support/lists.ts';
import { Tree } from '../support/tree.ts';

let work: Tree;

beforeEach(async () => {
  work = await Tree.create();
});

afterEach(() => work.remove());

const grep = (input: object, options?: object): Promise<string> => work.text('grep', input, options);

describe('matches', () => {
  test('are lines with their numbers, sorted by path and line', { tags: 'slow' }, async () => {
    await work.write({ 'b.ts': 'x\n', 'a.ts': 'no\nx one\n\nx two\n', 'a/z.ts': 'x\n', 'a-b.ts': 'x' });
    expect(await grep({ pattern: 'x' })).toBe(
      'a/z.ts:1: x\na-b.ts:1: x\na.ts:2: x one\na.ts:4: x two\nb.ts:1: x',
    );
  });

  test('in one file, also one that is ignored or hidden', { tags: 'slow' }, async () => {
    await work.write({ '.gitignore': 'ignored.ts\n', 'ignored.ts': 'x\n', '.hidden.ts': 'x\n' });
    expect(await grep({ pattern: 'x' })).toBe('.hidden.ts:1: x');
    expect(await grep({ pattern: 'x', path: 'ignored.ts' })).toBe('ignored.ts:1: x');
  });

  test('a glob may begin with the directory that is searched', { tags: 'slow' }, async () => {
    await work.write({ 'src/a.ts': 'x\n', 'src/deep/b.test.ts': 'x\n', 'c.ts': 'x\n' });
    expect(await grep({ pattern: 'x', path: 'src', glob: 'src/**/*.ts' })).toBe(
      'src/a.ts:1: x\nsrc/deep/b.test.ts:1: x',
    );
    expect(await grep({ pattern: 'x', path: 'src', glob: '!src/deep/**' })).toBe('src/a.ts:1: x');
    expect(await work.text('find', { pattern: 'src/*.ts', path: 'src' })).toBe('src/a.ts');
  });

  test('below a folder, with paths as they can be read', { tags: 'slow' }, async () => {
    await work.write({ 'src/a.ts': 'x\n', 'src/deep/b.ts': 'x\n', 'c.ts': 'x\n' });
    expect(await grep({ pattern: 'x', path: 'src' })).toBe('src/a.ts:1: x\nsrc/deep/b.ts:1: x');
    expect(await grep({ pattern: 'x', path: join(work.path, 'src/deep') })).toBe('src/deep/b.ts:1: x');
    expect(await grep({ pattern: 'x', path: 'deep' }, { cwd: join(work.path, 'src') })).toBe(
      'deep/b.ts:1: x',
    );
    expect(await grep({ pattern: 'x', path: '../c.ts' }, { cwd: join(work.path, 'src') })).toBe(
      `${work.path}/c.ts:1: x`,
    );
  });

  test('nothing', { tags: 'slow' }, async () => {
    await work.write({ a: 'y\n' });
    expect(await work.answer('grep', { pattern: 'x' })).toEqual({
      content: [{ type: 'text', text: 'No matches found' }],
      details: { matches: 0 },
      isError: false,
    });
  });

  test('literal text, and ignoring case', { tags: 'slow' }, async () => {
    await work.write({ a: 'a.b\naXb\nA.B\n' });
    expect(await grep({ pattern: 'a.b', literal: true })).toBe('a:1: a.b');
    expect(await grep({ pattern: 'a.b', literal: true, ignoreCase: true })).toBe('a:1: a.b\na:3: A.B');
    expect(await grep({ pattern: '^a.b$' })).toBe('a:1: a.b\na:2: aXb');
  });

  test('whole words', { tags: 'slow' }, async () => {
    await work.write({ a: 'cat\nconcat\nthe cat.\na.b a.bc\n' });
    expect(await grep({ pattern: 'cat', word: true })).toBe('a:1: cat\na:3: the cat.');
    expect(await grep({ pattern: 'a.b', word: true, literal: true })).toBe('a:4: a.b a.bc');
  });

  test('$ matches before CRLF, and a lone CR ends no line', { tags: 'slow' }, async () => {
    await work.write({ a: 'one\r\ntwo one\rmore\r\nlast one' });
    expect(await grep({ pattern: 'one$' })).toContain('a:1: one\n');
    expect(await grep({ pattern: 'last' })).toBe('a:3: last one');
  });

  test('UTF-16 and marked texts have the line numbers of reads', { tags: 'slow' }, async () => {
    const text = 'first\nzwei Äpfel\n😀 Äpfel\n';
    const utf16 = Buffer.from(text, 'utf16le');
    await work.write({
      'bom.txt': `\ufeff${text}`,
      'utf16.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      'utf16be.txt': Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]),
      'unmarked.txt': utf16,
    });
    const found = ['bom.txt', 'utf16.txt', 'utf16be.txt'].map(
      (name) => `${name}:2: zwei Äpfel\n${name}:3: 😀 Äpfel`,
    );
    const unread =
      '[1 text is not UTF-8, in an encoding that is not known. Use read unmarked.txt:encoding=utf-16le to see it]';
    expect(await grep({ pattern: 'Äpfel$' })).toBe([...found, unread].join('\n'));
    const plain = Buffer.from('first\nsecond first\n', 'utf16le');
    await work.write({ 'unmarked.txt': plain });
    expect(await grep({ pattern: 'first$', path: 'unmarked.txt' })).toBe(
      'unmarked.txt:1: first\nunmarked.txt:2: second first',
    );
  });

  test('invalid bytes are shown as U+FFFD', { tags: 'slow' }, async () => {
    await work.write({ a: Buffer.from('ok\n\xff x\n', 'latin1') });
    expect(await grep({ pattern: 'x' })).toBe('a:2: \ufffd x');
  });

  test('control characters are shown as escapes', async () => {
    await work.write({ a: 'x \x1b[2J \u202e\n' });
    expect(await grep({ pattern: 'x' })).toBe('a:1: x \\x1b[2J \\u202e');
  });
});

describe('which files', () => {
  beforeEach(() =>
    work.write({
      '.gitignore': 'node_modules/\n*.log\n',
      '.git/HEAD': 'x\n',
      'a.ts': 'x\n',
      'b.js': 'x\n',
      'debug.log': 'x\n',
      'node_modules/m/index.js': 'x\n',
      'src/.gitignore': 'gen/\n',
      'src/c.ts': 'x\n',
      'src/gen/d.ts': 'x\n',
      'src/.env': 'x\n',
    }),
  );

  test('ignored files and .git are left out, hidden files searched', { tags: 'slow' }, async () => {
    expect(await grep({ pattern: '^x' })).toBe('a.ts:1: x\nb.js:1: x\nsrc/.env:1: x\nsrc/c.ts:1: x');
  });

  test('a glob narrows, and does not include ignored files', { tags: 'slow' }, async () => {
    expect(await grep({ pattern: 'x', glob: '*.ts' })).toBe('a.ts:1: x\nsrc/c.ts:1: x');
    expect(await grep({ pattern: 'x', glob: 'src/**' })).toBe('src/.env:1: x\nsrc/c.ts:1: x');
    expect(await grep({ pattern: '^x', glob: '**/*' })).toBe(await grep({ pattern: '^x' }));
    expect(await grep({ pattern: 'x', glob: '*.log' })).toContain('ignored files or directories left out.');
    expect(await grep({ pattern: 'x', glob: '*.{js,log}' })).toBe('b.js:1: x');
  });

  test('a subfolder obeys the ignore rules above it', { tags: 'slow' }, async () => {
    await work.write({ 'src/e.log': 'x\n' });
    expect(await grep({ pattern: '^x', path: 'src' })).toBe('src/.env:1: x\nsrc/c.ts:1: x');
  });

  test('ignore rules above a root are not read', { tags: 'slow' }, async () => {
    await writeFile(join(work.path, '..', '.gitignore'), '*\n');
    expect(await grep({ pattern: '^x', glob: 'a.ts' }, { roots: [work.path] })).toBe('a.ts:1: x');
    expect(await grep({ pattern: '^x', glob: 'a.ts' })).toBe('a.ts:1: x');
  });

  test('a glob of another tool that finds nothing is explained', async () => {
    expect(await grep({ pattern: 'x', glob: '+(a|b).ts' })).toBe(
      'No matches found\n[Extended globs like +(a|b) are read as plain text. Use {a,b}. No file matches the glob +(a|b).ts. 2 ignored files or directories left out. Use path=node_modules,src/gen to include them]',
    );
  });
});

test('the kept output of a command is searched by URL', { tags: 'slow' }, async () => {
  const oriel = createOriel({ cwd: work.path, roots: [work.path] });
  await oriel.tool('bash').run({ command: 'seq 1 100000' });
  const { content } = await oriel.tool('grep').run({ pattern: '^4242', path: 'artifact://1', limit: 2 });
  expect(content).toEqual([
    {
      type: 'text',
      text: 'artifact://1:4242: 4242\nartifact://1:42420: 42420\n[2 matches limit reached. Use offset=2 to continue, limit=4 for more, or refine pattern]',
    },
  ]);
  const missing = await oriel.tool('grep').run({ pattern: 'x', path: 'artifact://7' });
  expect(missing.details).toMatchObject({ error: { code: 'NOT_FOUND' } });
  const listed = await oriel.tool('ls').run({ path: 'artifact://1' });
  expect(listed.details).toMatchObject({ error: { code: 'NOT_DIRECTORY', next: '{"path":"."}' } });
  await oriel.close();
});

describe('limits', () => {
  test('a limit names the next call, the last page none', { tags: 'slow' }, async () => {
    await work.write({ a: 'x1\nx2\nx3\n' });
    expect(await work.answer('grep', { pattern: 'x', limit: 2 })).toEqual({
      content: [
        {
          type: 'text',
          text: 'a:1: x1\na:2: x2\n[2 matches limit reached. Use offset=2 to continue, limit=4 for more, or refine pattern]',
        },
      ],
      details: {
        matches: 2,
        truncation: { by: 'limit', next: { offset: 2 } },
        notices: [
          {
            kind: 'list',
            text: '2 matches limit reached. Use offset=2 to continue, limit=4 for more, or refine pattern',
          },
        ],
      },
      isError: false,
    });
    expect(await grep({ pattern: 'x', limit: 2, offset: 2 })).toBe('a:3: x3');
    expect(await grep({ pattern: 'x', limit: 3 })).toBe('a:1: x1\na:2: x2\na:3: x3');
  });

  test('an offset beyond the last match is explained', async () => {
    await work.write({ a: 'x\nx\n' });
    expect(await grep({ pattern: 'x', offset: 7 })).toBe(
      '[offset=7 is beyond the last of 2 matches. Use offset=0 to begin again]',
    );
    expect(await grep({ pattern: 'y', offset: 7 })).toBe('No matches found');
  });

  test('the byte limit truncates between lines and gives the counts', async () => {
    await work.write({ a: 'x2345678901234567890\n'.repeat(9) });
    const limits = { bytes: 100 };
    const shown = [1, 2, 3].map((no) => `a:${no}: x2345678901234567890\n`).join('');
    expect(await grep({ pattern: 'x' }, { limits })).toBe(
      `${shown}[100 B limit reached (3 of 9 matches shown). Use offset=3 to continue]`,
    );
    expect(await grep({ pattern: 'x', limit: 5, offset: 3 }, { limits })).toContain(
      '[100 B limit reached (3 of 5+ matches shown). Use offset=6 to continue]',
    );
  });

  test('context lines', { tags: 'slow' }, async () => {
    await work.write({ a: '1\n2\nx3\n4\n5\n6\n7\nx8\n', b: 'x\n' });
    expect(await grep({ pattern: 'x', context: 1 })).toBe(
      'a-2- 2\na:3: x3\na-4- 4\n--\na-7- 7\na:8: x8\n--\nb:1: x',
    );
    expect(await grep({ pattern: 'x', context: 1, limit: 1, offset: 1 })).toBe(
      'a-7- 7\na:8: x8\n[1 match limit reached. Use offset=2 to continue, limit=2 for more, or refine pattern]',
    );
  });

  test('lines before and after, each with its own number', { tags: 'slow' }, async () => {
    await work.write({ a: '1\n2\nx3\n4\n5\n6\n' });
    expect(await grep({ pattern: 'x', before: 1 })).toBe('a-2- 2\na:3: x3');
    expect(await grep({ pattern: 'x', after: 2 })).toBe('a:3: x3\na-4- 4\na-5- 5');
    expect(await grep({ pattern: 'x', context: 1, after: 0 })).toBe('a-2- 2\na:3: x3');
    expect(await grep({ pattern: 'x', context: 1, before: 2 })).toBe('a-1- 1\na-2- 2\na:3: x3\na-4- 4');
  });

  test.each([
    { limit: 0 },
    { limit: -1 },
    { limit: 1.5 },
    { offset: -1 },
    { context: -1 },
    { before: 201 },
    { after: -1 },
    { offset: 2 ** 40 },
  ])('%j is refused', async (input) => {
    expect(await work.answer('grep', { pattern: 'x', ...input })).toMatchObject({
      isError: true,
      details: { error: { code: 'BAD_INPUT' } },
    });
  });
});

describe('long lines', () => {
  test('are cut around the match; a named read shows all', { tags: 'slow' }, async () => {
    await work.write({ a: `${'-'.repeat(1000)}needle${'+'.repeat(1000)}\nneedle\n` });
    const text = await grep({ pattern: 'needle' });
    expect(text).toBe(
      `a:1: [truncated] ...${'-'.repeat(166)}needle${'+'.repeat(328)}... [truncated]\na:2: needle\n` +
        '[Some lines truncated to 500 chars. Use read a:1..1 to see the first of them in full]',
    );
    expect(await work.text('read', { path: 'a:1..1' })).toContain(`1|${'-'.repeat(1000)}needle`);
  });

  test('of exactly 500 characters are complete, whatever their bytes', { tags: 'slow' }, async () => {
    await work.write({ a: `${'😀'.repeat(499)}x\n${'😀'.repeat(500)}x\n` });
    expect(await grep({ pattern: 'x' })).toBe(
      `a:1: ${'😀'.repeat(499)}x\na:2: [truncated] ...${'😀'.repeat(499)}x\n` +
        '[Some lines truncated to 500 chars. Use read a:2..2 to see the first of them in full]',
    );
  });

  test('G06 match on a 64 MB line', { tags: 'slow' }, async () => {
    const oversized = Buffer.alloc(64 << 20, 'a');
    oversized.write('xq', 32 << 20);
    await work.write({ oversized });
    expect(await grep({ pattern: 'xq' })).toBe(
      `oversized:1: [truncated] ...${'a'.repeat(166)}xq${'a'.repeat(332)}... [truncated]\n` +
        '[Some lines truncated to 500 chars. Use read oversized:1..1 to see the first of them in full]',
    );
    oversized.fill('x');
    await work.write({ oversized });
    expect(await grep({ pattern: 'x' })).toContain(`oversized:1: ${'x'.repeat(500)}... [truncated]\n`);
  });

  test('G06 a line larger than memory, after others', { tags: 'slow' }, async () => {
    await work.write({ oversized: `${'needle\n'.repeat(5000)}${'x'.repeat(4096)}` });
    await truncate(join(work.path, 'oversized'), 600 << 20);
    await appendFile(join(work.path, 'oversized'), '\nneedle\n');
    expect(await grep({ pattern: 'needle', path: 'oversized', offset: 4998 })).toBe(
      'oversized:4999: needle\noversized:5000: needle\noversized:5002: needle',
    );
  });

  test('G06 in a folder, after lines larger than memory', async () => {
    await work.write({ 'b.txt': 'needle\n', 'a.txt': 'needle first\n' });
    await truncate(join(work.path, 'a.txt'), 600 << 20);
    await work.write({ 'c.txt': 'needle\n' });
    expect(await grep({ pattern: 'needle$' })).toBe('b.txt:1: needle\nc.txt:1: needle');
  });
});

describe('hostile input', () => {
  test('G01 ReDoS pattern', async () => {
    await work.write({ f: `${'a'.repeat(40)}!\n` });
    expect(await grep({ pattern: '^(a+)+$' })).toBe('No matches found');
    expect(await grep({ pattern: '(x+x+)+y' })).toBe('No matches found');
  });

  test('G03 invalid regex', { tags: 'slow' }, async () => {
    await work.write({ f: 'x\n' });
    const message =
      '[ is not a valid regular expression: unclosed character class at character 1. Escape special characters with a backslash, or search for plain text with literal=true.';
    expect(await work.answer('grep', { pattern: '[' })).toEqual({
      content: [{ type: 'text', text: message }],
      details: { error: { code: 'BAD_REGEX', message, next: '{"pattern":"[","literal":true}' } },
      isError: true,
    });
    for (const pattern of String.raw`a(b (?=a) \1 a{2,1} * \p{Nope} (?<n>a)(?<n>b)`.split(' '))
      for (const where of [{}, { path: 'f' }])
        expect((await work.answer('grep', { pattern, ...where })).details).toMatchObject({
          error: { code: 'BAD_REGEX' },
        });
  });

  test('G04 regex size bomb', { tags: 'slow' }, async () => {
    await work.write({ f: 'x\n' });
    for (const pattern of ['x{1000}{1000}{1000}', String.raw`(\w{500}){500}`]) {
      const { details } = await work.answer('grep', { pattern });
      expect(details).toMatchObject({ error: { code: 'BAD_REGEX' } });
    }
  });

  test('G08 symlink loop and symlink to outside in the tree', { tags: 'slow' }, async () => {
    await writeFile(join(work.outside, 'secret.txt'), 'TOPSECRET-OUTSIDE\n');
    await work.write({ a: 'TOPSECRET inside\n' });
    await symlink('.', join(work.path, 'self'));
    await symlink(work.outside, join(work.path, 'out'));
    await symlink(join(work.outside, 'secret.txt'), join(work.path, 'secret.txt'));
    for (const options of [{}, { roots: [work.path] }]) {
      expect(await grep({ pattern: 'TOPSECRET' }, options)).toBe('a:1: TOPSECRET inside');
    }
    for (const path of ['out', 'secret.txt', 'out/secret.txt', '../outside', work.outside]) {
      const { details } = await work.answer('grep', { pattern: 'TOPSECRET', path }, { roots: [work.path] });
      expect(details).toMatchObject({ error: { code: 'OUTSIDE_ROOT' } });
    }
  });

  test('G13 binaries name the call to read, damaged containers why', { tags: 'slow' }, async () => {
    await work.write({
      'a.zip': Buffer.from('PK\x03\x04\x14\0\0\0x', 'latin1'),
      'b.db': Buffer.from('SQLite format 3\0x', 'latin1'),
      'c.pdf': '%PDF-1.7\nx\n',
      'd.bin': Buffer.from([0, 1, 2, 0x78]),
    });
    expect(await work.answer('grep', { pattern: 'x', path: 'd.bin' })).toMatchObject({
      content: [{ text: 'd.bin is not plain text: binary files are not searched. Read it instead.' }],
      details: { error: { code: 'UNSUPPORTED', next: 'd.bin' } },
    });
    for (const path of ['a.zip', 'b.db', 'c.pdf']) {
      const { details } = await work.answer('grep', { pattern: 'x', path });
      expect(details).toMatchObject({ error: { code: 'CORRUPT' } });
    }
    for (const path of ['a.zip:dir/x.ts', 'b.db:table', 'https://example.com/x']) {
      const { details } = await work.answer('grep', { pattern: 'x', path });
      expect(details).toMatchObject({ error: { code: 'UNSUPPORTED', next: path } });
    }
    expect((await work.answer('grep', { pattern: 'x', path: 'c.pdf:1-5' })).details).toMatchObject({
      error: {
        code: 'UNSUPPORTED',
        message: 'c.pdf:1-5 has a selector: only whole files are searched. Use c.pdf.',
        next: '{"pattern":"x","path":"c.pdf"}',
      },
    });
    // In a folder they are passed over.
    expect(await grep({ pattern: 'SQLite|PK' })).toBe(
      'No matches found\n[1 binary file left out. 3 documents, notebooks, archives or databases were not searched. Use inside=true to search inside]',
    );
  });

  test('a FIFO is skipped in a tree, refused by name', { tags: 'slow' }, async () => {
    await work.write({ a: 'x\n' });
    execFileSync('mkfifo', [join(work.path, 'pipe')]);
    expect(await grep({ pattern: 'x' })).toBe('a:1: x');
    expect((await work.answer('grep', { pattern: 'x', path: 'pipe' })).details).toMatchObject({
      error: { code: 'NOT_REGULAR' },
    });
  });

  test('names cannot contain line breaks', async () => {
    await work.write({ 'n\nl\x1b[2J': 'x\n', '[1 matches limit reached. Use limit=2]': 'x\n' });
    expect(await grep({ pattern: 'x' })).toBe(
      `"[1 matches limit reached. Use limit=2]":1: x\nn\\nl\\x1b[2J:1: x\n[1 name cannot be typed. Use read ${pathToFileURL(`${work.path}/n\nl\x1b[2J`).href} for it]`,
    );
  });

  test('a name that is not UTF-8 has its URL', { tags: 'slow' }, async () => {
    await work.write({ a: 'x\n' });
    await writeFile(Buffer.concat([Buffer.from(`${work.path}/`), Buffer.from([0xff])]), 'x\n');
    expect(await grep({ pattern: 'x' })).toBe(
      `a:1: x\n\\xff:1: x\n[1 name cannot be typed. Use read file://${work.path}/%FF for it]`,
    );
  });

  test('a missing path fails, an empty one is none', async () => {
    expect((await work.answer('grep', { pattern: 'x', path: 'nope' })).details).toMatchObject({
      error: {
        code: 'NOT_FOUND',
        message: 'nope does not exist. Use . to list the working directory.',
        next: '{"pattern":"x","path":"."}',
      },
    });
    expect((await work.answer('grep', { pattern: 'x', path: '' })).details).toEqual(
      (await work.answer('grep', { pattern: 'x' })).details,
    );
  });

  test('an unsearchable path is explained like an unreadable one', async () => {
    await work.write({ 'src/app.ts': 'x\n' });
    await symlink('nowhere', join(work.path, 'broken'));
    await symlink('round', join(work.path, 'round'));
    for (const path of ['broken', 'round', 'sr/app.ts', 'src/ap.ts']) {
      const { error } = (await work.answer('grep', { pattern: 'x', path })).details;
      const read = (await work.answer('read', { path })).details['error'];
      expect(error).toMatchObject({ code: Object(read).code, message: Object(read).message });
    }
  });

  test('the same answer every time, however many threads find it', { tags: 'slow' }, async () => {
    const files = Array.from({ length: 300 }, (_, i) => [`d${i % 7}/f${i}.txt`, 'x\n'.repeat(i % 5)]);
    await work.write(Object.fromEntries(files) as Record<string, string>);
    const first = await grep({ pattern: 'x', limit: 40, offset: 13 });
    for (let i = 0; i < 4; i += 1) expect(await grep({ pattern: 'x', limit: 40, offset: 13 })).toBe(first);
  });
});

test('a timeout shows the matches so far, marked as incomplete', async () => {
  await work.write({ a: 'x\n' });
  const call = work.call({ deadline: performance.now() - 1000 });
  const result = await search({ ...searchRequest, path: 'a' }, call);
  expect(result).toMatchObject({ found: 0, gaps: { timedOut: true } });
  expect(matchesAnswer(result, searchRequest, call.limits, matchesStyle(seedStyle)).content).toEqual([
    {
      type: 'text',
      text: 'No matches found\n[The time limit was reached: more may follow. Narrow the path or the pattern]',
    },
  ]);
});

test('a call can be cancelled', async () => {
  await work.write({ a: 'x\n' });
  const oriel = createOriel({ cwd: work.path });
  const answer = await oriel.tool('grep').run({ pattern: 'x' }, { signal: AbortSignal.abort() });
  expect(answer).toMatchObject({ isError: true, details: { error: { code: 'CANCELLED' } } });
  await oriel.close();
});
