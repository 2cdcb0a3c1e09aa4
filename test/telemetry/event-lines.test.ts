/** Lines of a telemetry file: every line once with its offset, for any chunks in which the file is read. */

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EventLines, MAX_EVENT_LINE_BYTES } from '../../src/telemetry/read-events.ts';

async function linesOf(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'oriel-lines-'));
  const path = join(folder, 'f');
  writeFileSync(path, text);
  const handle = await open(path);
  onTestFinished(async () => {
    await handle.close();
    rmSync(folder, { recursive: true });
  });
  const lines = new EventLines(handle);
  const taken: (readonly [string | undefined, number])[] = [];
  const take = (line: Buffer | undefined, offset: number) => void taken.push([line?.toString(), offset]);
  return { path, lines, taken, take };
}

/** Lines whose ends fall on every side of a piece. */
const LONG = Array.from({ length: 400 }, (_, i) => `${i}`.padEnd(1 + ((i * 7919) % 1_300), '.'));

test('each line once, with the offset of its first byte', async () => {
  const { lines, taken, take } = await linesOf(`${LONG.join('\n')}\n`);
  await lines.readOn(take);
  lines.takeRest(take);
  let at = 0;
  expect(taken).toEqual(LONG.map((line) => [line, (at += line.length + 1) - line.length - 1]));
});

test('an incomplete line is held back, and yielded at the end of the file', async () => {
  const { path, lines, taken, take } = await linesOf('one\ntw');
  await lines.readOn(take);
  expect(taken).toEqual([['one', 0]]);
  expect(lines.rest?.toString()).toBe('tw');
  appendFileSync(path, 'o\nthree');
  await lines.readOn(take);
  lines.takeRest(take);
  lines.takeRest(take);
  expect(taken).toEqual([
    ['one', 0],
    ['two', 4],
    ['three', 8],
  ]);
  expect(lines.at).toBe(13);
});

test('an overlong line is dropped, and the next one has the right offset', async () => {
  const long = 'x'.repeat(3 * MAX_EVENT_LINE_BYTES);
  const { lines, taken, take } = await linesOf(`a\n${long}\n${'y'.repeat(MAX_EVENT_LINE_BYTES)}\nz\n${long}`);
  await lines.readOn(take);
  expect(lines.rest).toBe(undefined);
  lines.takeRest(take);
  expect(taken.map(([line, at]) => [line?.length, at])).toEqual([
    [1, 0],
    [undefined, 2],
    [MAX_EVENT_LINE_BYTES, 3 + long.length],
    [1, 4 + long.length + MAX_EVENT_LINE_BYTES],
    [undefined, 6 + long.length + MAX_EVENT_LINE_BYTES],
  ]);
});
