import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { clientOf } from '../../../src/faces/http/exchange.ts';

const named = (name: string): object =>
  clientOf({
    headers: { 'oriel-client': name },
    socket: { remoteAddress: '192.0.2.1' },
  } as unknown as IncomingMessage);

const program = (agent: string): object =>
  clientOf({
    headers: { 'user-agent': agent, 'x-forwarded-for': '198.51.100.7, '.repeat(100) },
    socket: { remoteAddress: '192.0.2.1' },
  } as unknown as IncomingMessage);

test('unnamed programs with a common User-Agent prefix are different clients', () => {
  const long = `Agent/1.0 (${'x'.repeat(4_000)})`;
  const agents = ['Agent/1.0', long, `${long} a`, `${long} b`];
  const clients = agents.map(program);
  expect(new Set(clients).size).toBe(agents.length);
  expect(agents.map(program)).toEqual(clients);
  for (const [i, agent] of agents.entries()) expect(program(agent)).toBe(clients[i]);
});

test('long names with a common prefix are different clients', () => {
  const long = 'x'.repeat(4_000);
  const names = ['x', long, `${long}1`, `${long}2`, long.slice(0, 200), long.slice(0, 201)];
  const clients = names.map(named);
  expect(new Set(clients).size).toBe(names.length);
  expect(names.map(named)).toEqual(clients);
  for (const [i, name] of names.entries()) expect(named(name)).toBe(clients[i]);
});
