import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { SqliteRefusal } from '../../../src/formats/sqlite/protocol.ts';
import { fileOf, rolledBack, type ReadableFile } from '../../../src/formats/sqlite/worker/vfs.ts';

const PAGE = 512;
const forever = { over: () => undefined };

function contentOf(file: ReadableFile, piece = PAGE): Buffer {
  const content = Buffer.alloc(file.size());
  for (let at = 0; at < content.length; at += piece) file.read(content.subarray(at, at + piece), at);
  return content;
}

/** A journal as SQLite writes it, in segments of a header and the old pages. `counted: false`: not yet synced. */
function journalOf(old: Buffer, segments: readonly (readonly number[])[], counted = true): Buffer {
  const nonce = 0x1234_5678;
  const parts = segments.map((pages) => {
    const header = Buffer.alloc(PAGE);
    Buffer.from('d9d505f920a163d7', 'hex').copy(header);
    [counted ? pages.length : 0xffff_ffff, nonce, old.length / PAGE, PAGE, PAGE].forEach((value, at) =>
      header.writeUInt32BE(value, 8 + 4 * at),
    );
    const records = pages.map((page) => {
      const record = Buffer.alloc(PAGE + 8);
      record.writeUInt32BE(page);
      old.copy(record, 4, (page - 1) * PAGE, page * PAGE);
      let sum = nonce;
      for (let at = PAGE - 200; at > 0; at -= 200) sum = (sum + (record[4 + at] as number)) >>> 0;
      record.writeUInt32BE(sum, PAGE + 4);
      return record;
    });
    const body = Buffer.concat([header, ...records]);
    return Buffer.concat([body, Buffer.alloc((PAGE - (body.length % PAGE)) % PAGE)]);
  });
  return Buffer.concat(parts);
}

const pages = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 12 });

test('changes of the transaction are undone, for any read size', () => {
  fc.assert(
    fc.property(
      fc.array(pages, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 2000 }),
      (segments, piece) => {
        const old = Buffer.from(Array.from({ length: 12 * PAGE }, (_, at) => (at * 7 + (at >> 8)) & 0xff));
        const now = Buffer.concat([old, Buffer.alloc(3 * PAGE, 0xaa)]);
        for (const page of segments.flat()) now.fill(0xbb, (page - 1) * PAGE, page * PAGE);
        const restored = rolledBack(fileOf(now), fileOf(journalOf(old, segments)), forever);
        expect(contentOf(restored, piece).equals(old)).toBe(true);
      },
    ),
  );
});

test('an unsynced journal ends after its last valid record', () => {
  const old = Buffer.alloc(4 * PAGE, 1);
  const now = Buffer.alloc(4 * PAGE, 2);
  const journal = journalOf(old, [[1, 2, 3, 4]], false).subarray(0, PAGE + 2 * (PAGE + 8) + 100);
  const restored = contentOf(rolledBack(fileOf(now), fileOf(journal), forever));
  expect([0, 1, 2, 3].map((page) => restored[page * PAGE])).toEqual([1, 1, 2, 2]);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['zeros', Buffer.alloc(4096)],
  ['a wrong page size', journalOf(Buffer.alloc(PAGE), [[1]]).fill(3, 24, 28)],
])('a journal of %s changes nothing', (_, journal) => {
  const now = Buffer.alloc(PAGE, 7);
  expect(contentOf(rolledBack(fileOf(now), fileOf(journal), forever)).equals(now)).toBe(true);
});

test('random bytes do no harm', () => {
  const good = journalOf(Buffer.alloc(8 * PAGE, 1), [[1, 2], [3], [4, 5, 6]]);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 20 }), (hits) => {
      const journal = Buffer.from(good);
      for (const [at, value] of hits) journal[at] = value;
      const restored = rolledBack(fileOf(Buffer.alloc(8 * PAGE, 2)), fileOf(journal), forever);
      const head = Buffer.alloc(PAGE);
      expect(restored.read(head, 0)).toBeLessThanOrEqual(PAGE);
    }),
  );
});

test('reading a long journal ends with the query’s deadline', () => {
  const journal = journalOf(Buffer.alloc(PAGE), [[1]]);
  const late = { over: () => 'time' as const };
  expect(() => rolledBack(fileOf(Buffer.alloc(PAGE)), fileOf(journal), late)).toThrow(SqliteRefusal);
});
