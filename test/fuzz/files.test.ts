/**
 * Selectors, windows and damaged files of each kind that is read in the process itself.
 *
 * @module-tag slow
 */

import { describe, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { workspace } from '../support/workspace.ts';
import { damaged, edits } from './damage.ts';
import { fuzz, fuzzTimeout as timeout } from './fuzz.ts';
import { selectorSeeds } from './selector-seeds.ts';
import { containerSeeds, tryContainer, trySelector, tryWindow } from './targets.ts';

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
      await fuzz(name, 30, edits, (wanted) => tryContainer(made, name, damaged(bytes, wanted), more));
    });
  }
});
