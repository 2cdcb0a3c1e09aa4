/** Cost follows the window: how many bytes are read for an answer, whatever the size of the file. */

import { expect, test } from 'vitest';
import { Identity } from '../../src/identity.ts';
import { utf8 } from '../../src/text/encoding.ts';
import type { ByteSource } from '../../src/types/byte-source.ts';
import type { Window } from '../../src/types/excerpt.ts';
import { excerpt } from '../../src/window/excerpt.ts';
import { LineIndex } from '../../src/window/line-index.ts';
import { plainFit } from '../support/windows.ts';

function huge(size: number): ByteSource & { asked: number } {
  return {
    size,
    identity: Identity.once('test'),
    asked: 0,
    readInto(target, offset) {
      const length = Math.max(0, Math.min(target.length, size - offset));
      target.fill(120, 0, length);
      for (let at = 79 - (offset % 80); at < length; at += 80) target[at] = 10;
      this.asked += length;
      return Promise.resolve(length);
    },
  };
}

const windows: [string, Window | undefined][] = [
  ['the first page', undefined],
  ['a byte window at 90 %', { by: 'bytes', start: 9e11 }],
  ['the last lines', { by: 'tail', lines: 100 }],
  ['a backward page in the middle', { by: 'tail', lines: 100, before: 5e11 }],
];

test.each(windows)('%s of 1 TB reads less than 1 MiB', async (_title, window) => {
  const source = huge(1e12);
  const page = await excerpt(
    { source, encoding: utf8, index: new LineIndex(utf8), counted: false },
    window,
    plainFit(),
  );
  expect(page.parts.flat().length).toBeGreaterThan(50);
  expect(source.asked).toBeLessThan(1 << 20);
});
