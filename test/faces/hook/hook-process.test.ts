/** The process of a hook and its helper: whatever happens to them, the agent's own answer stands. */

import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { built } from '../../support/built.ts';

const text = `${Array.from({ length: 400 }, (_, i) => `def step_${i}(x):\n    y = x\n    z = y\n    x = z\n    return x\n`).join('\n')}`;

interface Place {
  readonly run: string;
  /** A directory below the home directory, with the texts that were kept. */
  readonly kept: string;
  /** Runs the command line, and returns what it says. */
  readonly oriel: (...args: string[]) => string;
  readonly hook: () => { readonly out: string; readonly code: number | null };
}

/** A home directory, and a hook that asks in it for a long text. */
function place(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hk-')));
  const run = join(root, 'r');
  mkdirSync(run, { mode: 0o700 });
  const path = join(root, 'long.py');
  writeFileSync(path, text);
  let session = 0;
  const env = { HOME: root, XDG_RUNTIME_DIR: run, TMPDIR: root, PATH: '' };
  onTestFinished(async () => {
    await other(run);
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  });
  return {
    run,
    kept: join(root, '.cache/oriel/hook'),
    oriel: (...args) =>
      spawnSync(process.execPath, [built('faces/cli/main.js'), ...args], { env, encoding: 'utf8' }).stdout,
    hook() {
      session += 1;
      const file = { filePath: path, content: text, numLines: 1, startLine: 1, totalLines: 1 };
      const event = {
        hook_event_name: 'PostToolUse',
        session_id: `s${session}`,
        cwd: root,
        tool_name: 'Read',
      };
      const input = { ...event, tool_input: { file_path: path }, tool_response: { type: 'text', file } };
      const { stdout, status } = spawnSync(process.execPath, [built('faces/hook/hook-child.js'), 'claude'], {
        env,
        encoding: 'utf8',
        input: JSON.stringify(input),
      });
      return { out: stdout, code: status };
    },
  };
}

/** Asks the helper as a hook of another version does: it ends. */
function other(run: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(join(run, 'oriel/helper.sock'), () => socket.end('{"version":"0"}\n'));
    let reply = '';
    socket.on('data', (piece) => (reply += String(piece)));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(reply));
  });
}

/** Why nobody answers at `path`; undefined if somebody does. */
function refusal(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      resolve(undefined);
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}

test('the first hook starts the helper, which one of another version replaces', async () => {
  const { run, hook } = place();
  await expect.poll(() => hook().out).toContain('[Map: ');
  expect(hook()).toMatchObject({ code: 0, out: expect.stringContaining('[Map: ') });
  expect(await other(run)).toBe('-');
  await expect.poll(() => existsSync(join(run, 'oriel/helper.sock'))).toBe(false);
  await expect.poll(() => hook().out).toContain('[Map: ');
});

test('when oriel is taken out of the last agent, the helper ends and nothing is kept', async () => {
  const { run, kept, oriel, hook } = place();
  oriel('install', 'claude', 'gemini');
  await expect.poll(() => hook().out).toContain('[Map: ');
  oriel('uninstall', 'gemini');
  expect(existsSync(join(run, 'oriel/helper.sock'))).toBe(true);
  expect(readdirSync(kept)).not.toEqual([]);
  const gemini = join(kept, '../../../.gemini/tmp/project/oriel');
  mkdirSync(gemini, { recursive: true, mode: 0o700 });
  for (const name of [`${'a'.repeat(24)}.txt`, 'mine.txt', '../../file'])
    writeFileSync(join(gemini, name), 'text');
  expect(oriel('uninstall')).toContain('Removed.');
  expect(readdirSync(gemini)).toEqual(['mine.txt']);
  await expect.poll(() => existsSync(join(run, 'oriel/helper.sock'))).toBe(false);
  expect(readdirSync(kept)).toEqual([]);
});

test('a helper that hangs is waited for once', async () => {
  const { run, hook } = place();
  await expect.poll(() => hook().out).toContain('[Map: ');
  const link = join(run, 'oriel/helper.sock');
  const socket = readlinkSync(link);
  const pid = Number(socket.split('.').at(-1));
  process.kill(pid, 'SIGSTOP');
  // It has been there for a minute.
  lutimesSync(link, 0, Date.now() / 1000 - 60);
  expect(hook()).toEqual({ out: '', code: 0 });
  await expect.poll(() => refusal(socket)).toBe('ECONNREFUSED');
  await expect.poll(() => hook().out).toContain('[Map: ');
  expect(readdirSync(join(run, 'oriel')).filter((name) => /\.\d+$/.test(name))).toHaveLength(1);
});

test('after a helper that was not ready in time, none is started for a while', async () => {
  const { run, hook } = place();
  mkdirSync(join(run, 'oriel'), { mode: 0o700 });
  const late = join(run, 'oriel/helper.sock.late');
  writeFileSync(late, '');
  const before = Date.now() / 1000 - 27;
  utimesSync(late, before, before);
  expect(hook()).toEqual({ out: '', code: 0 });
  expect(existsSync(join(run, 'oriel/helper.sock'))).toBe(false);
  await expect.poll(() => hook().out).toContain('[Map: ');
});

test('a process that has the number of a helper that died is left alone', async () => {
  const { run, hook } = place();
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  onTestFinished(() => void other.kill());
  const ended = vi.fn();
  other.on('exit', ended);
  mkdirSync(join(run, 'oriel'), { mode: 0o700 });
  const link = join(run, 'oriel/helper.sock');
  symlinkSync(`${link}.${other.pid}`, link);
  lutimesSync(link, 0, Date.now() / 1000 - 60);
  writeFileSync(`${link}.late`, '');
  expect(hook()).toEqual({ out: '', code: 0 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(ended).not.toHaveBeenCalled();
});

test('a directory that others can enter is not used', () => {
  const { run, hook } = place();
  mkdirSync(join(run, 'oriel'));
  chmodSync(join(run, 'oriel'), 0o777);
  const planted = join(run, '..', `oriel-hook-${process.getuid?.()}`);
  writeFileSync(planted, '');
  expect(hook()).toEqual({ out: '', code: 0 });
});

test('a directory that others can replace is not used', () => {
  const { run, hook } = place();
  chmodSync(join(run, '..'), 0o777);
  chmodSync(run, 0o777);
  expect(hook()).toEqual({ out: '', code: 0 });
  expect(existsSync(join(run, 'oriel/helper.sock'))).toBe(false);
});

test('what is no event is answered with nothing', () => {
  for (const input of ['', '{', '[]', `{"hook_event_name":"PostToolUse"${' '.repeat(5_000)}`]) {
    const { stdout, status } = spawnSync(process.execPath, [built('faces/hook/hook-child.js'), 'claude'], {
      env: { XDG_RUNTIME_DIR: '/nowhere', TMPDIR: '/nowhere', PATH: '' },
      encoding: 'utf8',
      input,
    });
    expect([stdout, status]).toEqual(['', 0]);
  }
});
