/** Where ripgrep is found when its package is there, when it is not, and when nothing is. */

import type * as ripgrep from '../../src/process/ripgrep.ts';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../support/commands.ts';

/** What was asked for, and from where. */
const resolved: [from: string, what: string][] = [];
/** The path of what is installed, by its name. */
let installed: Readonly<Record<string, string>> = {};

vi.mock('node:module', async (original) => ({
  ...(await original<typeof import('node:module')>()),
  createRequire: (from: string) => ({
    resolve: (what: string): string => {
      resolved.push([from, what]);
      const path = installed[what];
      if (path === undefined) throw new Error(`Cannot find module '${what}'`);
      return path;
    },
  }),
}));

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The module as it is loaded first. */
async function fresh(): Promise<typeof ripgrep> {
  vi.resetModules();
  resolved.length = 0;
  return import('../../src/process/ripgrep.ts');
}

function executable(name: string): string {
  const directory = join(temporaryFolder(), 'bin');
  mkdirSync(directory);
  writeFileSync(join(directory, name), '');
  chmodSync(join(directory, name), 0o755);
  return directory;
}

const own = `@vscode/ripgrep-${process.platform}-${process.arch}`;

test('the platform’s binary, which only @vscode/ripgrep has to see', async () => {
  const binary = `${own}/bin/rg${process.platform === 'win32' ? '.exe' : ''}`;
  installed = { '@vscode/ripgrep': '/pnpm/ripgrep/index.js', [binary]: '/pnpm/rg' };
  vi.stubEnv('PATH', executable('rg'));
  const { ripgrepPath } = await fresh();
  expect(ripgrepPath()).toBe('/pnpm/rg');
  expect(resolved).toStrictEqual([
    [new URL('../../package.json', import.meta.url), '@vscode/ripgrep'],
    ['/pnpm/ripgrep/index.js', binary],
  ]);
});

test.runIf(process.platform === 'linux')('without the package, the first one on PATH', async () => {
  installed = { '@vscode/ripgrep': '/pnpm/ripgrep/index.js' };
  const [first, second] = [executable('rg'), executable('rg')];
  vi.stubEnv('PATH', [executable('rg.exe'), first, second].join(delimiter));
  const { ripgrepPath } = await fresh();
  expect(ripgrepPath()).toBe(join(first, 'rg'));
  // It is searched once.
  installed = {};
  vi.stubEnv('PATH', second);
  resolved.length = 0;
  expect([ripgrepPath(), resolved]).toStrictEqual([join(first, 'rg'), []]);
});

test.runIf(process.platform === 'linux')('also when an update removed the file of Node.js', async () => {
  installed = {};
  const directory = executable('rg');
  vi.stubEnv('PATH', directory);
  const { execPath } = process;
  onTestFinished(() => void (process.execPath = execPath));
  process.execPath = join(directory, 'none');
  const { ripgrepPath } = await fresh();
  expect(ripgrepPath()).toBe(join(directory, 'rg'));
});

test.runIf(process.platform === 'linux')('on Windows it is called rg.exe', async () => {
  installed = { '@vscode/ripgrep': '/index.js' };
  vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
  const directory = executable('rg.exe');
  vi.stubEnv('PATH', [executable('rg'), directory].join(delimiter));
  const { ripgrepPath } = await fresh();
  expect(ripgrepPath()).toBe(join(directory, 'rg.exe'));
  expect(resolved.at(-1)?.[1]).toBe(`@vscode/ripgrep-win32-${process.arch}/bin/rg.exe`);
});

test.each([undefined, '', 'bin'])('with PATH %j the error says what is missing', async (path) => {
  installed = {};
  vi.stubEnv('PATH', path);
  const { ripgrepPath } = await fresh();
  expect(ripgrepPath).toThrow(
    expect.objectContaining({
      code: 'UNSUPPORTED',
      message: `ripgrep is not installed: neither the package ${own} nor "rg" on PATH was found. Use npm install @vscode/ripgrep@1.18.0`,
    }),
  );
});
