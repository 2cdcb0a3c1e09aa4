/** In which order and how long addresses are tried, on simulated sockets. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseAllowed, checkedConnector, type ConnectOptions } from '../../src/network/addresses.ts';

interface FakeSocket {
  readonly remoteAddress: string | undefined;
  destroyed: boolean;
  destroy(): void;
}

interface Attempt {
  readonly options: Readonly<Record<string, unknown>>;
  /** Ends the attempt: with a socket that says it is connected to this address, or with an error. */
  connects(to?: string): FakeSocket;
  says(remoteAddress: string | undefined): FakeSocket;
  fails(message: string): void;
}

const attempts: Attempt[] = [];
const made: unknown[] = [];

vi.mock('undici', async (original) => ({
  ...(await original<typeof import('undici')>()),
  buildConnector: (settings: unknown) => {
    made.push(settings);
    return (options: Attempt['options'], done: (error: Error | null, socket: FakeSocket | null) => void) => {
      const says = (remoteAddress: string | undefined): FakeSocket => {
        const socket: FakeSocket = {
          remoteAddress,
          destroyed: false,
          destroy: () => void (socket.destroyed = true),
        };
        done(null, socket);
        return socket;
      };
      attempts.push({
        options,
        says,
        connects: (to = options['hostname'] as string) => says(to),
        fails: (message) => done(new Error(message), null),
      });
    };
  },
}));

beforeEach(() => {
  vi.useFakeTimers();
  attempts.length = 0;
  made.length = 0;
});
afterEach(() => void vi.useRealTimers());

const tried = (): unknown[] => attempts.map(({ options }) => options['hostname']);
const attempt = (index: number): Attempt => attempts[index] as Attempt;

interface Outcome {
  error?: Error | null;
  socket?: unknown;
}

/** Begins to connect; the outcome is filled when it is known. */
async function connecting(
  hostname: string,
  addresses: readonly string[],
  {
    allowed = ['127.0.0.0/8', '::/16'],
    ...more
  }: {
    readonly allowed?: readonly string[];
    readonly protocol?: string;
    readonly port?: string;
  } & ConnectOptions = {},
): Promise<Outcome> {
  const { protocol = 'http:', port = '', ...options } = more;
  const outcome: Outcome = {};
  const connect = checkedConnector(allowed.map(parseAllowed), {
    resolve: () => Promise.resolve(addresses),
    ...options,
  });
  connect({ hostname, host: hostname, protocol, port }, (error, socket) => {
    expect(outcome).toStrictEqual({});
    Object.assign(outcome, { error, socket });
  });
  await vi.advanceTimersByTimeAsync(0);
  return outcome;
}

test('a connection has five seconds', async () => {
  await connecting('a.org', ['127.0.0.1']);
  expect(made).toStrictEqual([{ timeout: 5_000 }]);
});

test('sockets go to the address, certificates must have the name', async () => {
  await connecting('a.org', ['127.0.0.1'], { protocol: 'https:' });
  await connecting('127.0.0.2', [], { protocol: 'https:' });
  await connecting('[::1]', [], { port: '81' });
  expect(attempts.map(({ options }) => options)).toStrictEqual([
    { hostname: '127.0.0.1', host: '127.0.0.1', protocol: 'https:', port: '', servername: 'a.org' },
    { hostname: '127.0.0.2', host: '127.0.0.2', protocol: 'https:', port: '' },
    { hostname: '::1', host: '::1', protocol: 'http:', port: '81' },
  ]);
});

test.each([
  ['http:', '', '80'],
  ['https:', '', '443'],
  ['https:', '8443', '8443'],
])('%s with port %j needs a rule for %s', async (protocol, port, allowed) => {
  await connecting('a.org', ['127.0.0.1'], { protocol, port, allowed: [`127.0.0.1:${allowed}`] });
  expect(tried()).toStrictEqual(['127.0.0.1']);
  const refused = await connecting('a.org', ['127.0.0.1'], { protocol, port, allowed: ['127.0.0.1:1'] });
  expect(refused.error).toMatchObject({ code: 'BLOCKED_ADDRESS' });
});

