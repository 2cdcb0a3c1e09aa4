/** The process of an MCP server: its start, its messages and its end, on one that the test plays. Real ones are in stdio.test.ts. */

import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { StdioClientTransport } from '../../src/network/mcp-stdio.ts';

class Played extends EventEmitter {
  pid: number | undefined = 4_711;
  exitCode: number | null = null;
  signalCode: string | null = null;
  readonly stdin = Object.assign(new PassThrough(), { unref: vi.fn() });
  readonly stdout = Object.assign(new PassThrough(), { unref: vi.fn() });
  readonly unref = vi.fn();

  /** What it has been sent since the last look. Newer versions of Node read one chunk at a time. */
  get got(): string {
    let text = '';
    for (let chunk: unknown; (chunk = this.stdin.read()) !== null;) text += String(chunk);
    return text;
  }

  exit(code: number): void {
    this.exitCode = code;
    this.emit('exit', code, null);
  }
}

const mocked = vi.hoisted(() => ({
  calls: [] as unknown[][],
  child: undefined as Played | undefined,
  /** The error of the start. */
  fails: undefined as Error | undefined,
  /** `watch TOKEN`, `runs PID`, `release`, `over`, `end PID`. */
  events: [] as string[],
  trees: [] as unknown[],
  /** Pauses in milliseconds: they end at once, or if time is slow, never. */
  pauses: [] as number[],
  slow: true,
}));

vi.mock('../../src/process/start.ts', () => ({
  startProcess(...call: (typeof mocked.calls)[number]) {
    mocked.calls.push(call);
    const child = (mocked.child = new Played());
    const { fails } = mocked;
    queueMicrotask(() => (fails ? child.emit('error', fails) : child.emit('spawn')));
    return child;
  },
}));
vi.mock('../../src/process/watchdog.ts', () => ({
  watch(token: string) {
    mocked.events.push(`watch ${token}`);
    return {
      isRunning: (pid: number) => void mocked.events.push(`runs ${pid}`),
      release: () => void mocked.events.push('release'),
    };
  },
}));
vi.mock('../../src/process/command.ts', () => ({
  TOKEN_NAME: 'ORIEL_RUN',
  killAtExit(tree: unknown) {
    mocked.trees.push(tree);
    return () => void mocked.events.push('over');
  },
}));
vi.mock('../../src/process/process-tree.ts', () => ({
  processStartTime: (pid: number) => pid + 1,
  endTree(tree: { pid: number }, grace: number) {
    mocked.events.push(`end ${tree.pid} after ${grace}`);
    return Promise.resolve();
  },
}));
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<object>()),
  setTimeout(ms: number) {
    mocked.pauses.push(ms);
    return mocked.slow ? new Promise(() => undefined) : Promise.resolve();
  },
}));

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const turns = async (count = 5): Promise<void> => {
  for (let i = 0; i < count; i += 1) await turn();
};

beforeEach(() => {
  Object.assign(mocked, { calls: [], fails: undefined, events: [], trees: [], pauses: [], slow: true });
  vi.stubEnv('ORIEL_RUN', undefined);
});

afterEach(() => void vi.unstubAllEnvs());

interface Begun {
  readonly transport: StdioClientTransport;
  readonly child: Played;
  readonly heard: JSONRPCMessage[];
  readonly errors: string[];
  readonly closes: () => number;
  /** The server says this. */
  say(message: object | string): Promise<void>;
}

async function begun(): Promise<Begun> {
  const transport = new StdioClientTransport({
    command: 'program',
    args: ['--flag'],
    cwd: '/here',
    env: { PATH: '/bin' },
    maxMessage: 1 << 20,
    reduce: (message) => Promise.resolve(message),
  });
  const heard: JSONRPCMessage[] = [];
  const errors: string[] = [];
  let closes = 0;
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage) => void heard.push(message),
    onerror: (error: Error) => void errors.push(error.message),
    onclose: () => (closes += 1),
  });
  expect(transport.pid).toBeUndefined();
  await transport.start();
  const child = mocked.child as Played;
  onTestFinished(() => {
    mocked.slow = false;
    return transport.close();
  });
  return {
    transport,
    child,
    heard,
    errors,
    closes: () => closes,
    async say(message) {
      const text = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
      child.stdout.write(`${text}\n`);
      await turns();
    },
  };
}

const request = (id: number | string, method = 'resources/list'): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method,
  params: {},
});
const cancelled = (requestId: unknown): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const lineOf = (message: JSONRPCMessage): string => `${JSON.stringify(message)}\n`;

