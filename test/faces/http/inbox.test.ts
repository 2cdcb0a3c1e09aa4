/** The room for bodies: of one client, of those at one address, and of all. */

import { expect, onTestFinished, test } from 'vitest';
import { inbox, Parcel } from '../../../src/faces/http/inbox.ts';
import { type Caller, comesFrom } from '../../../src/queues/caller.ts';

const MIB = 1 << 20;

function client(address: string): Caller {
  const one = {};
  comesFrom(one, address);
  return one;
}

/** A body that has come and whose answer nobody takes. */
function unanswered(of: Caller, bytes = 4 * MIB): boolean {
  const parcel = new Parcel(of, () => undefined);
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

test('one address leaves room for another, whatever names it gives itself', () => {
  const names = Array.from({ length: 8 }, () => client('192.0.2.1'));
  expect(names.map(taken)).toEqual([4, 4, 4, 0, 0, 0, 0, 0]);
  expect(taken(client('192.0.2.2'))).toBe(4);
  expect(inbox.bytes).toBe(64 * MIB);
});

test('a few addresses cannot hold all room: who has most gives way to who has less', () => {
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

test('what is still being read gives way before what is being answered', () => {
  const refused: string[] = [];
  const hold = (of: Caller, name: string): Parcel => {
    const parcel = new Parcel(of, () => void refused.push(name));
    onTestFinished(() => parcel.release());
    parcel.grow(16 * MIB);
    return parcel;
  };
  const [one, two, three] = [client('192.0.2.1'), client('192.0.2.1'), client('192.0.2.1')];
  hold(one, 'answered').complete();
  hold(two, 'slow');
  hold(three, 'later').complete();
  expect(taken(client('192.0.2.2'))).toBe(4);
  expect(unanswered(client('192.0.2.3'))).toBe(true);
  expect(refused).toEqual(['slow']);
});

test('a client without an address is counted once', () => {
  expect(taken({})).toBe(4);
});

test('room is given back to the address that it was taken from', () => {
  const one = client('192.0.2.7');
  const parcel = new Parcel(one, () => undefined);
  parcel.grow(4 * MIB);
  parcel.complete();
  comesFrom(one, '192.0.2.8');
  parcel.release();
  const names = Array.from({ length: 3 }, () => client('192.0.2.7'));
  expect(names.map(taken)).toEqual([4, 4, 4]);
});

test('all room is given back', () => {
  expect(inbox.bytes).toBe(0);
});
