/**
 * Runs code that may crash, hang or take all memory on hostile bytes: a Node process of its own that gets
 * bytes on its standard input, gives bytes on its standard output, and is killed when anything goes wrong.
 * It knows no path, no descriptor and no environment of ours.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { parse } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { errno } from './failure.ts';

export interface ChildTask {
  /** The JavaScript file to run. */
  readonly entry: URL;
  readonly args: readonly string[];
  /** Goes to standard input, as far as the child takes it. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Bytes of standard output; a child that says more is killed. */
  readonly maxOutput: number;
  /** Resident bytes; a child that takes more is killed (watched where `/proc` is). */
  readonly maxMemory: number;
  readonly signal: AbortSignal;
}

/** The child ended in another way than by answering. */
export class ChildFailure extends Error {
  readonly why: 'crashed' | 'memory' | 'output';

  constructor(why: ChildFailure['why'], detail: string) {
    super(detail);
    this.name = 'ChildFailure';
    this.why = why;
  }
}

/**
 * Runs in a slot of a queue, which the caller has taken: a child process takes memory by the hundred megabytes.
 * Resolves to all that the child wrote before it exited with 0. Throws ChildFailure, or the reason of the signal.
 * The child is dead when the promise settles.
 */
export async function runChild(task: ChildTask): Promise<Buffer> {
  task.signal.throwIfAborted();
  const child = start(task);
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let killed: ChildFailure | undefined;
  const kill = (failure?: ChildFailure) => {
    killed ??= failure;
    child.kill('SIGKILL');
  };
  const abort = () => kill();
  task.signal.addEventListener('abort', abort, { once: true });
  const watch = watchMemory(child, task.maxMemory, kill);
  try {
    const [output, [code, signal]] = await Promise.all([
      collect(child.stdout, task.maxOutput, kill),
      closed,
      feed(child.stdin, task.input),
    ]);
    task.signal.throwIfAborted();
    if (killed) throw killed;
    if (code !== 0) throw new ChildFailure('crashed', `ended with ${signal ?? `code ${code}`}`);
    return output;
  } finally {
    clearInterval(watch);
    task.signal.removeEventListener('abort', abort);
    kill();
    await closed.catch(() => undefined);
  }
}

function start({ entry, args }: ChildTask) {
  return spawn(process.execPath, ['--max-old-space-size=64', fileURLToPath(entry), ...args], {
    cwd: parse(process.execPath).root,
    // One arena: glibc otherwise keeps a heap for each thread of a decoder.
    env: {
      MALLOC_ARENA_MAX: '1',
      ...(process.env['SystemRoot'] ? { SystemRoot: process.env['SystemRoot'] } : {}),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
}

async function collect(
  stream: Readable,
  most: number,
  kill: (failure: ChildFailure) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) {
      kill(new ChildFailure('output', `wrote more than ${most} bytes`));
      break;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A child may answer, or die, before it has read everything: a closed pipe is not a failure of its own. */
async function feed(stdin: Writable, input: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(input, stdin);
  } catch (error) {
    if (!['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(errno(error))) throw error;
  }
}

/** Milliseconds between two looks at the child's memory. */
const watchEvery = 25;

function watchMemory(child: ChildProcess, most: number, kill: (failure: ChildFailure) => void) {
  const page = 4096;
  const look = async () => {
    const statm = await readFile(`/proc/${child.pid}/statm`, 'latin1').catch(() => '');
    const resident = Number(statm.split(' ')[1] ?? 0) * page;
    if (resident > most) kill(new ChildFailure('memory', `took more than ${most} bytes of memory`));
  };
  return process.platform === 'linux' ? setInterval(look, watchEvery) : undefined;
}
