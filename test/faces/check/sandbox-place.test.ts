/** The temporary directory of a check. */

import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SandboxPlace } from '../../../src/faces/check/sandbox.ts';
import { temporaryFolder } from '../../support/commands.ts';

test('a directory whose files the system refuses is removed', () => {
  const tmp = temporaryFolder();
  vi.stubEnv('TMPDIR', tmp);
  onTestFinished(() => void vi.unstubAllEnvs());
  const refused = { name: 'x'.repeat(300), text: '' };
  expect(() => new SandboxPlace({ name: 'plain.txt', text: '' }, refused)).toThrow('ENAMETOOLONG');
  expect(() => new SandboxPlace(refused, { name: 'secret.txt', text: '' })).toThrow('ENAMETOOLONG');
  expect(readdirSync(tmp)).toEqual([]);
});
