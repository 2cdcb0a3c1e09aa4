import { expect, test } from 'vitest';
import {
  chunksOf,
  detachedFile,
  GrowingBytes,
  joinChunks,
  memoryBytes,
  readAt,
  readSourceHead,
  sliceBytes,
} from '../../src/text/bytes.ts';
import { Identity } from '../../src/identity.ts';
import type { ByteSource } from '../../src/types/access.ts';

test('the head of a source is kept unless reading fails', async () => {
  const reads: number[] = [];
  let fails = true;
  const stored = memoryBytes('x'.repeat(10_000));
  const source: ByteSource = {
    ...stored,
    readInto(target, offset, signal) {
      reads.push(target.length);
      return fails ? Promise.reject(new Error('once')) : stored.readInto(target, offset, signal);
    },
  };
  await expect(readSourceHead(source)).rejects.toThrow('once');
  fails = false;
  const head = await readSourceHead(source);
  expect(head).toHaveLength(4096);
  expect(await readSourceHead(source)).toBe(head);
  expect(reads).toEqual([4096, 4096]);
});

async function read(source: ByteSource, offset: number, length: number): Promise<string> {
  const target = Buffer.alloc(length, '.');
  return `${await source.readInto(target, offset)} ${target.toString()}`;
}

test('a slice has only the bytes from start to end', async () => {
  const slice = sliceBytes(memoryBytes('0123456789'), 2, 5);
  expect(slice.size).toBe(5);
  expect([await read(slice, 0, 9), await read(slice, 3, 1), await read(slice, 3, 9)]).toStrictEqual([
    '5 23456....',
    '1 5',
    '2 56.......',
  ]);
  expect([await read(slice, 5, 2), await read(slice, 7, 2)]).toStrictEqual(['0 ..', '0 ..']);
});

test('a slice has its source’s state and its own identity', async () => {
  const stored = memoryBytes('0123456789');
  const changed = (): Promise<boolean> => Promise.resolve(true);
  expect(Object.keys(sliceBytes(stored, 2, 5))).toStrictEqual(['size', 'identity', 'readInto']);
  const slice = sliceBytes({ ...stored, changed, remote: true }, 2, 5);
  expect([await slice.changed?.(), slice.remote]).toStrictEqual([true, true]);
  const keys = [sliceBytes(stored, 2, 5), slice, sliceBytes(stored, 2, 6), sliceBytes(stored, 1, 5)].map(
    ({ identity }) => identity.key,
  );
  expect(new Set(keys).size).toBe(3);
});

async function chunks(
  source: ByteSource,
  ...range: [number, number, number, AbortSignal?]
): Promise<string[]> {
  const found: string[] = [];
  for await (const chunk of chunksOf(source, ...range)) found.push(Buffer.from(chunk).toString());
  return found;
}

