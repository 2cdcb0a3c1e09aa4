/** The temporary directory of a check. */

import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Place } from '../../../src/faces/check/sandbox-place.ts';
import { temporaryFolder } from '../../support/commands.ts';

test('a directory whose files the system refuses is removed', () => {
  const tmp = temporaryFolder();
  vi.stubEnv('TMPDIR', tmp);
  onTestFinished(() => void vi.unstubAllEnvs());
  const refused = { name: 'x'.repeat(300), text: '' };
  expect(() => new Place({ name: 'plain.txt', text: '' }, refused)).toThrow('ENAMETOOLONG');
  expect(() => new Place(refused, { name: 'secret.txt', text: '' })).toThrow('ENAMETOOLONG');
  expect(readdirSync(tmp)).toEqual([]);
});
