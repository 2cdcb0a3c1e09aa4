import { describe, expect, onTestFinished, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { Identity } from '../../src/identity.ts';
import { memoryBytes } from '../../src/text/bytes.ts';
import { queues } from '../../src/queues/queue-table.ts';
import { unicodeEncoding, utf8, SCAN_BUFFER } from '../../src/text/encoding.ts';
import type { ByteSource } from '../../src/types/access.ts';
import { LineIndex } from '../../src/text/line-index.ts';
import { streamOf, type Watched } from '../support/windows.ts';

/** The starts of the lines of a text, found one newline at a time. */
function lineStarts(bytes: Uint8Array): number[] {
  const starts = bytes.length > 0 ? [0] : [];
  for (const [at, byte] of bytes.entries()) if (byte === 10 && at + 1 < bytes.length) starts.push(at + 1);
  return starts;
}

test('positions of lines match a linear scan, in any order', async () => {
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

test('finding a line scans once, and later only one block', async () => {
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

test('a full table doubles the block size and stays small', async () => {
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
  const index = new LineIndex(unicodeEncoding('utf-16le', 2));
  const source = memoryBytes(bytes);
  expect(await Promise.all([1, 2, 3, 4].map((line) => index.startOf(line, source)))).toStrictEqual([
    2,
    10,
    20,
    undefined,
  ]);
  expect(await index.total(source)).toBe(3);
});

test('UTF-16 lines of a text counted in the large buffers', async () => {
  // A newline is in none of the other characters, although its byte is.
  const source = memoryBytes(Buffer.from('\u0a0a\u010a\n'.repeat(900_000), 'utf16le'));
  const index = new LineIndex(unicodeEncoding('utf-16le'));
  expect(await index.total(source)).toBe(900_000);
  expect([await index.startOf(500_001, source), await index.lineAt(3_000_004, source)]).toStrictEqual([
    3_000_000, 500_001,
  ]);
  const piece = new LineIndex(unicodeEncoding('utf-16le'));
  expect(await piece.total({ ...source, streamed: true })).toBe(900_000);
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

test('slow streams hold no buffers, files are scanned meanwhile', async () => {
  const content = Buffer.alloc(5_000_000, 'ab\n');
  const streams = [slow(content), slow(content), slow(content)];
  const totals = streams.map(({ source }) => new LineIndex(utf8).total(source));
  expect(await new LineIndex(utf8).total(memoryBytes(content))).toBe(1_666_667);
  expect(queues.scans.stats.running).toBe(0);
  for (const { come } of streams) come();
  expect(await Promise.all(totals)).toStrictEqual([1_666_667, 1_666_667, 1_666_667]);
});

test('a long scan yields, so short scans need not wait', async () => {
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

test('an early line is found while another call scans everything', async () => {
  const index = new LineIndex(utf8);
  const source = endless(500 << 20, 100);
  const order: string[] = [];
  await Promise.all([
    index.total(source).then(() => order.push('total')),
    index.startOf(400_000, source).then(() => order.push('line')),
  ]);
  expect(order).toStrictEqual(['line', 'total']);
});

test('a small text is counted while all buffers are used', async () => {
  const slots = await Promise.all(Array.from({ length: queues.scans.limit }, () => queues.scans.acquire()));
  onTestFinished(() => slots.forEach((slot) => slot.release()));
  const index = new LineIndex(utf8);
  expect(await index.total(memoryBytes(Buffer.alloc(64 << 10, 'abc\n')))).toBe(16_384);
});

describe('saved and restored', () => {
  const text = Buffer.from('a line\n'.repeat(100_000));

  test('another index continues where the first one ended', async () => {
    const source = { ...memoryBytes(text), remote: true };
    const one = new LineIndex(utf8);
    await one.startOf(50_000, source);
    expect(one.scanned).toBeLessThan(text.length);
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

/** Bytes in memory that note each read. */
function watched(content: Uint8Array, over: Partial<ByteSource> = {}): Watched {
  const source = memoryBytes(content);
  const reads: [number, number][] = [];
  return {
    ...source,
    ...over,
    reads,
    readInto(target, offset) {
      reads.push([offset, target.length]);
      return source.readInto(target, offset);
    },
  };
}

const BLOCK = 64 << 10;

describe('what is read, and what is told of it', () => {
  test('a small text is read once, whole', async () => {
    const source = watched(Buffer.from('one\ntwo\nthree'));
    const index = new LineIndex(utf8);
    const told: number[] = [];
    expect(await index.total(source, undefined, (scanned) => told.push(scanned))).toBe(3);
    expect([source.reads, told, index.scanned]).toStrictEqual([[[0, 13]], [13], 13]);
    // It is known now.
    expect(await index.total(source, undefined, (scanned) => told.push(scanned))).toBe(3);
    expect([source.reads.length, told.length]).toStrictEqual([1, 1]);
  });

  test('an empty text has no lines', async () => {
    for (const source of [watched(Buffer.alloc(0)), streamOf(Buffer.alloc(0))]) {
      const index = new LineIndex(utf8);
      expect([
        await index.total(source),
        await index.startOf(1, source),
        await index.boundsOf(1, source),
        await index.startOf(2, source),
      ]).toStrictEqual([0, undefined, undefined, undefined]);
    }
    const marked = new LineIndex(unicodeEncoding('utf-8', 3));
    const mark = memoryBytes(Buffer.from('\ufeff'));
    expect([await marked.startOf(1, mark), await marked.total(mark)]).toStrictEqual([undefined, 0]);
  });

  test('a stream or remote file is read in small pieces', async () => {
    const content = Buffer.alloc(600_000, 'ab\n');
    for (const source of [streamOf(content), watched(content, { remote: true })]) {
      const index = new LineIndex(utf8);
      const told: number[] = [];
      const total = await index.total(source, undefined, (scanned) => told.push(scanned));
      expect([total, told]).toStrictEqual([200_000, [256 << 10, 512 << 10, 600_000]]);
      expect(source.reads).toStrictEqual([
        [0, 256 << 10],
        [256 << 10, 256 << 10],
        [512 << 10, 256 << 10],
      ]);
    }
  });

  test('a stream that ends with a piece', async () => {
    const source = streamOf(Buffer.alloc(256 << 10, 'abc\n'));
    const index = new LineIndex(utf8);
    // That nothing follows is known only after the next read.
    expect(await index.startOf(65_537, source)).toBe(256 << 10);
    expect([await index.total(source), await index.startOf(65_537, source)]).toStrictEqual([
      65_536,
      undefined,
    ]);
    // To find a newline, its block is read.
    expect(source.reads.map(([offset]) => offset)).toStrictEqual([0, 3 * BLOCK, 4 * BLOCK, 3 * BLOCK]);
  });

  test('finding a line near the start counts only the start', async () => {
    const source = watched(Buffer.alloc(10 * SCAN_BUFFER, 'ab\n'));
    const index = new LineIndex(utf8);
    expect(await index.startOf(1, source)).toBe(0);
    expect([source.reads.length, index.scanned]).toStrictEqual([0, 0]);
    expect(await index.lineAt(10, source)).toBe(4);
    expect(index.scanned).toBe(SCAN_BUFFER);
  });

  test('of a counted text one block is read', async () => {
    const content = Buffer.alloc(5 * BLOCK, 'abc\n');
    const source = watched(content);
    const index = new LineIndex(utf8);
    await index.total(source);
    const reads = async (ask: () => Promise<unknown>): Promise<unknown> => {
      source.reads.length = 0;
      return [await ask(), source.reads];
    };
    const line = BLOCK / 2 + 10;
    expect(await reads(() => index.startOf(line, source))).toStrictEqual([
      (line - 1) * 4,
      [[2 * BLOCK, BLOCK]],
    ]);
    expect(await reads(() => index.lineAt(BLOCK + 9, source))).toStrictEqual([BLOCK / 4 + 3, [[BLOCK, 9]]]);
    // The last byte is in the last line.
    expect(await reads(() => index.lineAt(5 * BLOCK - 1, source))).toStrictEqual([(5 * BLOCK) / 4, []]);
  });
});

describe('the bounds of a line', () => {
  const content = Buffer.from('one\n\nthree\nfour');

  test.each([
    [1, { start: 0, end: 4 }],
    [2, { start: 4, end: 5 }],
    [3, { start: 5, end: 11 }],
    [4, { start: 11, end: 15 }],
    [5, undefined],
    [9, undefined],
  ])('%i', async (line, bounds) => {
    for (const source of [memoryBytes(content), streamOf(content)]) {
      const index = new LineIndex(utf8);
      expect(await index.boundsOf(line, source)).toStrictEqual(bounds);
      if (bounds) expect(await index.endOf(line, source)).toBe(bounds.end);
    }
  });

  test('a final newline begins no other line', async () => {
    const source = memoryBytes(Buffer.from('one\ntwo\n'));
    const index = new LineIndex(utf8);
    expect([
      await index.startOf(3, source),
      await index.endOf(2, source),
      await index.total(source),
    ]).toStrictEqual([undefined, 8, 2]);
    expect([
      await index.lineAt(7, source),
      await index.lineAt(3, source),
      await index.lineAt(4, source),
    ]).toStrictEqual([2, 1, 2]);
  });

  test('of an oversized line are kept, whatever is asked between', async () => {
    const oversized = Buffer.concat([
      Buffer.from('a\n'),
      Buffer.alloc(3 * BLOCK, 'x'),
      Buffer.from('\nb\nc'),
    ]);
    const source = watched(oversized);
    const index = new LineIndex(utf8);
    const bounds = { start: 2, end: 3 * BLOCK + 3 };
    expect(await index.boundsOf(2, source)).toMatchObject(bounds);
    expect(await index.boundsOf(3, source)).toStrictEqual({ start: bounds.end, end: bounds.end + 2 });
    source.reads.length = 0;
    expect(await index.boundsOf(2, source)).toMatchObject(bounds);
    expect(await index.startOf(2, source)).toBe(2);
    expect(
      await Promise.all([2, 100_000, bounds.end - 1].map((at) => index.lineAt(at, source))),
    ).toStrictEqual([2, 2, 2]);
    expect(source.reads).toStrictEqual([]);
    expect([await index.lineAt(1, source), await index.lineAt(bounds.end, source)]).toStrictEqual([1, 3]);
  });
});

describe('the saved form', () => {
  test('an unterminated text is restored with its last line', async () => {
    const source = watched(Buffer.from('one\ntwo'));
    const index = new LineIndex(utf8);
    await index.total(source);
    const other = new LineIndex(utf8);
    expect(other.restore(index.save(), 7)).toBe(true);
    source.reads.length = 0;
    expect([await other.total(source), source.reads]).toStrictEqual([2, []]);
  });

  test.each([
    ['as saved', [BLOCK, BLOCK, 5, 0, 0, 0, 5], true],
    ['with more newlines since the last block', [BLOCK, BLOCK + 9, 8, 0, 0, 0, 5], true],
    ['all of the text', [BLOCK, 2 * BLOCK, 6, 1, 0, 0, 5, 6], true],
    ['an end before the end', [BLOCK, BLOCK, 5, 1, 0, 0, 5], false],
    ['fewer newlines than before the last block', [BLOCK, BLOCK + 9, 4, 0, 0, 0, 5], false],
    ['more newlines than bytes', [BLOCK, 9, 10, 0, 0, 0], false],
    ['more bytes than there are', [BLOCK, 2 * BLOCK + 1, 6, 0, 0, 0, 5, 6], false],
    ['no counts', [BLOCK, 9, 0, 0, 0], false],
  ])('%s', (_, numbers, isTaken) => {
    const saved = new Uint8Array(Float64Array.from(numbers).buffer);
    expect(new LineIndex(utf8).restore(saved, 2 * BLOCK)).toBe(isTaken);
  });

  test('what has counted as far takes nothing', async () => {
    const index = new LineIndex(utf8);
    const source = memoryBytes(Buffer.alloc(2 * BLOCK, 'abc\n'));
    await index.startOf(2, source);
    const counted = index.scanned;
    expect(index.restore(index.save(), 2 * BLOCK)).toBe(false);
    expect(index.scanned).toBe(counted);
  });
});
