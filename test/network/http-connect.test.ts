/** Which addresses of a name a socket is opened to: each is checked, and the socket goes to a checked one. */

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseAllowed, checkedConnector, type ConnectOptions } from '../../src/network/addresses.ts';

let server: Server;
let port = 0;
const sockets: Socket[] = [];

beforeAll(async () => {
  server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as { port: number }).port;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** The address that is reached, or the code and the message of the error. */
function reach(
  hostname: string,
  allowed: readonly string[],
  { at = port, ...options }: ConnectOptions & { readonly at?: number } = {},
): Promise<string> {
  const connect = checkedConnector(allowed.map(parseAllowed), options);
  return new Promise((done) => {
    connect({ hostname, host: hostname, protocol: 'http:', port: String(at) }, (error, socket) => {
      if (!socket) return done(`${(error as { code?: string }).code}: ${error?.message}`);
      const { remoteAddress = '' } = socket;
      socket.destroy();
      done(remoteAddress);
    });
  });
}
const to = (...addresses: readonly string[]) => vi.fn(() => Promise.resolve(addresses));

test('a literal address is not resolved', async () => {
  const resolve = to();
  expect(await reach('127.0.0.1', ['127.0.0.0/8'], { resolve })).toBe('127.0.0.1');
  expect(resolve).not.toHaveBeenCalled();
});

test('of several addresses only those allowed are tried', async () => {
  const resolve = to('10.0.0.1', '169.254.169.254', '127.0.0.1');
  expect(await reach('example.org', ['127.0.0.0/8'], { resolve })).toBe('127.0.0.1');
  expect(resolve).toHaveBeenCalledExactlyOnceWith('example.org');
});

test('a name that is allowed may have any address', async () => {
  expect(await reach('Example.org.', ['example.org'], { resolve: to('127.0.0.1') })).toBe('127.0.0.1');
  expect(await reach('other.org', ['example.org'], { resolve: to('127.0.0.1') })).toMatch(/^BLOCKED_ADDRESS/);
});

test('addresses that refuse are passed; the last failure is told', async () => {
  const resolve = to('127.0.0.2', '127.0.0.3', '127.0.0.1');
  expect(await reach('example.org', ['127.0.0.0/8'], { resolve })).toBe('127.0.0.1');
  const none = to('127.0.0.2', '127.0.0.3');
  expect(await reach('example.org', ['127.0.0.0/8'], { resolve: none })).toMatch(/^ECONNREFUSED/);
});

test('at most eight addresses are tried', async () => {
  const dead = Array.from({ length: 8 }, (_, i) => `127.0.0.${i + 2}`);
  const resolve = (...last: string[]) => to(...dead.slice(0, 7), ...last);
  expect(await reach('example.org', ['127.0.0.0/8'], { resolve: resolve('127.0.0.1') })).toBe('127.0.0.1');
  const late = resolve(dead[7] as string, '127.0.0.1');
  expect(await reach('example.org', ['127.0.0.0/8'], { resolve: late })).toMatch(/^ECONNREFUSED/);
});

test('both families are tried in turns', async () => {
  const six = Array.from({ length: 8 }, (_, i) => `::ffff:127.0.0.${i + 2}`);
  expect(await reach('example.org', ['127.0.0.0/8'], { resolve: to(...six) })).toMatch(/^E[A-Z]+: /);
  // As the ninth it would not be tried.
  expect(await reach('example.org', ['127.0.0.0/8'], { resolve: to(...six, '127.0.0.1') })).toBe('127.0.0.1');
});

test('a local name is resolved only for an allowed range', async () => {
  const resolve = to('127.0.0.1');
  for (const name of ['router', 'a.localhost'])
    expect(await reach(name, [], { resolve })).toMatch(
      new RegExp(`^BLOCKED_ADDRESS: ${name} has no public address`),
    );
  expect(resolve).not.toHaveBeenCalled();
  expect(await reach('router', ['127.0.0.0/8'], { resolve })).toBe('127.0.0.1');
});

test.each([
  ['10.0.0.1', [], 'BLOCKED_ADDRESS: 10.0.0.1 is not a public address, and is not read. HOW 10.0.0.1:8080.'],
  ['fd00::1', [], 'BLOCKED_ADDRESS: fd00::1 is not a public address, and is not read. HOW [fd00::1]:8080.'],
  ['a.org', ['10.0.0.1'], 'BLOCKED_ADDRESS: a.org has no public address, and is not read. HOW a.org:8080.'],
  ['a.org', [], 'BLOCKED_ADDRESS: a.org has no address, and is not read. HOW a.org:8080.'],
  // A metadata service is not to be allowed by mistake.
  ['169.254.169.254', [], 'BLOCKED_ADDRESS: 169.254.169.254 is not a public address, and is not read.'],
  ['b.org', ['169.254.169.254'], 'BLOCKED_ADDRESS: b.org has no public address, and is not read.'],
])('%s with %j is refused', async (host, addresses, message) => {
  const resolve = to(...addresses);
  const told = message.replace('HOW', 'The operator of oriel can allow it with --allow-net');
  expect(await reach(host, [], { resolve, at: 8080, howToAllow: 'with --allow-net HOST' })).toBe(told);
  expect(await reach(host, [], { resolve, at: 8080 })).toBe(told.replace(/ The operator.*/, ''));
});

test('the usual ports are not part of the advice', async () => {
  const resolve = to('10.0.0.1');
  for (const at of [80, 443])
    expect(await reach('a.org', [], { resolve, at, howToAllow: 'with HOST' })).toMatch(/with a\.org\.$/);
});

test('a port of another service opens for named hosts only', async () => {
  const resolve = to('127.0.0.1');
  expect(await reach('a.org', ['a.org'], { resolve, at: 25 })).toMatch(/^BLOCKED_PORT: Port 25 /);
  expect(await reach('a.org', ['b.org:25', 'a.org'], { resolve, at: 25 })).toMatch(/^BLOCKED_PORT: Port 25 /);
  expect(await reach('a.org', ['a.org:1'], { resolve, at: 1 })).toMatch(/^ECONNREFUSED/);
});

test('a resolver that fails is told', async () => {
  const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
  expect(await reach('a.org', [], { resolve })).toBe('ENOTFOUND: no such name');
});
