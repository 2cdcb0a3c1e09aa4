import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { isOrielError } from '../../../src/errors.ts';
import { UnpackBudget } from '../../../src/formats/archive/limits.ts';
import { bunzip2 } from '../../../src/formats/archive/bzip2.ts';
import { type CompressionCodec, decompress, type PackedInput } from '../../../src/formats/archive/unpack.ts';
import { packed } from '../../support/packed.ts';
import { reader } from '../../support/reader.ts';
import { tar } from '../../support/tar.ts';

const LINES = 'hello line\n'.repeat(100_000);

async function* pieces(bytes: Uint8Array, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const inputOf = (bytes: Uint8Array, size?: number): PackedInput => ({
  size: bytes.length,
  read: () => pieces(bytes, size),
});

/** What was unpacked before the end or the failure, and the failure. */
async function drain(stream: AsyncIterable<Uint8Array>): Promise<{ bytes: Buffer; failure?: unknown }> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of stream) parts.push(Uint8Array.from(part));
    return { bytes: Buffer.concat(parts) };
  } catch (failure) {
    return { bytes: Buffer.concat(parts), failure };
  }
}

function unpack(codec: CompressionCodec, bytes: Uint8Array, signal = AbortSignal.timeout(200_000)) {
  return drain(decompress(codec, inputOf(bytes), new UnpackBudget(), signal));
}

const samples: [CompressionCodec, { hello: Buffer; lines: Buffer }][] = [
  ['gzip', { hello: gzipSync('hello\nworld\n'), lines: gzipSync(LINES) }],
  ['bzip2', packed.bz2],
  ['xz', packed.xz],
  ['zstd', packed.zst],
];

describe.each(samples)('%s', (codec, { hello, lines }) => {
  test('unpacks small and large texts', async () => {
    expect((await unpack(codec, hello)).bytes.toString()).toBe('hello\nworld\n');
    const large = await unpack(codec, lines);
    expect(large.failure).toBeUndefined();
    expect(large.bytes.toString() === LINES).toBe(true);
  });

  test('continues through concatenated streams', async () => {
    const { bytes, failure } = await unpack(codec, Buffer.concat([hello, hello]));
    expect(failure).toBeUndefined();
    expect(bytes.toString()).toBe('hello\nworld\n'.repeat(2));
  });

  test('says that what follows a stream is no stream', async () => {
    const broken = Buffer.from(hello);
    broken.writeUInt8((hello[0] as number) ^ 1, 0);
    const { failure } = await unpack(codec, Buffer.concat([hello, broken]));
    expect(failure).toMatchObject({ code: 'CORRUPT' });
  });

  test('yields the decodable part of a truncated stream, then fails', async () => {
    const { bytes, failure } = await unpack(codec, lines.subarray(0, lines.length - 10));
    expect(LINES.startsWith(bytes.toString())).toBe(true);
    expect(failure).toMatchObject({ code: 'CORRUPT', message: 'its packed data ends early' });
  });
});

test.each([
  ['gzip', gzipSync('hello\nworld\n')],
  ['bzip2', packed.bz2.hello],
] as const)('%s: zeros after a stream are padding', async (codec, hello) => {
  const { bytes, failure } = await unpack(codec, Buffer.concat([hello, Buffer.alloc(5_000_000)]));
  expect(failure).toBeUndefined();
  expect(bytes.toString()).toBe('hello\nworld\n');
});

test('bzip2: nothing else follows the padding', async () => {
  const more = Buffer.concat([packed.bz2.hello, Buffer.alloc(5_000_000), Buffer.from('x')]);
  expect((await unpack('bzip2', more)).failure).toMatchObject({ code: 'CORRUPT' });
});

test.each([
  ['text', Buffer.from('garbage')],
  ['a damaged member', Buffer.from('\x1f\x8bgarbage', 'latin1')],
  ['zeros and a member', Buffer.concat([Buffer.alloc(40_000), gzipSync('more\n')])],
])('gzip: what is no gzip data after the content is told: %s', async (_, rest) => {
  const { write, read } = reader();
  write('a.txt.gz', Buffer.concat([gzipSync('one\n'), gzipSync('two\n'), rest]));
  write('a.tgz', Buffer.concat([gzipSync(tar([{ name: 'a.txt', content: 'one\n' }])), rest]));
  const told = 'bytes that are no gzip data follow its content';
  expect(await read('a.txt.gz')).toBe(`1|one\n2|two\n[Warning for a.txt.gz: ${told}]`);
  // A tar has an end of its own.
  expect(await read('a.tgz')).toBe('a.txt (4 B)\n');
  expect(await read('a.tgz:a.txt')).toBe('1|one\n');
});

test('does not wait for data after a deflate stream', async () => {
  const { bytes, failure } = await unpack(
    'deflate',
    Buffer.concat([deflateRawSync('text'), Buffer.alloc(5_000)]),
  );
  expect(failure).toBeUndefined();
  expect(bytes.toString()).toBe('text');
});

test('zstd: a frame may end where a full output buffer does', async () => {
  // Magic, a descriptor without size, a window of 128 KiB, then one block that repeats a byte 128 Ki times.
  const frame = Buffer.from('28b52ffd003803001061', 'hex');
  const { bytes, failure } = await unpack('zstd', frame);
  expect(failure).toBeUndefined();
  expect(bytes.toString() === 'a'.repeat(128 << 10)).toBe(true);
});

test('zstd: gigabyte windows are refused, bad checksums reported', async () => {
  // Magic, a descriptor without size, a window of 2^30 bytes, then one raw block of one byte.
  const wide = Buffer.from('28b52ffd00a009000061', 'hex');
  expect((await unpack('zstd', wide)).failure).toMatchObject({ code: 'LIMIT' });
  const wrong = Buffer.from(packed.zst.lines);
  wrong.writeUInt8((wrong.at(-1) as number) ^ 1, wrong.length - 1);
  expect((await unpack('zstd', wrong)).failure).toMatchObject({ code: 'CORRUPT' });
});

test('xz: gigabyte dictionaries are refused, unknown checks reported', async () => {
  expect((await unpack('xz', packed.xz.hugeDictionary)).failure).toMatchObject({ code: 'LIMIT' });
  expect((await unpack('xz', packed.xz.sha256)).failure).toMatchObject({ code: 'UNSUPPORTED' });
});

test('a decompression bomb is stopped by the byte limit', { tags: 'slow' }, async () => {
  const { bytes, failure } = await unpack('gzip', gzipSync(Buffer.alloc(100 << 20)));
  expect(failure).toMatchObject({
    code: 'LIMIT',
    message: 'it unpacks to more than 200 times its packed size',
  });
  expect(bytes.length).toBeLessThanOrEqual(64 << 20);
});

test('bzip2: damage gives an error or the right text', { tags: 'slow' }, () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 4, max: packed.bz2.noise.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, flip) => {
        const whole = (await drain(bunzip2(pieces(packed.bz2.noise)))).bytes;
        const damaged = Buffer.from(packed.bz2.noise);
        damaged.writeUInt8((damaged[at] as number) ^ flip, at);
        const { bytes, failure } = await drain(bunzip2(pieces(damaged, 7)));
        if (failure === undefined) expect(bytes.equals(whole)).toBe(true);
        else {
          expect(isOrielError(failure) && failure.code === 'CORRUPT').toBe(true);
          expect(whole.subarray(0, bytes.length).equals(bytes)).toBe(true);
        }
      },
    ),
    { numRuns: 300 },
  ),
);
