/** How errors of worker threads are classified. Running one is tested in isolate-worker.test.ts. */

import { expect, test } from 'vitest';
import { isOutgrown, isStartFailure } from '../../src/access/isolate-start.ts';

const failed = (code?: string, message = 'failed'): Error =>
  Object.assign(new Error(message), code !== undefined && { code });

const CONFIG = 'Cannot read package config /app/package.json: too many open files';

test.each<[unknown, { outgrown: boolean; start: boolean }]>([
  [failed('ERR_WORKER_OUT_OF_MEMORY'), { outgrown: true, start: false }],
  [failed('ERR_WORKER_INIT_FAILED'), { outgrown: false, start: true }],
  [failed('EMFILE'), { outgrown: false, start: true }],
  [failed(undefined, CONFIG), { outgrown: false, start: true }],
  [failed(undefined, `In a job: ${CONFIG}`), { outgrown: false, start: false }],
  [
    failed(undefined, 'Cannot read package config /app/package.json: bad JSON'),
    { outgrown: false, start: false },
  ],
  [failed('ENOENT'), { outgrown: false, start: false }],
  [failed(), { outgrown: false, start: false }],
  [
    { code: 'ERR_WORKER_OUT_OF_MEMORY', message: CONFIG },
    { outgrown: false, start: false },
  ],
  [undefined, { outgrown: false, start: false }],
])('%o', (error, expected) => {
  expect({ outgrown: isOutgrown(error), start: isStartFailure(error) }).toStrictEqual(expected);
});
