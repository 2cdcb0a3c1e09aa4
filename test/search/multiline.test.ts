import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { matchSpans } from '../../src/search/whole-text-input.ts';
import { place } from '../support/dialect.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { Tree } from '../support/tree.ts';
import { zip } from '../support/zip.ts';

let work: Tree;

beforeEach(async () => {
  work = await Tree.create();
});

afterEach(() => work.remove());

const raw = String.raw;
const grep = (input: object, options?: object): Promise<string> =>
  work.text('grep', { multiline: true, ...input }, options);

test('records are read from any chunks', async () => {
  const output = Buffer.from('0:a:b\x0012:\x00345:x\ny\x00');
  for (let size = 1; size <= output.length; size += 1) {
    const found: unknown[] = [];
    async function* chunks(): AsyncGenerator<Buffer> {
      for (let at = 0; at < output.length; at += size) yield output.subarray(at, at + size);
    }
    for await (const batch of matchSpans(chunks())) found.push(...batch);
    expect(found).toEqual([
      { from: 0, to: 3 },
      { from: 12, to: 12 },
      { from: 345, to: 348 },
    ]);
  }
});

describe('matches over several lines', () => {
  const code = 'class A {\n  b() {\n    c();\n  }\n}\n';

  test('show all of their lines, for every file separately', { tags: 'slow' }, async () => {
    await work.write({ 'a.txt': code, 'b.txt': `x\n${code}`, 'c.txt': '  b() {\n', 'd.txt': 'class A {\n' });
    const lines = (name: string, no: number): string =>
      `${name}:${no}: class A {\n${name}:${no + 1}:   b() {`;
    expect(await grep({ pattern: raw`A \{\s+b` })).toBe(`${lines('a.txt', 1)}\n${lines('b.txt', 2)}`);
    expect(await grep({ pattern: 'A {\n  b', literal: true, path: 'a.txt' })).toBe(lines('a.txt', 1));
    // Not from one file into the next.
    expect(await grep({ pattern: raw`(?s)class A.*c\(\)` })).not.toContain('d.txt');
    expect(await grep({ pattern: raw`b\(\) \{\nclass` })).toBe('No matches found');
  });

  test('. needs (?s) for line breaks; ^ and $ match at lines', async () => {
    await work.write({ a: 'one\r\ntwo\r\nthree\r\n' });
    expect(await grep({ pattern: 'one.*two' })).toBe('No matches found');
    expect(await grep({ pattern: '(?s)one.*two' })).toBe('a:1: one\na:2: two');
    expect(await grep({ pattern: '^two$' })).toBe('a:2: two');
    expect(await grep({ pattern: raw`\Aone` })).toBe('a:1: one');
  });

  test.each([1, 5])(
    '%i long context lines are shown below many others',
    { tags: 'slow' },
    async (context) => {
      // A line of 700 KiB, and 3 MiB of short lines before these.
      const long = 'y'.repeat(700 << 10);
      const lines = [
        ...Array.from({ length: 400_000 }, (_, i) => `l${i % 10}xxxxx`),
        long,
        long,
        long,
        'aa',
        'bb',
      ];
      await work.write({ 'f.txt': `${lines.join('\n')}\n` });
      const answer = await grep({ pattern: raw`aa\nbb`, context });
      const numbersOf = (text: string): number[] =>
        [...text.matchAll(/^f\.txt[:-](\d+)[:-]/gm)].map(([, no]) => Number(no));
      const first = 400_004 - context;
      expect(numbersOf(answer)).toEqual(Array.from({ length: context + 2 }, (_, i) => first + i));
      // The same lines as of a match in one line.
      expect(numbersOf(await work.text('grep', { pattern: 'aa', context }))).toEqual(
        Array.from({ length: context + 2 }, (_, i) => first + i),
      );
    },
  );

  test('context surrounds the whole match, and adjacent matches share lines', async () => {
    await work.write({ 'a.txt': code, 'b.txt': '1\n2\nx\ny x\ny\n6\n7\n8\nx\ny\n' });
    expect(await grep({ pattern: raw`b\(\) \{\n.*c`, context: 1, path: 'a.txt' })).toBe(
      'a.txt-1- class A {\na.txt:2:   b() {\na.txt:3:     c();\na.txt-4-   }',
    );
    expect(await grep({ pattern: raw`x\ny`, before: 1, after: 1, path: 'b.txt' })).toBe(
      'b.txt-2- 2\nb.txt:3: x\nb.txt:4: y x\nb.txt:5: y\nb.txt-6- 6\n--\nb.txt-8- 8\nb.txt:9: x\nb.txt:10: y',
    );
  });

  test('are counted by their lines', { tags: 'slow' }, async () => {
    await work.write({ 'a.txt': code, 'b.txt': 'no\n' });
    expect(await grep({ pattern: raw`A \{\s+b`, output: 'count' })).toBe('a.txt: 2');
    expect(await grep({ pattern: raw`A \{\s+b`, output: 'files' })).toBe('a.txt');
  });

  test('inside members and rows', { tags: 'slow' }, async () => {
    await work.write({
      'a.zip': zip([{ name: 'x.txt', content: code }]),
      'b.db': await databaseBytes('CREATE TABLE t (a TEXT)', "INSERT INTO t VALUES ('one'), ('two')"),
    });
    expect(await grep({ pattern: raw`A \{\s+b`, path: 'a.zip' })).toBe(
      'a.zip:x.txt:1: class A {\na.zip:x.txt:2:   b() {',
    );
    expect(await grep({ pattern: raw`one.*\s.*two`, path: 'b.db', output: 'count' })).toBe('b.db:t: 2');
  });

  test('in UTF-16, and after a byte order mark', async () => {
    await work.write({
      'utf8.txt': '\ufeffä\nö\n',
      'utf16.txt': Buffer.from('\ufeffä\nö\n', 'utf16le'),
      'unmarked.txt': Buffer.from('a\nb\n', 'utf16le'),
    });
    expect(await grep({ pattern: raw`ä\nö` })).toBe(
      'utf16.txt:1: ä\nutf16.txt:2: ö\nutf8.txt:1: ä\nutf8.txt:2: ö',
    );
    expect(await grep({ pattern: raw`ä\nö`, path: 'utf16.txt' })).toBe('utf16.txt:1: ä\nutf16.txt:2: ö');
    expect(await grep({ pattern: raw`a\nb`, path: 'unmarked.txt' })).toBe(
      'unmarked.txt:1: a\nunmarked.txt:2: b',
    );
  });

  test('a long line is shown around the match', async () => {
    await work.write({ a: `${'-'.repeat(1000)}needle\nend${'+'.repeat(1000)}\n` });
    expect(await grep({ pattern: raw`needle\nend` })).toBe(
      `a:1: [truncated] ...${'-'.repeat(494)}needle\na:2: end${'+'.repeat(497)}... [truncated]\n` +
        '[Some lines truncated to 500 chars. Use read a:1..1 to see the first of them in full]',
    );
  });

  test('texts over 16 MiB give a notice, smaller ones matches', { tags: 'slow' }, async () => {
    const filler = Buffer.alloc(5 << 20, `${'x'.repeat(99)}\n`);
    await work.write({
      'big.txt': Buffer.concat([filler, filler, filler, filler, Buffer.from('one\ntwo\n')]),
      'middle.txt': Buffer.concat([filler, Buffer.from('one\ntwo\n')]),
    });
    const lines = Math.ceil((5 << 20) / 100);
    expect(await grep({ pattern: raw`one\ntwo`, context: 1 })).toMatch(
      new RegExp(
        `^middle\\.txt-${lines - 1}- x+\\nmiddle\\.txt:${lines}: x*one\\nmiddle\\.txt:${lines + 1}: two\\n\\[1 text over 16 MiB`,
      ),
    );
    expect(await grep({ pattern: raw`one\ntwo`, path: 'big.txt' })).toBe(
      'No matches found\n[1 text over 16 MiB not searched over several lines. Use multiline=false for those]',
    );
  });
});

