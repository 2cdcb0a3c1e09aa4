import { expect, test } from 'vitest';
import { headOf, memoryBytes } from '../../src/access/bytes.ts';
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
