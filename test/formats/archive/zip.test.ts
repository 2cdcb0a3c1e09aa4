import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { listedMembers as listed, memberText as content } from '../../support/containers.ts';
import { fc } from '../../support/properties.ts';
import { memoryBytes } from '../../../src/text/bytes.ts';
import { archiveLimits, UnpackBudget } from '../../../src/formats/archive/limits.ts';
import type { ArchiveContainer, ArchiveMember } from '../../../src/formats/archive/members.ts';
import { ZipArchive } from '../../../src/formats/archive/zip.ts';
import type { ByteSource } from '../../../src/types/access.ts';
import { zip, type ZipEntry, type ZipShape } from '../../support/zip.ts';

const opened = (bytes: Uint8Array): ArchiveContainer =>
  new ZipArchive(memoryBytes(bytes), bytes.length, new UnpackBudget());

const files: ZipEntry[] = [
  { name: 'a.txt', content: 'alpha\n' },
  { name: 'b/c.txt', content: 'beta\n', method: 0 },
  { name: 'd.txt', content: 'delta\n'.repeat(500) },
];
const names = ['a.txt', 'b/c.txt', 'd.txt'];

const entry = fc.record({
  name: fc
    .string({ unit: fc.constantFrom('a', 'b', '/', 'é', '.'), minLength: 1, maxLength: 20 })
    .map((n) => `x${n}`),
  content: fc.string({ maxLength: 400 }),
  method: fc.constantFrom(0, 8),
});

test('honest zips list as in yauzl and read as written', () =>
  fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 6 }), async (entries) => {
      const bytes = zip(entries);
      const expected: string[] = [];
      const zipfile = await fromBufferPromise(bytes, { decodeStrings: false });
      for await (const each of zipfile.eachEntry()) expected.push(each.fileNameRaw.toString());
      const container = opened(bytes);
      const { members } = await listed(container);
      expect(members.map((member) => member.name)).toEqual(expected);
      for (const [i, member] of members.entries()) {
        if (member.type === 'file')
          expect(await content(container, member)).toBe(entries[i]?.content.toWellFormed());
      }
    }),
    { numRuns: 60 },
  ));

const shapes: [string, ZipShape][] = [
  ['a comment', { comment: 'PK\x05\x06 is how a directory ends' }],
  ['a program in front, offsets not corrected', { before: Buffer.from('#!/bin/sh\nexit\n') }],
  ['junk behind', { after: Buffer.alloc(3_000, 'x') }],
  ['a count that lies', { count: 9 }],
];

test.each(shapes)('a zip with %s', async (_, shape) => {
  const container = opened(zip(files, shape));
  const { members, failure } = await listed(container);
  expect(failure).toBeUndefined();
  expect(members.map((member) => member.name)).toEqual(names);
  expect(await content(container, members[1] as ArchiveMember)).toBe('beta\n');
});

test('an inconsistent extra field has no effect', async () => {
  const bad = { name: 'x.txt', content: 'x', extra: Buffer.from([1, 0, 255, 255, 1]) };
  const { members, failure } = await listed(opened(zip([bad, ...files])));
  expect(failure).toBeUndefined();
  expect(members.map((member) => member.name)).toEqual(['x.txt', ...names]);
});

test('names: code page 437, Windows separators, extra field', async () => {
  const entries: ZipEntry[] = [
    { name: Buffer.from([0x81, 0x2e, 0x74]), flags: 0 },
    { name: 'dir\\win.txt' },
    { name: Buffer.from('é.txt'), flags: 0 },
  ];
  const { members } = await listed(opened(zip(entries)));
  expect(members.map((member) => member.name)).toEqual(['ü.t', 'dir/win.txt', 'é.txt']);
});

test('a name that is marked as UTF-8 says nothing about the encoding of others', async () => {
  const japanese = Buffer.from('93fa967b8cea93fa967b8cea', 'hex');
  const other: ZipEntry = { name: Buffer.from('caf\x82s', 'latin1'), flags: 0 };
  const { members } = await listed(opened(zip([{ name: japanese }, other])));
  expect(members[1]?.name).toBe('cafés');
});

test('LZMA: declared sizes beyond 32 bits or beyond the file', async () => {
  const wide = Buffer.alloc(20);
  wide.writeUInt16LE(1, 0);
  wide.writeUInt16LE(16, 2);
  wide.writeBigUInt64LE(5n << 30n, 4);
  wide.writeBigUInt64LE(6n << 30n, 12);
  const entries: ZipEntry[] = [
    { name: 'large', method: 14, size: 0xffffffff, packedSize: 0xffffffff, extra: wide },
    { name: 'packed', method: 14, size: 9, packedSize: 0xfffffffe },
  ];
  const container = opened(zip(entries));
  const [large, packed] = (await listed(container)).members as [ArchiveMember, ArchiveMember];
  await expect(content(container, large)).rejects.toMatchObject({
    code: 'LIMIT',
    message: 'a member of its kind is unpacked up to 4 GiB, and it declares 5 GiB',
  });
  expect(container.working(packed)).toBe(archiveLimits.isolatedBytes + (48 << 20));
});

test('a missing header refuses only one member', async () => {
  const bytes = zip(files);
  bytes.fill(0, 0, 4);
  const headless = opened(bytes);
  const found = (await listed(headless)).members;
  await expect(content(headless, found[0] as ArchiveMember)).rejects.toMatchObject({ code: 'CORRUPT' });
  expect(await content(headless, found[1] as ArchiveMember)).toBe('beta\n');
});

const LINK = 0o120777;

/** Bytes that were read of an archive while its members were listed. */
async function readForListing(bytes: Uint8Array): Promise<{ read: number; members: ArchiveMember[] }> {
  const source = memoryBytes(bytes);
  let read = 0;
  const counted: ByteSource = {
    ...source,
    readInto(target, offset) {
      read += target.length;
      return source.readInto(target, offset);
    },
  };
  const { members } = await listed(new ZipArchive(counted, bytes.length, new UnpackBudget()));
  return { read, members };
}

const large = randomBytes(8 << 20);
const empty = deflateRawSync(Buffer.alloc(8 << 20));
test.each<[string, ZipEntry]>([
  ['stored', { name: 'l', content: large, method: 0, size: 10, mode: LINK }],
  ['packed', { name: 'l', content: large, size: 10, mode: LINK }],
  [
    'that unpacks to a thousand times its size',
    { name: 'l', packed: empty.subarray(0, 8_000), size: 10, mode: LINK },
  ],
])('a link larger than it says is hardly read: %s', async (_, link) => {
  const { read, members } = await readForListing(zip([link, ...files]));
  expect(members.map(({ name, link: target }) => [name, target])).toEqual([
    ['l', undefined],
    ...names.map((name) => [name, undefined]),
  ]);
  expect(read).toBeLessThan(512 << 10);
});

test('only the first records are compared with their local headers', async () => {
  const many = Array.from({ length: 3_000 }, (_, i) => ({ name: `n${i}`, localName: `m${i}`, content: '' }));
  const { members } = await readForListing(zip(many, { count: 1 }));
  const [compared, others] = [members.slice(0, 512), members.slice(512)];
  expect(compared.every(({ trouble }) => trouble !== undefined)).toBe(true);
  expect(others.every(({ trouble }) => trouble === undefined)).toBe(true);
});