describe('the start', () => {
  test.each([
    [undefined, /^[0-9a-f]{32}$/],
    ['', /^[0-9a-f]{32}$/],
    ['outer', /^outer,[0-9a-f]{32}$/],
  ])('in its own group, its token after outer ones: %j', async (outer, expected) => {
    vi.stubEnv('ORIEL_RUN', outer);
    const { transport } = await begun();
    expect(mocked.calls).toEqual([
      [
        'program',
        ['--flag'],
        {
          cwd: '/here',
          env: { PATH: '/bin', ORIEL_RUN: expect.stringMatching(expected) },
          detached: true,
          stdio: ['pipe', 'pipe', 'ignore'],
          windowsHide: true,
        },
      ],
    ]);
    const token = mocked.events[0]?.slice('watch '.length);
    expect(JSON.stringify(mocked.calls)).toContain(`${token}"`);
    // It is watched before it is started.
    expect(mocked.events).toEqual([`watch ${token}`, 'runs 4711']);
    expect(mocked.trees).toEqual([{ pid: 4_711, token, since: 4_712, began: expect.any(Number) }]);
    expect(transport.pid).toBe(4_711);
  });

  test('that fails leaves nothing watched', async () => {
    mocked.fails = Object.assign(new Error('spawn ENOENT'), { code: 'ENOENT' });
    await expect(begun()).rejects.toBe(mocked.fails);
    expect(mocked.events).toEqual([expect.stringMatching(/^watch /), 'release']);
  });

  test('of an idle server does not keep this process alive', async () => {
    const { child } = await begun();
    for (const one of [child, child.stdin, child.stdout]) expect(one.unref).toHaveBeenCalledOnce();
  });
});

describe('messages', () => {
  test('are lines of JSON in both directions', async () => {
    const { transport, child, heard, say } = await begun();
    await transport.send(request(1));
    expect(child.got).toBe(lineOf(request(1)));
    await say({ id: 1, result: { a: 'é' } });
    expect(heard).toEqual([{ jsonrpc: '2.0', id: 1, result: { a: 'é' } }]);
    expect(transport.heard).toBe(1);
    const note: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/initialized' };
    await transport.send(note);
    expect(child.got).toBe(lineOf(note));
  });

  test('that are invalid are reported and skipped, other lines skipped', async () => {
    const { transport, heard, errors, say } = await begun();
    await transport.send(request(1));
    await say('starting up');
    await say('{"jsonrpc": broken');
    await say('{"jsonrpc":"2.0","but":"no message"}');
    await say({ id: 1, result: {} });
    expect(heard).toHaveLength(1);
    expect([errors.length, transport.heard]).toEqual([2, 1]);
  });

  test('are read only while an answer is awaited', async () => {
    const { transport, heard, say } = await begun();
    const note = { method: 'notifications/message', params: {} };
    // The first chunk is read, then reading stops.
    await say(note);
    await say(note);
    await say(note);
    const before = heard.length;
    expect(before).toBeLessThan(3);
    await transport.send(request(1));
    await turns();
    expect(heard).toHaveLength(3);
    await say({ id: 1, result: {} });
    expect(heard).toHaveLength(4);
    await say(note);
    await say(note);
    const after = heard.length;
    expect(after).toBe(4);
    await transport.send(request(2));
    await turns();
    expect(heard).toHaveLength(6);
  });

  test.each([
    ['an answer with the id as a string', (id: number) => ({ id: String(id), result: {} })],
    ['an error', (id: number) => ({ id, error: { code: 1, message: 'no' } })],
  ])('%s is an answer: nothing is read after it', async (_, answer) => {
    const { transport, heard, say } = await begun();
    await transport.send(request(7));
    await say(answer(7));
    await say({ method: 'notifications/message', params: {} });
    expect(heard).toHaveLength(1);
  });

  test('for another request, or requests themselves, are no answer', async () => {
    const { transport, heard, say } = await begun();
    await transport.send(request(7));
    await say({ id: 8, result: {} });
    await say({ id: 7, method: 'ping' });
    await say({ method: 'notifications/message', params: {} });
    expect(heard).toHaveLength(3);
  });
});

describe('a cancelled request', () => {
  test('that was sent is cancelled there, its answer not awaited', async () => {
    const { transport, child, heard, say } = await begun();
    await transport.send(request(1));
    await transport.send(cancelled(1));
    expect(child.got).toBe(lineOf(request(1)) + lineOf(cancelled(1)));
    await say({ method: 'notifications/message', params: {} });
    await say({ method: 'notifications/message', params: {} });
    expect(heard.length).toBeLessThan(2);
  });

  test('of no known id is passed on', async () => {
    const { transport, child } = await begun();
    const without: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/cancelled' };
    await transport.send(without);
    expect(child.got).toBe(lineOf(without));
  });
});

describe('a server that does not read', () => {
  test('gets no requests beyond 1 MiB, but notifications and answers', async () => {
    const { transport } = await begun();
    const large = 'x'.repeat(1 << 20);
    await transport.send(request(1, large));
    await expect(transport.send(request(2))).rejects.toMatchObject({
      code: 'BUSY',
      message:
        'The MCP server does not read its input: more than 1 MiB is waiting for it. Use the same call later.',
    });
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  });

  test('is not read on until it reads, or is closed', async () => {
    const { transport, child, heard, say } = await begun();
    const large = 'x'.repeat(1 << 20);
    await transport.send(request(1, large));
    await transport.send({ jsonrpc: '2.0', id: 9, result: { large } });
    await say({ method: 'notifications/message', params: {} });
    await say({ method: 'notifications/message', params: {} });
    expect(heard).toHaveLength(1);
    child.stdin.resume();
    await turns(10);
    expect(heard).toHaveLength(2);
  });
});

