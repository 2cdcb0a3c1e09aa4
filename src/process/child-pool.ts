/**
 * A pool of child processes for work that may crash, hang or take all memory on hostile bytes. They are reused between
 * jobs. A child receives and returns bytes; it can read only the package's own code, and it is killed at every limit.
 */

import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Queue, QueueClaim } from '../queues/queue.ts';
import { encodeFrame, FrameReader, type PipeFrame } from '../text/frames.ts';
import type { ScratchFile } from '../types/session.ts';
import { childArguments } from './confinement.ts';
import { cpuWaitMeter, maxTimerBefore, startOwnTimer } from './cpu-timeout.ts';
import { IdleWorkers } from './idle-workers.ts';
import { childEndFailure, ChildFailure, spawnNode } from './node-child.ts';
import { RUNTIME } from './runtime.ts';
import { watchHelper } from './watchdog.ts';

export interface ChildPoolOptions extends WarmChildOptions {
  /** Each running job holds one of its slots. */
  readonly queue: Queue;
  /** An idle child ends after this many milliseconds. */
  readonly idleMs: number;
  /** A child with more resident bytes after a job is not reused. */
  readonly keepUpTo: number;
  /** Whether a child is reused after this reply; always when absent. */
  readonly keeps?: (head: unknown) => boolean;
}

export class ChildPool {
  readonly #options: ChildPoolOptions;
  readonly #idle: IdleWorkers<WarmChild>;

  constructor(options: ChildPoolOptions) {
    this.#options = options;
    this.#idle = new IdleWorkers(options.idleMs);
  }

  /** Waits for a slot and runs the job in a child. Throws ChildFailure, `BUSY`, and the reason of the signal. */
  run(job: ChildJob, claim: QueueClaim & { readonly signal: AbortSignal }): Promise<ChildReply> {
    return this.#options.queue.run(async () => {
      const child = this.#idle.take() ?? new WarmChild(this.#options);
      try {
        const reply = await child.ask(job, claim.signal);
        if (this.#options.keeps?.(reply.head) === false) child.kill();
        return reply;
      } finally {
        this.#rest(child);
      }
    }, claim);
  }

  /** Kills all idle children. */
  close(): void {
    void this.#idle.close();
  }

  #rest(child: WarmChild): void {
    // Elsewhere what a job changes in its realm (`job-realm.ts`) might reach the next.
    if (RUNTIME !== 'node' || child.resident() > this.#options.keepUpTo) child.kill();
    this.#idle.add(child);
  }
}

// One child process of a pool: it does one job at a time, and is killed at every limit.

export interface WarmChildOptions {
  /** The built entry, which answers each frame on standard input with one frame on standard output. */
  readonly entry: () => URL;
  /** Maximum MiB of JavaScript heap. */
  readonly heapMb: number;
  /** Resident bytes of a new child: memory above that left by an earlier job does not count for the next one. */
  readonly fresh?: number | undefined;
}

export interface ChildJob {
  /** Plain JSON. */
  readonly head: unknown;
  /** Exactly `bytes` bytes. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly bytes: number;
  /** Maximum bytes of the reply; a child that sends more is killed. */
  readonly maxOutput: number;
  /** Maximum resident bytes; a child that takes more is killed. Only checked if there is `/proc`. */
  readonly maxMemory: number;
  /** Timeout in milliseconds, not counting the time that the child waited for a CPU. */
  readonly maxMs: number;
  /** The deadline of the call (`performance.now()`): the timeout is not extended beyond it. */
  readonly deadline?: number | undefined;
  /** A body of more than `over` bytes is written to a file instead of memory. */
  readonly aside?: { readonly over: number; open(): Promise<ScratchFile> } | undefined;
}

export interface ChildReply {
  readonly head: unknown;
  readonly body: Buffer;
  /** The file with a large body; `body` is then empty. The caller must close it. */
  readonly file?: (ScratchFile & { readonly bytes: number }) | undefined;
}

/** Milliseconds between two checks of a child's memory. */
const WATCH_MS = 20;

const PAGE = 4096;

/** Maximum bytes of the JSON head of a reply, which is parsed synchronously. */
const MAX_REPLY_HEAD_BYTES = 4 << 20;

export class WarmChild {
  readonly #child: ChildProcess;
  readonly #input: Socket;
  readonly #output: Socket;
  readonly #fresh: number;
  #failure: ChildFailure | undefined;
  #settle: { resolve(reply: PipeFrame): void; reject(error: unknown): void } | undefined;
  #reader: FrameReader | undefined;

