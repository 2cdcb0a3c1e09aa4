import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stateFromOptions } from '../../../src/faces/cli/server-options.ts';
import { operatorToken, serverToken } from '../../../src/faces/cli/workspaces.ts';
import type { Answer } from '../../../src/types/answer.ts';
import { built } from '../../support/built.ts';
import { run } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { server } from '../../support/server.ts';
import { textOf } from '../../support/workspace.ts';

const TOKEN = 'a1b2c3d4e5f6';

function tokenFile(content = `${TOKEN}\n`, mode = 0o600): string {
  const path = join(temporaryFolder(), 'token');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

function warned(text: string): void {
  throw new Error(text);
}

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe('sources of the token', () => {
  test('a file, by option or variable; options take precedence', () => {
    const path = tokenFile();
    expect(serverToken({ 'token-file': path }, { ORIEL_TOKEN: 'other' })).toEqual({ token: TOKEN });
    expect(serverToken({}, { ORIEL_TOKEN_FILE: path })).toEqual({ token: TOKEN });
    expect(serverToken({ token: 'given' }, { ORIEL_TOKEN_FILE: path })).toEqual({ token: 'given' });
    expect(serverToken({}, { ORIEL_TOKEN: 'other' })).toEqual({ token: 'other' });
    expect(serverToken({}, { ORIEL_TOKEN: '', ORIEL_TOKEN_FILE: '' })).toBeUndefined();
    expect(serverToken({}, {})).toBeUndefined();
  });

  test('an option without a token (unset variable) is refused', () => {
    for (const token of ['', ' ', 'two words'])
      expect(thrownBy(() => serverToken({ token }, {}))).toMatchObject({ code: 'BAD_INPUT' });
  });

  test('a file that others may read causes a warning', () => {
    const path = tokenFile(TOKEN, 0o644);
    expect(serverToken({ 'token-file': path }, {})).toEqual({
      token: TOKEN,
      warning: `Other users may read the token in ${path}. Use chmod 600 on it.`,
    });
  });

  test('a pipe', { tags: 'slow' }, () => {
    const { status, stderr } = spawnSync(
      'bash',
      [
        '-c',
        `"$0" "$1" serve --token-file <(echo "two words")`,
        process.execPath,
        built('faces/cli/main.js'),
      ],
      { encoding: 'utf8' },
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(/^oriel: The token in \/dev\/fd\/\d+ is not one line of visible ASCII characters/);
  });

  test.each([
    ['empty', ''],
    ['of two lines', 'a\nb\n'],
    ['not ASCII', 'é'],
    ['too long', 'x'.repeat(5_000)],
  ])('a file that is %s is refused', (_, content) => {
    expect(() => serverToken({ 'token-file': tokenFile(content) }, {})).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    );
  });

  test('no file, two tokens', () => {
    expect(() => serverToken({ 'token-file': '/none/token' }, {})).toThrow(
      'The token file /none/token does not exist. Use (umask 077; openssl rand -hex 32 > /none/token) to make one.',
    );
    expect(() => serverToken({ 'token-file': '/' }, {})).toThrow(
      'The token file / is a directory. Use one that the user of oriel may read.',
    );
    expect(() => serverToken({ 'token-file': '/', token: 'x' }, {})).toThrow('There are two tokens.');
  });
});

test.each([
  ['token', (path: string) => serverToken({ 'token-file': path }, {})],
  ['operator', (path: string) => operatorToken({ 'operator-token-file': path })],
  ['key', (path: string) => stateFromOptions({ state: 'redis://x', 'state-key-file': path }, warned)],
])('the command in the error creates the secret file: %s', (_, take) => {
  const path = join(temporaryFolder(), "one's own");
  const { message } = thrownBy(() => take(path)) as Error;
  execFileSync('bash', ['-c', /Use (\(.*\)) to make one\.$/.exec(message)?.[1] ?? 'false']);
  expect(take(path)).toBeDefined();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

describe('commands', () => {
  const dev = ['--workspace', 'dev=http://127.0.0.1:1'];
  const own = 'Use --token-file FILE, or ORIEL_TOKEN_FILE.';
  const ofDev = 'Use --workspace-token-file dev=FILE.';

  test.each([
    ['serve', ['--token', TOKEN], {}, '--token', own],
    ['serve', [], { ORIEL_TOKEN: TOKEN }, 'ORIEL_TOKEN', own],
    ['serve', dev, { ORIEL_TOKEN_DEV: TOKEN }, 'ORIEL_TOKEN_DEV', ofDev],
    ['mcp', dev, { ORIEL_TOKEN_DEV: TOKEN }, 'ORIEL_TOKEN_DEV', ofDev],
  ])(
    'a server with commands refuses readable tokens: %s %j %j',
    { tags: 'slow' },
    (name, args, env, where, use) => {
      for (const [option, who] of [
        ['--allow-bash', 'commands'],
        ['--mcp-resources', 'the servers of .mcp.json'],
      ] as const) {
        const { err, code } = run([name, option, ...args], { env: { ...process.env, ...env } });
        expect(code).toBe(2);
        expect(err).toBe(`oriel: With ${option}, ${who} could read the token from ${where}. ${use}\n`);
      }
    },
  );

  test('tokens leave the environment at the start', () => {
    const env = { ...process.env, ORIEL_TOKEN: TOKEN, ORIEL_TOKEN_FILE: '/none', ORIEL_TOKEN_DEV: TOKEN };
    const list = ['--workspaces-command', `env >&2; echo '{"dev":"http://127.0.0.1:1"}'; exit 1`];
    const { err } = run(['call', 'read', '{"path":"ws://"}', ...list], { env });
    expect(err).toContain('ended with 1');
    expect(err).not.toContain(TOKEN);
  });

  test('a workspace token from a file ignores the environment', () => {
    const args = ['mcp', '--allow-bash', ...dev, '--workspace-token-file', `dev=${tokenFile()}`];
    const env = { ...process.env, ORIEL_TOKEN_DEV: TOKEN, ORIEL_TOKEN_OTHER: TOKEN };
    const { err, code } = run(args, { env });
    expect(code).toBe(0);
    expect(err).not.toMatch(/ORIEL_TOKEN|token/);
  });

  test.each([['--token-file'], ['ORIEL_TOKEN_FILE']])(
    'no command inherits the token of %s',
    { tags: 'slow' },
    async (how) => {
      const path = tokenFile();
      const args = how === '--token-file' ? [how, path] : [];
      const running = await server(['--cwd', temporaryFolder(), '--allow-bash', ...args], {
        env: how === '--token-file' ? {} : { [how]: path },
      });
      const command = `env; ls -l /proc/self/fd; for p in $PPID $$; do tr '\\0' '\\n' < /proc/$p/environ; tr '\\0' '\\n' < /proc/$p/cmdline; done`;
      const ask = (authorization: string): Promise<Response> =>
        running.post('/api/v0/tools/bash', { command }, { headers: { authorization } });
      expect((await ask('Bearer wrong')).status).toBe(401);
      const text = textOf((await (await ask(`Bearer ${TOKEN}`)).json()) as Answer);
      expect(text).toContain('HOME=');
      expect(text).not.toContain(TOKEN);
    },
  );
});

test('a command inherits only the three standard descriptors', { tags: 'slow' }, () => {
  const cli = built('faces/cli/main.js');
  const opened = 'exec 5</etc/hosts 40</etc/hosts 63</etc/hosts 200</etc/hosts';
  const said = execFileSync(
    'bash',
    [
      '-c',
      `${opened}; "$0" "$1" bash 'for f in /proc/self/fd/*; do readlink $f; done | sort | uniq -c'`,
      process.execPath,
      cli,
    ],
    { encoding: 'utf8', cwd: temporaryFolder() },
  );
  expect(said).not.toContain('/etc/hosts');
});

test('a descriptor above a lowered limit does not prevent commands', () => {
  const cli = built('faces/cli/main.js');
  const said = execFileSync(
    'bash',
    ['-c', 'exec 200</etc/hosts; ulimit -n 100; "$0" "$1" bash "echo hi"', process.execPath, cli],
    { encoding: 'utf8', cwd: temporaryFolder() },
  );
  expect(said).toBe('hi\n');
});