describe('patterns', () => {
  test('a line break in the pattern names its option', async () => {
    await work.write({ a: 'a\nb\n' });
    expect(await work.answer('grep', { pattern: raw`a\nb` })).toMatchObject({
      content: [
        {
          text: 'The pattern matches a line break: lines are searched one by one. Use multiline=true, or search for a part of one line.',
        },
      ],
      details: { error: { code: 'BAD_REGEX', next: raw`{"pattern":"a\\nb","multiline":true}` } },
    });
    expect(await work.text('grep', { pattern: 'a\nb' })).toContain(
      'The pattern holds a line break at character 2: lines are searched one by one. Use multiline=true',
    );
    expect(await work.text('grep', { pattern: 'a\nb' }, { dialect: 'pi' })).toContain(
      'lines are searched one by one. Search for a part of one line.',
    );
  });

  test('an error position is counted in the pattern as typed', async () => {
    await work.write({ a: 'a\n' });
    expect(await grep({ pattern: 'ab[' })).toContain('unclosed character class at character 3.');
    expect(await grep({ pattern: 'a\0b' })).toContain('a NUL character at character 2');
  });
});

test.each([
  ['crlf', '\r\n'],
  ['lf', '\n'],
])('a line break in a pattern matches that of a text with %s', async (_, end) => {
  const { call, write } = place('oriel');
  write('a.txt', ['one', 'two', 'three (3)', ''].join(end));
  for (const pattern of ['one\\ntwo', 'one\ntwo', 'one\\r?\\ntwo', '(?i)ONE(\\n)+two', 'e[\\r\\n]+two'])
    expect((await call('grep', { pattern, multiline: true })).text, pattern).toBe(
      'a.txt:1: one\na.txt:2: two',
    );
  const literal = { pattern: 'two\nthree (3)', literal: true, multiline: true };
  expect((await call('grep', literal)).text).toBe('a.txt:2: two\na.txt:3: three (3)');
  expect((await call('grep', { pattern: 'one[^\\n]*two', multiline: true })).text).toBe('No matches found');
  expect((await call('grep', { pattern: '(?x)one \\n two', multiline: true })).isError).toBe(false);
});
