/** What pi's bash answers, character for character. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { numbered, place, type Called } from '../support/dialect.ts';

const bash = (command: string, more: object = {}): Promise<Called> =>
  place('pi').call('bash', { command, ...more });
const fullOutput = ({ details }: Called): string => details['fullOutputPath'] as string;

describe('scenarios', () => {
  test('the line limit is hit', async () => {
    const called = await bash('seq 50000');
    const path = fullOutput(called);
    expect(called.text).toBe(
      `${numbered(48_001, 50_000)}[Showing lines 48001-50000 of 50000. Full output: ${path}]`,
    );
    expect(called.details).toMatchObject({
      truncation: { truncated: true, truncatedBy: 'lines', outputLines: 2000, totalLines: 50_000 },
    });
    expect(readFileSync(path, 'utf8')).toBe(numbered(1, 50_000));
  });

  test('the byte limit is hit', async () => {
    // 500 lines of 60 bytes are 30,000.
    const called = await bash(`for i in $(seq 50000); do printf '%-59d\\n' $i; done`);
    expect(
      called.text.endsWith(
        `\n[Showing lines 49501-50000 of 50000 (30KB limit). Full output: ${fullOutput(called)}]`,
      ),
    ).toBe(true);
    expect(called.text.startsWith('49501 ')).toBe(true);
    expect(called.details).toMatchObject({ truncation: { truncatedBy: 'bytes', outputLines: 500 } });
  });

  test('the last line alone is over the limit', async () => {
    const called = await bash(`seq 49999; head -c 100000 /dev/zero | tr '\\0' x`);
    expect(called.text).toBe(
      `${'x'.repeat(30_000)}\n[Showing last 30KB of line 50000 (line is 100KB). Full output: ${fullOutput(called)}]`,
    );
    expect(called.details).toMatchObject({ truncation: { truncatedBy: 'bytes', lastLinePartial: true } });
  });
});

test('the full output is read by its path', async () => {
  const { call } = place('pi');
  const called = await call('bash', { command: 'seq 3000' });
  const { text } = await call('read', { path: fullOutput(called), offset: 2, limit: 3 });
  expect(text).toBe('2\n3\n4\n[2996 more lines in file. Use offset=5 to continue]');
});

test('an output within the limits stands alone', async () => {
  expect(await bash('seq 2000')).toMatchObject({ text: numbered(1, 2000), isError: false });
  expect((await bash('seq 2000')).details).toEqual(
    expect.not.objectContaining({ truncation: expect.anything() }),
  );
  expect((await bash('true')).text).toBe('(no output)');
});

test('how a command ended', async () => {
  expect(await bash('echo a; exit 3')).toMatchObject({
    text: 'a\nCommand exited with code 3',
    isError: true,
  });
  expect(await bash('echo a; sleep 60', { timeout: 4.5 })).toMatchObject({
    text: 'a\nCommand timed out after 4.5 seconds',
    isError: true,
  });
});

test('several notices share one bracket', async () => {
  const called = await bash(`printf '\\xff\\n'; seq 5000; printf '\\xff\\n'`);
  expect(called.text.split('\n').at(-1)).toBe(
    `[1 invalid UTF-8 sequence shown as U+FFFD. Showing lines 3003-5002 of 5002. Full output: ${fullOutput(called)}]`,
  );
});
