/** zdx's read and bash: the envelope, its fields, and the decisions behind them. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Called, numbered, place } from '../support/dialect.ts';

interface Envelope {
  readonly ok: boolean;
  readonly data?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly message: string };
}

const envelopeOf = ({ text }: Called): Envelope => JSON.parse(text) as Envelope;

async function read(content: string | Uint8Array, input: object = {}): Promise<Record<string, unknown>> {
  const { write, call } = place('zdx');
  write('file.txt', content);
  const { ok, data, error } = envelopeOf(await call('read', { path: 'file.txt', ...input }));
  if (!ok || !data) throw new Error(error?.message);
  return data;
}

describe('read', () => {
  test('answers every field, whatever is in it', async () => {
    expect(await read('a\nb\n')).toEqual({
      path: 'file.txt',
      content: 'a\nb\n',
      offset: 1,
      lines_shown: 2,
      total_lines: 2,
      truncated: false,
    });
  });

  test('test_read_large_file_truncated', async () => {
    expect(await read(numbered(1, 3000))).toMatchObject({
      content: numbered(1, 2000),
      lines_shown: 2000,
      total_lines: 3000,
      truncated: true,
    });
    expect(await read(numbered(1, 2000))).toMatchObject({ lines_shown: 2000, truncated: false });
  });

  test('total_lines is always counted, whatever countBytes a host sets', async () => {
    const { write, call } = place('zdx', { limits: { countBytes: 0 } });
    write('f', numbered(1, 3000));
    expect(envelopeOf(await call('read', { path: 'f' })).data).toMatchObject({ total_lines: 3000 });
  });

  test('X01 controls become JSON escapes, and the value loses nothing', async () => {
    const content = '\x1b[2J\x07\x7f\x9b\u202e\u2028 é\n';
    const { write, call } = place('zdx');
    write('\x85\u202e', content);
    const called = await call('read', { path: '\x85\u202e' });
    expect(called.text).not.toMatch(/[\0-\x1f\x7f-\x9f\u2028\u202e]/);
    expect(envelopeOf(called).data).toMatchObject({ path: '\x85\u202e', content });
  });

  test('test_read_line_truncation', async () => {
    const cut = { content: `${'x'.repeat(500)}\nb\n`, lines_shown: 2, total_lines: 2, truncated: false };
    expect(await read(`${'x'.repeat(1000)}\nb\n`)).toMatchObject(cut);
    expect(await read(`${'x'.repeat(500)}\n`)).toMatchObject({ content: `${'x'.repeat(500)}\n` });
    expect(await read(`${'👩'.repeat(501)}\n`)).toMatchObject({ content: `${'👩'.repeat(500)}\n` });
  });

  test('test_read_offset_limit', async () => {
    expect(await read(numbered(1, 3000), { offset: 1000, limit: 500 })).toMatchObject({
      content: numbered(1000, 1499),
      offset: 1000,
      lines_shown: 500,
      truncated: true,
    });
    expect(await read(numbered(1, 3000), { offset: 2501, limit: 500 })).toMatchObject({ truncated: false });
    expect(await read(numbered(1, 5000), { limit: 4000 })).toMatchObject({ lines_shown: 2000 });
  });

  test('test_read_huge_single_line', { tags: 'slow' }, async () => {
    expect(await read('x'.repeat(20 << 20))).toMatchObject({ content: 'x'.repeat(500), total_lines: 1 });
  });

  test('an offset past the end is empty, like empty files', async () => {
    const empty = { path: 'file.txt', content: '', lines_shown: 0, truncated: false };
    expect(await read('a\nb\n', { offset: 3 })).toEqual({ ...empty, offset: 3, total_lines: 2 });
    expect(await read('')).toEqual({ ...empty, offset: 1, total_lines: 0 });
    expect(await read('', { offset: 7 })).toEqual({ ...empty, offset: 7, total_lines: 0 });
  });

  test('line endings stay, invalid UTF-8 is replaced, nothing is escaped', async () => {
    expect(await read('a\r\nb\rc\x1b[0m\u202e\n')).toMatchObject({
      content: 'a\r\nb\rc\x1b[0m\u202e\n',
      total_lines: 2,
    });
    expect(await read(Buffer.of(0x61, 0xff, 0x0a))).toMatchObject({ content: 'a\ufffd\n' });
  });

  test('numbers may come as text', async () => {
    expect(await read(numbered(1, 9), { offset: '3', limit: '2' })).toMatchObject({ content: '3\n4\n' });
  });
});

describe('failures', () => {
  test.each([
    [
      { path: 'nope' },
      'NOT_FOUND',
      'nope does not exist. Use a path below the working directory, or an absolute one.',
    ],
    [{ path: 'sub/nope' }, 'NOT_FOUND', 'sub/nope does not exist. Use a path in sub, the nearest directory.'],
    [{ path: 'a/nope' }, 'NOT_DIRECTORY', 'a/nope goes through a, which is a file. Use a.'],
    [
      { path: '.' },
      'IS_DIRECTORY',
      '. is a directory, not a file. Use bash to list it, with the command ls .',
    ],
    [
      { path: 'a', lines: 3 },
      'BAD_INPUT',
      'The tool read has no field lines. Its fields are path, offset, limit, max_line_length, keep. Use {"path":"a"}.',
    ],
    [
      { path: 'bin' },
      'UNSUPPORTED',
      'bin is binary (NUL bytes). Use bash to look at it: xxd bin | head -100',
    ],
  ])('%j', async (input, code, message) => {
    const { write, call } = place('zdx');
    write('a', 'a\n');
    write('sub/b', 'b\n');
    write('bin', Buffer.of(1, 2, 0, 3));
    const called = await call('read', input);
    expect(envelopeOf(called)).toEqual({ ok: false, error: { code, message } });
    expect(called).toMatchObject({ isError: true, details: { error: { code, message } } });
  });

  test.each([{ offset: -1 }, { limit: 0 }, { offset: '1x' }, { max_line_length: -1 }, { keep: 'tail' }])(
    '%j is refused',
    async (wrong) => {
      const { write, call } = place('zdx');
      write('a', 'a\n');
      expect(envelopeOf(await call('read', { path: 'a', ...wrong }))).toMatchObject({
        ok: false,
        error: { code: 'BAD_INPUT' },
      });
    },
  );
});

describe('what can be asked for on top', () => {
  test('longer lines, or all that fit', async () => {
    const content = `${'x'.repeat(3000)}\nb\n`;
    expect(await read(content, { max_line_length: 1000 })).toMatchObject({
      content: `${'x'.repeat(1000)}\nb\n`,
    });
    expect(await read(content, { max_line_length: 0 })).toMatchObject({ content });
  });

  test('both ends of a long file', async () => {
    expect(await read(numbered(1, 5000), { keep: 'ends' })).toEqual({
      path: 'file.txt',
      content: numbered(1, 1000) + numbered(4001, 5000),
      offset: 1,
      lines_shown: 2000,
      total_lines: 5000,
      truncated: true,
      tail_offset: 4001,
    });
    expect(await read(numbered(1, 9), { keep: 'ends' })).toMatchObject({ lines_shown: 9, truncated: false });
    expect(await read(numbered(1, 9), { keep: 'ends', offset: 3, limit: 3 })).toMatchObject({
      content: '3\n4\n9\n',
      offset: 3,
      tail_offset: 9,
    });
  });

  test('a budget in tokens, for the model that reads', async () => {
    const limitsPerModel = { small: { tokens: 100 }, large: { tokens: 10_000 } };
    for (const [model, shown] of [
      ['small', 50],
      ['large', 1000],
      ['another', 1000],
    ] as const) {
      const { write, call } = place('zdx', { model, limitsPerModel });
      write('f', 'seven b\n'.repeat(1000));
      expect(envelopeOf(await call('read', { path: 'f' })).data).toMatchObject({
        lines_shown: shown,
        truncated: shown < 1000,
      });
    }
  });

  test('a budget smaller than one line still leads on', async () => {
    const { write, call } = place('zdx', { limits: { tokens: 32 } });
    write('f', `${'x'.repeat(400)}\n`.repeat(3));
    const { data } = envelopeOf(await call('read', { path: 'f', offset: 2 }));
    expect(data).toMatchObject({ offset: 2, lines_shown: 1, total_lines: 3, truncated: true });
    expect(data?.['content']).toMatch(/^x{50,128}\n$/);
  });
});

describe('bash', () => {
  const bash = async (command: string, more: object = {}): Promise<Record<string, unknown>> => {
    const { ok, data, error } = envelopeOf(await place('zdx').call('bash', { command, ...more }));
    if (!ok || !data) throw new Error(error?.message);
    return data;
  };

  test('answers both streams', async () => {
    expect(await bash('echo out; echo err >&2; exit 3')).toEqual({
      stdout: 'out\n',
      stderr: 'err\n',
      exit_code: 3,
      timed_out: false,
      stdout_truncated: false,
      stderr_truncated: false,
      stdout_total_bytes: 4,
      stderr_total_bytes: 4,
    });
  });

  test('test_bash_stdout_truncated', async () => {
    const data = await bash('head -c 102400 /dev/zero | tr "\\0" x; printf %256s >&2');
    expect(data).toMatchObject({
      stdout: 'x'.repeat(51_200),
      stderr: ' '.repeat(256),
      stdout_truncated: true,
      stderr_truncated: false,
      stdout_total_bytes: 102_400,
      stdout_file: expect.any(String),
    });
  });

  test('zdx 0.10 shows 40 KiB of a stream', async () => {
    for (const [bytes, isCut] of [
      [40_960, false],
      [40_961, true],
    ] as const) {
      const command = `head -c ${bytes} /dev/zero | tr '\\0' x`;
      const { data } = envelopeOf(await place('zdx@0.10').call('bash', { command }));
      expect(data).toMatchObject({ stdout: 'x'.repeat(40_960), stdout_truncated: isCut });
    }
  });

  test('50 KiB are whole, and a cut falls between characters', async () => {
    expect(await bash('head -c 51200 /dev/zero | tr "\\0" x')).toMatchObject({ stdout_truncated: false });
    const { stdout } = await bash(`printf x; printf '€%.0s' $(seq 20000)`);
    expect(stdout).toBe(`x${'€'.repeat(17_066)}`);
  });

  test('what was cut is in a file that read pages', { tags: 'slow' }, async () => {
    const { call } = place('zdx');
    const { data = {} } = envelopeOf(await call('bash', { command: 'seq 100000' }));
    const path = data['stdout_file'] as string;
    expect(readFileSync(path, 'utf8')).toBe(numbered(1, 100_000));
    const page = envelopeOf(await call('read', { path, offset: 99_999 }));
    expect(page.data).toMatchObject({ content: '99999\n100000\n', total_lines: 100_000 });
  });

  test('a time limit that is none is refused', async () => {
    const { error } = envelopeOf(await place('zdx').call('bash', { command: 'true', timeout: '-1' }));
    expect(error).toMatchObject({ code: 'BAD_INPUT' });
  });

  test('a timeout over the maximum is capped, in a field', async () => {
    expect(await bash('true', { timeout: 180_000 })).toMatchObject({ exit_code: 0, timeout_capped_at: 600 });
  });

  test('a time-out is ok', async () => {
    expect(await bash('echo a; sleep 60', { timeout: '4' })).toMatchObject({
      stdout: 'a\n',
      exit_code: -1,
      timed_out: true,
    });
  });

  test('both ends of a long stream', { tags: 'slow' }, async () => {
    const data = await bash('seq 100000', { keep: 'ends' });
    const stdout = data['stdout'] as string;
    const tail = data['stdout_tail_byte'] as number;
    const whole = numbered(1, 100_000);
    const rest = whole.slice(tail);
    expect(stdout.endsWith(rest)).toBe(true);
    expect(whole.startsWith(stdout.slice(0, -rest.length))).toBe(true);
    expect(stdout.length).toBeLessThanOrEqual(51_200);
    expect(stdout.length).toBeGreaterThan(51_000);
  });

  test('a command’s output shows while it runs, within bounds', { tags: 'slow' }, async () => {
    const { oriel } = place('zdx');
    const tails: string[] = [];
    await oriel
      .tool('bash')
      .run(
        { command: 'for i in 1 2 3 4 5; do seq 10000; sleep 0.3; done' },
        { onProgress: ({ tail }) => void (tail !== undefined && tails.push(tail)) },
      );
    expect(tails.length).toBeGreaterThan(0);
    for (const tail of tails) expect(tail.length).toBeLessThanOrEqual(8192);
  });
});

test('a directory of another machine is not named for a file', async () => {
  const { call, write } = place('zdx');
  write('src/a.ts', 'a\n');
  for (const path of ['/.', '/workspace/src'])
    expect((await call('read', { path })).text).toContain('Use a path below the working directory.');
});
