import { describe, expect, onTestFinished, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { Identity } from '../../src/identity.ts';
import { memoryBytes } from '../../src/access/bytes.ts';
import { queues } from '../../src/queues/queue-table.ts';
import { encodingOf, utf8 } from '../../src/text/encoding.ts';
import { SCAN_BUFFER } from '../../src/text/scan.ts';
import type { ByteSource } from '../../src/types/byte-source.ts';
import { LineIndex } from '../../src/window/line-index.ts';

/** The starts of the lines of a text, found one newline at a time. */
function lineStarts(bytes: Uint8Array): number[] {
  const starts = bytes.length > 0 ? [0] : [];
  for (const [at, byte] of bytes.entries()) if (byte === 10 && at + 1 < bytes.length) starts.push(at + 1);
  return starts;
}

test('the positions of lines are those of a linear scan, in any order of queries', async () => {
  const bytes = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 90_000 }), fc.constantFrom('\n', '\n\n', '')), { maxLength: 6 })
    .map((parts) => Buffer.from(parts.map(([length, end]) => 'x'.repeat(length) + end).join('')));
  await fc.assert(
    fc.asyncProperty(
      bytes,
      fc.array(fc.nat(300_000), { minLength: 1, maxLength: 8 }),
      async (content, questions) => {
        const source = memoryBytes(content);
        const starts = lineStarts(content);
        const index = new LineIndex(utf8);
        for (const question of questions) {
          const line = (question % (starts.length + 2)) + 1;
          expect(await index.startOf(line, source)).toBe(starts[line - 1]);
          if (content.length === 0) continue;
          const offset = question % content.length;
          expect(await index.lineAt(offset, source)).toBe(starts.filter((start) => start <= offset).length);
        }
        expect(await index.total(source)).toBe(starts.length);
      },
    ),
    { numRuns: 60 },
  );
});

test('concurrent calls give the same results', async () => {
  const source = memoryBytes(Buffer.alloc(5_000_000, 'ab\n'));
  const index = new LineIndex(utf8);
  const asked = [1_000_000, 5, 1_666_667, 800_000, 1_666_668];
  const found = await Promise.all(asked.map((line) => index.startOf(line, source)));
  expect(found).toStrictEqual([2_999_997, 12, 4_999_998, 2_399_997, undefined]);
});

/** Bytes made up as they are read: `period` bytes a line. Tells how much was asked for. */
function endless(size: number, period: number): ByteSource & { asked: number } {
  return {
    size,
    identity: Identity.once('test'),
    asked: 0,
    readInto(target, offset) {
      const length = Math.min(target.length, size - offset);
      target.fill(120, 0, length);
      for (let at = period - 1 - (offset % period); at < length; at += period) target[at] = 10;
      this.asked += length;
      return Promise.resolve(length);
    },
  };
}

test('finding a line scans up to it once, and later only one block', async () => {
  const source = endless(2 ** 30, 128);
  const index = new LineIndex(utf8);
  expect(await index.startOf(1001, source)).toBe(128_000);
  expect(source.asked).toBeLessThanOrEqual(3 * SCAN_BUFFER);
  await index.startOf(100_001, source);
  const cold = source.asked;
  expect(cold).toBeLessThanOrEqual(12_800_000 + 3 * SCAN_BUFFER);
  expect(await index.startOf(90_001, source)).toBe(11_520_000);
  expect(source.asked - cold).toBeLessThanOrEqual(64 << 10);
});

test('the table stays small: the block size doubles when it is full', async () => {
  const size = 6 * 2 ** 30;
  const source = endless(size, 64 << 10);
  const index = new LineIndex(utf8);
  expect(await index.total(source)).toBe(size / (64 << 10));
  expect(await index.startOf(90_001, source)).toBe(90_000 * (64 << 10));
  expect(await index.lineAt(5 * 2 ** 30 + 7, source)).toBe(81_921);
});

test('a cancelled scan can be continued', async () => {
  const source = endless(2 ** 28, 128);
  const index = new LineIndex(utf8);
  const stop = new AbortController();
  const scan = index.total(source, stop.signal, (scanned) => {
    if (scanned > 2 ** 25) stop.abort(new Error('stopped'));
  });
  await expect(scan).rejects.toThrow('stopped');
  expect(await index.total(source)).toBe(2 ** 28 / 128);
});

test('UTF-16 lines', async () => {
  const bytes = Buffer.from('\ufeffone\n\u0a0atwo\nthree', 'utf16le');
  const index = new LineIndex(encodingOf('utf-16le', 2));
  const source = memoryBytes(bytes);
  expect(await Promise.all([1, 2, 3, 4].map((line) => index.startOf(line, source)))).toStrictEqual([
    2,
    10,
    20,
    undefined,
  ]);
  expect(await index.total(source)).toBe(3);
});

/** A stream whose bytes come when `come` is called. */
function slow(content: Uint8Array): { source: ByteSource; come: () => void } {
  let come = (): void => {};
  const late = new Promise<void>((resolve) => (come = resolve));
  const { readInto } = memoryBytes(content);
  const source: ByteSource = {
    size: undefined,
    streamed: true,
    identity: Identity.once('test'),
    async readInto(target, offset) {
      await late;
      return readInto(target, offset);
    },
  };
  return { source, come };
}

