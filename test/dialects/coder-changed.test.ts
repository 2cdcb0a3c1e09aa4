import { describe, expect, test } from 'vitest';
import { fileLinesOrder } from '../../src/dialects/coder.ts';
import { place } from '../support/dialect.ts';

describe('what stands otherwise than in the file is counted', () => {
  test.each([
    ['a\u0001b\u202ec\n', { escaped_characters: 2 }],
    [Buffer.from([0x61, 0xff, 0xfe, 0x0a]), { invalid_sequences: 2 }],
    ['\ufeffa\n', { byte_order_mark: true }],
    [Buffer.from('\ufeffa\n', 'utf16le'), { byte_order_mark: true, encoding: 'utf-16le' }],
    ['plain\n', {}],
  ])('%j', async (content, facts) => {
    const { write, call } = place('coder');
    const {
      content: _,
      file_size: __,
      total_lines: ___,
      lines_read: ____,
      ...changed
    } = JSON.parse((await call('read_file', { path: write('f', content) })).text) as Record<string, unknown>;
    expect(changed).toEqual(facts);
  });
});

test.each([
  ['1,024 letters fit', 'x'.repeat(1024), 'x'.repeat(1024)],
  ['1,025 are marked', 'x'.repeat(1025), `${'x'.repeat(1024)}... [truncated]`],
  [
    'a line of escapes is as long as they are',
    '\u0001'.repeat(1024),
    `${'\\x01'.repeat(256)}... [truncated]`,
  ],
  ['256 escapes fit', '\u0001'.repeat(256), '\\x01'.repeat(256)],
])('%s', async (_title, line, shown) => {
  const { write, call } = place('coder');
  const { text } = await call('read_file', { path: write('f', `${line}\n`) });
  expect((JSON.parse(text) as { content: string }).content).toBe(`1\t${shown}`);
});

test('the order keeps a limit of 1', () => {
  const limits = { fileSize: 1, lineBytes: 1, responseLines: 1, responseBytes: 1 };
  expect(fileLinesOrder({ path: '/f' }, limits).limits).toMatchObject({ lines: 1, bytes: 1, line: 1 });
});
