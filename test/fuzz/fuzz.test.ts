/**
 * Random and damaged input for what reads input: a few hundred runs of each target in every test run, the same each time.
 * `npm run fuzz` goes on for a minute each with new seeds, ORIEL_FUZZ_SECONDS=3600 for longer, and says how many runs
 * those were. A failure names its seed; ORIEL_FUZZ_SEED=N repeats it.
 */

import { describe, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { workspace } from '../support/workspace.ts';
import { damaged, edits } from './damage.ts';
import { containerSeeds, selectorSeeds, tryContainer, trySelector, tryWindow } from './targets.ts';

const seconds = Number(process.env['ORIEL_FUZZ_SECONDS'] ?? 0);
const timeout = 120_000 + 2_000 * seconds;

/** Runs `count` times, or for as long as was asked for. */
async function fuzz<T>(
  name: string,
  count: number,
  values: fc.Arbitrary<T>,
  target: (value: T) => unknown,
): Promise<void> {
  let runs = 0;
  const counted = async (value: T): Promise<void> => {
    runs += 1;
    await target(value);
  };
  const named = process.env['ORIEL_FUZZ_SEED'];
  const bounds =
    seconds > 0 ? { numRuns: 1e9, interruptAfterTimeLimit: seconds * 1_000 } : { numRuns: count, seed: 1 };
  await fc.assert(fc.asyncProperty(values, counted), {
    ...bounds,
    ...(named !== undefined && { seed: Number(named) }),
  });
  if (seconds > 0) console.info(`${name}: ${runs} runs without a failure`);
}

test('selectors are parsed or refused', { timeout }, async () => {
  const characters = fc.constantFrom(...'0123456789-.,:@+#KMraw \u0661\u{1f600}');
  const texts = fc.oneof(
    fc.string({ unit: characters, maxLength: 24 }),
    fc.string(),
    fc
      .tuple(fc.constantFrom(...selectorSeeds), fc.string({ unit: characters, maxLength: 6 }))
      .map((two) => two.join('')),
  );
  await fuzz('selectors', 5_000, texts, trySelector);
});

test('windows by lines are what splitting gives', { timeout }, async () => {
  const units = fc.constantFrom('a', 'bc', '\n', '\n\n', '\r\n', '\u00e9', '\u{1f600}', ' ', 'x'.repeat(100));
  const asked = fc.record({
    text: fc.string({ unit: units, maxLength: 200 }),
    from: fc.integer({ min: 1, max: 40 }),
    more: fc.nat(20),
  });
  await fuzz('windows', 1_000, asked, ({ text, from, more }) => tryWindow(text, from, from + more));
});

describe('damaged files are answered', async () => {
  for (const [name, { bytes, more }] of Object.entries(await containerSeeds())) {
    test(name, { timeout }, async () => {
      const made = workspace();
      await fuzz(name, 100, edits, (wanted) => tryContainer(made, name, damaged(bytes, wanted), more));
    });
  }
});
