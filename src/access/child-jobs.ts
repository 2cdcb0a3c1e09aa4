/**
 * The loop of a child process that converts: jobs come in frames on standard input, one after another, and each is
 * answered with a frame on standard output.
 */

import dns from 'node:dns';
import { readSync, writeSync } from 'node:fs';
import net from 'node:net';
import { frame, readFrame } from '../text/frames.ts';

export interface ChildAnswer {
  readonly reply: unknown;
  readonly body: Uint8Array;
}

const INPUT = 0;
const OUTPUT = 1;

/**
 * Runs until the input ends. `most`: bytes of the largest job; a larger one ends the process. Between two jobs it waits
 * in a blocking read: there is nothing else to do, and a body goes from the pipe to its place.
 */
export async function answerJobs(
  most: number,
  answer: (head: unknown, body: Buffer) => ChildAnswer | Promise<ChildAnswer>,
): Promise<void> {
  disconnect();
  for (let job = readFrame(most, fill); job; job = readFrame(most, fill)) {
    const { reply, body } = await answer(job.head, job.body);
    for (const part of frame(reply, body)) writeAll(part);
  }
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
