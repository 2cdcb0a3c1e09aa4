import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import {
  npmSettings,
  pipSettings,
  pipSettingsOfEnvironment,
  settingsAccess,
} from '../../src/files/user-settings.ts';
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

test.runIf(process.platform === 'linux')('the settings of pip on other systems', async () => {
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  vi.stubEnv('APPDATA', '/srv/roaming');
  vi.stubEnv('VIRTUAL_ENV', '/srv/venv');
  const on = async (platform: NodeJS.Platform): Promise<(string | undefined)[]> => {
    vi.resetModules();
    vi.spyOn(process, 'platform', 'get').mockReturnValue(platform);
    const settings = await import('../../src/files/user-settings.ts');
    const found = [settings.pipSettingsOfEnvironment(), ...settings.pipSettings()];
    vi.restoreAllMocks();
    return found;
  };
  expect(await on('win32')).toEqual([
    '/srv/venv/pip.ini',
    '/srv/roaming/pip/pip.ini',
    `${home}/.config/pip/pip.ini`,
    `${home}/.pip/pip.ini`,
  ]);
  expect(await on('darwin')).toEqual([
    '/srv/venv/pip.conf',
    '/srv/roaming/pip/pip.conf',
    `${home}/Library/Application Support/pip/pip.conf`,
    `${home}/.config/pip/pip.conf`,
    `${home}/.pip/pip.conf`,
    '/etc/pip.conf',
  ]);
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
  const access = settingsAccess(path);
  expect([access.roots, access.cwd, access.display(path)]).toEqual([
    [],
    path.replace('/.npmrc', ''),
    '.npmrc',
  ]);
  await expect(access.open('/proc/version')).rejects.toMatchObject({ code: 'NOT_REGULAR' });
  const opened = await access.open(path);
  expect(opened.path).toBe(path);
  await opened.close();
});