test('silent addresses are followed by the next after 250 ms', async () => {
  const outcome = await connecting('a.org', ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  const seen: number[] = [attempts.length];
  for (const ms of [249, 1, 249, 1, 10_000]) {
    await vi.advanceTimersByTimeAsync(ms);
    seen.push(attempts.length);
  }
  expect(seen).toStrictEqual([1, 1, 2, 2, 3, 3]);
  const socket = attempt(1).connects();
  await vi.advanceTimersByTimeAsync(0);
  expect(outcome).toStrictEqual({ error: null, socket });
  // Those that connect later are closed.
  const late = attempt(0).connects();
  attempt(2).fails('refused');
  await vi.advanceTimersByTimeAsync(0);
  expect([socket.destroyed, late.destroyed, vi.getTimerCount()]).toStrictEqual([false, true, 0]);
});

test('after a failure the next address is tried at once', async () => {
  const outcome = await connecting('a.org', ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  await vi.advanceTimersByTimeAsync(200);
  attempt(0).fails('first');
  await vi.advanceTimersByTimeAsync(0);
  expect(tried()).toStrictEqual(['127.0.0.1', '127.0.0.2']);
  await vi.advanceTimersByTimeAsync(249);
  expect(attempts).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(attempts).toHaveLength(3);
  // One that fails while others are open decides nothing.
  attempt(2).fails('third');
  await vi.advanceTimersByTimeAsync(0);
  expect(outcome).toStrictEqual({});
  attempt(1).fails('second');
  await vi.advanceTimersByTimeAsync(0);
  expect(outcome).toStrictEqual({ error: new Error('second'), socket: null });
  expect([attempts.length, vi.getTimerCount()]).toStrictEqual([3, 0]);
});

test('all have failed only when also the last was tried', async () => {
  const outcome = await connecting('a.org', ['127.0.0.1', '127.0.0.2']);
  attempt(0).fails('first');
  await vi.advanceTimersByTimeAsync(0);
  expect(outcome).toStrictEqual({});
  const socket = attempt(1).connects();
  await vi.advanceTimersByTimeAsync(0);
  expect(outcome).toStrictEqual({ error: null, socket });
});

test('once a socket is there, no other address is tried', async () => {
  const outcome = await connecting('a.org', ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  await vi.advanceTimersByTimeAsync(250);
  attempt(0).connects();
  await vi.advanceTimersByTimeAsync(0);
  attempt(1).fails('late');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(attempts).toHaveLength(2);
  expect(outcome.error).toBeNull();
});

test.each([
  [
    ['127.0.0.1', '127.0.0.2', '::1', '::2', '::3'],
    ['127.0.0.1', '::1', '127.0.0.2', '::2', '::3'],
  ],
  [
    ['::1', '127.0.0.1', '127.0.0.2', '127.0.0.3'],
    ['::1', '127.0.0.1', '127.0.0.2', '127.0.0.3'],
  ],
  [
    ['::1', '::2', '::3', '127.0.0.1'],
    ['::1', '127.0.0.1', '::2', '::3'],
  ],
  [
    ['::1', '::2'],
    ['::1', '::2'],
  ],
])('%j are tried in the order %j', async (addresses, order) => {
  await connecting('a.org', addresses);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(tried()).toStrictEqual(order);
});

test.each([
  ['127.0.0.1', true],
  ['127.0.0.9', true],
  ['10.0.0.1', false],
  ['169.254.169.254', false],
  [undefined, false],
])('a socket that leads to %s is used: %j', async (reached, used) => {
  const outcome = await connecting('a.org', ['127.0.0.1'], { howToAllow: 'with HOST' });
  const socket = attempt(0).says(reached);
  await vi.advanceTimersByTimeAsync(0);
  expect(socket.destroyed).toBe(!used);
  if (used) expect(outcome).toStrictEqual({ error: null, socket });
  else
    expect(outcome).toStrictEqual({
      error: expect.objectContaining({
        code: 'BLOCKED_ADDRESS',
        message:
          'a.org has no public address, and is not read. The operator of oriel can allow it with a.org.',
      }),
      socket: null,
    });
});

test('a name that the operator allows may lead anywhere', async () => {
  const outcome = await connecting('a.org', ['10.0.0.1'], { allowed: ['a.org'] });
  const socket = attempt(0).says('10.0.0.2');
  await vi.advanceTimersByTimeAsync(0);
  expect(outcome).toStrictEqual({ error: null, socket });
});
