import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fc } from '../support/properties.ts';
import { memoryBytes } from '../../src/text/bytes.ts';
import { unicodeEncoding, utf8 } from '../../src/text/encoding.ts';
import type { ByteSource } from '../../src/types/access.ts';
import { LineReader, type StoredLine } from '../../src/text/line-reader.ts';

/** Lines long enough that a few of them fill what is decoded in one step, most of them plain. */
const line = fc
  .tuple(
    fc.constantFrom(
      'a',
      'some words\t',
      'é',
      '\u202e',
      '\0',
      '\r',
      '日本',
      'x'.repeat(700),
      '-'.repeat(9_000),
    ),
    fc.integer({ min: 0, max: 12 }),
    fc.constantFrom('\n', '\n', '\r\n'),
  )
  .map(([piece, times, end]) => piece.repeat(times) + end);

const PLAIN = /^(?:[\t\n\x20-\x7e]|\r\n)*$/;

test('lines are complete and ordered, and only plain ones decoded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 60 }), fc.boolean(), async (lines, open) => {
      const text = lines.join('') + (open ? 'the last one' : '');
      const reader = new LineReader(memoryBytes(text), utf8, 0, 256 << 10);
      const read: StoredLine[] = [];
      for (;;) {
        const stored = reader.buffered() ?? (await reader.next());
        if (!stored) break;
        read.push(stored);
      }
      const stored = read.map(({ bytes }) => Buffer.from(bytes).toString());
      expect(stored.join('')).toBe(text);
      expect(stored.every((one, i) => one.endsWith('\n') || i === stored.length - 1)).toBe(true);
      for (const [i, { text: decoded }] of read.entries()) {
        if (decoded !== undefined) expect(decoded).toBe(stored[i]);
        if (decoded !== undefined) expect(decoded).toMatch(PLAIN);
      }
    }),
    { numRuns: 60 },
  );
});

interface Watched extends ByteSource {
  /** Offset and length of each read. */
  readonly reads: [number, number][];
}

function watched(content: string | Uint8Array): Watched {
  const source = memoryBytes(content);
  const reads: [number, number][] = [];
  return {
    ...source,
    reads,
    readInto(target, offset, signal) {
      reads.push([offset, target.length]);
      return source.readInto(target, offset, signal);
    },
  };
}

/** A line as text, or as its start if it has more than is held. */
const shown = (stored: StoredLine | undefined): unknown =>
  stored && [stored.start, stored.end, Buffer.from(stored.bytes).toString(), stored.length];

test('a line has its offsets, bytes and, if plain, text', async () => {
  const reader = new LineReader(memoryBytes('plain\nrésumé\nlast'), utf8, 0, 100);
  const lines = [await reader.next(), await reader.next(), await reader.next(), await reader.next()];
  expect(lines.map(shown)).toStrictEqual([
    [0, 6, 'plain\n', 6],
    [6, 15, 'résumé\n', 9],
    [15, 19, 'last', 4],
    undefined,
  ]);
  expect(lines.map((line) => line?.text)).toStrictEqual(['plain\n', undefined, undefined, undefined]);
});

test('a reader begins at an offset, behind the mark', async () => {
  const marked = memoryBytes('\ufeffone\ntwo\n');
  const from = async (offset: number): Promise<unknown> =>
    shown(await new LineReader(marked, unicodeEncoding('utf-8', 3), offset, 100).next());
  expect(await from(0)).toStrictEqual([3, 7, 'one\n', 4]);
  expect(await from(7)).toStrictEqual([7, 11, 'two\n', 4]);
});

test('what is buffered comes at once, and only that', async () => {
  const source = watched(`a\né\n${'x'.repeat(30)}\nb\n`);
  const reader = new LineReader(source, utf8, 0, 20);
  expect(reader.buffered()).toBeUndefined();
  expect(shown(await reader.next())).toStrictEqual([0, 2, 'a\n', 2]);
  expect(shown(reader.buffered())).toStrictEqual([2, 5, 'é\n', 3]);
  // More than is held: `next` returns a part.
  expect(reader.buffered()).toBeUndefined();
  expect(source.reads).toStrictEqual([[0, 38]]);
});

