/** What pi's read answers, character for character. */

import { describe, expect, test } from 'vitest';
import { type Called, linesOf, numbered, place, wideLines } from '../support/dialect.ts';
import { makePng } from '../support/images.ts';

/** Reads a file of this content. */
function read(content: string | Uint8Array, input: object = {}, options: object = {}): Promise<Called> {
  const { write, call } = place('pi', options);
  write('f', content);
  return call('read', { path: 'f', ...input });
}

const textOf = async (...asked: Parameters<typeof read>): Promise<string> => (await read(...asked)).text;

const LONG = numbered(1, 5000);
const WIDE = wideLines(5000, 60);
const OVER = `${'x'.repeat(50_000)}\nlast\n`;

test('the first line is over the limit', async () => {
  const { text, details, isError } = await read(OVER);
  expect(text).toBe('[Line 1 is 50KB, exceeds 30KB limit. Use bash to read: head -c 30000 f]');
  expect(details).toMatchObject({ truncation: { truncated: true, truncatedBy: 'bytes', outputLines: 0 } });
  expect(isError).toBe(false);
  const last = await read(numbered(1, 999) + OVER, { offset: 1000 });
  expect(last.text).toBe(
    `[Line 1000 is 50KB, exceeds 30KB limit. Use bash: sed -n '1000p' f | head -c 30000]`,
  );
  expect(last.details).toMatchObject({ truncation: { truncated: true, outputLines: 0 } });
});

test('the line limit is hit', async () => {
  const { text, details } = await read(LONG);
  expect(text).toBe(`${numbered(1, 2000)}[Showing lines 1-2000 of 5000. Use offset=2001 to continue]`);
  expect(details).toMatchObject({
    truncation: { truncated: true, truncatedBy: 'lines', outputLines: 2000, totalLines: 5000 },
    notices: [{ text: 'Showing lines 1-2000 of 5000. Use offset=2001 to continue' }],
  });
  expect(await textOf(LONG, { limit: 4000 })).toBe(text);
  expect(await textOf(LONG, { offset: 1000 })).toBe(
    `${numbered(1000, 2999)}[Showing lines 1000-2999 of 5000. Use offset=3000 to continue]`,
  );
});

test('the byte limit is hit', async () => {
  const { text, details } = await read(WIDE);
  expect(text).toBe(
    `${linesOf(WIDE, 1, 500)}[Showing lines 1-500 of 5000 (30KB limit). Use offset=501 to continue]`,
  );
  expect(details).toMatchObject({
    truncation: { truncated: true, truncatedBy: 'bytes', outputLines: 500, totalLines: 5000 },
  });
  expect(await textOf(WIDE, { offset: 1000 })).toBe(
    `${linesOf(WIDE, 1000, 1499)}[Showing lines 1000-1499 of 5000 (30KB limit). Use offset=1500 to continue]`,
  );
});

describe('boundaries', () => {
  const lines = wideLines(500, 60);

  test.each([
    ['30,000 bytes without a final newline', 'x'.repeat(30_000)],
    ['30,000 bytes with one', `${'x'.repeat(29_999)}\n`],
    ['30,000 bytes with a carriage return', `${'x'.repeat(29_999)}\r\n`],
    ['2,000 lines', numbered(1, 2000)],
    ['30,000 bytes of lines', lines],
  ])('%s pass', async (_, content) => {
    const { text, details } = await read(content);
    expect(text).toBe(content);
    expect(details).not.toHaveProperty('truncation');
    expect(details).not.toHaveProperty('notices');
  });

  test('one byte more ends the answer before the last line', async () => {
    expect(await textOf(`${lines.slice(0, -1)}yz\n`)).toBe(
      `${linesOf(lines, 1, 499)}[Showing lines 1-499 of 500 (30KB limit). Use offset=500 to continue]`,
    );
    expect(await textOf(`a\nb\n${'x'.repeat(40_000)}\n`)).toBe(
      'a\nb\n[Showing lines 1-2 of 3 (30KB limit). Use offset=3 to continue]',
    );
  });

  test('a size just over the limit is not rounded down', async () => {
    expect(await textOf(`${'x'.repeat(30_001)}\n`)).toBe(
      '[Line 1 is 31KB, exceeds 30KB limit. Use bash to read: head -c 30000 f]',
    );
  });

  test('a line at the limit fits, its line feed uncounted', async () => {
    for (const [full, count] of [
      [`${'x'.repeat(30_000)}\n`, 1],
      [`${'x'.repeat(15_000)}\n${'y'.repeat(14_999)}\n`, 2],
    ] as const)
      expect(await textOf(`${full}next\n`)).toBe(
        `${full}[Showing lines 1-${count} of ${count + 1} (30KB limit). Use offset=${count + 1} to continue]`,
      );
  });
});

describe("the caller's limit", () => {
  test('says how many lines are left, and nothing at the end', async () => {
    const { text, details } = await read(numbered(1, 100), { limit: 10 });
    expect(text).toBe(`${numbered(1, 10)}[90 more lines in file. Use offset=11 to continue]`);
    expect(details).not.toHaveProperty('truncation');
    expect(await textOf(numbered(1, 100), { offset: 95, limit: 5 })).toBe(
      `${numbered(95, 99)}[1 more lines in file. Use offset=100 to continue]`,
    );
    for (const limit of [3, 10]) expect(await textOf('a\nb\nc\n', { limit })).toBe('a\nb\nc\n');
    expect(await textOf('a\nb\nc\n', { offset: 3, limit: 1 })).toBe('c\n');
  });

  test.each([{ limit: 0 }, { offset: -1 }, { limit: 1.5 }])('%j is refused', async (wrong) => {
    expect(await read('a\n', wrong)).toMatchObject({
      isError: true,
      details: { error: { code: 'BAD_INPUT' } },
    });
  });
});