test('chunks cover a range once, up to the source’s end', async () => {
  const source = memoryBytes('0123456789');
  expect(await chunks(source, 1, 9, 3)).toStrictEqual(['123', '456', '78']);
  expect(await chunks(source, 8, 20, 6)).toStrictEqual(['89']);
  expect(await chunks(source, 4, 4, 3)).toStrictEqual([]);
  expect(await chunks(source, 9, 4, 3)).toStrictEqual([]);
  await expect(chunks(source, 0, 4, 3, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});

test('nothing is asked for beyond the end of the source', async () => {
  const asked: [number, number][] = [];
  const counting = (source: ByteSource): ByteSource => ({
    ...source,
    readInto: (target, offset, signal) => {
      asked.push([target.length, offset]);
      return source.readInto(target, offset, signal);
    },
  });
  const text = async (source: ByteSource, offset: number, length: number): Promise<string> =>
    Buffer.from(await readAt(source, offset, length)).toString();
  const sized = counting(memoryBytes('0123456789'));
  expect([
    await text(sized, 2, 3),
    await text(sized, 8, 5),
    await text(sized, 10, 5),
    await text(sized, 99, 5),
  ]).toEqual(['234', '89', '', '']);
  expect(asked).toEqual([
    [3, 2],
    [2, 8],
  ]);
  asked.length = 0;
  const growing = counting({ ...memoryBytes('0123456789'), size: undefined });
  expect([await text(growing, 8, 5), await text(growing, 10, 5), await text(growing, 0, 0)]).toEqual([
    '89',
    '',
    '',
  ]);
  expect(asked).toEqual([
    [5, 8],
    [5, 10],
  ]);
});

test('the signal of a call reaches the source', async () => {
  const { signal } = new AbortController();
  const signals: unknown[] = [];
  const stored = memoryBytes('x'.repeat(10));
  const source: ByteSource = {
    ...stored,
    readInto: (target, offset, given) => (signals.push(given), stored.readInto(target, offset)),
  };
  await readAt(source, 0, 1, signal);
  await readSourceHead(source, signal);
  await sliceBytes(source, 0, 5).readInto(Buffer.alloc(1), 0, signal);
  expect(await chunks(source, 0, 10, 5, signal)).toEqual(['xxxxx', 'xxxxx']);
  expect(signals).toEqual([signal, signal, signal, signal, signal]);
});

test('bytes in memory: size, identity, and reads beyond the end', async () => {
  const text = memoryBytes('äöü');
  expect([text.size, await read(text, 2, 2), await read(text, 6, 2), await read(text, 9, 2)]).toEqual([
    6,
    '2 ö',
    '0 ..',
    '0 ..',
  ]);
  expect([memoryBytes('a').identity.recurs, memoryBytes('a').identity.key]).not.toContain(
    memoryBytes('a').identity.key,
  );
  const identity = Identity.of('test', { at: 1 });
  expect(memoryBytes(Uint8Array.of(1, 2), identity)).toMatchObject({ size: 2, identity });
  expect(memoryBytes('a').identity.recurs).toBe(false);
});

test('a source that returns too little is read on', async () => {
  const stored = memoryBytes('0123456789');
  const offsets: number[] = [];
  const slow: ByteSource = {
    ...stored,
    readInto: (target, offset) => (offsets.push(offset), stored.readInto(target.subarray(0, 2), offset)),
  };
  expect(await chunks(slow, 1, 8, 3)).toEqual(['12', '34', '56', '7']);
  expect(offsets).toEqual([1, 3, 5, 7]);
});

/** The joined chunks, and the error at their end. */
async function joinedOf(lengths: readonly number[], error?: Error): Promise<readonly [number[], unknown]> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const [i, length] of lengths.entries()) yield new Uint8Array(length).fill(i);
    if (error) throw error;
  }
  const found: number[] = [];
  const all: number[] = [];
  let thrown: unknown;
  try {
    for await (const chunk of joinChunks(pieces(), 10)) {
      found.push(chunk.length);
      all.push(...chunk);
    }
  } catch (failure) {
    thrown = failure;
  }
  expect(all).toEqual(lengths.flatMap((length, i) => Array<number>(length).fill(i)));
  return [found, thrown];
}

test('small chunks are joined, large ones pass', async () => {
  expect(await joinedOf([])).toEqual([[], undefined]);
  expect(await joinedOf([3, 3, 3, 3])).toEqual([[9, 3], undefined]);
  expect(await joinedOf([5, 5, 1])).toEqual([[10, 1], undefined]);
  expect(await joinedOf([6, 2, 20])).toEqual([[6, 2, 20], undefined]);
  expect(await joinedOf([0, 2])).toEqual([[2], undefined]);
  const error = new Error('broken');
  expect(await joinedOf([2, 3], error)).toEqual([[5], error]);
  expect(await joinedOf([6], error)).toEqual([[6], error]);
});

test('growing bytes keep the first ones that fit', () => {
  const bytes = new GrowingBytes(200_000);
  bytes.add(Buffer.alloc(150_000, 'a'));
  expect(bytes.length).toBe(150_000);
  bytes.add(Buffer.alloc(150_000, 'b'));
  expect(bytes.length).toBe(200_000);
  const copy = Buffer.from(bytes.copy());
  expect([copy.length, copy.indexOf('b'), copy.lastIndexOf('b')]).toEqual([200_000, 150_000, 199_999]);
});

test('bytes without a place are a file that never changes', async () => {
  const file = detachedFile('a.ts', memoryBytes('abc'));
  expect(file).toMatchObject({ kind: 'file', path: 'a.ts', size: 3, mtimeMs: 0 });
  expect(detachedFile('a.ts', memoryBytes('abc'), 2).size).toBe(2);
  await expect(file.close()).resolves.toBeUndefined();
});
