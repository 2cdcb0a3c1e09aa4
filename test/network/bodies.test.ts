/** Bodies of servers that send more than anybody wants, by the hundred: what they hold together is bounded. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createNetwork } from '../../src/network/fetch.ts';
import { nextBodyTurn } from '../../src/network/addresses.ts';
import { registerCaller, combineSignals } from '../../src/queues/caller.ts';
import { queues } from '../../src/queues/queue-table.ts';
import { withoutLag } from '../support/lag.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Says what it likes, at an origin of its own. */
async function origin(speak: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => speak(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const endlessly =
  (head: string, piece: string) =>
  (socket: Socket): void => {
    socket.write(head);
    const write = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', write);
    write();
  };

const MIB = 1 << 20;

function get(url: string, signal: AbortSignal, mostBytes = 64 * MIB) {
  const network = createNetwork({ allow: ['127.0.0.1'] });
  closing.push(() => void network.close());
  return network.get(url, { signal, mostBytes: () => mostBytes });
}

const LENGTH = (bytes: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`;
const sends = (bytes: number, said = bytes) =>
  origin((socket) => void socket.write(LENGTH(said) + 'x'.repeat(bytes)));

const { bodies } = queues;
const held = () => [bodies.stats.running, bodies.stats.waiting];

test('two large bodies of a caller are read at once', async () => {
  const [stop, caller] = [new AbortController(), {}];
  registerCaller(caller, stop.signal);
  const asked = Array.from({ length: 6 }, async () => {
    const signal = combineSignals(stop.signal, new AbortController().signal);
    return get(await sends(2 * MIB, 4 * MIB), signal);
  });
  const ended = Promise.allSettled(asked);
  await expect.poll(held).toEqual([2, 4]);
  // Another caller has its own, and is not held up.
  const other = await get(await sends(3 * MIB), AbortSignal.timeout(200_000));
  expect(other.body.length).toBe(3 * MIB);
  stop.abort(new Error('enough'));
  expect((await ended).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'rejected'));
  expect(held()).toEqual([0, 0]);
});

test('slots are freed however bodies end; small bodies use none', async () => {
  const acquire = vi.spyOn(bodies, 'acquire');
  closing.push(() => acquire.mockRestore());
  const signal = AbortSignal.timeout(200_000);
  const small = await get(await sends(MIB), signal);
  const first = await get(await sends(3 * MIB), signal, MIB);
  expect([small.body.length, small.cut, first.body.length, first.cut]).toEqual([MIB, false, MIB, true]);
  expect(acquire).toHaveBeenCalledTimes(0);

  const cut = await get(await sends(3 * MIB), signal, 2 * MIB);
  expect([cut.body.length, cut.cut]).toEqual([2 * MIB, true]);
  const breaks = await origin((socket) => socket.end(LENGTH(4 * MIB) + 'x'.repeat(2 * MIB)));
  await expect(get(breaks, signal)).rejects.toMatchObject({ code: 'NETWORK' });
  expect(acquire).toHaveBeenCalledTimes(2);
  expect(held()).toEqual([0, 0]);
});

test('the event loop takes one piece a turn, in order', async () => {
  const taken: number[] = [];
  const all = Promise.all(Array.from({ length: 5 }, (_, i) => nextBodyTurn().then(() => void taken.push(i))));
  const seen: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(taken.length);
  }
  await all;
  expect(taken).toEqual([0, 1, 2, 3, 4]);
  expect(seen.every((count, i) => count - (seen[i - 1] ?? 0) <= 1)).toBe(true);
});

test('one-byte chunks from many origins keep the loop free', { tags: 'slow' }, async () => {
  const tiny = endlessly(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    '1\r\na\r\n'.repeat(20_000),
  );
  const urls = await Promise.all(Array.from({ length: 32 }, () => origin(tiny)));
  await withoutLag(async () => {
    await Promise.allSettled(urls.map((url) => get(url, AbortSignal.timeout(1_500))));
  });
});

test('informational responses without end are refused', async () => {
  const early = await origin(endlessly('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(500)));
  await expect(get(early, AbortSignal.timeout(200_000))).rejects.toMatchObject({ code: 'LIMIT' });
});
