/** `deflate` with and without a header, in pieces of any size. */

import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createAnyInflate } from '../../src/network/fetch.ts';

const text = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `${(i * 7_919) % 10_007} `).join(''));

function inflated(bytes: Buffer, piece: number): Promise<Buffer> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, i) =>
    bytes.subarray(i * piece, (i + 1) * piece),
  );
  return buffer(Readable.from(pieces).pipe(createAnyInflate()));
}

describe.each([
  ['with a header', deflateSync],
  ['without', deflateRawSync],
])('%s', (_, deflate) => {
  test.each([1, 7, 1_000, 1_000_000])('in pieces of %d bytes', async (piece) => {
    const part = piece === 1 ? text.subarray(0, 5_000) : text;
    expect((await inflated(deflate(part), piece)).equals(part)).toBe(true);
  });

  test('stored, not compressed', async () => {
    expect((await inflated(deflate(text, { level: 0 }), 4_096)).equals(text)).toBe(true);
  });

  test('damaged', async () => {
    const bytes = deflate(text);
    const stream = createAnyInflate();
    const failed = once(stream, 'error');
    stream.resume().end(bytes.subarray(0, bytes.length >> 1));
    expect(await failed).toStrictEqual([expect.objectContaining({ code: 'Z_BUF_ERROR' })]);
  });
});

test('nothing at all', async () => {
  expect(await inflated(Buffer.alloc(0), 1)).toStrictEqual(Buffer.alloc(0));
});
