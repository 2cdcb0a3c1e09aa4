import { packTar, type TarEntry } from 'modern-tar';
import { expect, test } from 'vitest';
import { listedMembers as listed, memberText as content } from '../../support/containers.ts';
import { fc } from '../../support/properties.ts';
import { memoryBytes } from '../../../src/text/bytes.ts';
import { isOrielError } from '../../../src/errors.ts';
import { UnpackBudget } from '../../../src/formats/archive/limits.ts';
import type { ArchiveContainer, ArchiveMember } from '../../../src/formats/archive/members.ts';
import { packedTar, PlainTar } from '../../../src/formats/archive/tar.ts';
import { pax, tar } from '../../support/tar.ts';

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const plain = (bytes: Uint8Array): ArchiveContainer => new PlainTar(memoryBytes(bytes));
const streamed = (bytes: Uint8Array, size = 700): ArchiveContainer =>
  packedTar('gzip', new UnpackBudget(), () => pieces(bytes, size));

const name = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '日', ' ', '-'), minLength: 1, maxLength: 60 }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join('/'));

test('archives of another writer read alike by seeking and streaming', () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(name, fc.string({ maxLength: 1_500 })), {
        maxLength: 8,
        selector: ([path]) => path,
      }),
      fc.integer({ min: 1, max: 3_000 }),
      async (files, size) => {
        const entries: TarEntry[] = files.map(([path, body]) => ({
          header: { name: path, size: Buffer.byteLength(body), type: 'file' },
          body,
        }));
        const bytes = await packTar(entries);
        for (const container of [plain(bytes), streamed(bytes, size)]) {
          const { members, failure } = await listed(container);
          expect(failure).toBeUndefined();
          expect(members.map((member) => member.name)).toEqual(files.map(([path]) => path));
          for (const [i, member] of members.entries()) {
            expect(await content(container, member)).toBe(files[i]?.[1].toWellFormed());
          }
        }
      },
    ),
    { numRuns: 60 },
  ));

test('a damaged tar lists the same by seeking and streaming', () => {
  const whole = tar([
    { name: 'a.txt', content: 'alpha' },
    { name: 'PaxHeader', flag: 'x', content: '16 path=b/c.txt\n' },
    { name: 'short', content: 'x'.repeat(600) },
    { name: 'link', flag: '2', link: 'a.txt' },
  ]);
  return fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }),
      fc.integer({ min: 1, max: whole.length }),
      async (edits, length) => {
        const bytes = Buffer.from(whole.subarray(0, length));
        for (const [at, byte] of edits) if (at < length) bytes.writeUInt8(byte, at);
        const [hopped, waded] = [await listed(plain(bytes)), await listed(streamed(bytes, 333))];
        expect(waded.members).toEqual(hopped.members);
        expect(waded.failure).toEqual(hopped.failure);
        if (hopped.failure !== undefined) expect(isOrielError(hopped.failure)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

test('numbers: octal with spaces, base-256, and invalid ones', async () => {
  const sized = (sizeField: Uint8Array) => listed(plain(tar([{ name: 'f', content: 'hello', sizeField }])));
  const base256 = Buffer.alloc(12);
  base256.writeUInt8(0x80, 0);
  base256.writeUInt8(5, 11);
  expect((await sized(Buffer.from('          5 '))).members[0]?.size).toBe(5);
  expect((await sized(base256)).members[0]?.size).toBe(5);
  for (const bad of ['99999999999\0', 'hello world\0']) {
    expect((await sized(Buffer.from(bad))).failure).toMatchObject({
      code: 'CORRUPT',
      message: 'the tar header at byte 0 has an invalid size',
    });
  }
});

test('names that are not UTF-8 keep each byte', async () => {
  const { members } = await listed(plain(tar([{ name: Buffer.from('caf\xe9/\xff%41', 'latin1') }])));
  expect(members[0]?.name).toBe('caf%E9/%FF%2541');
});

test('a tar ending before its last member does is damaged', async () => {
  const long = `${'long/'.repeat(50)}name`;
  const bytes = await packTar([
    { header: { name: 'first', size: 700, type: 'file' }, body: 'x'.repeat(700) },
    { header: { name: long, size: 5, type: 'file' }, body: 'hello' },
  ]);
  const { members } = await listed(plain(bytes));
  expect(members.map((member) => member.name)).toEqual(['first', long]);
  const whole = (members[1] as ArchiveMember & { at: number }).at + 512;
  const ends = Array.from({ length: whole }, (_, end) => end).filter(
    (end) => end > 0 && (end % 100 === 0 || Math.abs(end - Math.round(end / 512) * 512) <= 1),
  );
  for (const end of ends) {
    for (const container of [plain(bytes.subarray(0, end)), streamed(bytes.subarray(0, end))]) {
      const found = await listed(container);
      const isSaid =
        found.failure !== undefined || found.members.some(({ trouble }) => trouble !== undefined);
      // Here the first member is complete.
      expect([end, isSaid]).toEqual([end, end !== 3 * 512]);
    }
  }
});

test.each([true, false])('a tar ending after a header is damaged: zeros %j', async (end) => {
  // GNU tar writes such a header, without a name or size, for each member.
  const bytes = tar([{ name: 'first', content: 'text' }, pax({ mtime: '1700000000' })], { end });
  for (const container of [plain(bytes), streamed(bytes)]) {
    const { members, failure } = await listed(container);
    expect(members.map((member) => member.name)).toEqual(['first']);
    expect(failure).toMatchObject({ code: 'CORRUPT' });
  }
});
