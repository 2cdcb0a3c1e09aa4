/**
 * The loop of a child process that converts: jobs come in frames on standard input, one after another, and each is
 * answered with a frame on standard output.
 */

import dns from 'node:dns';
import { readSync, writeSync } from 'node:fs';
import net from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { frame, readFrame } from '../text/frames.ts';

export interface ChildAnswer {
  readonly reply: unknown;
  readonly body: Uint8Array;
}

const INPUT = 0;
const OUTPUT = 1;

type Answer = (head: unknown, body: Buffer) => ChildAnswer | Promise<ChildAnswer>;

/**
 * Runs until the input ends. `most`: bytes of the largest job; a larger one ends the process. `reused`: bodies of up to
 * so many bytes are in the same memory one after another, so an answer must not keep its body. Between two jobs it
 * waits in a blocking read: there is nothing else to do, and a body goes from the pipe to its place.
 */
export async function answerJobs(most: number, answer: Answer, reused = 0): Promise<void> {
  disconnect();
  const hold = bodies(reused);
  while (await answerNext(most, answer, hold));
}

async function answerNext(most: number, answer: Answer, hold: (bytes: number) => Buffer): Promise<boolean> {
  let job = readFrame(most, fill, hold);
  if (!job) return false;
  const isLarge = job.body.length > LARGE;
  const { reply, body } = await answer(job.head, job.body);
  job = undefined;
  // Before the answer: its receiver looks next at how much memory this process holds.
  if (isLarge) collect();
  for (const part of frame(reply, body)) writeAll(part);
  return true;
}

/** Memory for bodies. Fresh pages cost more than the copy into them, so up to `reused` bytes are kept. */
function bodies(reused: number): (bytes: number) => Buffer {
  // Not resident before it is written.
  const kept = Buffer.allocUnsafeSlow(reused);
  let used = 0;
  return (bytes) => {
    if (bytes > reused) return Buffer.allocUnsafeSlow(bytes);
    // A decoder that reads past the end of a body finds nothing of the one before.
    if (bytes < used) kept.fill(0, bytes, used);
    used = bytes;
    return kept.subarray(0, bytes);
  };
}

/** Bytes of a body that is not left to the next collection, which comes with JavaScript objects alone. */
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

/** Pipes block. A pipe that does not block is read again; on Windows the end of a pipe is an error. */
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

/** Removes everything that opens connections: a library that is exploited by its input can reach nobody. */
function disconnect(): void {
  const refuse = (): never => {
    throw new Error('there is no network here');
  };
  net.Socket.prototype.connect = refuse;
  Object.assign(dns, { lookup: refuse, resolve: refuse });
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);
}
