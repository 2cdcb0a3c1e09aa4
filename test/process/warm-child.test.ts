/** The limits of a child process, on one that the test plays. Real ones run in isolate-pool.test.ts. */

import { EventEmitter } from 'node:events';
import type * as fs from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ChildJob, WarmChild } from '../../src/process/warm-child.ts';
import { ChildFailure } from '../../src/process/node-child.ts';
import { encodeFrame } from '../../src/text/frames.ts';

/** A pipe to the child, which takes a piece when the test says so. */
class Input extends Writable {
  readonly taken: Buffer[] = [];
  readonly #waiting: (() => void)[] = [];
  isSlow = false;
  refs: string[] = [];

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.taken.push(Buffer.from(chunk));
    if (this.isSlow) this.#waiting.push(done);
    else done();
  }

  take(): void {
    this.#waiting.shift()?.();
  }

  ref = (): void => void this.refs.push('ref');
  unref = (): void => void this.refs.push('unref');
}

class Played extends EventEmitter {
  readonly pid = 4_711;
  readonly stdin = new Input();
  readonly stdout = Object.assign(new PassThrough(), { ref: vi.fn(), unref: vi.fn() });
  readonly ref = vi.fn();
  readonly unref = vi.fn();
  readonly kill = vi.fn();

  answer(head: unknown, body: string | Uint8Array = ''): void {
    for (const part of encodeFrame(head, Buffer.from(body))) this.stdout.write(part);
  }
}

const mocked = vi.hoisted(() => ({
  args: [] as readonly string[],
  child: undefined as Played | undefined,
  /** Resident pages; undefined if they cannot be read. */
  pages: 0 as number | undefined,
  timer: undefined as { ms: number; over: () => void; most: number; isStopped: boolean } | undefined,
  waitingOf: undefined as number | undefined,
  watched: [] as number[],
}));

vi.mock('../../src/process/node-child.ts', async (original) => ({
  ...(await original<object>()),
  spawnNode(args: readonly string[]) {
    mocked.args = args;
    return (mocked.child = new Played());
  },
}));
vi.mock('../../src/process/confinement.ts', () => ({
  confinedCommand: (entry: string) => [`--only=${entry}`],
}));
vi.mock('../../src/process/cpu-timeout.ts', () => ({
  cpuWaitMeter: (pid: number) => void (mocked.waitingOf = pid),
  maxTimerBefore: (deadline: number, ms: number) => Math.min(deadline, 1_000 * ms),
  startOwnTimer(ms: number, _: unknown, over: () => void, most: number) {
    const timer = { ms, over, most, isStopped: false };
    mocked.timer = timer;
    return () => void (timer.isStopped = true);
  },
}));
vi.mock('../../src/process/watchdog.ts', () => ({
  watchHelper({ pid }: { pid: number }) {
    mocked.watched.push(pid);
    return () => void mocked.watched.splice(mocked.watched.indexOf(pid), 1);
  },
}));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof fs>()),
  readFileSync(path: string) {
    expect(path).toBe('/proc/4711/statm');
    if (mocked.pages === undefined) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    return `99999 ${mocked.pages} 500 1 0 300 0\n`;
  },
}));

const PAGE = 4_096;
const never = new AbortController().signal;
let warm: WarmChild;
let child: Played;

beforeEach(() => {
  Object.assign(mocked, { pages: 10, timer: undefined, waitingOf: undefined, watched: [] });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'linux' } }));
  warm = new WarmChild({ entry: () => pathToFileURL('/code/child.js'), heapMb: 64, fresh: 10 * PAGE });
  child = mocked.child as Played;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function* pieces(...all: string[]): AsyncGenerator<Uint8Array> {
  for (const one of all) yield Buffer.from(one);
}

const of = (more: Partial<ChildJob> = {}): ChildJob => ({
  head: 'do',
  body: pieces('some', 'body'),
  bytes: 8,
  maxOutput: 1_000,
  maxMemory: 100 * PAGE,
  maxMs: 500,
  ...more,
});

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const endsWith = (why: ChildFailure['why'], message: string): object =>
  expect.objectContaining({ name: 'ChildFailure', why, message });

/** The error of a job, after which no job is done any more. */
async function failureOf(job: Promise<unknown>): Promise<unknown> {
  const error = await job.catch((reason: unknown) => reason);
  expect(warm.alive).toBe(false);
  expect(child.stdin.destroyed || child.kill.mock.calls.length > 0).toBe(true);
  expect([mocked.watched, mocked.timer?.isStopped]).toEqual([[], true]);
  return error;
}

test('it starts with its heap and its readable files', () => {
  expect(mocked.args).toEqual([
    '--max-old-space-size=64',
    '--disallow-code-generation-from-strings',
    '--only=/code/child.js',
    '/code/child.js',
  ]);
  expect(warm.alive).toBe(true);
});

