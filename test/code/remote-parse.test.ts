/** What a worker says of a text, and what it says of itself. */

import { expect, test } from 'vitest';
import type { OffloadCall } from '../../src/state/work-values.ts';
import { parsedElsewhere } from '../../src/code/parsed.ts';

test.each([
  ['slow', 'time'],
  ['crashed', 'crash'],
  ['error', undefined],
  ['worker', undefined],
  ['here', undefined],
])('a worker that failed with %j leaves %j', async (why, found) => {
  const offload = {
    session: {
      work: {
        hasWorkers: () => Promise.resolve(true),
        run: () => Promise.resolve({ kind: 'failed', why }),
      },
      disk: { get: () => Promise.resolve(undefined), put: () => Promise.resolve(), remove: () => undefined },
    },
    signal: new AbortController().signal,
    deadline: performance.now() + 60_000,
  } as unknown as OffloadCall;
  const work = { text: 'x'.repeat(300_000), language: 'TypeScript', grammar: undefined };
  expect(await parsedElsewhere(work, offload)).toBe(found);
});
