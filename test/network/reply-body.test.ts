/** How bodies are unpacked, and what of them is refused, cut or closed: without a server. */

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readReplyBody, type BodyOptions, discard, type ReplyHeaders } from '../../src/network/fetch.ts';
import { QueueFull } from '../../src/queues/queue.ts';
import { queues } from '../../src/queues/queue-table.ts';
import { GrowingBytes } from '../../src/text/bytes.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const { signal } = new AbortController();
const MIB = 1 << 20;

/** The body of a reply that arrives in pieces; `after` is thrown at its end. */
function pieces(all: readonly Uint8Array[], after?: Error): Readable {
  return Readable.from(
    (async function* () {
      yield* all;
      if (after) throw after;
    })(),
  );
}

async function read(
  body: Readable | Uint8Array,
  headers: ReplyHeaders = {},
  options: Partial<BodyOptions> = {},
): Promise<{ bytes: Buffer; cut: boolean; closed: boolean }> {
  const from = body instanceof Readable ? body : pieces([body]);
  const reply = { body: from } as Partial<Dispatcher.ResponseData> as Dispatcher.ResponseData;
  const { body: bytes, cut } = await readReplyBody(reply, headers, {
    signal,
    mostBytes: () => 64 * MIB,
    ...options,
  });
  return { bytes: Buffer.from(bytes), cut, closed: from.destroyed };
}

const failureOf = async (reading: Promise<unknown>): Promise<unknown> => {
  const { code, message } = (await reading.catch((caught: unknown) => caught)) as NodeJS.ErrnoException;
  return [code, message];
};

const encoded = (encoding: string): ReplyHeaders => ({ 'content-encoding': encoding });
const text = Buffer.from('packed '.repeat(100));

test('a refused encoding closes the connection', async () => {
  const body = pieces([text]);
  await expect(read(body, encoded('zstd'))).rejects.toMatchObject({ code: 'CORRUPT' });
  expect(body.destroyed).toBe(true);
});

test('a body that is cut is read no further', async () => {
  let asked = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) {
        asked += 1;
        yield Buffer.alloc(100, 'x');
      }
    })(),
    { highWaterMark: 1 },
  );
  const { bytes, cut } = await read(endless, {}, { mostBytes: () => 1_000 });
  expect([bytes.length, cut, endless.destroyed]).toStrictEqual([1_000, true, true]);
  expect(asked).toBeLessThan(20);
});

describe('a body that unpacks to very much', () => {
  /** Bytes of gzip that unpack to so many zeros, followed by bytes that are not used. */
  const zeros = (bytes: number): Buffer => gzipSync(Buffer.alloc(bytes));

  test('is read up to 1 MiB, whatever its size', async () => {
    expect(zeros(MIB).length).toBeLessThan(MIB / 200);
    expect((await read(zeros(MIB), encoded('gzip'))).bytes.length).toBe(MIB);
  });

  test('is closed where it is refused', async () => {
    const body = pieces([zeros(MIB + 100_000)]);
    await expect(read(body, encoded('gzip'))).rejects.toMatchObject({ code: 'LIMIT' });
    expect(body.destroyed).toBe(true);
  });

  test('is read at no more than 200 times its size', async () => {
    // 20,000 bytes that cannot be compressed.
    const digest = (i: number): Buffer => createHash('sha256').update(String(i)).digest();
    const random = Buffer.concat(Array.from({ length: 625 }, (_, i) => digest(i)));
    const mixed = Buffer.concat([random, Buffer.alloc(2 * MIB)]);
    const packed = gzipSync(mixed);
    expect(mixed.length / packed.length).toBeLessThan(200);
    expect((await read(packed, encoded('gzip'))).bytes.equals(mixed)).toBe(true);
  });
});

describe('failures', () => {
  test('of the connection are told, and the partial body freed', async () => {
    const free = vi.spyOn(GrowingBytes.prototype, 'free');
    const torn = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
    expect(await failureOf(read(pieces([text], torn)))).toStrictEqual([
      'NETWORK',
      'The server could not be read: other side closed. Use the same call later.',
    ]);
    expect(free).toHaveBeenCalledTimes(1);
    expect(await failureOf(read(pieces([gzipSync(text)], torn), encoded('gzip')))).toStrictEqual([
      'NETWORK',
      'The server could not be read: other side closed. Use the same call later.',
    ]);
    expect(free).toHaveBeenCalledTimes(2);
  });

  test('of a cancelled call are its reason', async () => {
    const reason = new Error('enough');
    const reading = read(pieces([text], new Error('aborted')), {}, { signal: AbortSignal.abort(reason) });
    await expect(reading).rejects.toBe(reason);
  });

  test('a limit that cannot be computed closes the body', async () => {
    const body = pieces([text]);
    const reading = read(body, {}, { mostBytes: () => Number.NaN });
    await reading.catch(() => undefined);
    expect(body.destroyed).toBe(true);
  });
});

describe('the slot of a large body', () => {
  const slots = (): { acquire: ReturnType<typeof vi.fn>; released: () => number } => {
    let released = 0;
    const acquire = vi
      .spyOn(queues.bodies, 'acquire')
      .mockImplementation(() => Promise.resolve({ release: () => void (released += 1) } as never));
    return { acquire, released: () => released };
  };
  const chunks = (bytes: number): Readable =>
    pieces(
      Array.from({ length: Math.ceil(bytes / 100_000) }, (_, i) =>
        Buffer.alloc(Math.min(100_000, bytes - i * 100_000)),
      ),
    );

  test.each([
    [MIB, 64 * MIB, 0],
    [MIB + 1, 64 * MIB, 1],
    [3 * MIB, MIB, 0],
    [3 * MIB, MIB + 1, 1],
  ])('%d bytes with a limit of %d take %d', async (bytes, most, expected) => {
    const { acquire, released } = slots();
    await read(chunks(bytes), {}, { mostBytes: () => most });
    expect([acquire.mock.calls.length, released()]).toStrictEqual([expected, expected]);
    if (expected > 0) expect(acquire).toHaveBeenCalledWith({ signal, timed: true });
  });

  test('a timeout in the queue is the queue’s error', async () => {
    const full = new QueueFull('the queue');
    vi.spyOn(queues.bodies, 'acquire').mockRejectedValue(full);
    const body = chunks(2 * MIB);
    await expect(read(body)).rejects.toBe(full);
    expect(body.destroyed).toBe(true);
  });
});

test('an unwanted body is closed, and its failure ignored', async () => {
  const body = pieces([text]);
  discard(body);
  expect(body.destroyed).toBe(true);
  body.emit('error', new Error('late'));
});
