/** What a person sees on a terminal, through script(1), which gives a process one of its own. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cli } from '../../support/cli.ts';
import { has } from '../../support/has.ts';

const cwd = mkdtempSync(join(tmpdir(), 'oriel-terminal-'));
afterAll(() => rmSync(cwd, { recursive: true }));
writeFileSync(join(cwd, 'a.txt'), 'one\n');
writeFileSync(join(cwd, 'run.sh'), "for i in 1 2 3; do echo $i; done; printf '\\033[2J'; exit 4\n");

function onTerminal(args: string, env: NodeJS.ProcessEnv = {}): { screen: string; code: number | null } {
  const command = `${process.execPath} ${cli} ${args}`;
  const { stdout, status } = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd,
    encoding: 'utf8',
    input: '',
    // Only these: Node asks CI, COLORTERM and others whether a terminal has colours.
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: join(cwd, '.cache'), TERM: 'xterm', ...env },
  });
  return { screen: stdout.replaceAll('\r\n', '\n'), code: status };
}

/** The screen without the line that tells how far a call has come: on a busy machine every call takes long. */
const settled = (screen: string): string => screen.replaceAll(/(?:\r\u001b\[K[^\r\u001b]+)+\r\u001b\[K/g, '');

const shown = (args: string, env?: NodeJS.ProcessEnv): string => settled(onTerminal(args, env).screen);

describe.runIf(has('script'))('on a terminal', () => {
  test('a command’s output shows as it arrives, then its code', () => {
    const { screen, code } = onTerminal('bash sh run.sh', { NO_COLOR: '1' });
    expect(screen).toBe('1\n2\n3\n\\x1b[2J\nCommand exited with code 4\n');
    expect(code).toBe(4);
  });

  test('a long output shows in full, with its kept path', { tags: 'slow' }, () => {
    const { screen } = onTerminal('bash seq 5000', { NO_COLOR: '1' });
    expect(screen.split('\n').slice(0, 2)).toEqual(['1', '2']);
    const named = /\n5000\n\[The whole output is kept: oriel read (artifact:\/\/\d+)\]\n$/.exec(screen)?.[1];
    const kept = execFileSync(process.execPath, [cli, 'read', `${named}:4999..`], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, XDG_CACHE_HOME: join(cwd, '.cache') },
    });
    expect(kept).toBe('4999|4999\n5000|5000\n');
  });

  test('errors, paths and line numbers have colours', { tags: 'slow' }, () => {
    expect(shown('grep on a.txt')).toBe('\u001b[35ma.txt\u001b[39m:\u001b[32m1\u001b[39m: one\n');
    expect(shown('grep -F o a.txt --count')).toBe('\u001b[35ma.txt\u001b[39m: \u001b[32m1\u001b[39m\n');
    expect(shown(`find '*.txt'`)).toBe('\u001b[35ma.txt\u001b[39m\n');
    expect(shown('grep on a.txt', { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe('a.txt:1: one\n');
    expect(shown('grep on a.txt', { NO_COLOR: '' })).toContain('\u001b[35ma.txt');
    expect(shown('read none')).toMatch(/^\u001b\[31moriel: none does not exist\..*\u001b\[39m\n$/);
  });

  test('a long call shows progress on an erased line', () => {
    const { screen } = onTerminal('--json bash --timeout 1.5 sleep 5', { NO_COLOR: '1' });
    expect(screen).toMatch(/^\r\u001b\[Kworking for \d+ s[^{]*\r\u001b\[K\{"content"/);
  });

  // A terminal of 0 columns does not tell its width.
  test.each([0, 40, 80, 200])('help fits %i columns', { tags: 'slow' }, (columns) => {
    const room = columns || 80;
    for (const command of ['help', 'help read', 'help serve']) {
      const { stdout } = spawnSync(
        'script',
        ['-qec', `stty cols ${columns}; ${process.execPath} ${cli} ${command}`, '/dev/null'],
        { cwd, encoding: 'utf8', input: '', env: { PATH: process.env.PATH, TERM: 'xterm' } },
      );
      const tooLong = stdout
        .split('\r\n')
        // One word may be longer than the room.
        .filter(
          (line) => line.length > room && /\S\s+\S/.test(line.trim()) && !/^ {2}(?:oriel|-)/.test(line),
        );
      expect(tooLong).toEqual([]);
      expect(Math.max(...stdout.split('\r\n').map(({ length }) => length))).toBeGreaterThan(room / 2);
    }
  });

  test('oriel mcp explains how to add it to an agent', () => {
    expect(onTerminal('mcp').screen).toContain('claude mcp add oriel -- oriel mcp');
  });

  test('oriel serve explains how to try it, and logs text', async () => {
    const command = `${process.execPath} ${cli} serve --listen 127.0.0.1:0 --token-file token`;
    writeFileSync(join(cwd, 'token'), 'a-token-of-more-than-sixteen-bytes\n', { mode: 0o600 });
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      let screen = '';
      child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
      await expect.poll(() => screen).toContain('dashboard');
      expect(screen).toMatch(/^\d\d:\d\d:\d\d listening address=http:\/\/127\.0\.0\.1:\d+ dialect=oriel\r\n/);
      const url =
        /to try it, curl -H "Authorization: Bearer \$TOKEN" (http:\S+\/tools);/.exec(screen)?.[1] ?? '';
      const headers = { Authorization: 'Bearer a-token-of-more-than-sixteen-bytes' };
      expect((await fetch(url, { headers })).status).toBe(200);
      expect(screen).toContain(`add --transport http oriel ${url.replace('/api/v0/tools', '/mcp')} --header`);
    } finally {
      child.kill();
    }
  });

  test('reading standard input on a terminal explains what to type', () => {
    const { screen, code } = onTerminal('read -', { NO_COLOR: '1' });
    expect(screen).toBe('oriel: The standard input is a terminal. Use COMMAND | oriel read -.\n');
    expect(code).toBe(2);
  });
});
