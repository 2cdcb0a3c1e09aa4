/** How worker threads are started, and how their errors are classified. Running one is tested in isolate-worker.test.ts. */

import { beforeEach, expect, test, vi } from 'vitest';
import { isStartFailure, startWorker } from '../../src/process/worker-threads.ts';

const mocked = vi.hoisted(() => ({ started: [] as unknown[][], error: undefined as unknown }));

vi.mock('node:worker_threads', () => ({
  Worker: vi.fn(function (...given: unknown[]) {
    if (mocked.error !== undefined) throw mocked.error;
    mocked.started.push(given);
  }),
  setEnvironmentData: () => undefined,
}));

beforeEach(() => void Object.assign(mocked, { started: [], error: undefined }));

const failed = (code?: string, message = 'failed'): Error =>
  Object.assign(new Error(message), code !== undefined && { code });

const CONFIG = 'Cannot read package config /app/package.json: too many open files';

test.each<[unknown, boolean]>([
  [failed('ERR_WORKER_OUT_OF_MEMORY'), false],
  [failed('ERR_WORKER_INIT_FAILED'), true],
  [failed('EMFILE'), true],
  [failed(undefined, CONFIG), true],
  [failed(undefined, `In a job: ${CONFIG}`), false],
  [failed(undefined, 'Cannot read package config /app/package.json: bad JSON'), false],
  [failed('ENOENT'), false],
  [failed(), false],
  [{ code: 'ERR_WORKER_OUT_OF_MEMORY', message: CONFIG }, false],
  [undefined, false],
])('%o', (error, expected) => {
  expect(isStartFailure(error)).toBe(expected);
});

test('a thread has a limited heap, no environment or flags', () => {
  const entry = new URL('file:///worker.js');
  startWorker({ entry, heapMb: 32 });
  startWorker({ entry, heapMb: 64, youngMb: 4, data: { a: 1 } });
  const rest = { env: {}, execArgv: [], stdout: true, stderr: true };
  expect(mocked.started).toStrictEqual([
    [entry, { ...rest, workerData: undefined, resourceLimits: { maxOldGenerationSizeMb: 32 } }],
    [
      entry,
      {
        ...rest,
        workerData: { a: 1 },
        resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
      },
    ],
  ]);
});

test('a thread that lacks resources is BUSY, other errors throw', () => {
  const start = (): unknown => startWorker({ entry: new URL('file:///worker.js'), heapMb: 32 });
  mocked.error = failed('ERR_WORKER_INIT_FAILED');
  expect(start).toThrow(
    expect.objectContaining({
      code: 'BUSY',
      message: 'No worker thread could be started. Call again.',
      cause: mocked.error,
    }),
  );
  mocked.error = failed('ERR_WORKER_PATH');
  expect(start).toThrow(mocked.error as Error);
});
