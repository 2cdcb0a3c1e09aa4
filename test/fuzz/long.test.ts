/**
 * The targets of long runs (`npm run fuzz:long`), briefly: the same inputs each time, or new ones for as long as was asked for.
 *
 * @module-tag slow
 */

import { expect, test } from 'vitest';
import { runTarget } from './long/run-target.ts';
import { longTargets } from './long/targets-by-name.ts';
import { fuzzTimeout as timeout } from './fuzz.ts';

const seconds = Number(process.env['ORIEL_FUZZ_SECONDS'] ?? 0);
const seed = Number(process.env['ORIEL_FUZZ_SEED'] ?? (seconds > 0 ? Date.now() % 1e9 : 1));
/** Of one target, without a number of seconds; then between two looks at the clock. */
const RUNS = { pure: 1_000, slow: 100 };

test.each(longTargets.map((target) => [target.name, target] as const))(
  '%s keeps its laws',
  { timeout },
  async (name, target) => {
    const end = Date.now() + seconds * 1_000;
    const runs = target.brief ?? (target.isSlow ? RUNS.slow : RUNS.pure);
    let first = 0;
    do {
      const failures = await runTarget(target, { seed, first, runs });
      // In one line, which is what a run of everything tells at its end.
      if (failures.length > 0) expect.fail(JSON.stringify(failures));
      first += runs;
    } while (Date.now() < end);
    if (seconds > 0) console.info(`${name}: ${first} runs without a failure`);
  },
);

test('a broken law is told with its repeatable input', async () => {
  const target = {
    name: 'no x',
    group: 'text',
    seeds: ['a'],
    words: ['x'],
    most: 8,
    run(input: Buffer): void {
      if (input.includes('xx')) throw new Error('there are two');
    },
  } as const;
  const [failure] = await runTarget(target, { seed: 1, first: 0, runs: 1_000 });
  expect(failure?.input).toContain('xx');
  expect(failure?.error).toContain('there are two');
  const again = await runTarget(target, { seed: 1, first: failure?.index ?? 0, runs: 1 });
  expect(again).toEqual([failure]);
});
