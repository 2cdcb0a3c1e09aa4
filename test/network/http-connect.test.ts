/** Which addresses of a name a socket is opened to: each is checked, and the socket goes to a checked one. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as openSocket, createServer, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
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
  {
    at = port,
    protocol = 'http:',
    ...options
  }: ConnectOptions & { readonly at?: number; readonly protocol?: string } = {},
): Promise<string> {
  const connect = checkedConnector(allowed.map(parseAllowed), options);
  return new Promise((done) => {
    connect({ hostname, host: hostname, protocol, port: String(at) }, (error, socket) => {
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
    for (const host of ['a.org', 'fd00::1'])
      expect(await reach(host, [], { resolve, at, howToAllow: 'with HOST' })).toMatch(
        RegExp(`with ${host}\\.$`),
      );
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

test.each([
  ['good.pem', '127.0.0.1', '127.0.0.1'],
  ['good.pem', 'elsewhere.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['wrong.pem', 'elsewhere.example', '127.0.0.1'],
  ['wrong.pem', '127.0.0.1', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('a certificate must have the name, not the address of the socket: %s for %s', async (cert, host, end) => {
  const stored = (name: string): Buffer => readFileSync(`test/fixtures/tls/${name}`);
  const secure = tls.createServer({ cert: stored(cert), key: stored('leaf.key') }).listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const open = tls.connect;
  const trusting = vi
    .spyOn(tls, 'connect')
    .mockImplementation(((options: tls.ConnectionOptions) =>
      open({ ...options, ca: stored('ca.pem') })) as typeof tls.connect);
  onTestFinished(() => {
    trusting.mockRestore();
    secure.close();
  });
  const { port: at } = secure.address() as { port: number };
  const resolve = to('127.0.0.1');
  expect(await reach(host, ['127.0.0.0/8'], { resolve, at, protocol: 'https:' })).toMatch(RegExp(`^${end}`));
});

// Linux does not answer connections beyond the backlog of a server that accepts none.
describe.runIf(process.platform === 'linux')('an address that does not answer', () => {
  const silent = '127.0.0.2';

  beforeAll(async () => {
    const code = `
      const { workerData, parentPort } = require('node:worker_threads');
      const options = { host: '${silent}', port: workerData, backlog: 1 };
      require('node:net').createServer().listen(options, () => {
        parentPort.postMessage('listens');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      });`;
    const worker = new Worker(code, { eval: true, workerData: port });
    await once(worker, 'message');
    const filling = [1, 2].map(() => openSocket(port, silent));
    await Promise.all(filling.map((socket) => once(socket, 'connect')));
    return async () => {
      for (const socket of filling) socket.destroy();
      await worker.terminate();
    };
  });

  test('is followed by the next', async () => {
    const begun = performance.now();
    const resolve = to(silent, '127.0.0.1');
    expect(await reach('example.org', ['127.0.0.0/8'], { resolve })).toBe('127.0.0.1');
    expect(performance.now() - begun).toBeGreaterThan(245);
  });

  test('is given up after five seconds', { tags: 'slow' }, async () => {
    const begun = performance.now();
    expect(await reach(silent, ['127.0.0.0/8'])).toMatch(/^UND_ERR_CONNECT_TIMEOUT/);
    expect(performance.now() - begun).toBeGreaterThan(4_900);
  });
});
