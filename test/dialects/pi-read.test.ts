/** What pi's read answers, character for character. */

import { describe, expect, test } from 'vitest';
import { linesOf, numbered, place, wideLines } from '../support/dialect.ts';
import { makePng } from '../support/images.ts';

describe('scenarios', () => {
  test('the first line is over the limit', async () => {
    const { write, call } = place('pi');
    write('path/to/file', `${'x'.repeat(50_000)}\nlast\n`);
    const { text, details, isError } = await call('read', { path: 'path/to/file' });
    expect(text).toBe('[Line 1 is 50KB, exceeds 30KB limit. Use bash to read: head -c 30000 path/to/file]');
    expect(details).toMatchObject({ truncation: { truncated: true, truncatedBy: 'bytes', outputLines: 0 } });
    expect(isError).toBe(false);
  });

  test('the line limit is hit', async () => {
    const { write, call } = place('pi');
    write('f', numbered(1, 5000));
    const { text, details } = await call('read', { path: 'f' });
    expect(text).toBe(`${numbered(1, 2000)}[Showing lines 1-2000 of 5000. Use offset=2001 to continue]`);
    expect(details).toMatchObject({
      truncation: { truncated: true, truncatedBy: 'lines', outputLines: 2000, totalLines: 5000 },
      notices: [{ text: 'Showing lines 1-2000 of 5000. Use offset=2001 to continue' }],
    });
  });

  test('the byte limit is hit', async () => {
    const { write, call } = place('pi');
    const content = wideLines(5000, 60);
    write('f', content);
    const { text, details } = await call('read', { path: 'f' });
    expect(text).toBe(
      `${linesOf(content, 1, 500)}[Showing lines 1-500 of 5000 (30KB limit). Use offset=501 to continue]`,
    );
    expect(details).toMatchObject({
      truncation: { truncated: true, truncatedBy: 'bytes', outputLines: 500, totalLines: 5000 },
    });
  });

  test('with an offset, the line limit is hit', async () => {
    const { write, call } = place('pi');
    write('f', numbered(1, 5000));
    const { text, details } = await call('read', { path: 'f', offset: 1000 });
    expect(text).toBe(
      `${numbered(1000, 2999)}[Showing lines 1000-2999 of 5000. Use offset=3000 to continue]`,
    );
    expect(details).toMatchObject({ truncation: { truncatedBy: 'lines' } });
  });

  test('with an offset, the byte limit is hit', async () => {
    const { write, call } = place('pi');
    const content = wideLines(5000, 60);
    write('f', content);
    const { text, details } = await call('read', { path: 'f', offset: 1000 });
    expect(text).toBe(
      `${linesOf(content, 1000, 1499)}[Showing lines 1000-1499 of 5000 (30KB limit). Use offset=1500 to continue]`,
    );
    expect(details).toMatchObject({ truncation: { truncatedBy: 'bytes', outputLines: 500 } });
  });

  test('with an offset, the first line is over the limit', async () => {
    const { write, call } = place('pi');
    write('file', `${numbered(1, 999)}${'x'.repeat(50_000)}\nlast\n`);
    const { text, details } = await call('read', { path: 'file', offset: 1000 });
    expect(text).toBe(
      `[Line 1000 is 50KB, exceeds 30KB limit. Use bash: sed -n '1000p' file | head -c 30000]`,
    );
    expect(details).toMatchObject({ truncation: { truncated: true, truncatedBy: 'bytes', outputLines: 0 } });
  });
});

describe('boundaries', () => {
  test.each([
    ['30,000 bytes without a final newline', 'x'.repeat(30_000)],
    ['30,000 bytes with one', `${'x'.repeat(29_999)}\n`],
    ['2,000 lines', numbered(1, 2000)],
    ['30,000 bytes of lines', wideLines(500, 60)],
  ])('%s pass', async (_, content) => {
    const { write, call } = place('pi');
    write('f', content);
    const { text, details } = await call('read', { path: 'f' });
    expect(text).toBe(content);
    expect(details).not.toHaveProperty('truncation');
    expect(details).not.toHaveProperty('notices');
  });

  test('one byte more ends the answer before the last line', async () => {
    const { write, call } = place('pi');
    const content = wideLines(500, 60);
    write('f', `${content.slice(0, -1)}yz\n`);
    expect((await call('read', { path: 'f' })).text).toBe(
      `${linesOf(content, 1, 499)}[Showing lines 1-499 of 500 (30KB limit). Use offset=500 to continue]`,
    );
  });

  test('a size just over the limit is not rounded down', async () => {
    const { write, call } = place('pi');
    write('f', `${'x'.repeat(30_001)}\n`);
    expect((await call('read', { path: 'f' })).text).toBe(
      '[Line 1 is 31KB, exceeds 30KB limit. Use bash to read: head -c 30000 f]',
    );
  });

  test('an oversized line after others waits for the next call', async () => {
    const { write, call } = place('pi');
    write('f', `a\nb\n${'x'.repeat(40_000)}\n`);
    expect((await call('read', { path: 'f' })).text).toBe(
      'a\nb\n[Showing lines 1-2 of 3 (30KB limit). Use offset=3 to continue]',
    );
  });
});

