/** zed's read_file: which window, where it begins and ends, what its header says. */

import { describe, expect, test } from 'vitest';
import { linesOf, numbered, place, wideLines } from '../support/dialect.ts';
import { makePng } from '../support/images.ts';

const KIB = 1024;

function zed(content: string | Uint8Array): (input?: object) => Promise<string> {
  const { write, call } = place('zed');
  write('f', content);
  return async (input = {}) => (await call('read_file', { path: 'f', ...input })).text;
}

describe('precedence', () => {
  const content = numbered(1, 10);
  const read = (input: object): Promise<string> => zed(content)(input);

  test.each([
    [{ start_line: 2, end_line: 3, start_byte: 0, max_bytes: 2 }, '2\n3\n'],
    [{ end_line: 2, start_byte: 10 }, '1\n2\n'],
    [{ start_line: 9, max_bytes: 1 }, '9\n10\n'],
  ])('%j: lines go before bytes', async (input, text) => {
    expect(await read(input)).toBe(text);
  });

  test.each([
    [{ start_byte: 4, max_bytes: 2 }, '[bytes 4-6 of 21, lines 3-3 of 10; continue with start_byte=6]\n3\n'],
    [{ start_byte: 16 }, '[bytes 16-21 of 21, lines 9-10 of 10; end of file]\n9\n10\n'],
    [{ max_bytes: 3 }, '[bytes 0-4 of 21, lines 1-2 of 10; continue with start_byte=4]\n1\n2\n'],
  ])('%j: bytes otherwise', async (input, text) => {
    expect(await read(input)).toBe(text);
  });

  test('neither: the whole file, and no header', async () => expect(await read({})).toBe(content));
});

describe('line ranges', () => {
  test('are inclusive on both sides, and end with the file', async () => {
    const read = zed('a\nb\nc');
    expect(await read({ start_line: 2, end_line: 2 })).toBe('b\n');
    expect(await read({ start_line: 2, end_line: 9 })).toBe('b\nc');
    expect(await read({ start_line: 0 })).toBe('a\nb\nc');
  });

  test('that end before they start are their first line', async () =>
    expect(await zed('a\nb\nc\n')({ start_line: 2, end_line: 1 })).toBe('b\n'));

  test('beyond the end are explained', async () => {
    expect(await zed('a\nb\n')({ start_line: 3 })).toBe(
      '[Line 3 is beyond the end of f (2 lines). Use start_line=2]',
    );
  });

  test('are capped like byte windows', async () => {
    const content = wideLines(5000, 64);
    expect(await zed(content)({ start_line: 2, end_line: 4999 })).toBe(
      `[bytes 64-262208 of 320000, lines 2-4097 of 5000; continue with start_byte=262208]\n${linesOf(content, 2, 4097)}`,
    );
  });
});

