/** The texts of pi as it is published, character for character. Source: its `read`, `bash`, `grep`, `find` and `ls`. */

import { describe, expect, test } from 'vitest';
import { numbered, place, type Place } from '../support/dialect.ts';

function pi(content = '', options = {}): Place {
  const here = place('pi@0.74', options);
  here.write('f', content);
  return here;
}

async function read(content: string, input: object = {}): Promise<string> {
  return (await pi(content).call('read', { path: 'f', ...input })).text;
}

describe('read', () => {
  test('a notice follows a blank line, with a full stop', async () => {
    expect(await read(numbered(1, 5000))).toBe(
      `${numbered(1, 2000)}\n[Showing lines 1-2000 of 5001. Use offset=2001 to continue.]`,
    );
    expect(await read(numbered(1, 10), { limit: 2 })).toBe(
      '1\n2\n\n[9 more lines in file. Use offset=3 to continue.]',
    );
  });

  test('50KB are 51,200 bytes, with one decimal', async () => {
    const line = `${'x'.repeat(99)}\n`;
    const text = await read(line.repeat(600));
    expect(text.split('\n').at(-1)).toBe(
      '[Showing lines 1-512 of 601 (50.0KB limit). Use offset=513 to continue.]',
    );
    expect(await read(line.repeat(512))).toBe(line.repeat(512));
  });

  test('the empty line behind a final newline counts', async () => {
    expect(await read('a\nb\n')).toBe('a\nb\n');
    expect(await read('a\nb\n', { limit: 2 })).toBe(
      'a\nb\n\n[1 more lines in file. Use offset=3 to continue.]',
    );
    expect(await read('a\nb\n', { limit: 3 })).toBe('a\nb\n');
    expect(await read('a\nb', { limit: 2 })).toBe('a\nb');
    expect(await read('a\nb\n', { offset: 3 })).toBe('');
    expect(await read('a\nb\n', { offset: 4 })).toBe(
      'Offset 4 is beyond end of file (3 lines total). Use an offset from 1 to 3.',
    );
    expect(await read('a\nb', { offset: 3 })).toBe(
      'Offset 3 is beyond end of file (2 lines total). Use an offset from 1 to 2.',
    );
  });

  test('and takes a byte of the limit', async () => {
    const full = `${'x'.repeat(51_199)}\n`;
    expect(await read(full)).toBe(full);
    expect(await read(`x${full}`)).toBe(
      `x${full}\n[Showing lines 1-1 of 2 (50.0KB limit). Use offset=2 to continue.]`,
    );
  });

  test('details tell of it too', async () => {
    const { details } = await pi(numbered(1, 5000)).call('read', { path: 'f' });
    expect(details['truncation']).toEqual({
      truncated: true,
      truncatedBy: 'lines',
      outputLines: 2000,
      outputBytes: 8893,
      totalLines: 5001,
      totalBytes: 23_893,
      lastLinePartial: false,
      firstLineExceedsLimit: false,
      maxLines: 2000,
      maxBytes: 51_200,
    });
  });
});

describe('bash', () => {
  test('the outcome stands below the output and its notice', async () => {
    const here = pi();
    expect((await here.call('bash', { command: 'printf a; exit 3' })).text).toBe(
      'a\n\nCommand exited with code 3',
    );
    const { text, details } = await here.call('bash', { command: 'seq 3000; exit 3' });
    expect(text.slice(text.indexOf('['))).toBe(
      `[Showing lines 1002-3001 of 3001. Full output: ${String(details['fullOutputPath'])}]\n\nCommand exited with code 3`,
    );
  });

  test('one line over the limit', async () => {
    const { text } = await pi().call('bash', { command: "head -c 100000 /dev/zero | tr '\\0' x" });
    expect(text).toMatch(
      /^x{51200}\n\n\[Showing last 50\.0KB of line 1 \(line is 97\.7KB\)\. Full output: .*\]$/,
    );
  });
});

test('lists say no more than that the limit was reached', async () => {
  const here = pi(`${'m'.repeat(489)}\n`.repeat(120), { limits: { bytes: 3000 } });
  for (let i = 0; i < 90; i += 1) here.write(`d/${'n'.repeat(50)}${i}`, '');
  const last = async (tool: string, input: object): Promise<string[]> =>
    (await here.call(tool, input)).text.split('\n').slice(-2);
  const said = ['', '[2.9KB limit reached]'];
  expect(await last('grep', { pattern: 'm', limit: 200 })).toEqual(said);
  expect(await last('find', { pattern: 'n*' })).toEqual(said);
  expect(await last('ls', { path: 'd' })).toEqual(said);
});

describe('pi 1.6', () => {
  test('an empty last line counts only in totals of files', async () => {
    const here = place('pi@1.6');
    here.write('f', numbered(1, 2000));
    expect((await here.call('read', { path: 'f' })).text).toBe(numbered(1, 2000));
    expect((await here.call('read', { path: 'f', limit: 2 })).text).toBe(
      '1\n2\n\n[1999 more lines in file. Use offset=3 to continue.]',
    );
    const { text: short } = await here.call('bash', { command: 'echo a; exit 3' });
    expect(short).toBe('a\n\n\nCommand exited with code 3');
    const { text, details } = await here.call('bash', { command: 'seq 2001; exit 3' });
    const path = String(details['fullOutputPath']);
    expect(text).toBe(
      `${numbered(2, 2001)}\n[Showing lines 2-2001 of 2001. Full output: ${path}]\n\nCommand exited with code 3`,
    );
  });

  test('globs are relative to the searched directory', async () => {
    const here = place('pi@1.6');
    for (const path of ['pkg/src/a.ts', 'pkg/x/src/b.ts', 'src/c.ts']) here.write(path, 'one\n');
    const glob = './src/*.ts';
    expect((await here.call('grep', { pattern: 'one', path: 'pkg', glob })).text).toBe('pkg/src/a.ts:1: one');
    expect((await here.call('find', { pattern: glob, path: 'pkg' })).text).toBe('pkg/src/a.ts');
    expect((await here.call('find', { pattern: '**/src/*.ts', path: 'pkg' })).text).toBe(
      'pkg/src/a.ts\npkg/x/src/b.ts',
    );
  });
});
