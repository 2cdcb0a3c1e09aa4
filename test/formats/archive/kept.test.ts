/** The cache of archives between two calls, measured by the bytes that are read, not by time. */

import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { memoryBytes, readAt } from '../../../src/text/bytes.ts';
import { OrielError } from '../../../src/errors.ts';
import { Identity } from '../../../src/identity.ts';
import { createSession, type SessionOptions } from '../../../src/session/session.ts';
import { archiveSource } from '../../../src/formats/table.ts';
import { unpackedStream } from '../../../src/formats/archive/unpack.ts';
import type { OpenedFile, ByteSource } from '../../../src/types/access.ts';
import type { Call, TextResource } from '../../../src/types/call.ts';
import type { Session } from '../../../src/types/session.ts';
import { testCall } from '../../support/open-source.ts';
import { tar } from '../../support/tar.ts';
import { zip } from '../../support/zip.ts';

/** Lines of 64 bytes that do not pack to nothing. */
const log = (lines: number): Buffer =>
  Buffer.from(
    Array.from({ length: lines }, (_, i) => {
      const noise = Math.sin(i).toString(36).slice(3, 14);
      return `${String(i).padStart(8, '0')} ${noise.padEnd(12, 'x')} ${'some words of a log '.repeat(3).slice(0, 41)}\n`;
    }).join(''),
  );

function sessionOf(options: SessionOptions = {}): Session {
  const session = createSession(options);
  onTestFinished(() => session.close());
  return session;
}

interface OneCall extends Call {
  end(): Promise<void>;
}

function callOf(session: Session): OneCall {
  const releases: (() => void | Promise<void>)[] = [];
  const call: OneCall = {
    ...testCall({
      session,
      open: (inner) => archiveSource.open(inner, call),
      onEnd: (release) => void releases.push(release),
    }),
    async end() {
      for (const release of releases.splice(0).toReversed()) await release();
    },
  };
  return call;
}

/** An archive that counts what is read of it, and cannot be read any more when the call that opened it is over. */
class Archive {
  read = 0;
  readonly #name: string;
  readonly #content: Buffer;
  readonly #session: Session;

  constructor(name: string, content: Buffer, session = sessionOf()) {
    this.#name = name;
    this.#content = content;
    this.#session = session;
  }

