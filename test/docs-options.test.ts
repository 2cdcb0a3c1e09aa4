/**
 * The lists of docs/options.md are those of the code.
 *
 * @module-tag check
 */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultSettings } from '../src/assemble.ts';
import { withLists } from './support/options-page.ts';

const page = readFileSync('docs/options.md', 'utf8');

test('the lists are made of the declarations: npm run options', async () => {
  await expect(withLists(page)).toMatchFileSnapshot('../docs/options.md');
});

test('the defaults that are stated are the defaults', () => {
  const stated = new Map(
    [...page.matchAll(/^- `([\w.]+)` \(`?([^`)]*)`?\)/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  expect(stated.get('display')).toBe(`'${defaultSettings.display}'`);
  expect(stated.get('read.mapBytes')).toBe(String(defaultSettings.mapBytes));
  expect(stated.get('read.summarize')).toBe(String(defaultSettings.summarize));
  expect(stated.get('read.imageMetadataOnly')).toBe(String(defaultSettings.imageMetadataOnly));
  expect(stated.get('run.timeout')).toBe(String(defaultSettings.run.timeout));
  expect(stated.get('run.background')).toBe(`'${defaultSettings.run.background}'`);
});
