/** Lines of a telemetry file: every line once, for any chunks in which the file is read. */

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EventLines, MAX_EVENT_LINE_BYTES } from '../../src/telemetry/event-file.ts';

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
  const taken: (string | undefined)[] = [];
  const take = (line: Buffer | undefined) => void taken.push(line?.toString());
  return { path, lines, taken, take };
}

/** Lines whose ends fall on every side of a piece. */
const LONG = Array.from({ length: 400 }, (_, i) => `${i}`.padEnd(1 + ((i * 7919) % 1_300), '.'));

test('each line once', async () => {
  const { lines, taken, take } = await linesOf(`${LONG.join('\n')}\n`);
  await lines.readOn(take);
  lines.takeRest(take);
  expect(taken).toEqual(LONG);
});

test('an incomplete line waits, and is yielded at the end', async () => {
  const { path, lines, taken, take } = await linesOf('one\ntw');
  await lines.readOn(take);
  expect(taken).toEqual(['one']);
  expect(lines.rest?.toString()).toBe('tw');
  appendFileSync(path, 'o\nthree');
  await lines.readOn(take);
  lines.takeRest(take);
  lines.takeRest(take);
  expect(taken).toEqual(['one', 'two', 'three']);
  expect(lines.at).toBe(13);
});

test('an overlong line is dropped, the next one whole', async () => {
  const long = 'x'.repeat(3 * MAX_EVENT_LINE_BYTES);
  const { lines, taken, take } = await linesOf(`a\n${long}\n${'y'.repeat(MAX_EVENT_LINE_BYTES)}\nz\n${long}`);
  await lines.readOn(take);
  expect(lines.rest).toBe(undefined);
  lines.takeRest(take);
  const lengths = [1, undefined, MAX_EVENT_LINE_BYTES, 1, undefined];
  expect(taken.map((line) => line?.length)).toEqual(lengths);
});