test('slow streams hold no buffers, so that files can be scanned meanwhile', async () => {
  const content = Buffer.alloc(5_000_000, 'ab\n');
  const streams = [slow(content), slow(content), slow(content)];
  const totals = streams.map(({ source }) => new LineIndex(utf8).total(source));
  expect(await new LineIndex(utf8).total(memoryBytes(content))).toBe(1_666_667);
  expect(queues.scans.stats.running).toBe(0);
  for (const { come } of streams) come();
  expect(await Promise.all(totals)).toStrictEqual([1_666_667, 1_666_667, 1_666_667]);
});

test('a long scan yields, so that short scans need not wait for its end', async () => {
  const { limit } = queues.scans;
  queues.scans.limit = 1;
  onTestFinished(() => void (queues.scans.limit = limit));
  const order: string[] = [];
  const scan = async (name: string, bytes: number): Promise<number> => {
    const lines = await new LineIndex(utf8).total(endless(bytes, 100));
    order.push(name);
    return lines;
  };
  const scans = [scan('long', 500 << 20), scan('short', 1 << 20), scan('as short', 1 << 20)];
  expect(await Promise.all(scans)).toStrictEqual([5_242_880, 10_486, 10_486]);
  expect(order).toStrictEqual(['short', 'as short', 'long']);
});

test('a line at the start of a text is found while another call scans the whole of it', async () => {
  const index = new LineIndex(utf8);
  const source = endless(500 << 20, 100);
  const order: string[] = [];
  await Promise.all([
    index.total(source).then(() => order.push('total')),
    index.startOf(400_000, source).then(() => order.push('line')),
  ]);
  expect(order).toStrictEqual(['line', 'total']);
});

test('a small text is counted while all buffers are in use', async () => {
  const slots = await Promise.all(Array.from({ length: queues.scans.limit }, () => queues.scans.acquire()));
  onTestFinished(() => slots.forEach((slot) => slot.release()));
  const index = new LineIndex(utf8);
  expect(await index.total(memoryBytes(Buffer.alloc(60_000, 'ab\n')))).toBe(20_000);
});

describe('saved and restored', () => {
  const text = Buffer.from('a line\n'.repeat(100_000));

  test('another index continues where the first one ended', async () => {
    const source = memoryBytes(text);
    const one = new LineIndex(utf8);
    await one.startOf(50_000, source);
    const saved = one.save();
    const other = new LineIndex(utf8);
    expect(other.restore(saved, text.length)).toBe(true);
    expect(other.scanned).toBe(one.scanned);
    expect(await other.startOf(20_000, source)).toBe(19_999 * 7);
    expect(await other.total(source)).toBe(100_000);
    expect(await one.total(source)).toBe(100_000);
    expect(other.save()).toStrictEqual(one.save());
  });

  test('an invalid saved index is not restored', async () => {
    const one = new LineIndex(utf8);
    await one.total(memoryBytes(text));
    const saved = one.save();
    const changed = (at: number, value: number): Uint8Array => {
      const numbers = new Float64Array(Uint8Array.from(saved).buffer);
      numbers[at] = value;
      return new Uint8Array(numbers.buffer);
    };
    const wrong = [
      new Uint8Array(0),
      saved.subarray(1),
      saved.subarray(0, -8),
      changed(0, 3),
      changed(0, Number.NaN),
      changed(1, 2 ** 40),
      changed(2, 1),
      changed(5, 1),
      changed(7, -1),
      Buffer.alloc(4096, 255),
    ];
    for (const bytes of wrong) {
      const other = new LineIndex(utf8);
      expect(other.restore(bytes, text.length)).toBe(false);
      expect(await other.total(memoryBytes(text))).toBe(100_000);
    }
    expect(new LineIndex(utf8).restore(saved, text.length - 1)).toBe(false);
    expect(one.restore(saved, text.length)).toBe(false);
  });
});

test('a remote counter is told how many bytes are needed, estimated from the lines so far', async () => {
  const source: ByteSource = { ...memoryBytes(Buffer.alloc(2 << 20, 'nine + 1\n')), remote: true };
  const index = new LineIndex(utf8);
  const told: number[] = [];
  index.askOthers = (left) => Promise.resolve(void told.push(left));
  await index.startOf(100_001, source);
  expect(told.length).toBeGreaterThan(2);
  // Nothing is known before the first bytes.
  expect(told[0]).toBe(1);
  const [piece, lines] = [256 << 10, Math.floor((256 << 10) / 9)];
  expect(told[1]).toBe(((100_000 - lines) * piece) / lines);
  expect(told).toStrictEqual([1, ...told.slice(1).toSorted((a, b) => b - a)]);
  told.length = 0;
  await index.total(source);
  expect(new Set(told)).toStrictEqual(new Set([Number.POSITIVE_INFINITY]));
});