describe('a file without a window', () => {
  test('of 16 KiB is whole', async () => {
    const content = wideLines(256, 64);
    expect(content).toHaveLength(16 * KIB);
    expect(await zed(content)()).toBe(content);
  });

  test('of more is its outline, no larger than a window', { tags: 'slow' }, async () => {
    const { write, call } = place('zed');
    const methods = (count: number): string =>
      Array.from(
        { length: count },
        (_, i) => `  method${i}() {\n    return '${'x'.repeat(90)}';\n  }\n`,
      ).join('');
    write('few.ts', `export class Few {\n${methods(150)}}\n`);
    write('many.ts', `export class Many {\n${methods(3000)}}\n`);
    const { text, details } = await call('read_file', { path: 'few.ts' });
    const lines = text.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      '[Outline of few.ts: 151 symbols. Use start_line=1 and end_line=452 to read Few, start_byte=0 to read the text]',
      '[L1-452] export class Few',
      '  [L2-4] method0()',
      '  [L5-7] method1()',
    ]);
    expect(details).toMatchObject({ mode: 'outline' });
    expect((await call('read_file', { path: 'few.ts', start_line: 2, end_line: 2 })).text).toBe(
      '  method0() {\n',
    );
    const many = (await call('read_file', { path: 'many.ts' })).text;
    expect(many).toMatch(
      /^\[Outline of many\.ts: 3001 symbols, \d+ of them not listed\. Use start_line=1 .*\]\n\[L1-9002\] export class Many\n  \[L2-4\] method0\(\)\n/,
    );
    expect(Buffer.byteLength(many)).toBeGreaterThan(65_000);
    // What is not listed is named by the line at which it begins.
    const [, last] = /\[L\d+-(\d+)\] [^\n]*\n$/.exec(many) ?? [];
    const [, left] = /, start_line=(\d+) for those that are not listed, start_byte=0/.exec(many) ?? [];
    expect(Number(left)).toBe(Number(last) + 1);
    expect((await call('read_file', { path: 'many.ts', start_line: Number(left) })).text).toMatch(
      / method\d+\(\) \{/,
    );
    const struct = (i: number): string => `struct Test${i} {\n    a: i32,\n    b: usize,\n}\n`;
    write('structs.rs', Array.from({ length: 1_000 }, (_, i) => struct(i)).join(''));
    const structs = (await call('read_file', { path: 'structs.rs' })).text.split('\n');
    expect(structs.slice(0, 4)).toEqual([
      '[Outline of structs.rs: 3000 symbols. Use start_line=1 and end_line=4 to read Test0, start_byte=0 to read the text]',
      '[L1-4] struct Test0',
      '  [L2] a: i32',
      '  [L3] b: usize',
    ]);
    expect(structs.at(-2)).toBe('  [L3999] b: usize');
  });

  test('of more is its first window without an outline', async () => {
    const content = wideLines(2000, 64);
    expect(await zed(content)()).toBe(
      `[bytes 0-65536 of 128000, lines 1-1024 of 2000; continue with start_byte=65536]\n${linesOf(content, 1, 1024)}`,
    );
  });

  test('that is empty is said to be', async () => {
    expect(await zed('')()).toBe('[f is empty: 0 lines]');
    expect(await zed('')({ start_byte: 0 })).toBe('[bytes 0-0 of 0; end of file]\n');
  });
});