test('an offset past the end fails and names the total', async () => {
  expect(await read('a\nb\nc\n', { offset: 4 })).toMatchObject({
    text: 'Offset 4 is beyond end of file (3 lines total). Use an offset from 1 to 3.',
    isError: true,
    details: { error: { code: 'OUT_OF_RANGE', next: '{"path":"f","offset":3}' } },
  });
  expect(await textOf('', { offset: 2 })).toBe(
    'Offset 2 is beyond end of file (0 lines total). Use offset=1.',
  );
});

test('an empty file is said to be empty', async () => {
  expect(await read('')).toMatchObject({ text: '[f is empty: 0 lines]', isError: false });
});

test('several notices share one bracket', async () => {
  const content = Buffer.concat([Buffer.from('a\x1b[0m'), Buffer.of(0xff), Buffer.from('\nb\nc\n')]);
  expect(await textOf(content, { limit: 1 })).toBe(
    'a\\x1b[0m\ufffd\n[1 invalid UTF-8 sequence shown as U+FFFD. 1 control or invisible character shown as escapes. 2 more lines in file. Use offset=2 to continue]',
  );
});

describe('paths in commands', () => {
  test.each([
    ['a b.txt', `'a b.txt'`],
    [`it's.txt`, `'it'\\''s.txt'`],
    ['$(reboot).txt', `'$(reboot).txt'`],
    ['-n.txt', './-n.txt'],
    ['größe.txt', `'größe.txt'`],
  ])('%j is quoted', async (name, quoted) => {
    const { write, call } = place('pi');
    write(name, 'x'.repeat(50_000));
    expect((await call('read', { path: name })).text).toBe(
      `[Line 1 is 50KB, exceeds 30KB limit. Use bash to read: head -c 30000 ${quoted}]`,
    );
  });

  test('a line break does not end the notice', async () => {
    const { write, call, folder } = place('pi');
    write('new\nline.txt', 'x'.repeat(50_000));
    expect((await call('read', { path: 'new\nline.txt' })).text).toBe(
      `[Line 1 is 50KB, exceeds 30KB limit. Use bash to read: head -c 30000 $'${folder}/new\\x0aline.txt']`,
    );
  });

  test('the command shows the line', async () => {
    const { write, call } = place('pi');
    write('a b', `1\n${'y'.repeat(29_000)}${'z'.repeat(2_000)}\n3\n`);
    const { text } = await call('read', { path: 'a b', offset: 2 });
    const command = /Use bash: (.*)\]$/.exec(text)?.[1];
    expect((await call('bash', { command })).text).toBe(`${'y'.repeat(29_000)}${'z'.repeat(1_000)}`);
  });
});

test('what cannot be read', async () => {
  const { write, call, folder } = place('pi');
  write('src/app.ts', 'a\n');
  write('b.bin', Buffer.of(1, 2, 0, 3));
  expect(await call('read', { path: 'src' })).toMatchObject({
    text: 'src is a directory, not a file. Use ls to list it.',
    details: { error: { code: 'IS_DIRECTORY' } },
  });
  expect(await call('read', { path: 'app.ts' })).toMatchObject({
    text: 'app.ts does not exist. One file ends in it: src/app.ts. Use that path.',
    details: { error: { code: 'NOT_FOUND', next: 'src/app.ts' } },
  });
  expect((await call('read', { path: 'b.bin' })).text).toBe(
    `[b.bin is binary (NUL bytes). Use bash to look at it: xxd ${folder}/b.bin | head -100]`,
  );
});

test('a file named f:2 is read, other selectors are refused', async () => {
  const { write, call } = place('pi');
  write('f', 'a\nb\n');
  write('f:2', 'named so\n');
  expect((await call('read', { path: 'f:2' })).text).toBe('named so\n');
  expect((await call('read', { path: 'f:1-1' })).text).toBe(
    'f:1-1 does not exist. Did you mean f? Use that path, and the fields for lines beside it.',
  );
  expect((await call('read', { path: 'f:raw' })).isError).toBe(true);
});

test('above countBytes nothing is counted, and paging goes on', async () => {
  const options = { limits: { countBytes: 10 } };
  expect(await textOf(numbered(1, 2500), {}, options)).toBe(
    `${numbered(1, 2000)}[Showing lines 1-2000. Use offset=2001 to continue]`,
  );
  expect(await textOf(numbered(1, 2500), { limit: 2 }, options)).toBe(
    '1\n2\n[More lines in file. Use offset=3 to continue]',
  );
  expect(await textOf(OVER, {}, options)).toBe(
    '[Line 1 exceeds 30KB limit. Use bash to read: head -c 30000 f]',
  );
});

test("a host's limits are in the words", async () => {
  const content = wideLines(100, 100);
  expect(await textOf(content, {}, { limits: { bytes: 5000, tokens: 500 } })).toMatch(
    /\[Showing lines 1-20 of 100 \(500 token limit\)\. Use offset=21 to continue\]$/,
  );
  const limits = { bytes: 5000 };
  expect(await textOf(content, {}, { limits })).toMatch(/\(5KB limit\)/);
  expect(place('pi', { limits }).oriel.tool('read').description).toContain('2000 lines or 5KB');
});

test('an image is shown', async () => {
  const { write, oriel } = place('pi');
  write('i.png', makePng(8, 8));
  const { content, isError } = await oriel.tool('read').run({ path: 'i.png' });
  expect(content).toMatchObject([{ type: 'text' }, { type: 'image', mimeType: 'image/png' }]);
  expect(isError).toBe(false);
});
