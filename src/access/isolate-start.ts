/** Starts worker threads: without the environment and the output of this process, and with a limit on their heap. */

import { Worker } from 'node:worker_threads';

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

export function startWorker({ entry, heapMb, youngMb, data }: StartOptions): Worker {
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
