/**
 * The picture in the README is what oriel prints.
 *
 * @module-tag check
 */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { picture } from '../scripts/picture.mjs';
import { cli } from './support/cli.ts';

test('docs/session.svg is drawn from today’s session: npm run picture', { timeout: 600_000 }, async () => {
  expect(readFileSync('docs/session.svg', 'utf8')).toBe(await picture(cli));
});
