/**
 * The main loop of a converting child process: it reads jobs as frames from standard input, one after another, and
 * answers each with a frame on standard output.
 */

import dns from 'node:dns';
import { readSync, writeSync } from 'node:fs';
import net from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { encodeFrame, readFrame } from '../text/frames.ts';

export interface ChildAnswer {
  readonly reply: unknown;
  readonly body: Uint8Array;
}

const INPUT = 0;
const OUTPUT = 1;

type Answer = (head: unknown, body: Buffer) => ChildAnswer | Promise<ChildAnswer>;

/**
 * Runs until the input ends. `most`: maximum bytes of a job; a larger one ends the process. `reused`: bodies of at most
 * this many bytes share one buffer, so `answer` must not keep its body. Between two jobs it waits in a blocking read, which
 * copies a body directly from the pipe.
 */
export async function answerJobs(most: number, answer: Answer, reused = 0): Promise<void> {
  disconnect();
  const hold = bodies(reused);
  process.on('unhandledRejection', ignore);
  try {
    while (await answerNext(most, answer, hold));
  } finally {
    process.off('unhandledRejection', ignore);
  }
}

/**
 * Readers of damaged files leave rejected promises that nobody awaits. Node would end the process because of one, perhaps
 * while it answers the next job. A job fails by what it awaits.
 */
function ignore(): void {}

async function answerNext(most: number, answer: Answer, hold: (bytes: number) => Buffer): Promise<boolean> {
  let job = readFrame(most, fill, hold);
  if (!job) return false;
  const isLarge = job.body.length > LARGE;
  const { reply, body } = await answer(job.head, job.body);
  job = undefined;
  // Before the answer, because its receiver then checks how much memory this process holds.
  if (isLarge) collect();
  for (const part of encodeFrame(reply, body)) writeAll(part);
  return true;
}

/** Allocates memory for bodies. Up to `reused` bytes are reused, because fresh pages cost more than copying into them. */
function bodies(reused: number): (bytes: number) => Buffer {
  // Not resident until it is written.
  const kept = Buffer.allocUnsafeSlow(reused);
  let used = 0;
  return (bytes) => {
    if (bytes > reused) return Buffer.allocUnsafeSlow(bytes);
    // Cleared, so that a decoder that reads past the end of a body does not see the previous one.
    if (bytes < used) kept.fill(0, bytes, used);
    used = bytes;
    return kept.subarray(0, bytes);
  };
}

/** After larger bodies the garbage is collected immediately: V8 does not count their memory towards the next collection. */
const LARGE = 32 << 20;

function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** False if the input ends before `target` is full. */
function fill(target: Uint8Array): boolean {
  for (let at = 0; at < target.length;) {
    const got = retried(() => readSync(INPUT, target, at, target.length - at, null));
    if (got === 0) return false;
    at += got;
  }
  return true;
}

function writeAll(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;)
    at += retried(() => writeSync(OUTPUT, bytes, at, bytes.length - at, null));
}

/** Retries on a non-blocking pipe. On Windows the end of a pipe is an error, which counts as the end. */
function retried(step: () => number): number {
  for (;;) {
    try {
      return step();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(PAUSE, 0, 0, 1);
    }
  }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/** Disables network access: a library that is exploited by its input cannot connect anywhere. */
function disconnect(): void {
  const refuse = (): never => {
    throw new Error('there is no network here');
  };
  net.Socket.prototype.connect = refuse;
  Object.assign(dns, { lookup: refuse, resolve: refuse });
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);
}
