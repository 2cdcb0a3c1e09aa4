/** Cost follows the window: how many bytes are read for an answer, whatever the size of the file. */

import { expect, test } from 'vitest';
import { Identity } from '../../src/identity.ts';
import { utf8 } from '../../src/text/encoding.ts';
import type { ByteSource } from '../../src/types/access.ts';
import type { Window } from '../../src/types/excerpt.ts';
import { cutWindow } from '../../src/text/excerpt.ts';
import { LineIndex } from '../../src/text/line-index.ts';
import { plainFit } from '../support/windows.ts';

function huge(size: number): ByteSource & { asked: number } {
  return {
    size,
    identity: Identity.once('test'),
    asked: 0,
    readInto(target, offset) {
      const length = Math.max(0, Math.min(target.length, size - offset));
      target.fill(120, 0, length);
      for (let at = 79 - (offset % 80); at < length; at += 80) target[at] = 10;
      this.asked += length;
      return Promise.resolve(length);
    },
  };
}

const windows: [string, Window | undefined][] = [
  ['the first page', undefined],
  ['a byte window at 90 %', { kind: 'bytes', start: 9e11 }],
  ['the last lines', { kind: 'tail', lines: 100 }],
  ['a backward page in the middle', { kind: 'tail', lines: 100, before: 5e11 }],
];

test.each(windows)('%s of 1 TB reads less than 1 MiB', async (_title, window) => {
  const source = huge(1e12);
  const page = await cutWindow(
    { source, encoding: utf8, index: new LineIndex(utf8), counted: false },
    window,
    plainFit(),
  );
  expect(page.parts.flat().length).toBeGreaterThan(50);
  expect(source.asked).toBeLessThan(1 << 20);
});

test('the last lines of a counted text are one read', async () => {
  const source = huge(1e8);
  const input = { source, encoding: utf8, index: new LineIndex(utf8), counted: true };
  await cutWindow(input, { kind: 'tail', lines: 100 }, plainFit());
  source.asked = 0;
  const page = await cutWindow(input, { kind: 'tail', lines: 100 }, plainFit());
  expect(page.parts.flat().map(({ no }) => no)).toEqual(Array.from({ length: 100 }, (_, i) => 1_249_901 + i));
  expect(source.asked).toBe(16 << 10);
});

/** A few lines, a line of 200 MB, a few lines: made up as they are read. */
function oversized(): ByteSource & { asked: number } {
  const size = 200_001_000;
  return {
    size,
    identity: Identity.once('test'),
    asked: 0,
    readInto(target, offset) {
      const length = Math.max(0, Math.min(target.length, size - offset));
      target.fill(120, 0, length);
      for (const newline of [99, 199, 200_000_199, 200_000_299, size - 1]) {
        if (newline >= offset && newline < offset + length) target[newline - offset] = 10;
      }
      this.asked += length;
      return Promise.resolve(length);
    },
  };
}

const inside: [string, Window, number][] = [
  ['a slice', { kind: 'bytes', start: 100_000_000, length: 65_536 }, 65_536],
  ['the slice after it', { kind: 'bytes', start: 100_065_536, length: 65_536 }, 65_536],
  ['its first lines window', { kind: 'lines', ranges: [{ from: 3 }], context: false }, 51_200],
  ['a tail that ends in it', { kind: 'tail', lines: 5, before: 150_000_000 }, 51_200],
];

test.each([true, false])('pages of an oversized line cost the window (counted: %s)', async (counted) => {
  const source = oversized();
  const input = { source, encoding: utf8, index: new LineIndex(utf8), counted };
  // The first call counts the lines.
  await cutWindow(input, { kind: 'bytes', start: 50_000_000, length: 65_536 }, plainFit());
  await cutWindow(input, { kind: 'lines', ranges: [{ from: 3 }], context: false }, plainFit());
  for (const [title, window, length] of inside) {
    source.asked = 0;
    const page = await cutWindow(input, window, plainFit());
    const shown = page.parts.flat().reduce((sum, line) => sum + line.end - line.start, 0);
    expect([title, shown]).toEqual([title, length]);
    expect(page.oversized?.no).toBe(counted || window.kind === 'lines' ? 3 : undefined);
    if (counted && window.kind !== 'tail') expect(page.oversized?.bytes).toBe(200_000_000);
    // Looking for the line's start behind the window takes another 51 KiB.
    expect([title, source.asked < 3 * 65_536]).toEqual([title, true]);
  }
});

test('of a long line only the shown start is read', async () => {
  const size = 64 << 20;
  const period = 1 << 20;
  const source: ByteSource & { asked: number } = {
    size,
    identity: Identity.once('test'),
    asked: 0,
    readInto(target, offset) {
      const length = Math.max(0, Math.min(target.length, size - offset));
      target.fill(120, 0, length);
      for (let at = period - 1 - (offset % period); at < length; at += period) target[at] = 10;
      this.asked += length;
      return Promise.resolve(length);
    },
  };
  const input = { source, encoding: utf8, index: new LineIndex(utf8), counted: true };
  const fit = plainFit({}, { longLine: { kind: 'clip', at: 500, unit: 'char' } });
  await cutWindow(input, undefined, fit);
  source.asked = 0;
  const page = await cutWindow(input, { kind: 'lines', ranges: [{ from: 30, to: 39 }], context: false }, fit);
  expect(page.parts.flat().map((line) => [line.no, line.text.length, line.end - line.start])).toEqual(
    Array.from({ length: 10 }, (_, i) => [30 + i, 501, period]),
  );
  expect(source.asked).toBeLessThan(10 * 3 * 65_536);
});
