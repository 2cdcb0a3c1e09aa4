/** The loop of a child process, on pipes that the test plays: pieces, ends, errors, memory, network. */

import dns from 'node:dns';
import type * as fs from 'node:fs';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerJobs, type ChildAnswer } from '../../src/process/child-jobs.ts';
import { type PipeFrame, encodeFrame, FrameReader } from '../../src/text/frames.ts';

const pipes = vi.hoisted(() => ({
  /** What reads return: at most these bytes, or an error with this code. At the end of the list the input ends. */
  input: [] as (Uint8Array | string)[],
  output: [] as Buffer[],
  /** Errors of the next writes. */
  failures: [] as string[],
  /** Bytes that are read or written at once. */
  most: Infinity,
  events: [] as string[],
}));

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof fs>()),
  readSync(fd: number, target: Uint8Array, at: number, length: number, position: null) {
    expect([fd, position]).toEqual([0, null]);
    const next = pipes.input.shift();
    if (next === undefined) return 0;
    if (typeof next === 'string') throw Object.assign(new Error(`read ${next}`), { code: next });
    const bytes = Math.min(next.length, length, pipes.most);
    target.set(next.subarray(0, bytes), at);
    if (bytes < next.length) pipes.input.unshift(next.subarray(bytes));
    return bytes;
  },
  writeSync(fd: number, from: Uint8Array, at: number, length: number, position: null) {
    expect([fd, position]).toEqual([1, null]);
    const failure = pipes.failures.shift();
    if (failure !== undefined) throw Object.assign(new Error(`write ${failure}`), { code: failure });
    pipes.events.push('write');
    const bytes = Math.min(length, pipes.most);
    pipes.output.push(Buffer.from(from.subarray(at, at + bytes)));
    return bytes;
  },
}));
vi.mock('node:v8', () => ({ setFlagsFromString: (flag: string) => void pipes.events.push(flag) }));
vi.mock('node:vm', () => ({ runInNewContext: (code: string) => () => void pipes.events.push(code) }));