describe("the caller's limit", () => {
  test('says how many lines are left', async () => {
    const { write, call } = place('pi');
    write('f', numbered(1, 100));
    const { text, details } = await call('read', { path: 'f', limit: 10 });
    expect(text).toBe(`${numbered(1, 10)}[90 more lines in file. Use offset=11 to continue]`);
    expect(details).not.toHaveProperty('truncation');
    expect((await call('read', { path: 'f', offset: 95, limit: 5 })).text).toBe(
      `${numbered(95, 99)}[1 more lines in file. Use offset=100 to continue]`,
    );
  });

  test('says nothing at the end, and counts no missing line', async () => {
    const { write, call } = place('pi');
    write('f', 'a\nb\nc\n');
    expect((await call('read', { path: 'f', limit: 3 })).text).toBe('a\nb\nc\n');
    expect((await call('read', { path: 'f', limit: 10 })).text).toBe('a\nb\nc\n');
    expect((await call('read', { path: 'f', offset: 3, limit: 1 })).text).toBe('c\n');
  });

  test('over the line limit is the line limit', async () => {
    const { write, call } = place('pi');
    write('f', numbered(1, 5000));
    expect((await call('read', { path: 'f', limit: 4000 })).text).toBe(
      `${numbered(1, 2000)}[Showing lines 1-2000 of 5000. Use offset=2001 to continue]`,
    );
  });

  test.each([{ limit: 0 }, { offset: -1 }, { limit: 1.5 }])('%j is refused', async (wrong) => {
    const { write, call } = place('pi');
    write('f', 'a\n');
    expect(await call('read', { path: 'f', ...wrong })).toMatchObject({
      isError: true,
      details: { error: { code: 'BAD_INPUT' } },
    });
  });
});

test('an offset past the end fails and names the total', async () => {
  const { write, call } = place('pi');
  write('f', 'a\nb\nc\n');
  write('empty', '');
  expect(await call('read', { path: 'f', offset: 4 })).toMatchObject({
    text: 'Offset 4 is beyond end of file (3 lines total). Use an offset from 1 to 3.',
    isError: true,
    details: { error: { code: 'OUT_OF_RANGE', next: '{"path":"f","offset":3}' } },
  });
  expect((await call('read', { path: 'empty', offset: 2 })).text).toBe(
    'Offset 2 is beyond end of file (0 lines total). Use offset=1.',
  );
});

test('an empty file is said to be empty', async () => {
  const { write, call } = place('pi');
  write('f', '');
  expect(await call('read', { path: 'f' })).toMatchObject({ text: '[f is empty: 0 lines]', isError: false });
});

test('several notices share one bracket', async () => {
  const { write, call } = place('pi');
  write('f', Buffer.concat([Buffer.from('a\x1b[0m'), Buffer.of(0xff), Buffer.from('\nb\nc\n')]));
  expect((await call('read', { path: 'f', limit: 1 })).text).toBe(
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
  const { write, call } = place('pi', { limits: { countBytes: 10 } });
  write('f', numbered(1, 2500));
  write('g', `${'x'.repeat(50_000)}\n`);
  expect((await call('read', { path: 'f' })).text).toBe(
    `${numbered(1, 2000)}[Showing lines 1-2000. Use offset=2001 to continue]`,
  );
  expect((await call('read', { path: 'f', limit: 2 })).text).toBe(
    '1\n2\n[More lines in file. Use offset=3 to continue]',
  );
  expect((await call('read', { path: 'g' })).text).toBe(
    '[Line 1 exceeds 30KB limit. Use bash to read: head -c 30000 g]',
  );
});

test("a host's limits are in the words", async () => {
  const { write, call } = place('pi', { limits: { bytes: 5000, tokens: 500 } });
  write('f', wideLines(100, 100));
  expect((await call('read', { path: 'f' })).text).toMatch(
    /\[Showing lines 1-20 of 100 \(500 token limit\)\. Use offset=21 to continue\]$/,
  );
  const { write: put, call: ask, oriel } = place('pi', { limits: { bytes: 5000 } });
  put('f', wideLines(100, 100));
  expect((await ask('read', { path: 'f' })).text).toMatch(/\(5KB limit\)/);
  expect(oriel.tool('read').description).toContain('2000 lines or 5KB');
});

test('an image is shown', async () => {
  const { write, oriel } = place('pi');
  write('i.png', makePng(8, 8));
  const { content, isError } = await oriel.tool('read').run({ path: 'i.png' });
  expect(content).toMatchObject([{ type: 'text' }, { type: 'image', mimeType: 'image/png' }]);
  expect(isError).toBe(false);
});

test('a line at the limit fits, its line feed uncounted', async () => {
  const { write, call } = place('pi');
  write('exact', `${'x'.repeat(30_000)}\nnext\n`);
  write('over', `${'x'.repeat(30_001)}\n`);
  write('two', `${'x'.repeat(15_000)}\n${'y'.repeat(14_999)}\nnext\n`);
  write('crlf', `${'x'.repeat(29_999)}\r\n`);
  expect((await call('read', { path: 'exact' })).text).toBe(
    `${'x'.repeat(30_000)}\n[Showing lines 1-1 of 2 (30KB limit). Use offset=2 to continue]`,
  );
  expect((await call('read', { path: 'over' })).text).toBe(
    '[Line 1 is 31KB, exceeds 30KB limit. Use bash to read: head -c 30000 over]',
  );
  expect((await call('read', { path: 'two' })).text).toContain('[Showing lines 1-2 of 3 (30KB limit).');
  expect((await call('read', { path: 'crlf' })).text).toBe(`${'x'.repeat(29_999)}\r\n`);
});