describe('the end', () => {
  const ended = ['end 4711 after 400', 'over', 'release'];
  const endings = (): string[] => mocked.events.slice(2);

  test('closes its input, waits, and ends what is left', async () => {
    const { transport, child, closes } = await begun();
    const closing = transport.close();
    expect([child.stdin.writableEnded, child.stdout.destroyed, closes()]).toEqual([true, true, 1]);
    expect(transport.pid).toBeUndefined();
    await turns();
    expect([mocked.pauses, endings()]).toEqual([[400], []]);
    child.exit(0);
    await closing;
    expect(endings()).toEqual(ended);
    // A second time there is nothing to end.
    await transport.close();
    expect([endings(), closes()]).toEqual([ended, 1]);
  });

  test('comes after 400 ms for a server that stays', async () => {
    const { transport } = await begun();
    mocked.slow = false;
    await transport.close();
    expect([mocked.pauses, endings()]).toEqual([[400], ended]);
  });

  test.each([
    ['exited', { exitCode: 0 }],
    ['was killed', { signalCode: 'SIGKILL' }],
  ])('does not wait for one that %s', async (_, state) => {
    const { transport, child } = await begun();
    Object.assign(child, state);
    await transport.close();
    expect([mocked.pauses, endings()]).toEqual([[], ended]);
  });

  test('comes when the server closes its output', async () => {
    const { child, closes, errors } = await begun();
    mocked.slow = false;
    child.stdout.end();
    await expect.poll(endings).toEqual(ended);
    expect([closes(), errors]).toEqual([1, []]);
  });

  test('comes when the server exits, after what it said before', async () => {
    const { transport, child, heard, closes } = await begun();
    // To the second one there is no answer, so it is read to its end.
    for (const id of [1, 2]) await transport.send(request(id));
    child.stdout.write(lineOf({ jsonrpc: '2.0', id: 1, result: {} }));
    child.exit(3);
    child.stdout.end();
    await expect.poll(endings).toEqual(ended);
    expect([heard.length, closes()]).toEqual([1, 1]);
  });

  test('comes soon after exit if others hold the output open', async () => {
    const { child } = await begun();
    mocked.slow = false;
    child.exit(0);
    await expect.poll(endings).toEqual(ended);
    expect(mocked.pauses).toEqual([400]);
  });

  test('comes with an error if it sends too much', async () => {
    const { transport, child, errors } = await begun();
    mocked.slow = false;
    await transport.send(request(1));
    child.stdout.write('x'.repeat((1 << 20) + 1));
    await expect.poll(endings).toEqual(ended);
    expect(transport.failure).toMatchObject({
      code: 'LIMIT',
      message: 'The MCP server sent more than 1 MiB at once, and was ended.',
    });
    expect(errors).toEqual([]);
  });

  test('comes with an error of its pipes', async () => {
    const { transport, child, errors } = await begun();
    mocked.slow = false;
    child.stdin.emit('error', new Error('write EPIPE'));
    child.stdout.destroy(new Error('read EIO'));
    await expect.poll(endings).toEqual(ended);
    expect([errors, transport.failure]).toEqual([['write EPIPE', 'read EIO'], undefined]);
  });

  test('is no error of the output', async () => {
    const { transport, child, errors } = await begun();
    await transport.send(request(1));
    mocked.slow = false;
    await transport.close();
    child.stdout.emit('error', new Error('late'));
    await turns();
    expect([errors, transport.failure]).toEqual([[], undefined]);
  });

  test('wakes a reader that waits', async () => {
    const { transport, heard, say } = await begun();
    await say({ method: 'notifications/message', params: {} });
    mocked.slow = false;
    await transport.close();
    await turns();
    expect(heard.length).toBeLessThan(2);
  });

  test('nothing can be sent any more', async () => {
    const { transport, child } = await begun();
    child.stdin.end();
    await expect(transport.send(request(1))).rejects.toThrow('The server does not run any more.');
    mocked.slow = false;
    await transport.close();
    await expect(transport.send(request(1))).rejects.toThrow('The server does not run any more.');
  });
});

test('a transport to which nobody listens has the same ends', async () => {
  const { transport, child, say } = await begun();
  Object.assign(transport, { onmessage: undefined, onerror: undefined, onclose: undefined });
  await transport.send(request(1));
  await say('{"jsonrpc": broken');
  await say({ id: 2, result: {} });
  child.stdin.emit('error', new Error('write EPIPE'));
  expect([transport.pid, transport.heard]).toEqual([4_711, 1]);
  mocked.slow = false;
  child.stdout.destroy(new Error('read EIO'));
  await expect.poll(() => mocked.events.at(-1)).toBe('release');
  await transport.close();
});

test('before its start there is no server', async () => {
  const transport = new StdioClientTransport({
    command: 'program',
    args: [],
    cwd: '/',
    env: {},
    maxMessage: 1,
    reduce: (message) => Promise.resolve(message),
  });
  await transport.close();
  await expect(transport.send(request(1))).rejects.toThrow('The server does not run any more.');
  expect(mocked.calls).toEqual([]);
});