  open(): { file: OpenedFile; close(): void } {
    let open = true;
    const bytes: ByteSource = {
      size: this.#content.length,
      identity: Identity.of('test', { name: this.#name }),
      readInto: (target, offset) => {
        if (!open) return Promise.reject(new OrielError('CANCELLED', 'The call is over.'));
        const part = this.#content.subarray(offset, offset + target.length);
        target.set(part);
        this.read += part.length;
        return Promise.resolve(part.length);
      },
    };
    const size = this.#content.length;
    const file: OpenedFile = {
      kind: 'file',
      path: `/${this.#name}`,
      size,
      mtimeMs: 0,
      bytes,
      close: () => Promise.resolve(),
    };
    return { file, close: () => (open = false) };
  }

  /** Reads in a call of its own: `length` bytes at `offset` of what `rest` names, and what was read of the archive. */
  async page(rest: string, offset: number, length: number): Promise<{ text: string; read: number }> {
    const before = this.read;
    const call = callOf(this.#session);
    const { file, close } = this.open();
    call.onEnd(close);
    const head = await readAt(file.bytes, 0, 4096);
    const subject = { typed: this.#name, rest, name: this.#name, path: file.path, opened: file, head };
    const { bytes } = (await archiveSource.open(subject, call)) as TextResource;
    const text = Buffer.from(await readAt(bytes, offset, length)).toString();
    await call.end();
    return { text, read: this.read - before - head.length };
  }
}

const content = log(200_000);
const PAGE = 64 << 10;

const archives: [string, string, () => Buffer][] = [
  ['log.tar.gz', 'app.log', () => gzipSync(tar([{ name: 'app.log', content }]))],
  ['log.zip', 'app.log', () => zip([{ name: 'app.log', content }])],
  ['app.log.gz', '', () => gzipSync(content)],
];

test.each(archives)('paging %s unpacks each byte once', { tags: 'slow' }, async (name, rest, build) => {
  const packed = build();
  const archive = new Archive(name, packed);
  const first = await archive.page(rest, 0, PAGE);
  expect(first.text).toBe(content.subarray(0, PAGE).toString());
  const deep = 9 << 20;
  const there = await archive.page(rest, deep, PAGE);
  expect(there.text).toBe(content.subarray(deep, deep + PAGE).toString());
  expect(there.read).toBeGreaterThan(packed.length / 2);
  expect(there.read).toBeLessThan(packed.length);
  // Read before, or just behind: packed data is read ahead by 256 KiB.
  expect((await archive.page(rest, deep, PAGE)).read).toBe(0);
  expect((await archive.page(rest, deep - (1 << 20), PAGE)).read).toBe(0);
  const next = await archive.page(rest, deep + PAGE, PAGE);
  expect(next.text).toBe(content.subarray(deep + PAGE, deep + 2 * PAGE).toString());
  expect(next.read).toBeLessThanOrEqual(256 << 10);
});

test('a completely unpacked member is paged without reading its archive', async () => {
  const archive = new Archive('log.zip', zip([{ name: 'app.log', content }]));
  expect((await archive.page('app.log', content.length - 64, 128)).text).toBe(
    content.subarray(-64).toString(),
  );
  expect(await archive.page('app.log', 5 << 20, 64)).toEqual({
    text: content.subarray(5 << 20, (5 << 20) + 64).toString(),
    read: 0,
  });
});

test('the members of a nested archive unpack it once', async () => {
  const inner = zip([{ name: 'app.log', content }]);
  const archive = new Archive('o.tar.gz', gzipSync(tar([{ name: 'in.zip', content: inner }])));
  expect((await archive.page('in.zip:app.log', 0, 64)).text).toBe(content.subarray(0, 64).toString());
  const again = await archive.page('in.zip:app.log', 1 << 20, 64);
  expect(again).toEqual({ text: content.subarray(1 << 20, (1 << 20) + 64).toString(), read: 0 });
});

test('cached members are bounded in memory, files and descriptors', { tags: 'slow' }, async () => {
  const session = sessionOf({ store: { memory: 8 << 20, disk: 40 << 20, descriptors: 2 } });
  const names = ['a', 'b', 'c', 'd'];
  const archive = new Archive('o.zip', zip(names.map((name) => ({ name, content }))), session);
  for (const name of names) await archive.page(name, 8 << 20, PAGE);
  const { weight, entries, evictions } = session.store.stats().get('unpacked stream') ?? {};
  expect(entries).toBe(2);
  expect(evictions).toBe(2);
  expect(weight?.descriptors).toBe(2);
  expect(weight?.disk).toBeLessThanOrEqual(40 << 20);
  expect(weight?.memory).toBeLessThanOrEqual(8 << 20);
});

/** A stream over nothing but what the test says, in one call. */
async function streamOf(
  open: () => AsyncIterable<Uint8Array>,
  session = sessionOf(),
): Promise<{
  read(offset: number, length: number): Promise<string>;
  trouble(): string | undefined;
  size(): number | undefined;
}> {
  const call = callOf(session);
  onTestFinished(() => call.end());
  const unpacked = await unpackedStream(
    {
      of: memoryBytes('packed', Identity.of('test', { name: 'stream' })),
      options: { codec: 'test' },
      working: 0,
      open,
      refused: (error) => new OrielError(error.code, `refused: ${error.message}`),
    },
    call,
  );
  return {
    read: async (offset, length) => Buffer.from(await readAt(unpacked.bytes, offset, length)).toString(),
    trouble: () => unpacked.trouble(),
    size: () => unpacked.bytes.size,
  };
}

test('unpacking that a shortage aborted starts again', async () => {
  let begun = 0;
  async function* open(): AsyncGenerator<Uint8Array> {
    begun += 1;
    yield Buffer.from('abcd');
    if (begun === 1) throw new OrielError('BUSY', 'too many wait');
    yield Buffer.from('efgh');
  }
  const session = sessionOf();
  const first = await streamOf(open, session);
  expect(await first.read(0, 4)).toBe('abcd');
  await expect(first.read(0, 5)).rejects.toThrow('refused: too many wait');
  expect(await (await streamOf(open, session)).read(0, 100)).toBe('abcdefgh');
  expect(begun).toBe(2);
});

// It does not matter what other readers have read.
test('size and damage are known only to complete readers', async () => {
  async function* open(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('good bytes');
    throw new OrielError('CORRUPT', 'its CRC does not match');
  }
  const session = sessionOf();
  const [first, second] = [await streamOf(open, session), await streamOf(open, session)];
  expect(await first.read(0, 100)).toBe('good bytes');
  expect([first.size(), first.trouble()]).toEqual([10, 'its CRC does not match']);
  expect(await second.read(0, 10)).toBe('good bytes');
  expect([second.size(), second.trouble()]).toEqual([undefined, undefined]);
  expect(await second.read(0, 11)).toBe('good bytes');
  expect([second.size(), second.trouble()]).toEqual([10, 'its CRC does not match']);
  expect(session.store.stats().get('unpacked stream')).toMatchObject({ hits: 1, misses: 1 });
});
