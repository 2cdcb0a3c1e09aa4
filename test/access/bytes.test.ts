import { expect, test } from 'vitest';
import { chunksOf, headOf, memoryBytes, sliceBytes } from '../../src/access/bytes.ts';
import type { ByteSource } from '../../src/types/byte-source.ts';

test('the head of a source is read once, and not kept where reading it failed', async () => {
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
  await expect(headOf(source)).rejects.toThrow('once');
  fails = false;
  const head = await headOf(source);
  expect(head).toHaveLength(4096);
  expect(await headOf(source)).toBe(head);
  expect(reads).toEqual([4096, 4096]);
});

async function read(source: ByteSource, offset: number, length: number): Promise<string> {
  const target = Buffer.alloc(length, '.');
  return `${await source.readInto(target, offset)} ${target.toString()}`;
}

test('a slice has the bytes from its start to its end, and no others', async () => {
  const slice = sliceBytes(memoryBytes('0123456789'), 2, 5);
  expect(slice.size).toBe(5);
  expect([await read(slice, 0, 9), await read(slice, 3, 1), await read(slice, 3, 9)]).toStrictEqual([
    '5 23456....',
    '1 5',
    '2 56.......',
  ]);
  expect([await read(slice, 5, 2), await read(slice, 7, 2)]).toStrictEqual(['0 ..', '0 ..']);
});

test('a slice is as remote and as changed as its source, and its identity says which part it is', async () => {
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

test('chunks cover a range once, and end where the source ends', async () => {
  const source = memoryBytes('0123456789');
  expect(await chunks(source, 1, 9, 3)).toStrictEqual(['123', '456', '78']);
  expect(await chunks(source, 8, 20, 6)).toStrictEqual(['89']);
  expect(await chunks(source, 4, 4, 3)).toStrictEqual([]);
  expect(await chunks(source, 9, 4, 3)).toStrictEqual([]);
  await expect(chunks(source, 0, 4, 3, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});
