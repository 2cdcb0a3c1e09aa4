import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import {
  npmSettings,
  pipSettings,
  pipSettingsOfEnvironment,
  settingsAccess,
} from '../../src/access/user-settings.ts';
import { temporaryFolder } from '../support/commands.ts';

afterEach(() => void vi.unstubAllEnvs());

const home = homedir();

test('the settings of npm', () => {
  expect(npmSettings()).toBe(`${home}/.npmrc`);
});

test.runIf(process.platform === 'linux')('the settings of pip, in the order of their priority', () => {
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  vi.stubEnv('APPDATA', undefined);
  const others = [`${home}/.pip/pip.conf`, '/etc/pip.conf'];
  expect(pipSettings()).toEqual([`${home}/.config/pip/pip.conf`, ...others]);
  vi.stubEnv('XDG_CONFIG_HOME', 'relative');
  expect(pipSettings()).toEqual([`${home}/.config/pip/pip.conf`, ...others]);
  vi.stubEnv('XDG_CONFIG_HOME', '/srv/config');
  vi.stubEnv('APPDATA', '/srv/roaming');
  expect(pipSettings()).toEqual(['/srv/roaming/pip/pip.conf', '/srv/config/pip/pip.conf', ...others]);
});

test.runIf(process.platform === 'linux')('the settings of a virtual environment', () => {
  const at = (environment: string | undefined): string | undefined => {
    vi.stubEnv('VIRTUAL_ENV', environment);
    return pipSettingsOfEnvironment();
  };
  expect([at(undefined), at('venv'), at('/srv/venv')]).toEqual([undefined, undefined, '/srv/venv/pip.conf']);
});

test('an access that has no roots', async () => {
  const path = `${temporaryFolder()}/.npmrc`;
  writeFileSync(path, 'a=b\n');
  const opened = await settingsAccess(path).open(path);
  expect(opened.path).toBe(path);
  await opened.close();
});
