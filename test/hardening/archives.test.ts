/**
 * @module-tag slow
 */

import { deflateRawSync, gzipSync, crc32 } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { createOriel } from '../../src/index.ts';
import { type Reader, reader } from '../support/reader.ts';
import { withoutLag } from '../support/lag.ts';
import { tar } from '../support/tar.ts';
import { zip } from '../support/zip.ts';

let oriel: Reader;

beforeEach(() => {
  oriel = reader();
});

const MIB = 1 << 20;

/** Deflate of `copies` times 1 MiB of `a`, made without holding it: full flushes end on byte boundaries. */
function bomb(copies: number): { packed: Buffer; size: number } {
  const mebibyte = Buffer.alloc(MIB, 'a');
  const repeated = deflateRawSync(mebibyte, { finishFlush: 3 });
  return {
    packed: Buffer.concat([...Array<Buffer>(copies).fill(repeated), deflateRawSync('')]),
    size: copies * MIB,
  };
}

test('A05 a member is cut at the maximum compression ratio', async () => {
  const { packed: bytes, size } = bomb(512);
  oriel.write('zip-bomb.zip', zip([{ name: 'big.txt', packed: bytes, size, crc: 1 }]));
  const answer = await oriel.read('zip-bomb.zip:big.txt:@900000000+1K');
  expect(answer).toBe(
    '[Warning for zip-bomb.zip:big.txt: it unpacks to more than 200 times its packed size]\n' +
      '[Byte 900000000 is beyond the end of zip-bomb.zip:big.txt (which is shorter). Use zip-bomb.zip:big.txt:-20 for the end or zip-bomb.zip:big.txt:1 for the start]',
  );
});

/** Streams of no byte and of one line, `x`, as bzip2 1.0, xz 5.4 and zstd 1.5 write them. */
const SMALL_STREAMS = {
  bz2: [
    '425a683917724538509000000000',
    '425a68393141592653592b3ecf7f000000c080001000402000210082b1772453850902b3ecf7f0',
  ],
  xz: [
    'fd377a585a000004e6d6b446000000001cdf44211fb6f37d010000000004595a',
    'fd377a585a000004e6d6b4460200210116000000742fe5a3010001780a000000374a51dc33a2cab000011a02dc2ea57e1fb6f37d010000000004595a',
  ],
  zst: ['28b52ffd2000010000', '28b52ffd2002110000780a'],
} as const;

/** Each costs the time of its bytes, and not that of a block, of a decoder or of a message between threads. */
test.each<[keyof typeof SMALL_STREAMS, number]>([
  ['bz2', 200_000],
  ['xz', 40_000],
  ['zst', 200_000],
])('A21 %s: %i empty or one-line streams are answered', async (codec, count) => {
  const [empty, one] = SMALL_STREAMS[codec].map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer];
  oriel.write(`empty.${codec}`, Buffer.alloc(count * empty.length, empty));
  expect(await oriel.read(`empty.${codec}`)).toBe(`[empty.${codec} is empty: 0 lines]`);
  const lines = Math.floor(1_000_000 / one.length);
  oriel.write(`lines.${codec}`, Buffer.alloc(lines * one.length, one));
  expect(await oriel.read(`lines.${codec}:-1`)).toBe(`${lines}|x\n`);
});

