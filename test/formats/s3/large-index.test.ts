/** With an existing line index, a page at any line of an object of any size takes two requests. */

import { expect, test } from 'vitest';
import { readAt } from '../../../src/text/bytes.ts';
import { Identity } from '../../../src/identity.ts';
import { objectLimits } from '../../../src/formats/ranges/limits.ts';
import { RangeBytes } from '../../../src/formats/ranges/range-bytes.ts';
import { unicodeEncoding } from '../../../src/text/encoding.ts';
import { LineIndex, NewlineTable } from '../../../src/text/line-index.ts';
import { LINE_BYTES, lineOf, numberedObject } from '../../support/objects.ts';

const GIB = 2 ** 30;

/** The block that a table has which has counted so much. */
function blockFor(size: number): number {
  const table = new NewlineTable();
  let at = 0;
  while (at + table.block <= size) {
    at += table.block;
    table.add(at / LINE_BYTES);
  }
  return table.block;
}

test.each([3, 6, 100, 256, 1024].map((gib) => [gib]))('of %d GiB', async (gib) => {
  const size = gib * GIB;
  const block = blockFor(size);
  const counts = Float64Array.from({ length: size / block + 1 }, (_, i) => (i * block) / LINE_BYTES);
  const saved = Float64Array.from([block, size, size / LINE_BYTES, 1, 0, ...counts.subarray(0, 0)]);
  const whole = new Float64Array(saved.length + counts.length);
  whole.set(saved);
  whole.set(counts, saved.length);
  const index = new LineIndex(unicodeEncoding('utf-8', 0));
  expect(index.restore(Buffer.from(whole.buffer), size)).toBe(true);
  const object = numberedObject(size);
  // At the beginning, in the middle and at the end of a block somewhere.
  const somewhere = Math.floor(size / block / 3) * block;
  for (const within of [LINE_BYTES, block / 3, block / 2, block - 10 * 1024, block - LINE_BYTES]) {
    let requests = 0;
    const bytes = new RangeBytes({
      name: 'big',
      size,
      identity: Identity.once('test'),
      requests: 256,
      read(start, end) {
        requests += 1;
        return Promise.resolve({ start, bytes: object.read(start, end), size });
      },
    });
    // The beginning of the object is the first request.
    bytes.hold({ start: 0, bytes: object.read(0, objectLimits.head) });
    const line = Math.floor((somewhere + within) / LINE_BYTES) + 1;
    const at = await index.startOf(line, bytes);
    const page = await readAt(bytes, at as number, 50 * 1024);
    expect(page.subarray(0, LINE_BYTES).toString()).toBe(lineOf(line));
    expect([within, requests]).toEqual([within, 1]);
  }
});
