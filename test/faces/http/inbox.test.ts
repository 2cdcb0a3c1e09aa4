/** The room for bodies: of one client, of those at one address, and of all. */

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inbox, BodyReservation } from '../../../src/faces/http/request-body.ts';
import { type Caller, registerCallerAddress } from '../../../src/queues/caller.ts';
import { serveOffer } from '../../support/app.ts';
import { hangingTool, offerOf } from '../../support/offer.ts';

const MIB = 1 << 20;

function client(address: string): Caller {
  const one = {};
  registerCallerAddress(one, address);
  return one;
}

/** A body that has come and whose answer nobody takes. */
function unanswered(of: Caller, bytes = 4 * MIB): boolean {
  const parcel = new BodyReservation(of, () => undefined);
  onTestFinished(() => parcel.release());
  try {
    parcel.grow(bytes);
    parcel.complete();
    return true;
  } catch {
    return false;
  }
}

const taken = (of: Caller): number => {
  let count = 0;
  while (unanswered(of)) count += 1;
  return count;
};

test('H23 one address leaves room for others, whatever its client names', () => {
  const names = Array.from({ length: 8 }, () => client('192.0.2.1'));
  expect(names.map(taken)).toEqual([4, 4, 4, 4, 0, 0, 0, 0]);
  expect(taken(client('192.0.2.2'))).toBe(4);
  expect(inbox.bytes).toBe(64 * MIB);
});

test('addresses with most are evicted for those with less', () => {
  const crowd = Array.from({ length: 40 }, (_, i) => client(`192.0.2.${i % 10}`));
  for (let round = 0; round < 3; round += 1) crowd.map(taken);
  expect(inbox.bytes).toBe(64 * MIB);
  const late = Array.from({ length: 5 }, (_, i) => client(`198.51.100.${i}`));
  for (const other of late) expect(unanswered(other)).toBe(true);
  crowd.map(taken);
  const later = Array.from({ length: 5 }, (_, i) => client(`203.0.113.${i}`));
  for (const other of later) expect(unanswered(other, 3 * MIB)).toBe(true);
  // Whoever would have more than the others takes nothing from them.
  expect(unanswered(later[0] as Caller)).toBe(false);
  expect(inbox.bytes).toBeLessThanOrEqual(64 * MIB);
});

/** Bodies by their names, what was evicted of them, and how a late one is answered. */
function crowd(): {
  hold: (name: string, address: string, bytes: number, state?: 'read' | 'answered') => void;
  late: (bytes: number) => string[] | 'BUSY';
} {
  const evicted: string[] = [];
  return {
    hold(name, address, bytes, state = 'answered') {
      const parcel = new BodyReservation(client(address), () => void evicted.push(name));
      onTestFinished(() => parcel.release());
      parcel.grow(bytes);
      if (state === 'answered') parcel.complete();
    },
    late(bytes) {
      const isTaken = unanswered(client('203.0.113.1'), bytes);
      if (isTaken) return evicted;
      expect(evicted).toEqual([]);
      return 'BUSY';
    },
  };
}

describe('when there is no room left', () => {
  test('silent bodies of any address are evicted first', () => {
    vi.useFakeTimers({ toFake: ['hrtime'] });
    onTestFinished(() => void vi.useRealTimers());
    const { hold, late } = crowd();
    for (let i = 0; i < 8; i += 1) hold(`silent ${i}`, `192.0.2.${i}`, 4 * MIB, 'read');
    vi.advanceTimersByTime(1_000);
    for (let i = 8; i < 15; i += 1) hold(`live ${i}`, `192.0.2.${i}`, 4 * MIB, 'read');
    hold('most', '192.0.2.8', 4 * MIB);
    expect(late(4 * MIB)).toEqual(['silent 0']);
  });

  test('only as many small bodies as needed are evicted', () => {
    const { hold, late } = crowd();
    for (let i = 0; i < 4_080; i += 1) hold(`${i}`, `192.0.2.${i % 16}`, 16 * 1024 + 1);
    const evicted = late(MIB);
    expect(evicted).toHaveLength(49);
    expect(evicted.slice(0, 3)).toEqual(['0', '1', '2']);
  });
});

test('a request evicted while answered gets an error, streams too', async () => {
  const ask = async (accept: string): Promise<unknown> => {
    const { tool, started, stopped } = hangingTool('hang');
    const { url } = await serveOffer(offerOf(tool));
    const body = JSON.stringify({ text: 'x'.repeat(4 * MIB - 100) });
    const headers = { 'content-type': 'application/json', accept };
    const said = fetch(`${url}/api/v0/tools/hang`, { method: 'POST', headers, body }).then(
      async (response) => [
        response.status,
        response.headers.get('retry-after'),
        (await response.text()).match(/"code":"(\w+)"/)?.[1],
      ],
    );
    await started;
    const parcels = Array.from(
      { length: 21 },
      (_, i) => new BodyReservation(client(`192.0.2.${i}`), () => undefined),
    );
    for (const parcel of parcels) parcel.grow(3 * MIB);
    await stopped;
    for (const parcel of parcels) parcel.release();
    return said;
  };
  expect(await ask('application/json')).toEqual([503, '1', 'BUSY']);
  expect(await ask('text/event-stream')).toEqual([200, null, 'BUSY']);
});

test('a client without an address is counted once', () => {
  expect(taken({})).toBe(4);
});

test('all room is returned', () => {
  expect(inbox.bytes).toBe(0);
});
