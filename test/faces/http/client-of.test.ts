import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { clientOf } from '../../../src/faces/http/client-of.ts';

const named = (name: string): object =>
  clientOf({
    headers: { 'oriel-client': name },
    socket: { remoteAddress: '192.0.2.1' },
  } as unknown as IncomingMessage);

test('names that begin alike are those of different clients, however long they are', () => {
  const long = 'x'.repeat(4_000);
  const names = ['x', long, `${long}1`, `${long}2`, long.slice(0, 200), long.slice(0, 201)];
  const clients = names.map(named);
  expect(new Set(clients).size).toBe(names.length);
  expect(names.map(named)).toEqual(clients);
  for (const [i, name] of names.entries()) expect(named(name)).toBe(clients[i]);
});
