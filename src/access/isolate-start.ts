/** Starts worker threads: without the environment and the output of this process, and with a limit on their heap. */

import { Worker } from 'node:worker_threads';
import { OrielError } from '../errors.ts';
import { errno, isShortage } from './system-failure.ts';

export interface StartOptions {
  /** The built entry. */
  readonly entry: URL;
  /** MiB of JavaScript heap; memory of WebAssembly is outside of it. */
  readonly heapMb: number;
  /** MiB of it for what lives briefly; V8's own measure when absent. */
  readonly youngMb?: number;
  /** Its `workerData`. */
  readonly data?: unknown;
}

/** Throws OrielError (`BUSY`) if no thread can be had. */
export function startWorker(options: StartOptions): Worker {
  try {
    return start(options);
  } catch (error) {
    if (!isStartFailure(error)) throw error;
    throw new OrielError('BUSY', 'No worker thread could be started. Call again.', { cause: error });
  }
}

function start({ entry, heapMb, youngMb, data }: StartOptions): Worker {
  return new Worker(entry, {
    workerData: data,
    env: {},
    execArgv: [],
    // Kept from this process's own output.
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: heapMb,
      ...(youngMb !== undefined && { maxYoungGenerationSizeMb: youngMb }),
    },
  });
}

/** Whether a worker's `error` says that its heap was not enough. */
export function isOutgrown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Whether it says that there was no descriptor, or nothing else that a thread takes, to start it with. */
export function isStartFailure(error: unknown): boolean {
  return isShortage(error) || errno(error) === 'ERR_WORKER_INIT_FAILED' || isUnreadConfig(error);
}

/** Node 26 reads a package.json before the first module, and says in words alone that no descriptor was left for it. */
function isUnreadConfig(error: unknown): boolean {
  return error instanceof Error && /^Cannot read package config .*: too many open files/i.test(error.message);
}
