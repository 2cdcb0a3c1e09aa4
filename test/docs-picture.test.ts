/**
 * The pictures of the docs are what oriel prints, and what their tables say.
 *
 * @module-tag check
 */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { charts, picture } from '../scripts/picture.mjs';
import { cli } from './support/cli.ts';

test('docs/session.svg is drawn from today’s session: npm run picture', { timeout: 600_000 }, async () => {
  expect(readFileSync('docs/session.svg', 'utf8')).toBe(await picture(cli));
});

test('the pictures of figures are drawn from the tables: npm run picture', () => {
  for (const [path, svg] of Object.entries(charts())) expect(readFileSync(path, 'utf8'), path).toBe(svg);
});
