/**
 * @module-tag slow
 */

import { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENT_BYTES, outbox, PeerOutlet } from '../../src/faces/outbox.ts';
import { registerCallerAddress } from '../../src/queues/caller.ts';
import { queues } from '../../src/queues/queue-table.ts';

/** A peer that takes a piece when it is told to. */
function peer(): { out: Writable; taken: Buffer[]; take: () => void } {
  const taken: Buffer[] = [];
  let next: (() => void) | undefined;
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk);
      next = done;
    },
  });
  onTestFinished(() => void out.destroy());
  const take = (): void => {
    const done = next;
    next = undefined;
    done?.();
  };
  return { out, taken, take };
}

test('text and buffers are sent in order, in small chunks', async () => {
  const { out, taken, take } = peer();
  const outlet = new PeerOutlet(out, {});
  const parts = ['first ', Buffer.alloc(200_000, 'b'), 'né'.repeat(50_000), 'last'];
  for (const part of parts) outlet.write(part);
  outlet.end('.');
  const whole = Buffer.concat([...parts, '.'].map((part) => Buffer.from(part)));
  expect(outlet.bytes).toBe(whole.length);
  const ended = new Promise((resolve) => out.once('finish', resolve));
  const feeding = setInterval(take, 0);
  await ended;
  clearInterval(feeding);
  expect(Buffer.concat(taken).equals(whole)).toBe(true);
  expect(Math.max(...taken.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
  await outlet.taken();
  expect(outbox.unsent).toBe(0);
});

test('only a peer that reads nothing is disconnected', async () => {
  const before = outbox.ended;
  const [dead, slow] = [peer(), peer()];
  const outlets = [dead, slow].map(({ out }) => new PeerOutlet(out, {}, { timeoutMs: 2_000 }));
  for (const outlet of outlets) outlet.write(Buffer.alloc(1 << 20));
  const feeding = setInterval(slow.take, 50);
  onTestFinished(() => clearInterval(feeding));
  await expect.poll(() => dead.out.destroyed).toBe(true);
  expect(slow.out.destroyed).toBe(false);
  expect(outbox.ended).toBe(before + 1);
  expect(outlets.map(({ gone }) => gone)).toEqual([true, false]);
  outlets[0]?.write('too late');
  await outlets[0]?.taken();
  slow.out.destroy();
  await expect.poll(() => outbox.unsent).toBe(0);
});

test('only a client with too much unsent data is refused', async () => {
  const { out, take } = peer();
  const [client, other] = [{}, {}];
  const outlet = new PeerOutlet(out, client);
  outlet.write(Buffer.alloc(CLIENT_BYTES + 1));
  const order: string[] = [];
  const work = (caller: object, name: string): Promise<void> =>
    queues.calls.run(() => Promise.resolve(void order.push(name)), { caller });
  const waiting = work(client, 'client');
  await work(other, 'other');
  expect(order).toEqual(['other']);
  take();
  await waiting;
  expect(order).toEqual(['other', 'client']);
});

test('of all unsent data, the oldest is dropped first', async () => {
  const peers = Array.from({ length: 5 }, peer);
  for (const { out } of peers) new PeerOutlet(out, {}).write(Buffer.alloc(30 << 20));
  expect(peers.map(({ out }) => out.destroyed)).toEqual([true, false, false, false, false]);
  for (const { out } of peers) out.destroy();
  await expect.poll(() => outbox.unsent).toBe(0);
});

test('the client with most unsent data is dropped first', async () => {
  const before = outbox.ended;
  const [honest, many] = [peer(), Array.from({ length: 6 }, peer)];
  const at = (address: string): object => {
    const client = {};
    registerCallerAddress(client, address);
    return client;
  };
  new PeerOutlet(honest.out, at('10.0.0.1')).write(Buffer.alloc(20 << 20));
  // Under many names, and each with less than the honest one.
  for (const { out } of many) new PeerOutlet(out, at('10.0.0.2')).write(Buffer.alloc(19 << 20));
  const dropped = [honest, ...many].map(({ out }) => out.destroyed);
  expect(dropped).toEqual([false, true, ...many.slice(1).map(() => false)]);
  const huge = peer();
  const outlet = new PeerOutlet(huge.out, at('10.0.0.3'));
  outlet.write(Buffer.alloc(129 << 20));
  expect([honest.out.destroyed, huge.out.destroyed]).toEqual([false, true]);
  expect([outlet.gone, outlet.bytes]).toEqual([true, 0]);
  expect(outbox.ended).toBe(before + 2);
  for (const { out } of [honest, ...many]) out.destroy();
  await expect.poll(() => outbox.unsent).toBe(0);
});

test('a disconnected peer gets nothing and counts nothing', async () => {
  const { out } = peer();
  out.destroy();
  const outlet = new PeerOutlet(out, {});
  outlet.write('text');
  outlet.end();
  await outlet.taken();
  expect([outlet.gone, outlet.bytes]).toEqual([true, 0]);
});