describe('a job', () => {
  test('is sent as a frame, and its answer returned', async () => {
    const job = warm.ask(of(), never);
    await turn();
    const sent = Buffer.concat(child.stdin.taken).toString('latin1');
    expect(sent).toBe(Buffer.concat(encodeFrame('do', Buffer.from('somebody'))).toString('latin1'));
    child.answer({ kind: 'done' }, 'reply');
    expect(await job).toStrictEqual({ head: { kind: 'done' }, body: Buffer.from('reply') });
    expect(warm.alive).toBe(true);
    expect(child.kill).not.toHaveBeenCalled();
  });

  test('keeps this process alive, watched and timed, until done', async () => {
    const stop = new AbortController();
    const removed = vi.spyOn(stop.signal, 'removeEventListener');
    const job = warm.ask(of({ deadline: 7_000 }), stop.signal);
    const calls = (): unknown[] => [
      child.ref.mock.calls.length,
      child.unref.mock.calls.length,
      child.stdin.refs,
      child.stdout.ref.mock.calls.length,
      child.stdout.unref.mock.calls.length,
    ];
    expect(calls()).toEqual([1, 0, ['ref'], 1, 0]);
    expect(mocked.timer).toMatchObject({ ms: 500, most: 7_000, isStopped: false });
    expect([mocked.waitingOf, mocked.watched, vi.getTimerCount()]).toEqual([4_711, [4_711], 1]);
    child.answer(1);
    await job;
    expect(calls()).toEqual([1, 1, ['ref', 'unref'], 1, 1]);
    expect([mocked.watched, mocked.timer?.isStopped, vi.getTimerCount()]).toEqual([[], true, 0]);
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
    // An abort afterwards changes nothing.
    stop.abort();
    expect([warm.alive, child.kill.mock.calls]).toEqual([true, []]);
  });

  test('without a deadline has as long as its milliseconds allow', async () => {
    const job = warm.ask(of(), never);
    expect(mocked.timer?.most).toBe(500_000);
    child.answer(1);
    await job;
  });

  test('asks for the next piece when the last is written', async () => {
    const asked: number[] = [];
    child.stdin.isSlow = true;
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 3; at += 1) {
        asked.push(at);
        yield Buffer.from('abc');
      }
    })();
    const job = warm.ask(of({ body, bytes: 9 }), never);
    await turn();
    expect(asked).toEqual([]);
    const seen: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      child.stdin.take();
      await turn();
      seen.push(asked.length);
    }
    expect(seen).toEqual([1, 2, 3, 3]);
    child.answer(1);
    await job;
  });

  test.each([
    ['shorter', pieces('some')],
    ['longer', pieces('some', 'bodies')],
  ])('with a body %s than declared ends the child', async (_, body) => {
    const error = await failureOf(warm.ask(of({ body }), never));
    expect(error).toEqual(new Error('a job has another length than declared'));
    expect(child.kill).toHaveBeenCalledWith('SIGKILL');
  });

  test('whose body fails is the error of the body', async () => {
    const broken = (async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('some');
      throw new Error('read EIO');
    })();
    expect(await failureOf(warm.ask(of({ body: broken }), never))).toEqual(new Error('read EIO'));
  });

  test('is refused after the child ended, or for aborted signals', async () => {
    const reason = new Error('over');
    await expect(warm.ask(of(), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect([warm.alive, child.stdin.taken, mocked.timer]).toEqual([true, [], undefined]);
    warm.kill();
    await expect(warm.ask(of(), never)).rejects.toEqual(endsWith('ended', 'was ended'));
    expect([child.stdin.taken, mocked.timer]).toEqual([[], undefined]);
  });

  test('that is cancelled ends the child', async () => {
    const stop = new AbortController();
    const job = warm.ask(of(), stop.signal);
    await turn();
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await failureOf(job)).toBe(reason);
    expect(child.kill).toHaveBeenCalledWith('SIGKILL');
  });
});

