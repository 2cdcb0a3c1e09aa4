import { describe, expect, test } from 'vitest';
import { type Called, place } from '../support/dialect.ts';
import { makePng } from '../support/images.ts';

interface Data {
  readonly content: string;
  readonly lines_shown: number;
  readonly total_lines: number;
  readonly truncated: boolean;
  readonly byte_limited?: boolean;
  readonly cut_lines?: readonly number[];
}

const dataOf = <T = Data>({ text }: Called): T => (JSON.parse(text) as { data: T }).data;

describe('pages', () => {
  test('short lines are limited by their number alone', async () => {
    const { write, call } = place('zdx');
    write('f', 'x\n'.repeat(3_000));
    const data = dataOf(await call('read', { path: 'f' }));
    expect(data).toMatchObject({ lines_shown: 2000, total_lines: 3000, truncated: true });
    expect(data.byte_limited).toBeUndefined();
  });

  test('max_line_length 0 cuts no line without a sign', async () => {
    const { write, call } = place('zdx');
    write('f', `a\n${'x'.repeat(2_000)}\n${'y'.repeat(200_000)}\nb\n`);
    const first = dataOf(await call('read', { path: 'f', max_line_length: 0 }));
    expect(first).toMatchObject({ content: `a\n${'x'.repeat(2_000)}\n`, truncated: true });
    expect(first.cut_lines).toBeUndefined();
    const long = dataOf(await call('read', { path: 'f', offset: 3, limit: 1, max_line_length: 0 }));
    expect(long).toMatchObject({ byte_limited: true, cut_lines: [3], lines_shown: 1 });
  });

  test.each([{ offset: 0 }, { offset: '' }, { offset: ' ', limit: '' }, { offset: null }])(
    '%j is the default',
    async (input) => {
      const { write, call } = place('zdx');
      write('f', 'a\nb\n');
      expect(dataOf(await call('read', { path: 'f', ...input }))).toMatchObject({
        content: 'a\nb\n',
        offset: 1,
      });
    },
  );
});

test.each([
  [Buffer.from('\ufeffa\n'), { byte_order_mark: true }],
  [Buffer.from('\ufeffa\n', 'utf16le'), { byte_order_mark: true, encoding: 'utf-16le' }],
  [Buffer.from([0x61, 0xff, 0xfe, 0x0a]), { invalid_sequences: 2 }],
  [Buffer.from('a\n'), {}],
])('%j: what decoding did is in data', async (bytes, facts) => {
  const { write, call } = place('zdx');
  write('f', bytes);
  const usual = ['path', 'content', 'offset', 'lines_shown', 'total_lines', 'truncated'];
  const data = Object.entries(dataOf<object>(await call('read', { path: 'f' })));
  expect(Object.fromEntries(data.filter(([name]) => !usual.includes(name)))).toEqual(facts);
});

test('an image is shown beside its envelope', async () => {
  const { write, oriel } = place('zdx');
  write('i.png', makePng(8, 8));
  const { content, isError } = await oriel.tool('read').run({ path: 'i.png' });
  expect(isError).toBe(false);
  expect(content.map(({ type }) => type)).toEqual(['text', 'image']);
  const [text] = content;
  const { data } = JSON.parse(text?.type === 'text' ? text.text : '') as { data: object };
  expect(data).toMatchObject({ path: 'i.png', type: 'image', mime_type: 'image/png' });
});

describe('streams', () => {
  test('NUL is NUL, and limits count what was written', async () => {
    const { call } = place('zdx');
    const called = await call('bash', { command: 'head -c 20000 /dev/zero' });
    expect(called.text).not.toContain('x00');
    expect(dataOf<object>(called)).toMatchObject({
      stdout: '\0'.repeat(20_000),
      stdout_truncated: false,
      stdout_total_bytes: 20_000,
    });
  });

  test('bytes that are no UTF-8 count once', async () => {
    const { call } = place('zdx');
    const called = await call('bash', { command: "head -c 50000 /dev/zero | tr '\\0' '\\377'" });
    expect(dataOf<object>(called)).toMatchObject({ stdout_truncated: false, stdout_total_bytes: 50_000 });
  });

  test('50 KiB each', async () => {
    const { call } = place('zdx');
    const { stdout, stderr } = dataOf<{ stdout: string; stderr: string }>(
      await call('bash', { command: "head -c 60000 /dev/zero | tr '\\0' x | tee /dev/stderr" }),
    );
    expect([stdout.length, stderr.length]).toEqual([51_200, 51_200]);
  });
});
