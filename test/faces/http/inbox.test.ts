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
  const [other, third] = [client('192.0.2.2'), client('192.0.2.3')];
  expect(taken(other)).toBe(4);
  expect(taken(third)).toBe(0);
  expect(inbox.bytes).toBe(64 * MIB);
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
