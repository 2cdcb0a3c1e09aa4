/**
 * The loop of a child process that converts: jobs come in frames on standard input, one after another, and each is
 * answered with a frame on standard output.
 */

import dns from 'node:dns';
import net from 'node:net';
import { frame, FrameReader } from '../text/frames.ts';

export interface ChildAnswer {
  readonly reply: unknown;
  readonly body: Uint8Array;
}

/** Runs until the input ends. `most`: bytes of the largest job; a larger one ends the process. */
export async function answerJobs(
  most: number,
  answer: (head: unknown, body: Buffer) => ChildAnswer | Promise<ChildAnswer>,
): Promise<void> {
  disconnect();
  const reader = new FrameReader(most);
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    const job = reader.push(chunk);
    if (!job) continue;
    const { reply, body } = await answer(job.head, job.body);
    for (const part of frame(reply, body)) process.stdout.write(part);
  }
}

/** A library that its input takes over reaches nobody: what opens a connection is gone. */
function disconnect(): void {
  const refuse = (): never => {
    throw new Error('there is no network here');
  };
  net.Socket.prototype.connect = refuse;
  Object.assign(dns, { lookup: refuse, resolve: refuse });
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);
}