const { connect } = net.Socket.prototype;
const { lookup, resolve } = dns;
const web = ['fetch', 'WebSocket', 'EventSource'].map(
  (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
);

beforeEach(() => {
  Object.assign(pipes, { input: [], output: [], failures: [], most: Infinity, events: [] });
});

afterEach(() => {
  net.Socket.prototype.connect = connect;
  Object.assign(dns, { lookup, resolve });
  for (const [name, value] of web) if (value) Object.defineProperty(globalThis, name, value);
});

const job = (head: unknown, body: string | Uint8Array = ''): Buffer =>
  Buffer.concat(encodeFrame(head, Buffer.from(body)));

/** Answers with the head, and the body in upper case. */
const shout = (head: unknown, body: Buffer): ChildAnswer => ({
  reply: { to: head },
  body: Buffer.from(body.toString().toUpperCase()),
});

function answers(): readonly { head: unknown; body: string }[] {
  const reader = new FrameReader(1 << 30);
  const found: PipeFrame[] = [];
  for (const part of pipes.output) {
    const one = reader.push(part);
    if (one) found.push(one);
  }
  return found.map(({ head, body }) => ({ head, body: body.toString() }));
}

const BOTH = [
  { head: { to: 1 }, body: 'ONE' },
  { head: { to: { a: 2 } }, body: '' },
];

describe('jobs are answered in order, until the input ends', () => {
  test.each([Infinity, 1, 3])('in pieces of %d bytes', async (most) => {
    pipes.most = most;
    pipes.input = [Buffer.concat([job(1, 'one'), job({ a: 2 })])];
    await answerJobs(1_000, shout);
    expect(answers()).toEqual(BOTH);
  });

  test('a slow answer comes before the next job is read', async () => {
    pipes.input = [job(1, 'one'), job({ a: 2 })];
    await answerJobs(1_000, async (head, body) => {
      const left = pipes.input.length;
      await new Promise((done) => void setImmediate(done));
      expect(pipes.input).toHaveLength(left);
      return shout(head, body);
    });
    expect(answers()).toEqual(BOTH);
  });

  test.each([1, 7, 8, 9, 12])('input that ends %d bytes into a job is over', async (bytes) => {
    pipes.input = [job(1, 'one'), job({ a: 2 }, 'two').subarray(0, bytes)];
    await answerJobs(1_000, shout);
    expect(answers()).toEqual(BOTH.slice(0, 1));
  });

  test('a job of more than the most ends the process', async () => {
    pipes.input = [job(1, 'x'.repeat(10))];
    await expect(answerJobs(11, shout)).resolves.toBeUndefined();
    pipes.input = [job(1, 'x'.repeat(11))];
    await expect(answerJobs(11, shout)).rejects.toThrow(RangeError);
  });
});

describe('errors of a pipe', () => {
  test('one that is not ready is tried again', async () => {
    pipes.input = ['EAGAIN', job(1, 'one'), 'EAGAIN', 'EAGAIN', job({ a: 2 })];
    pipes.failures = ['EAGAIN', 'EAGAIN'];
    await answerJobs(1_000, shout);
    expect(answers()).toEqual(BOTH);
  });

  test('the end of a pipe on Windows', async () => {
    pipes.input = [job(1, 'one'), 'EOF', job({ a: 2 })];
    await answerJobs(1_000, shout);
    expect(answers()).toEqual(BOTH.slice(0, 1));
  });

  test('others are thrown', async () => {
    pipes.input = ['EIO'];
    await expect(answerJobs(1_000, shout)).rejects.toThrow('read EIO');
    pipes.input = [job(1)];
    pipes.failures = ['EPIPE'];
    await expect(answerJobs(1_000, shout)).rejects.toThrow('write EPIPE');
  });
});

describe('memory', () => {
  test('small bodies share one buffer, with nothing left in it', async () => {
    const seen: { text: string; rest: string; memory: ArrayBufferLike }[] = [];
    const bodies = ['a', 'bbbbbbbb', 'cc', 'ddddd', 'e'.repeat(9), 'ff'];
    pipes.input = bodies.map((body) => job(0, body));
    await answerJobs(
      1_000,
      (_, body) => {
        const all = Buffer.from(body.buffer, body.byteOffset, 8).toString();
        const rest = all.slice(body.length);
        seen.push({ text: body.toString(), rest: rest.replaceAll('\0', ''), memory: body.buffer });
        return { reply: 0, body: new Uint8Array(0) };
      },
      8,
    );
    expect(seen.map(({ text }) => text)).toEqual(bodies);
    const shared = seen[0]?.memory;
    expect(seen.map(({ memory }) => memory === shared)).toEqual([true, true, true, true, false, true]);
    expect(seen.filter(({ memory }) => memory === shared).map(({ rest }) => rest)).toEqual(Array(5).fill(''));
  });

  test('without a shared size each body has its own memory', async () => {
    const seen: ArrayBufferLike[] = [];
    pipes.input = [job(0, 'a'), job(0, 'b')];
    await answerJobs(1_000, (_, body) => {
      seen.push(body.buffer);
      return { reply: 0, body: new Uint8Array(0) };
    });
    expect(new Set(seen).size).toBe(2);
  });

  test.each([
    [32 << 20, ['write', 'write']],
    [(32 << 20) + 1, ['--expose-gc', 'gc', 'write', 'write']],
  ])('after a body of %d bytes: %j', async (bytes, events) => {
    pipes.input = [job(0, new Uint8Array(bytes))];
    await answerJobs(64 << 20, () => ({ reply: 0, body: Buffer.from('x') }));
    expect(pipes.events).toEqual(events);
  });
});

test('unhandled rejections end the process only when jobs are over', async () => {
  const handlers = () => process.listenerCount('unhandledRejection');
  const before = handlers();
  pipes.input.push(Buffer.concat(encodeFrame({}, Buffer.alloc(1))));
  const during: number[] = [];
  await answerJobs(100, () => {
    during.push(handlers());
    // It would end this process too.
    process.listeners('unhandledRejection').at(-1)?.(new Error('nobody awaits it'), Promise.resolve());
    return { reply: {}, body: new Uint8Array() };
  });
  expect([during, handlers()]).toEqual([[before + 1], before]);
  // Also after a job that ends the process.
  pipes.input.push(Buffer.concat(encodeFrame({}, Buffer.alloc(1))));
  await expect(answerJobs(100, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(handlers()).toBe(before);
});

test('there is no network', async () => {
  await answerJobs(1_000, shout);
  const refusal = 'there is no network here';
  expect(() => net.connect(9)).toThrow(refusal);
  expect(() => dns.lookup('localhost', () => undefined)).toThrow(refusal);
  expect(() => dns.resolve('localhost', () => undefined)).toThrow(refusal);
  for (const [name] of web) expect(name in globalThis).toBe(false);
});
