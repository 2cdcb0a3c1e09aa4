/**
 * A search that finds nothing in a damaged archive says that the archive is damaged, wherever the damage is.
 *
 * @module-tag slow
 */

import { deflateRawSync, gzipSync, crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { place } from '../support/dialect.ts';
import { needleText, packed } from '../support/packed.ts';
import { isLongRun, seedOfRun } from '../support/properties.ts';
import { zip } from '../support/zip.ts';

const SILENT = 'No matches found';

/** Offsets spread over `length` bytes, each with a bit of it; others in each run. */
function flips(length: number, most: number): { at: number; bit: number }[] {
  const step = Math.max(1, length / (isLongRun ? 10 * most : most));
  const first = seedOfRun % Math.ceil(step);
  return Array.from({ length: Math.floor(length / step) }, (_, i) => {
    const at = Math.min(length - 1, Math.floor(i * step) + first);
    // Every second flip is the one that makes a NUL of a space.
    return { at, bit: i % 2 ? 5 : (at * 5 + i * 3) % 8 };
  });
}

function flipped(bytes: Uint8Array, { at, bit }: { at: number; bit: number }): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ (1 << bit);
  return copy;
}

const FILES: readonly (readonly [name: string, bytes: Uint8Array, most: number])[] = [
  ['a.txt.bz2', packed.bz2.needle, 3],
  ['a.txt.xz', packed.xz.needle, 3],
  ['a.txt.zst', packed.zst.needle, 3],
  ['a.txt.gz', gzipSync(needleText), 12],
  ['b.txt.gz', gzipSync(needleText, { level: 0 }), 12],
];

test.each(FILES)('%s', { tags: 'slow' }, async (path, bytes, most) => {
  const { write, call } = place('oriel');
  const silent: object[] = [];
  for (const flip of flips(bytes.length, most)) {
    write(path, flipped(bytes, flip));
    const { text } = await call('grep', { pattern: 'NEEDLE', path, inside: true });
    if (text === SILENT) silent.push(flip);
  }
  expect(silent).toEqual([]);
});

const MEMBERS: readonly (readonly [name: string, method: number, bytes: Uint8Array, most: number])[] = [
  ['stored', 0, Buffer.from(needleText), 12],
  ['deflate', 8, deflateRawSync(needleText), 12],
  ['bzip2', 12, packed.bz2.needle, 3],
  ['zstd', 93, packed.zst.needle, 3],
  ['xz', 95, packed.xz.needle, 3],
];

test.each(MEMBERS)('a member of a zip, %s', { tags: 'slow' }, async (_, method, bytes, most) => {
  const { write, call } = place('oriel');
  const whole = { name: 'a.txt', method, size: needleText.length, crc: crc32(needleText) };
  const silent: object[] = [];
  for (const flip of flips(bytes.length, most)) {
    write('a.zip', zip([{ ...whole, packed: flipped(bytes, flip) }]));
    const { text } = await call('grep', { pattern: 'NEEDLE', path: 'a.zip', inside: true });
    if (text === SILENT) silent.push(flip);
  }
  expect(silent).toEqual([]);
});

/** The text with a NUL in place of the first space of a line. */
const withNul = (line: number): Buffer => {
  const bytes = Buffer.from(needleText);
  const start =
    line === 1
      ? 0
      : needleText
          .split('\n')
          .slice(0, line - 1)
          .join('\n').length + 1;
  bytes[bytes.indexOf(32, start)] = 0;
  return bytes;
};

test('the readable part of damaged text with NUL is searched', async () => {
  const { write, call } = place('oriel');
  const whole = { name: 'a.txt', size: needleText.length, crc: crc32(needleText) };
  write('a.zip', zip([{ ...whole, content: withNul(3) }]));
  const read = await call('read', { path: 'a.zip:a.txt' });
  expect(read.text).toMatch(/^1\|[0-9a-f ]+\n2\|[0-9a-f ]+\n3\|/);
  expect(read.text).toMatch(/Warning for a\.zip:a\.txt: its CRC does not match/);
  expect((await call('grep', { pattern: 'NEEDLE', path: 'a.zip', inside: true })).text).toBe(
    'a.zip:a.txt:31: NEEDLE\n[1 text searched in part: too large, damaged, cut off, or a BLOB. Read the document, its pages, cells or rows, or the member for the rest]',
  );
});

test('a member without readable lines: damaged fails, whole is binary', async () => {
  const { write, call } = place('oriel');
  const content = withNul(1);
  const damaged = { name: 'a.txt', content, crc: crc32(needleText) };
  write('a.zip', zip([damaged, { name: 'b.bin', content }]));
  const { text } = await call('read', { path: 'a.zip:a.txt' });
  expect(text).toMatch(
    /^a\.zip:a\.txt cannot be read: its CRC does not match, and its first bytes are no text\. Use a shell/,
  );
  expect((await call('read', { path: 'a.zip:b.bin' })).text).toMatch(/^\[?Cannot read binary archive entry/);
  expect((await call('grep', { pattern: 'NEEDLE', path: 'a.zip', inside: true })).text).toBe(
    'No matches found\n[1 document, archive, member or table was not searched ("a.zip:a.txt"): damaged, encrypted, or over a limit. 1 binary file left out]',
  );
});

test('a packed text not searched is named as for read', { tags: 'slow' }, async () => {
  const { write, call } = place('oriel');
  write('a.txt.bz2', flipped(packed.bz2.needle, { at: 200, bit: 0 }));
  const { text } = await call('grep', { pattern: 'NEEDLE', path: 'a.txt.bz2', inside: true });
  expect(text).toBe(
    'No matches found\n[1 document, archive, member or table was not searched ("a.txt.bz2"): damaged, encrypted, or over a limit]',
  );
});

test('a packed binary file fails if named', async () => {
  const { write, call } = place('oriel');
  write('d/a.gz', gzipSync('one\0\nNEEDLE\n'));
  expect((await call('grep', { pattern: 'NEEDLE', path: 'd/a.gz' })).text).toBe(
    'd/a.gz is not plain text: binary files are not searched. Read it instead.',
  );
  expect((await call('grep', { pattern: 'NEEDLE', path: 'd', inside: true })).text).toBe(
    `${SILENT}\n[1 binary file left out]`,
  );
});
