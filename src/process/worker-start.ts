/** Starts worker threads without the environment and the output of this process, and with a heap limit. */

import { Worker } from 'node:worker_threads';
import { OrielError } from '../errors.ts';
import { errno, isShortage } from '../files/system-failure.ts';
import { withLock } from './worker-ending.ts';

export interface WorkerStartOptions {
  /** The built entry. */
  readonly entry: URL;
  /** Maximum MiB of JavaScript heap; memory of WebAssembly does not count. */
  readonly heapMb: number;
  /** Maximum MiB of its young generation; V8's default when absent. */
  readonly youngMb?: number;
  /** Its `workerData`. */
  readonly data?: unknown;
}

/** Throws OrielError (`BUSY`) if no thread can be started. */
export function startWorker(options: WorkerStartOptions): Worker {
  try {
    return start(options);
  } catch (error) {
    if (!isStartFailure(error)) throw error;
    throw new OrielError('BUSY', 'No worker thread could be started. Call again.', { cause: error });
  }
}

function start({ entry, heapMb, youngMb, data }: WorkerStartOptions): Worker {
  const options = {
    workerData: data,
    env: {},
    execArgv: [],
    // Not forwarded to the output of this process.
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: heapMb,
      ...(youngMb !== undefined && { maxYoungGenerationSizeMb: youngMb }),
    },
  };
  return withLock(() => new Worker(entry, options));
}

/** Whether a worker's `error` is that it ran out of heap. */
export function isOutgrown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Whether a worker's `error` is that it could not be started for lack of descriptors or other resources. */
export function isStartFailure(error: unknown): boolean {
  return isShortage(error) || errno(error) === 'ERR_WORKER_INIT_FAILED' || isUnreadConfig(error);
}

/** Node 26 reads a package.json before the first module. Without a descriptor for it, its error has no code, only this message. */
function isUnreadConfig(error: unknown): boolean {
  return error instanceof Error && /^Cannot read package config .*: too many open files/i.test(error.message);
}
