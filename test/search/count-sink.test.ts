import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databaseBytes } from '../support/sqlite.ts';
import { Tree } from '../support/tree.ts';
import { zip } from '../support/zip.ts';

let work: Tree;

beforeEach(async () => {
  work = await Tree.create();
});

afterEach(() => work.remove());

const grep = (input: object, options?: object): Promise<string> => work.text('grep', input, options);

describe('output: files and count', () => {
  test('lists sorted paths, with or without counts of matching lines', { tags: 'slow' }, async () => {
    await work.write({ 'b.ts': 'x\nx x\nno\n', 'a/z.ts': 'x\n', 'c.ts': 'no\n' });
    expect(await work.answer('grep', { pattern: 'x', output: 'files' })).toEqual({
      content: [{ type: 'text', text: 'a/z.ts\nb.ts' }],
      details: { files: 2 },
      isError: false,
    });
    expect(await grep({ pattern: 'x', output: 'count' })).toBe('a/z.ts: 1\nb.ts: 2');
    expect(await grep({ pattern: 'x', output: 'matches' })).toBe('a/z.ts:1: x\nb.ts:1: x\nb.ts:2: x x');
  });

  test('counts one file', async () => {
    await work.write({ 'b.ts': 'x\nx\n' });
    expect(await grep({ pattern: 'x', path: 'b.ts', output: 'files' })).toBe('b.ts');
    expect(await grep({ pattern: 'x', path: 'b.ts', output: 'count' })).toBe('b.ts: 2');
  });

  test('an answer without matches reads as in the other modes', async () => {
    await work.write({ a: 'y\n' });
    expect(await grep({ pattern: 'x', output: 'count' })).toBe('No matches found');
    expect(await grep({ pattern: 'x', output: 'files', glob: '+(a|b)' })).toBe(
      'No matches found\n[Extended globs like +(a|b) are read as plain text. Use {a,b}. No file matches the glob +(a|b)]',
    );
  });

  test('limit counts files; an offset past the end is explained', async () => {
    await work.write({ a: 'x\nx\n', b: 'x\n', c: 'x\n' });
    expect(await work.answer('grep', { pattern: 'x', output: 'count', limit: 2 })).toMatchObject({
      content: [
        {
          text: 'a: 2\nb: 1\n[2 files limit reached. Use offset=2 to continue, limit=4 for more, or refine pattern]',
        },
      ],
      details: { files: 2, truncation: { by: 'limit', next: { offset: 2 } } },
    });
    expect(await grep({ pattern: 'x', output: 'count', limit: 2, offset: 2 })).toBe('c: 1');
    expect(await grep({ pattern: 'x', output: 'files', offset: 3 })).toBe(
      '[offset=3 is beyond the last of 3 files. Use offset=0 to begin again]',
    );
  });

  test('names that look like a notice, hidden characters and colons', async () => {
    await work.write({ '[2 files limit reached.]': 'x\n', 'a:12: b': 'x\n', 'a\u202eb': 'x\n' });
    expect(await grep({ pattern: 'x', output: 'count' })).toBe(
      `"[2 files limit reached.]": 1\na:12: b: 1\na\\u202eb (read file://${work.path}/a%E2%80%AEb): 1`,
    );
  });

  test('inside containers: members, and tables with all rows', { tags: 'slow' }, async () => {
    const rows = Array.from({ length: 1200 }, (_, i) => `INSERT INTO users VALUES (${i + 1}, 'ada ${i}');`);
    await work.write({
      'a.zip': zip([
        { name: 'one.txt', content: 'ada\nada\n' },
        { name: 'two.txt', content: 'ada\n' },
        { name: 'three.txt', content: 'no\n' },
      ]),
      'b.db': await databaseBytes('CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT)', ...rows),
      'c.txt': 'ada\n',
    });
    expect(await grep({ pattern: 'ada', path: 'a.zip', output: 'count' })).toBe(
      'a.zip:one.txt: 2\na.zip:two.txt: 1',
    );
    expect(await grep({ pattern: 'ada', path: 'b.db', output: 'count' })).toBe('b.db:users: 1200');
    expect(await grep({ pattern: 'ada', output: 'files', inside: true })).toBe(
      'c.txt\na.zip:one.txt\na.zip:two.txt\nb.db:users',
    );
  });
});

describe('type', () => {
  test('filters by ripgrep file types, combined with a glob', { tags: 'slow' }, async () => {
    await work.write({
      'a.ts': 'x\n',
      'b.py': 'x\n',
      Makefile: 'x\n',
      'src/c.ts': 'x\n',
      'src/d.cts': 'x\n',
    });
    expect(await grep({ pattern: 'x', type: 'ts' })).toBe('a.ts:1: x\nsrc/c.ts:1: x\nsrc/d.cts:1: x');
    expect(await grep({ pattern: 'x', type: 'make', output: 'files' })).toBe('Makefile');
    expect(await grep({ pattern: 'x', type: 'ts', glob: 'src/*.ts' })).toBe('src/c.ts:1: x');
    expect(await grep({ pattern: 'x', type: 'ts', path: 'b.py' })).toBe('b.py:1: x');
  });

  test('an unknown type is answered with similar ones', async () => {
    await work.write({ a: 'x\n' });
    expect(await work.answer('grep', { pattern: 'x', type: 'tsx' })).toMatchObject({
      content: [{ text: 'tsx is not a file type of ripgrep. Use type=ts or type=typescript or glob=*.tsx.' }],
      details: { error: { code: 'BAD_INPUT', next: '{"pattern":"x","type":"ts"}' } },
      isError: true,
    });
    const named = {
      javascript: 'js',
      golang: 'go',
      'C++': 'cpp',
      shell: 'sh',
      python3: 'py',
      'c#': 'csharp',
    };
    for (const [type, known] of Object.entries(named))
      expect(await grep({ pattern: 'x', type })).toBe(
        `${type} is not a file type of ripgrep. Use type=${known}.`,
      );
    expect(await grep({ pattern: 'x', type: '--pre=sh' })).toBe(
      '--pre=sh is not a file type of ripgrep. Use glob.',
    );
  });
});
