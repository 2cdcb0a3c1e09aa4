import { expect, test } from 'vitest';
import { GrowingBytes } from '../../src/text/bytes.ts';

test('pieces are joined in order up to the maximum', () => {
  const bytes = new GrowingBytes(10);
  expect([bytes.length, bytes.copy()]).toEqual([0, Buffer.alloc(0)]);
  bytes.add(Buffer.from('abcd'));
  bytes.add(Buffer.from('efgh'));
  expect([bytes.length, bytes.copy().toString()]).toEqual([8, 'abcdefgh']);
  bytes.add(Buffer.from('ijkl'));
  bytes.add(Buffer.from('m'));
  expect([bytes.length, bytes.copy().toString()]).toEqual([10, 'abcdefghij']);
});

test('the memory grows by one piece or by many', () => {
  const piece = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
  const large = new GrowingBytes(1 << 20);
  large.add(piece);
  large.add(piece);
  expect(large.copy().equals(Buffer.concat([piece, piece]))).toBe(true);
  const small = new GrowingBytes(1 << 20);
  for (let at = 0; at < piece.length; at += 7) small.add(piece.subarray(at, at + 7));
  expect(small.copy().equals(piece)).toBe(true);
});

test('a copy does not change with what is added later', () => {
  const bytes = new GrowingBytes(100);
  bytes.add(Buffer.from('first'));
  const copy = bytes.copy();
  bytes.free();
  expect([bytes.length, bytes.copy()]).toEqual([0, Buffer.alloc(0)]);
  bytes.add(Buffer.from('other'));
  expect([copy.toString(), bytes.copy().toString()]).toEqual(['first', 'other']);
});

test('freeing what was never filled does nothing', () => {
  const bytes = new GrowingBytes(100);
  bytes.free();
  expect(bytes.copy()).toEqual(Buffer.alloc(0));
});