describe('a child that', () => {
  test('writes without a job is ended', async () => {
    child.answer(1);
    await turn();
    expect(warm.alive).toBe(false);
    expect(child.kill).toHaveBeenCalledWith('SIGKILL');
    await expect(warm.ask(of(), never)).rejects.toEqual(endsWith('crashed', 'wrote without being asked'));
  });

  test('writes on after its answer is ended', async () => {
    const job = warm.ask(of(), never);
    child.answer(1);
    await job;
    child.stdout.write('more');
    await turn();
    expect(warm.alive).toBe(false);
  });

  test.each([
    ['a body of more than it may', 'x'.repeat(1_000), 1_000],
    ['a head of more than 4 MiB', 'x'.repeat(4 << 20), 64 << 20],
  ])('writes %s is ended', async (_, text, maxOutput) => {
    const job = warm.ask(of({ maxOutput }), never);
    child.answer(text.length > 1_000 ? text : 1, text);
    expect(await failureOf(job)).toEqual(endsWith('output', 'wrote more than it may'));
    expect(child.kill).toHaveBeenCalledWith('SIGKILL');
  });

  test('exits fails its job, and the next with that reason', async () => {
    const job = warm.ask(of(), never);
    child.emit('exit', null, 'SIGSEGV');
    expect(await failureOf(job)).toEqual(endsWith('crashed', 'ended with SIGSEGV'));
    expect(child.stdin.destroyed).toBe(true);
    await expect(warm.ask(of(), never)).rejects.toEqual(endsWith('crashed', 'ended with SIGSEGV'));
  });

  test('exits while its input is sent gets no further piece', async () => {
    const asked: string[] = [];
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      for (const text of ['some', 'body']) {
        asked.push(text);
        yield Buffer.from(text);
        child.emit('exit', 1, null);
      }
    })();
    const job = warm.ask(of({ body }), never);
    expect(await failureOf(job)).toEqual(endsWith('crashed', 'ended with code 1'));
    await turn();
    expect(asked).toEqual(['some', 'body']);
    expect(Buffer.concat(child.stdin.taken).toString()).not.toContain('body');
  });

  test('cannot be started fails its job, however it exits', async () => {
    const job = warm.ask(of(), never);
    child.emit('error', new Error('spawn EMFILE'));
    child.emit('exit', 1, null);
    child.stdin.emit('error', new Error('write EPIPE'));
    expect(await failureOf(job)).toEqual(endsWith('ended', 'could not be started'));
  });

  test('takes too long is ended', async () => {
    const job = warm.ask(of(), never);
    mocked.timer?.over();
    expect(await failureOf(job)).toEqual(endsWith('slow', 'took longer than 500 ms'));
    expect(child.kill).toHaveBeenCalledWith('SIGKILL');
  });
});

describe('memory', () => {
  const message = `took more than ${100 * PAGE} bytes of memory`;

  test('is checked every 20 ms; too much ends the child', async () => {
    const job = warm.ask(of(), never);
    mocked.pages = 100;
    vi.advanceTimersByTime(1_000);
    expect(warm.alive).toBe(true);
    mocked.pages = 101;
    vi.advanceTimersByTime(19);
    expect(warm.alive).toBe(true);
    vi.advanceTimersByTime(1);
    expect(await failureOf(job)).toEqual(endsWith('memory', message));
    expect(child.kill).toHaveBeenCalledWith('SIGKILL');
  });

  test.each([
    ['what an earlier job left is not counted', 30, 120],
    ['a new child that is smaller than usual has no more', 5, 100],
  ])('%s', async (_, before, most) => {
    mocked.pages = before;
    const job = warm.ask(of(), never);
    mocked.pages = most;
    vi.advanceTimersByTime(20);
    expect(warm.alive).toBe(true);
    mocked.pages = most + 1;
    vi.advanceTimersByTime(20);
    expect(warm.alive).toBe(false);
    await failureOf(job);
  });

  test('counts in full for a child of unknown first size', async () => {
    warm = new WarmChild({ entry: () => pathToFileURL('/code/child.js'), heapMb: 64 });
    child = mocked.child as Played;
    mocked.pages = 60;
    const job = warm.ask(of(), never);
    mocked.pages = 101;
    vi.advanceTimersByTime(20);
    expect(await failureOf(job)).toEqual(endsWith('memory', message));
  });

  test('is unknown for an ended process, and on other systems', () => {
    expect(warm.resident()).toBe(10 * PAGE);
    mocked.pages = undefined;
    expect(warm.resident()).toBe(0);
    mocked.pages = 10;
    vi.stubGlobal('process', Object.create(process, { platform: { value: 'darwin' } }));
    expect(warm.resident()).toBe(0);
  });
});

describe('a large reply', () => {
  function scratch(): { file: object; written: string[]; aside: ChildJob['aside'] } {
    const written: string[] = [];
    const file = {
      fd: 9,
      append: (piece: Buffer) => Promise.resolve(void written.push(piece.toString())),
      close: () => Promise.resolve(void written.push('closed')),
    };
    return { file, written, aside: { over: 4, open: () => Promise.resolve(file as never) } };
  }

  test('goes to a file, a smaller one stays in memory', async () => {
    const { written, aside } = scratch();
    const small = warm.ask(of(aside && { aside }), never);
    child.answer(1, 'four');
    expect(await small).toStrictEqual({ head: 1, body: Buffer.from('four') });
    const large = warm.ask(of({ body: pieces('some', 'body'), ...(aside && { aside }) }), never);
    child.answer(2, 'fives');
    expect(await large).toEqual({
      head: 2,
      body: Buffer.alloc(0),
      file: expect.objectContaining({ fd: 9, bytes: 5 }),
    });
    expect(written).toEqual(['fives']);
  });

  test('of a child that exits meanwhile is discarded', async () => {
    const { written, aside } = scratch();
    const job = warm.ask(of(aside && { aside }), never);
    const [front, body] = encodeFrame(1, Buffer.from('fives'));
    child.stdout.write(front);
    child.stdout.write(body?.subarray(0, 2));
    await turn();
    child.emit('exit', 1, null);
    expect(await failureOf(job)).toEqual(endsWith('crashed', 'ended with code 1'));
    expect(written).toEqual(['fi', 'closed']);
  });
});
