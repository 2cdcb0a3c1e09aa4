/** coder's line reader: fields, hard errors, and limits that take exactly what they say. */

import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../support/cli.ts';
import type { OrielOptions } from '../../src/index.ts';
import { type Called, numbered, place } from '../support/dialect.ts';

const parse = ({ text }: Called): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

async function read(content: string | Uint8Array, input: object = {}): Promise<Record<string, unknown>> {
  const { write, call } = place('coder');
  return parse(await call('read_file', { path: write('f', content), ...input }));
}

const tabbed = (from: number, to: number, text = ''): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\t${from + i}${text}`).join('\n');

describe('TestReadFileLines', () => {
  test.each([
    ['empty path', '', 'path is required'],
    ['relative path', 'a/b', 'file path must be absolute: "a/b"'],
    ['quotes', 'a"b', 'file path must be absolute: "a\\"b"'],
    ['a home', '~/x', 'file path must be absolute: "~/x"'],
  ])('%s', async (_, path, error) => {
    const called = await place('coder').call('read_file', { path });
    expect(parse(called)).toEqual({ error });
    expect(called).toMatchObject({ isError: true, details: { error: { code: 'BAD_PATH', message: error } } });
  });

  test('non-existent, through a file, outside', async () => {
    const { write, call, folder } = place('coder');
    const file = write('f', 'a\n');
    const ask = async (path: string): Promise<unknown> => parse(await call('read_file', { path }));
    expect(await ask(`${folder}/nope`)).toEqual({ error: `file does not exist: ${folder}/nope` });
    expect(await ask(`${file}/x`)).toEqual({ error: `file does not exist: ${file}/x` });
    expect(await ask('/etc/passwd')).toEqual({ error: 'permission denied: /etc/passwd' });
    symlinkSync('/etc/passwd', join(folder, 'link'));
    expect(await ask(`${folder}/link`)).toEqual({ error: `permission denied: ${folder}/link` });
  });

  test('negative numbers', async () => {
    for (const field of ['offset', 'limit']) {
      expect(await read('a\n', { [field]: -10 })).toEqual({
        error: expect.stringMatching(
          `^The field ${field} of read_file is wrong: value is negative\\. Its fields are path, offset, limit\\. Use {"path":"/.*"}\\.$`,
        ),
      });
    }
  });

  test('no permissions', () => {
    const { write, folder } = place('coder');
    const path = write('f', 'a\n');
    chmodSync(path, 0);
    chmodSync(folder, 0o755);
    // Root may read everything.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const { out } = run(
      ['call', 'read_file', JSON.stringify({ path }), '--dialect', 'coder', '--json'],
      nobody,
    );
    const { content } = JSON.parse(out) as { content: [{ text: string }] };
    expect(JSON.parse(content[0].text)).toEqual({ error: `permission denied: ${path}` });
  });

  test('empty file', async () => {
    const empty = { content: '', file_size: 0, total_lines: 0, lines_read: 0 };
    expect(await read('')).toEqual(empty);
    expect(await read('', { offset: 1 })).toEqual(empty);
    expect(await read('', { offset: 2 })).toEqual({ error: 'offset 2 is beyond the file length of 0 lines' });
  });

  test('basic read', async () => {
    expect(await read('one\ntwo\nthree\n')).toEqual({
      content: '1\tone\n2\ttwo\n3\tthree',
      file_size: 14,
      total_lines: 3,
      lines_read: 3,
    });
    expect(await read('one\ntwo')).toMatchObject({ content: '1\tone\n2\ttwo', total_lines: 2 });
  });

  test('offset, limit, both', async () => {
    const file = numbered(1, 9);
    expect(await read(file, { offset: 7 })).toMatchObject({ content: tabbed(7, 9), lines_read: 3 });
    expect(await read(file, { limit: 2 })).toMatchObject({ content: tabbed(1, 2), total_lines: 9 });
    expect(await read(file, { offset: 3, limit: 4 })).toMatchObject({ content: tabbed(3, 6) });
    expect(await read(file, { offset: 0, limit: 0 })).toMatchObject({ content: tabbed(1, 9) });
  });

  test('offset beyond the file', async () => {
    expect(await read('a\nb\n', { offset: 3 })).toEqual({
      error: 'offset 3 is beyond the file length of 2 lines',
    });
  });

  test('long lines', async () => {
    const line = 'x'.repeat(1024);
    expect(await read(`${line}\n`)).toMatchObject({ content: `1\t${line}` });
    expect(await read(`${line}y\nb\n`)).toMatchObject({
      content: `1\t${line}... [truncated]\n2\tb`,
      lines_read: 2,
    });
    expect(await read(`${'€'.repeat(342)}\r\n`)).toMatchObject({
      content: `1\t${'€'.repeat(341)}... [truncated]`,
    });
  });

  test('large file', async () => {
    const mega = `${'x'.repeat(1023)}\n`.repeat(1024);
    const error = `file is 1048577 bytes which exceeds the maximum of 1048576 bytes. Use grep, sed, or awk to extract the content you need, or use offset and limit to read a portion.`;
    expect(await read(`${mega}y`)).toEqual({ error });
    expect(await read(`${mega}y`, { offset: 1 })).toEqual({ error });
    expect(await read(mega)).toEqual({
      error: 'output would exceed 32768 bytes. Read less at a time using offset and limit parameters.',
    });
    expect(await read(`${mega}y`, { limit: 1 })).toMatchObject({ file_size: 1_048_577, total_lines: 1025 });
    expect(await read(`${mega}y`, { offset: 1025 })).toMatchObject({ content: '1025\ty', lines_read: 1 });
  });
});

describe('a directory', () => {
  const listed = async (input: object, options: OrielOptions = {}): Promise<unknown> => {
    const { write, call, folder } = place('coder', options);
    for (const name of ['b.txt', 'a/x', 'C\u0007', '.d']) write(name, '');
    return parse(await call('read_file', { path: folder, ...input }));
  };

  test('is listed by the chat tool, from an entry on', async () => {
    const all = ['.d', 'a/', 'b.txt', 'C\\x07'];
    expect(await listed({})).toEqual({
      is_directory: true,
      entries: all,
      entries_read: 4,
      total_entries: 4,
      truncated: false,
    });
    expect(await listed({ offset: 2, limit: 2 })).toEqual({
      is_directory: true,
      entries: all.slice(1, 3),
      entries_read: 2,
      total_entries: 4,
      truncated: true,
    });
    expect(await listed({ offset: 4 })).toMatchObject({ entries: all.slice(3), truncated: false });
    expect(await listed({ offset: 5 })).toEqual({
      error: 'offset 5 is beyond the directory length of 4 entries',
    });
  });

  test('within the limits of an answer', async () => {
    expect(await listed({}, { limits: { lines: 1 } })).toMatchObject({ entries: ['.d'], truncated: true });
    const { write, call, folder } = place('coder', { limits: { bytes: 68 } });
    for (const letter of 'abc') write(letter.repeat(31), '');
    expect(parse(await call('read_file', { path: folder }))).toEqual({
      is_directory: true,
      entries: ['a'.repeat(31), 'b'.repeat(31)],
      entries_read: 2,
      total_entries: 3,
      truncated: true,
    });
  });

  test('is no file for the tool of a workspace', async () => {
    const { call, folder } = place('coder');
    const input = { workspace: 'local', path: folder };
    expect(parse(await call('coder_workspace_read_file', input))).toEqual({ error: `not a file: ${folder}` });
  });
});

describe('limits take exactly what they say', () => {
  test('1 MiB', async () => {
    expect(await read(`a\n${'x'.repeat((1 << 20) - 2)}`)).toMatchObject({
      file_size: 1 << 20,
      lines_read: 2,
    });
  });

  test('2,000 lines', async () => {
    expect(await read(numbered(1, 3000))).toMatchObject({ lines_read: 2000, total_lines: 3000 });
    expect(await read(numbered(1, 2000), { limit: 5000 })).toMatchObject({ lines_read: 2000 });
    expect(await read(numbered(1, 2001), { limit: 2001 })).toEqual({
      error: 'output would exceed 2000 lines. Read less at a time using offset and limit parameters.',
    });
  });

  test('a response at the limit passes, one byte more fails', async () => {
    // "1\t" + 1,000, then 31 lines of "\nN\t" or "\nNN\t" + 1,000, then what is left.
    const lines = Array.from({ length: 32 }, () => 'x'.repeat(1000));
    const used = lines.reduce((sum, line, i) => sum + line.length + `${i + 1}\t`.length, 31);
    const rest = 32_768 - used - '\n33\t'.length;
    const fits = await read([...lines, 'y'.repeat(rest)].join('\n'));
    expect(fits['content']).toHaveLength(32_768);
    expect(await read([...lines, 'y'.repeat(rest + 1)].join('\n'))).toEqual({
      error: 'output would exceed 32768 bytes. Read less at a time using offset and limit parameters.',
    });
  });
});

test('carriage returns stay, hidden characters are shown', async () => {
  expect(await read('a\r\nb\x1b\n')).toMatchObject({ content: '1\ta\r\n2\tb\\x1b' });
});

test('what is no text', async () => {
  const { write, call } = place('coder');
  const path = write('b', Buffer.of(1, 0, 2));
  expect(parse(await call('read_file', { path }))).toEqual({
    error: `not a text file: ${path} (NUL bytes, 3 bytes). Use xxd or file to look at it.`,
  });
});

test('total_lines is always counted, whatever countBytes a host sets', async () => {
  const { write, call } = place('coder', { limits: { countBytes: 0 } });
  const path = write('f', numbered(1, 300));
  expect(parse(await call('read_file', { path, limit: 1 }))).toMatchObject({ total_lines: 300 });
});

test('the workspace tool reads here only for workspace local', async () => {
  const { write, call, folder } = place('coder');
  mkdirSync(join(folder, 'd'));
  const path = write('f', 'a\n');
  const ask = (workspace: string): Promise<Called> => call('coder_workspace_read_file', { workspace, path });
  expect(parse(await ask('local'))).toMatchObject({ content: '1\ta' });
  expect(parse(await ask('me/dev'))).toEqual({
    error: 'There is no workspace me/dev here. Use local for this machine.',
  });
});