describe('byte windows', () => {
  const content = wideLines(10_000, 64);

  test('have 64 KiB by default and 256 KiB at most', async () => {
    const read = zed(content);
    expect(await read({ start_byte: 0 })).toMatch(/^\[bytes 0-65536 of 640000, /);
    expect(await read({ max_bytes: 256 * KIB })).toMatch(/^\[bytes 0-262144 of 640000, /);
    expect(await read({ max_bytes: 4_000_000_000 })).toMatch(/^\[bytes 0-262144 of 640000, /);
  });

  test('begin and end with whole lines', async () => {
    expect(await zed(content)({ start_byte: 100, max_bytes: 100 })).toBe(
      `[bytes 64-256 of 640000, lines 2-4 of 10000; continue with start_byte=256]\n${linesOf(content, 2, 4)}`,
    );
  });

  test('end before a line that would pass the cap', async () => {
    const wide = `${'a'.repeat(200_000)}\n${'b'.repeat(100_000)}\n`;
    const [header, text] = (await zed(wide)({ max_bytes: 256 * KIB })).split('\n');
    expect(header).toBe('[bytes 0-200001 of 300002, lines 1-1 of 2; continue with start_byte=200001]');
    expect(text).toBe('a'.repeat(200_000));
  });

  test('hold at least one whole line, whatever was asked for', async () => {
    const wide = `${'a'.repeat(200_000)}\nb\n`;
    for (const max_bytes of [1, 0])
      expect(await zed(wide)({ max_bytes })).toMatch(/^\[bytes 0-200001 of 200003, lines 1-1 of 2; /);
  });

  test('past the end are empty', async () => {
    const read = zed('abc\n');
    for (const start_byte of [4, 4_000_000_000])
      expect(await read({ start_byte })).toBe('[bytes 4-4 of 4; end of file]\n');
  });

  test('begin behind a byte order mark', async () =>
    expect(await zed('\ufeffa\nb\n')({ max_bytes: 1 })).toBe(
      '[bytes 3-5 of 7, lines 1-1 of 2; continue with start_byte=5]\na\n[UTF-8 byte order mark taken off]',
    ));

  test('state no lines where lines are not counted', async () => {
    const { write, call } = place('zed', { limits: { countBytes: 5 } });
    write('f', numbered(1, 10));
    write('oversized', 'x'.repeat(600_000));
    expect((await call('read_file', { path: 'f', start_byte: 2, max_bytes: 2 })).text).toBe(
      '[bytes 2-4 of 21; continue with start_byte=4]\n2\n',
    );
    expect((await call('read_file', { path: 'oversized', max_bytes: 2 })).text).toBe(
      '[bytes 0-2 of 600000, inside a line; continue with start_byte=2]\nxx',
    );
  });
});

describe('a line over the cap', () => {
  const cap = 256 * KIB;
  const content = `a\n${'x'.repeat(cap)}\nend\n`;
  const size = content.length;

  test('of exactly the cap is whole', async () => {
    const whole = 'x'.repeat(cap - 1);
    expect(await zed(`${whole}\nend\n`)({ start_byte: 99, max_bytes: 1 })).toBe(
      `[bytes 0-${cap} of ${cap + 4}, lines 1-1 of 2; continue with start_byte=${cap}]\n${whole}\n`,
    );
  });

  test('is shown in slices, each continuing in it', async () => {
    const read = zed(content);
    expect(await read({ start_byte: 0 })).toBe(
      `[bytes 0-2 of ${size}, lines 1-1 of 3; continue with start_byte=2]\na\n`,
    );
    for (const [from, most, to, shown] of [
      [2, 10, 12, 'xxxxxxxxxx'],
      [12, 5, 17, 'xxxxx'],
      [cap, 100, cap + 3, 'xx\n'],
    ] as const)
      expect(await read({ start_byte: from, max_bytes: most })).toBe(
        `[bytes ${from}-${to} of ${size}, inside line 2 (line is ${cap + 1} bytes); continue with start_byte=${to}]\n${shown}`,
      );
    expect(await read({ start_byte: cap + 3 })).toBe(
      `[bytes ${cap + 3}-${size} of ${size}, lines 3-3 of 3; end of file]\nend\n`,
    );
  });

  test('is never cut inside a character', async () => {
    const text = await zed('€'.repeat(cap))({ start_byte: 1, max_bytes: 10 });
    expect(text).toMatch(
      /^\[bytes 0-9 of \d+, inside line 1 \(line is \d+ bytes\); continue with start_byte=9\]\n€€€$/,
    );
  });

  test('is cut in a line range too', async () => {
    const [header, text] = (await zed(content)({ start_line: 2, end_line: 2 })).split('\n');
    expect(header).toBe(
      `[bytes 2-${cap + 2} of ${size}, inside line 2 (line is ${cap + 1} bytes); continue with start_byte=${cap + 2}]`,
    );
    expect(text).toHaveLength(cap);
  });
});

test('what cannot be read', async () => {
  const { write, call } = place('zed');
  write('src/app.ts', 'a\n');
  write('b.bin', Buffer.of(1, 2, 0, 3));
  expect((await call('read_file', { path: 'src' })).text).toBe(
    'src is a directory, not a file. Use the path of a file in it.',
  );
  expect((await call('read_file', { path: 'b.bin' })).text).toBe(
    '[b.bin is binary (NUL bytes, 4 bytes) and cannot be shown as text. Use a shell to look at it: file b.bin, or xxd b.bin | head -100]',
  );
  expect((await call('read_file', { path: 'src/app.ts', colour: 1 })).text).toBe(
    'The tool read_file has no field colour. Its fields are path, start_line, end_line, start_byte, max_bytes. Use {"path":"src/app.ts"}.',
  );
});

test('an image is shown', async () => {
  const { write, oriel } = place('zed');
  write('i.png', makePng(8, 8));
  const { content, isError } = await oriel.tool('read_file').run({ path: 'i.png' });
  expect(content).toMatchObject([{ type: 'text' }, { type: 'image', mimeType: 'image/png' }]);
  expect(isError).toBe(false);
});
