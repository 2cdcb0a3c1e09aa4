import { expect, test } from 'vitest';
import { Identity } from '../../../src/identity.ts';
import { archiveLimits } from '../../../src/formats/archive/limits.ts';
import { readRecords } from '../../../src/formats/archive/zip.ts';
import type { ByteSource } from '../../../src/types/access.ts';

const WINDOW = 256 << 10;

function record(stored: string | Buffer, extraBytes = 0): Buffer {
  const name = Buffer.from(stored);
  const bytes = Buffer.alloc(46 + name.length + extraBytes);
  bytes.writeUInt32LE(0x02014b50, 0);
  bytes.writeUInt16LE(name.length, 28);
  bytes.writeUInt16LE(extraBytes, 30);
  name.copy(bytes, 46);
  return bytes;
}

/** `pattern` again and again, or once and then zeros; counts what is read of it. */
function sparse(size: number, pattern: Buffer, repeat: boolean): ByteSource & { read: number } {
  const twice = Buffer.concat([pattern, pattern]);
  return {
    read: 0,
    size,
    identity: Identity.once('sparse'),
    readInto(target, offset) {
      const length = Math.max(0, Math.min(target.length, size - offset));
      this.read += length;
      const part = target.subarray(0, length);
      if (repeat) {
        const turned = twice.subarray(offset % pattern.length);
        for (let at = 0; at < length; at += pattern.length)
          part.set(turned.subarray(0, Math.min(pattern.length, length - at)), at);
      } else {
        part.fill(0);
        if (offset < pattern.length) part.set(pattern.subarray(offset, offset + length));
      }
      return Promise.resolve(length);
    },
  };
}

async function names(source: ByteSource): Promise<{ names: string[]; error: unknown }> {
  const directory = { start: 0, end: source.size as number, count: 1, shift: 0 };
  const found: string[] = [];
  try {
    for await (const records of readRecords(source, directory, new AbortController().signal)) {
      for (const { name } of records) found.push(name);
    }
    return { names: found, error: undefined };
  } catch (error) {
    return { names: found, error };
  }
}

test.each([2.6e9, 1e12])('a sparse directory of %i bytes is read in part', async (size) => {
  const source = sparse(size, record('a'), false);
  const { names: found, error } = await names(source);
  expect(found).toEqual(['a']);
  expect(error).toMatchObject({ code: 'CORRUPT', message: 'the zip directory is damaged at byte 47' });
  expect(source.read).toBeLessThan(archiveLimits.damagedBytes + 2 * WINDOW);
});

test('large records are read up to the byte limit', async () => {
  const source = sparse(2.6e9, record('a'.repeat(60_000), 60_000), true);
  const { names: found, error } = await names(source);
  expect(error).toMatchObject({
    code: 'LIMIT',
    message: 'only the first 128 MiB of its zip directory are read',
  });
  expect(found.length).toBeLessThan(archiveLimits.directoryBytes / 120_000 + 3);
  expect(found[0]).toHaveLength(archiveLimits.nameBytes + 1);
  expect(source.read).toBeLessThan(2 * archiveLimits.directoryBytes);
});

test('a damaged record does not hide later ones', async () => {
  const damaged = Buffer.concat([record('a'), Buffer.alloc(100_000, 7), record('b')]);
  const { names: found, error } = await names(sparse(damaged.length, damaged, false));
  expect(found).toEqual(['a', 'b']);
  expect(error).toMatchObject({ code: 'CORRUPT' });
});

test('a name that is cut at the end of a window says nothing about the encoding of others', async () => {
  const cut = Buffer.from(`${'п'.repeat(10)}日`);
  const before = record('a', (WINDOW - 46 - 22) / 4 - 47);
  const after = [record(cut), record(Buffer.from('caf\x82', 'latin1'))];
  const directory = Buffer.concat([before, before, before, before, ...after]);
  const { names: found } = await names(sparse(directory.length, directory, false));
  expect(found.slice(4)).toEqual([cut.toString(), 'café']);
});