  constructor({ entry, heapMb, fresh = Infinity }: WarmChildOptions) {
    this.#fresh = fresh;
    this.#child = spawnNode(childArguments(fileURLToPath(entry()), heapMb));
    this.#input = this.#child.stdin as Socket;
    this.#output = this.#child.stdout as Socket;
    this.#child.on('error', () => this.#fail(new ChildFailure('ended', 'could not be started')));
    this.#child.on('exit', (code, signal) => this.#fail(childEndFailure(code, signal)));
    // It may answer or exit before it has read all of its input.
    this.#input.on('error', () => undefined);
    this.#output.on('data', (chunk: Buffer) => this.#take(chunk));
    // The process alone keeps ours alive during a job. Bun's streams of a child lack `ref`, or do not undo it.
    for (const stream of [this.#input, this.#output]) stream.unref?.();
  }

  get alive(): boolean {
    return this.#failure === undefined;
  }

  async ask(job: ChildJob, signal: AbortSignal): Promise<ChildReply> {
    signal.throwIfAborted();
    if (this.#failure) throw this.#failure;
    this.#refer(true);
    const left = Math.max(0, this.resident() - this.#fresh);
    const { aside } = job;
    let large: BodyFile | undefined;
    const fail = (error: unknown): void => this.#settle?.reject(error);
    this.#reader = new FrameReader(
      job.maxOutput,
      (bytes) => {
        if (!aside || bytes <= aside.over) return undefined;
        const into = (large = new BodyFile(() => aside.open(), this.#output, fail));
        return (piece) => into.write(piece);
      },
      MAX_REPLY_HEAD_BYTES,
    );
    const reply = new Promise<PipeFrame>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    const cancel = (): void => {
      this.#settle?.reject(signal.reason);
      this.kill();
    };
    signal.addEventListener('abort', cancel, { once: true });
    const stopTimer = startOwnTimer(
      job.maxMs,
      cpuWaitMeter(this.#child.pid),
      () => this.#stop('slow', `took longer than ${job.maxMs} ms`),
      maxTimerBefore(job.deadline ?? Infinity, job.maxMs),
    );
    const watch = setInterval(() => this.#watch(job.maxMemory + left), WATCH_MS);
    // An idle child ends with this process, because its input ends. A busy one may not notice that.
    const unwatch = watchHelper(this.#child);
    try {
      const [answer] = await Promise.all([reply, this.#feed(job)]);
      const { head, body, aside: bytes = 0 } = answer;
      if (!large) return { head, body };
      return { head, body, file: Object.assign(await large.finish(), { bytes }) };
    } catch (error) {
      this.kill();
      await large?.discard();
      throw error;
    } finally {
      stopTimer();
      clearInterval(watch);
      unwatch();
      signal.removeEventListener('abort', cancel);
      this.#settle = undefined;
      this.#reader = undefined;
      this.#refer(false);
    }
  }

  kill(): void {
    this.#failure ??= new ChildFailure('ended', 'was ended');
    this.#child.kill('SIGKILL');
  }

  end(): Promise<void> {
    this.kill();
    return Promise.resolve();
  }

  /** Resident bytes; 0 if unknown. */
  resident(): number {
    if (process.platform !== 'linux') return 0;
    try {
      // Synchronous, because /proc involves no disk and the thread pool would cost more, 50 times a second.
      return PAGE * Number(readFileSync(`/proc/${this.#child.pid}/statm`, 'utf8').split(' ')[1]);
    } catch {
      return 0;
    }
  }

  #watch(most: number): void {
    if (this.resident() > most) this.#stop('memory', `took more than ${most} bytes of memory`);
  }

  #stop(why: ChildFailure['why'], detail: string): void {
    this.#fail(new ChildFailure(why, detail));
    this.kill();
  }

  #fail(failure: ChildFailure): void {
    this.#failure ??= failure;
    this.#settle?.reject(this.#failure);
    this.#input.destroy();
  }

  #take(chunk: Buffer): void {
    // A child that writes without a job is compromised.
    if (!this.#reader) return this.#stop('crashed', 'wrote without being asked');
    try {
      const reply = this.#reader.push(chunk);
      if (reply) this.#settle?.resolve(reply);
    } catch {
      this.#stop('output', 'wrote more than it may');
    }
  }

  async #feed({ head, body, bytes }: ChildJob): Promise<void> {
    for (const part of encodeFrame(head, bytes)) await this.#write(part);
    let left = bytes;
    for await (const piece of body) {
      if (!this.alive) return;
      left -= piece.length;
      // The next piece is only requested when this one is written, because its memory may be reused.
      await this.#write(piece);
    }
    if (left !== 0) throw new Error('a job has another length than declared');
  }

  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (this.#input.destroyed) resolve();
      else this.#input.write(bytes, () => resolve());
    });
  }

  /** Whether it keeps this process alive. */
  #refer(on: boolean): void {
    // Deno throws if it could not be started.
    if (this.#child.pid === undefined) return;
    if (on) this.#child.ref();
    else this.#child.unref();
  }
}

// Streams a large reply of a child process into a private file, with backpressure on the pipe.

interface PausablePipe {
  pause(): unknown;
  resume(): unknown;
}

class BodyFile {
  readonly #open: () => Promise<ScratchFile>;
  readonly #pipe: PausablePipe;
  readonly #fail: (error: unknown) => void;
  #file: Promise<ScratchFile> | undefined;
  #written: Promise<void> = Promise.resolve();
  #failed = false;

  /** `fail` is called immediately when a write fails. */
  constructor(open: () => Promise<ScratchFile>, pipe: PausablePipe, fail: (error: unknown) => void) {
    this.#open = open;
    this.#pipe = pipe;
    this.#fail = fail;
  }

  write(piece: Buffer): void {
    this.#pipe.pause();
    this.#written = this.#written.then(() => this.#append(piece));
  }

  /** The complete file, which the caller must close. */
  async finish(): Promise<ScratchFile> {
    await this.#written;
    return (this.#file ??= this.#open());
  }

  async discard(): Promise<void> {
    await this.#written;
    await this.#file?.then((file) => file.close()).catch(() => undefined);
  }

  async #append(piece: Buffer): Promise<void> {
    if (this.#failed) return;
    try {
      const file = await (this.#file ??= this.#open());
      await file.append(piece);
      this.#pipe.resume();
    } catch (error) {
      this.#failed = true;
      this.#fail(error);
    }
  }
}
