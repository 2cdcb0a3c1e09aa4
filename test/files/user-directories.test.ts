import { homedir } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { userDirectory, userFileDirectories } from '../../src/files/user-settings.ts';

afterEach(() => void vi.unstubAllEnvs());

test('the home directory and the data directory', () => {
  vi.stubEnv('XDG_DATA_HOME', undefined);
  expect([userDirectory('home'), userDirectory('data')]).toEqual([homedir(), `${homedir()}/.local/share`]);
  vi.stubEnv('XDG_DATA_HOME', '/srv/data');
  expect([userDirectory('home'), userDirectory('data')]).toEqual([homedir(), '/srv/data']);
  // The specification: a relative path is invalid and ignored.
  vi.stubEnv('XDG_DATA_HOME', 'data');
  expect(userDirectory('data')).toBe(`${homedir()}/.local/share`);
});

test('what is read in them', () => {
  vi.stubEnv('XDG_DATA_HOME', '/srv/data');
  expect(userFileDirectories()).toEqual([
    `${homedir()}/.agents/skills`,
    `${homedir()}/.claude/skills`,
    '/srv/data/oriel/memory',
  ]);
});
