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
  oriel('install', 'gemini');
  const { mcpServers } = JSON.parse(text('.gemini/settings.json')) as {
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

test('installs at the same moment make one entry', async () => {
  const { home, put, text, oriel } = place();
  put('.codex/config.toml', '# mine\n');
  const children = Array.from({ length: 2 }, () => start(home, ['install', 'codex']));
  await Promise.all(children.map(ended));
  expect(children.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(text('.codex/config.toml').match(/mcp_servers/g)).toHaveLength(1);
  oriel('uninstall');
  expect(contents(home)).toEqual({ '.codex/config.toml': '# mine\n' });
});

async function killed(rounds: number): Promise<void> {
  const { home, put, text, oriel } = place();
  const original = `${'# a long file\n'.repeat(20_000)}`;
  put('.codex/config.toml', original);
  oriel('install', 'codex');
  const installed = text('.codex/config.toml');
  for (let i = 0; i < rounds; i += 1) {
    const child = start(home, [text('.codex/config.toml') === original ? 'install' : 'uninstall', 'codex']);
    // Later in each round, from the start of the process to its end.
    const timer = setTimeout(() => child.kill('SIGKILL'), 40 + (i * 200) / rounds);
    await ended(child);
    clearTimeout(timer);
    expect([original, installed]).toContain(text('.codex/config.toml'));
  }
  oriel('install', 'codex');
  expect(text('.codex/config.toml')).toBe(installed);
  oriel('uninstall');
  expect(contents(home)).toEqual({ '.codex/config.toml': original });
}

test('a kill at any moment damages nothing', () => killed(3));

test('fifty kills damage nothing', { tags: 'slow', timeout: 120_000 }, () => killed(50));

test('what an agent writes at the same moment is kept', () => {
  const { put, text } = place();
  const file = readConfigFile(put('.claude.json', '{}'));
  put('.claude.json', '{"turns": 1}');
  expect(replaceConfigFile(file, '{"mcpServers": {}}')).toBe(false);
  expect(text('.claude.json')).toBe('{"turns": 1}');
});