describe('a line of more bytes than are held', () => {
  const text = `a\n${'é'.repeat(10)}\nb\n`;

  test('is returned in part', async () => {
    const reader = new LineReader(memoryBytes(text), utf8, 2, 6);
    expect(shown(await reader.next())).toStrictEqual([2, undefined, 'ééé', 6]);
    expect(shown(await new LineReader(memoryBytes(text), utf8, 2, 20).next())).toStrictEqual([
      2,
      undefined,
      'é'.repeat(10),
      20,
    ]);
    expect(shown(await new LineReader(memoryBytes(text), utf8, 2, 21).next())).toStrictEqual([
      2,
      23,
      `${'é'.repeat(10)}\n`,
      21,
    ]);
  });

  test('plain ones too, in a run of others', async () => {
    const reader = new LineReader(memoryBytes(`ab\n${'x'.repeat(30)}\nb\n`), utf8, 0, 10);
    expect(shown(await reader.next())).toStrictEqual([0, 3, 'ab\n', 3]);
    expect(shown(await reader.next())).toStrictEqual([3, undefined, 'x'.repeat(10), 10]);
    expect(await reader.skipRest()).toBe(34);
    expect(shown(reader.buffered())).toStrictEqual([34, 36, 'b\n', 2]);
  });

  test('is skipped, and the next line follows', async () => {
    const reader = new LineReader(memoryBytes(text), utf8, 2, 6);
    await reader.next();
    expect(await reader.skipRest()).toBe(23);
    expect(shown(await reader.next())).toStrictEqual([23, 25, 'b\n', 2]);
    expect(await reader.next()).toBeUndefined();
  });

  test('is skipped to the end without a last newline', async () => {
    const reader = new LineReader(memoryBytes('é'.repeat(10)), utf8, 0, 6);
    await reader.next();
    expect(await reader.skipRest()).toBe(20);
    expect(await reader.next()).toBeUndefined();
  });

  test('is skipped over several reads', async () => {
    const long = `${'x'.repeat(700_000)}\nb\n`;
    const reader = new LineReader(memoryBytes(long), utf8, 0, 6);
    await reader.next();
    expect(await reader.skipRest()).toBe(700_001);
    expect(shown(await reader.next())).toStrictEqual([700_001, 700_003, 'b\n', 2]);
  });

  test('is not read if an index knows its end', async () => {
    const long = `${'x'.repeat(700_000)}\n${'b\n'.repeat(200_000)}`;
    const source = watched(long);
    const reader = new LineReader(source, utf8, 0, 6);
    await reader.next();
    expect(await reader.skipRest(() => Promise.resolve(700_001))).toBe(700_001);
    expect(shown(await reader.next())).toStrictEqual([700_001, 700_003, 'b\n', 2]);
    expect(source.reads).toStrictEqual([
      [0, 64 << 10],
      [700_001, 64 << 10],
    ]);
    // Nor is the index asked if the end is in the buffer, or the whole text is.
    const never = (): Promise<number> => Promise.reject(new Error('asked'));
    const buffered = new LineReader(memoryBytes(text), utf8, 2, 6);
    await buffered.next();
    expect(await buffered.skipRest(never)).toBe(23);
    const last = new LineReader(memoryBytes('é'.repeat(10)), utf8, 0, 6);
    await last.next();
    expect(await last.skipRest(never)).toBe(20);
  });

  test('in units of two bytes, whatever the reads are', async () => {
    const stored = Buffer.from(`\ufeffa\n${'é\u0a0a'.repeat(200)}\nb\n`, 'utf16le');
    const utf16 = unicodeEncoding('utf-16le', 2);
    for (const first of [7, 8, 9, 10]) {
      const reader = new LineReader(memoryBytes(stored), utf16, 0, 900, undefined, first);
      const found = [await reader.next(), await reader.next(), await reader.next(), await reader.next()];
      expect(found.map((line) => line && [line.start, line.end])).toStrictEqual([
        [2, 6],
        [6, 808],
        [808, 812],
        undefined,
      ]);
      const short = new LineReader(memoryBytes(stored), utf16, 6, 20, undefined, first);
      expect((await short.next())?.bytes).toStrictEqual(stored.subarray(6, 26));
      expect(await short.skipRest()).toBe(808);
    }
    // A last unit that is cut belongs to the last line.
    const cut = new LineReader(memoryBytes(Buffer.concat([stored, Buffer.of(0x61)])), utf16, 808, 10);
    expect([(await cut.next())?.end, (await cut.next())?.end]).toStrictEqual([812, 813]);
  });
});

describe('turns of the event loop', () => {
  const lines = 'x\n'.repeat(160);

  /** Each look at the clock takes so many milliseconds. */
  function clock(step: number): void {
    let now = 0;
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => (now += step));
    onTestFinished(() => spy.mockRestore());
  }

  /** How many lines did not come at once. */
  async function pauses(): Promise<number> {
    const reader = new LineReader(memoryBytes(lines), utf8, 0, 100);
    let paused = 0;
    for (;;) {
      const stored = reader.buffered();
      if (stored) continue;
      paused += 1;
      if (!(await reader.next())) return paused;
    }
  }

  test('only a slow reader yields, after every 16 lines', async () => {
    // Two pauses are the first line and the end.
    clock(0);
    expect(await pauses()).toBe(2);
    clock(4);
    expect(await pauses()).toBe(7);
    clock(5);
    expect(await pauses()).toBe(12);
  });

  test('other work runs meanwhile, and can cancel the reader', async () => {
    clock(5);
    const stop = new AbortController();
    const reader = new LineReader(memoryBytes(lines), utf8, 0, 100, stop.signal);
    setImmediate(() => stop.abort(new Error('cancelled')));
    let read = 0;
    const all = async (): Promise<void> => {
      while (await reader.next()) read += 1;
    };
    await expect(all()).rejects.toThrow('cancelled');
    expect(read).toBe(15);
  });

  test('a cancelled reader does not read on', async () => {
    const stop = new AbortController();
    const reader = new LineReader(memoryBytes(lines), utf8, 0, 100, stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(reader.next()).rejects.toThrow('cancelled');
  });
});