test('nested zip bombs share one budget', async () => {
  const level = (content: Uint8Array) => zip([{ name: 'n.zip', content }]);
  const zeros = Buffer.alloc(80 * MIB);
  const bottom = zip([{ name: 'zeros.txt', content: zeros, crc: crc32(zeros) }]);
  oriel.write('deep.zip', level(level(bottom)));
  const answer = await oriel.read('deep.zip:n.zip:n.zip:zeros.txt');
  expect(answer).toMatch(/^\[Cannot read binary archive entry 'zeros.txt' \(/);
});

const secret = '../outside/secret.txt';

test('A names with .. and absolute names stay in the archive', async () => {
  const names = [
    `../${secret}`,
    secret,
    '/etc/passwd',
    '..\\..\\evil.txt',
    'C:\\boot.ini',
    'a/../../b',
    '//host/share',
  ];
  oriel.write('slip.zip', zip(names.map((name) => ({ name, content: `${name}\n` }))));
  expect(await oriel.read('slip.zip')).toBe(
    [
      '../../evil.txt (15 B, refused: leads out of the archive)',
      '../../outside/secret.txt (25 B, refused: leads out of the archive)',
      '../outside/secret.txt (22 B, refused: leads out of the archive)',
      'C:/',
      'a/../../b (10 B, refused: leads out of the archive)',
      'etc/',
      'host/',
      '',
    ].join('\n'),
  );
  for (const name of [secret, `../${secret}`, `x/../../${secret}`, '..', '../../evil.txt', 'a/../../b']) {
    const answer = await oriel.read(`slip.zip:${name}`);
    expect(answer).toMatch(/^(BAD_PATH|OUTSIDE_ROOT): /);
    expect(answer).not.toContain('TOPSECRET');
  }
  expect(await oriel.read('slip.zip:/etc/passwd')).toBe('1|/etc/passwd\n');
  expect(await oriel.read('slip.zip:C:/boot.ini')).toBe('1|C:\\boot.ini\n');
});

test('A a member larger than declared is shown, with warning', async () => {
  oriel.write('lie-small.zip', zip([{ name: 'f.txt', content: 'much more than two\n', size: 2 }]));
  expect(await oriel.read('lie-small.zip:f.txt')).toBe(
    '1|much more than two\n[Warning for lie-small.zip:f.txt: it has 19 bytes, and 2 were declared]',
  );
});

test('A members that share their bytes are each readable', async () => {
  const zipped = zip([
    { name: 'one.txt', content: 'shared\n' },
    { name: 'two.txt', content: 'shared\n' },
  ]);
  // The second record points to the first member's local header.
  zipped.writeUInt32LE(0, zipped.lastIndexOf('PK\x01\x02') + 42);
  oriel.write('overlap.zip', zipped);
  expect(await oriel.read('overlap.zip:one.txt')).toBe('1|shared\n');
  expect(await oriel.read('overlap.zip:two.txt')).toMatch(/^1\|shared\n/);
});

test('A of too many entries the first are listed', async () => {
  const record = (i: number) => ({ name: `f${i}`, content: '', method: 0 });
  oriel.write(
    'many.zip',
    zip(
      Array.from({ length: 200_500 }, (_, i) => record(i)),
      { count: 0xffff },
    ),
  );
  expect(await oriel.read('many.zip:1..1')).toBe(
    'f0\n[The listing is not complete: only the first 200000 entries are listed]',
  );
  expect(await oriel.read('many.zip:f200400')).toBe(
    'NOT_FOUND: many.zip has no entry f200400 among those that could be listed. Use many.zip to list it.',
  );
});

test('A very deep paths in the archive and the call', async () => {
  oriel.write(
    'deep.zip',
    zip([
      { name: `${'d/'.repeat(20_000)}f`, content: 'deep\n' },
      { name: 'ok.txt', content: 'fine\n' },
    ]),
  );
  const listing = await oriel.read('deep.zip');
  expect(listing).toMatch(/^d\/d\/.*… \(5 B, too long or too deep, read as %~1\)\nok\.txt \(5 B\)\n$/);
  expect(await oriel.read('deep.zip:%~1')).toBe('1|deep\n');
  expect(await oriel.read(`deep.zip:${'d/'.repeat(2_000)}f`)).toMatch(/^(NOT_FOUND|NAME_TOO_LONG): /);
  expect(await oriel.read(`deep.zip:${':'.repeat(2_000)}`)).toMatch(/^(NOT_FOUND|NAME_TOO_LONG): /);
});

test('A a tar.gz is listed until the maximum compression ratio', async () => {
  const zeros = Buffer.alloc(80 * MIB);
  const bytes = tar([
    { name: 'a.txt', content: 'alpha\n' },
    { name: 'zeros.bin', content: zeros },
    { name: 'z.txt', content: 'z' },
  ]);
  oriel.write('swell.tgz', gzipSync(bytes));
  expect(await oriel.read('swell.tgz')).toBe(
    'a.txt (6 B)\n[The listing is not complete: it unpacks to more than 200 times its packed size]',
  );
  expect(await oriel.read('swell.tgz:a.txt')).toBe('1|alpha\n');
});

test('A pax and long-name headers of gigabytes are not read', async () => {
  const huge = { name: 'x', flag: 'x', size: 2 ** 30 };
  oriel.write('pax.tar', tar([{ name: 'ok.txt', content: 'fine\n' }, huge]));
  expect(await oriel.read('pax.tar')).toBe(
    'ok.txt (5 B)\n[The listing is not complete: the tar header at byte 1024 has 1073741824 bytes of names]',
  );
});

/** A zip with so many empty members: their names are all that it has. */
function zipOfNames(length: number, nameOf: (i: number) => string): Buffer {
  const records = Array.from({ length }, (_, i) => {
    const name = Buffer.from(nameOf(i));
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(0x800, 8);
    record.writeUInt16LE(name.length, 28);
    return Buffer.concat([record, name]);
  });
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(0xffff, 10);
  end.writeUInt32LE(directory.length, 12);
  return Buffer.concat([directory, end]);
}

/** No two of them beside each other. */
const mixed = (i: number): number => (i * 7_919) % 100_000;

test.each([
  ['long names', '', (i: number) => `m${mixed(i)}-${'q'.repeat(100)}.txt`],
  ['hidden names', ':d/', (i: number) => `d/${mixed(i)}${'\u202e'.repeat(40)}`],
  ['names that are there twice', ':d/', (i: number) => `d/${mixed(i) >> 1}`],
])('an archive of many %s: the event loop runs', async (_, directory, nameOf) => {
  oriel.write('z.zip', zipOfNames(100_000, nameOf));
  // What was looked at before is kept: each try has an oriel of its own.
  const each = (path: string): Promise<string> =>
    withoutLag(async () => {
      const own = createOriel({ cwd: oriel.folder, roots: [oriel.folder], cache: false });
      const { content, details } = await own.tool('read').run({ path });
      await own.close();
      return JSON.stringify([content, details['error']]);
    });
  expect(await each(`z.zip${directory}`)).toContain('Showing lines 1-');
  expect(await each(`z.zip:m10-${'q'.repeat(99)}.txt:raw:1-2`)).toContain('NOT_FOUND');
});

test('an index whose names take too much memory ends early', async () => {
  oriel.write(
    'z.zip',
    zipOfNames(200_000, (i) => `d${i % 400}/${i}${'\u202e'.repeat(40)}`),
  );
  expect(await oriel.read('z.zip')).toMatch(
    /The listing is not complete: only the first \d+ entries are listed, whose names take 64 MiB/,
  );
});
