import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { OutputEnds } from '../../src/text/output.ts';

test('buffer and counts are independent of the chunk sizes', () => {
  const chunks = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60 }), {
    maxLength: 20,
  });
  const size = fc.integer({ min: 1, max: 80 });
  fc.assert(
    fc.property(chunks, size, size, (parts, head, tail) => {
      const ends = new OutputEnds({ head, tail });
      for (const part of parts) ends.push(Buffer.from(part));
      const all = parts.join('');
      const lines = all.split('\n').length - (all === '' || all.endsWith('\n') ? 1 : 0);
      expect([ends.bytes, ends.lines, ends.newlines]).toEqual([
        all.length,
        lines,
        all.split('\n').length - 1,
      ]);
      expect(Buffer.from(ends.head).toString()).toBe(all.slice(0, head));
      expect(Buffer.from(ends.tail().bytes).toString()).toBe(all.slice(-tail));
      expect(ends.tail().start).toBe(Math.max(0, all.length - tail));
      expect(Buffer.from(ends.tail(3).bytes).toString()).toBe(all.slice(-Math.min(3, tail)));
      expect(ends.lastLine).toBe(all.slice(0, -1).lastIndexOf('\n') + 1);
    }),
  );
});

test('a chunk may be reused by its owner', () => {
  const ends = new OutputEnds({ head: 4, tail: 4 });
  const chunk = Buffer.from('abcd');
  ends.push(chunk);
  chunk.fill(0);
  expect([ends.head, ends.tail().bytes].map((bytes) => Buffer.from(bytes).toString())).toEqual([
    'abcd',
    'abcd',
  ]);
});

test('more than the first 16 KiB of the buffer', () => {
  const all = Array.from({ length: 30_000 }, (_, i) => `${i}\n`).join('');
  for (const size of [700, 20_000, 150_000]) {
    const ends = new OutputEnds({ head: 50_000, tail: 60_000 });
    for (let at = 0; at < all.length; at += size) {
      ends.push(Buffer.from(all.slice(at, at + size)));
      const so = all.slice(0, at + size);
      const { start, bytes } = ends.tail();
      expect([start, Buffer.from(bytes).toString() === so.slice(-60_000)]).toEqual([
        Math.max(0, so.length - 60_000),
        true,
      ]);
      expect(Buffer.from(ends.head).toString() === so.slice(0, 50_000)).toBe(true);
    }
    expect([ends.bytes, ends.lines, ends.lastLine]).toEqual([all.length, 30_000, all.length - 6]);
  }
});

test('nothing', () => {
  const ends = new OutputEnds({ head: 4, tail: 4 });
  ends.push(Buffer.alloc(0));
  expect([ends.bytes, ends.lines, ends.newlines, ends.lastLine]).toEqual([0, 0, 0, 0]);
  expect([ends.head.length, ends.tail()]).toEqual([0, { start: 0, bytes: Buffer.alloc(0) }]);
});
