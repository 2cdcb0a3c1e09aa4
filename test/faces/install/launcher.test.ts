/** `oriel install` among other processes: the command that it writes, installs at the same moment, kills. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfigFile, replaceConfigFile } from '../../../src/faces/install/config-file.ts';
import { contents, LAUNCHER, place } from '../../support/agent-home.ts';
import { cli } from '../../support/cli.ts';
import { run } from '../../support/warm-cli.ts';

/** Starts the launcher with another home directory and PATH. */
function launch(
  command: string,
  env: NodeJS.ProcessEnv,
  ...args: string[]
): { out: string; code: number | null } {
  const { stdout, status } = spawnSync(command, args, { encoding: 'utf8', env });
  return { out: stdout, code: status };
}

test('the command works from any directory, and after Node.js moved', () => {
  const { home, oriel, text } = place();
  oriel('install', 'qwen');
  const { mcpServers } = JSON.parse(text('.qwen/settings.json')) as {
    mcpServers: { oriel: { command: string } };
  };
  const { command } = mcpServers.oriel;
  const version = run(['--version']).out;
  expect(launch(command, { PATH: '/usr/bin:/bin' }, '--version').out).toBe(version);
  const node = join(home, '.nvm/versions/node/v99.1.0/bin/node');
  mkdirSync(dirname(node), { recursive: true });
  symlinkSync(process.execPath, node);
  writeFileSync(command, text(LAUNCHER).replace(/^node=.*$/m, "node='/gone/node'"));
  const env = { HOME: home, PATH: '/nowhere' };
  expect(launch(command, env, '--version').out).toBe(version);
  writeFileSync(command, text(LAUNCHER).replace(/^cli=.*$/m, "cli='/gone/main.js'"));
  expect(launch(command, env, 'mcp').code).toBe(127);
  expect(launch(command, env, 'hook')).toEqual({ out: '', code: 0 });
});

/** Starts a process of the command line that nobody waits for. */
function start(home: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [cli, ...args], { env: { HOME: home, PATH: '' }, stdio: 'ignore' });
}

const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();

/** By host and mode: its file, and what may be in it before. */
type InstalledFile = readonly [host: string, mode: string, path: string, before: string | undefined];
const CLAUDE: InstalledFile = [
  'claude',
  'native',
  '.claude/settings.json',
  '{\n  // mine\n  "hooks": { "PostToolUse": [{ "matcher": "Edit" }] },\n}\n',
];
const FILES: readonly InstalledFile[] = [
  ['codex', 'mcp', '.codex/config.toml', '# mine\n'],
  CLAUDE,
  ['pi', 'native', '.pi/agent/extensions/oriel.js', undefined],
];

test.each(FILES)('two installs at once make one entry: %s', async (host, mode, path, before) => {
  const { home, put, text, oriel } = place();
  if (before !== undefined) put(path, before);
  const children = [1, 2].map(() => start(home, ['install', host, '--mode', mode]));
  await Promise.all(children.map(ended));
  expect(children.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  const installed = text(path);
  oriel('uninstall');
  expect(contents(home)).toEqual(before === undefined ? {} : { [path]: before });
  oriel('install', host, '--mode', mode);
  expect(text(path)).toBe(installed);
});

async function killed(rounds: number, [host, mode, path, before]: InstalledFile): Promise<void> {
  const { home, put, oriel } = place();
  // Long, so that it takes a while to be written.
  const original = before && `${`${host === 'codex' ? '#' : '//'} a long file\n`.repeat(20_000)}${before}`;
  const now = (): string | undefined => contents(home)[path];
  if (original !== undefined) put(path, original);
  oriel('install', host, '--mode', mode);
  const installed = now();
  for (let i = 0; i < rounds; i += 1) {
    const args = now() === installed ? ['uninstall', host] : ['install', host, '--mode', mode];
    const child = start(home, args);
    // Later in each round, from the start of the process to its end.
    const timer = setTimeout(() => child.kill('SIGKILL'), 40 + (i * 260) / rounds);
    await ended(child);
    clearTimeout(timer);
    if (now() === installed) continue;
    // One of two hooks may be there.
    oriel('uninstall', host);
    expect(now()).toBe(original);
  }
  oriel('install', host, '--mode', mode);
  expect(now()).toBe(installed);
  oriel('uninstall');
  expect(contents(home)).toEqual(original === undefined ? {} : { [path]: original });
}

test('a kill at any moment damages nothing', () => killed(3, CLAUDE));

test.each(FILES)('fifty kills damage nothing: %s', { tags: 'slow' }, (...file) => killed(50, file));

test('what an agent writes at the same moment is kept', () => {
  const { put, text } = place();
  const file = readConfigFile(put('.claude.json', '{}'));
  put('.claude.json', '{"turns": 1}');
  expect(replaceConfigFile(file, '{"mcpServers": {}}')).toBe(false);
  expect(text('.claude.json')).toBe('{"turns": 1}');
});
