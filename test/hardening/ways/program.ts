/** A process of oriel with a heartbeat, names that resolve as a case wants, and an environment of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { heartbeat } from '../../support/process-under-test.ts';
import type { Settings } from './way.ts';

/** Limits of the dialect, whatever is known of a host: the same answers everywhere. */
export const LIMITS = { lines: 3_000, bytes: 51_200, window: 65_536 };

/** Of programs that run, so that none outlives the tests. */
const running = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Options of `oriel mcp`, `oriel serve` and `oriel call` that every way shares. */
export function optionsOf({ cwd, roots, allow = [], deny = [], net = [] }: Settings): string[] {
  return [
    '--cwd',
    cwd,
    '--no-cache',
    '--web',
    '--limits',
    `lines=${LIMITS.lines},bytes=50K,window=64K`,
    ...roots.flatMap((root) => ['--root', root]),
    ...allow.flatMap((path) => ['--allow', path]),
    ...deny.flatMap((glob) => ['--deny', glob]),
    ...net.flatMap((host) => ['--allow-net', host]),
  ];
}

export function environmentOf({ home, env }: Settings): NodeJS.ProcessEnv {
  const tmp = join(home, 'tmp');
  mkdirSync(tmp, { recursive: true });
  chmodSync(tmp, 0o777);
  return env ?? { PATH: process.env['PATH'], HOME: home, TMPDIR: tmp, XDG_CACHE_HOME: join(home, 'cache') };
}

const preloads = [
  ...heartbeat,
  '--import',
  new URL('../../support/resolve-preload.mjs', import.meta.url).href,
];

/** Node with these arguments; stdin is a pipe only where it is `fed`, and there is a channel where it is `linked`. */
export function startNode(
  args: readonly string[],
  settings: Settings,
  how: { fed?: boolean; linked?: boolean; beating?: boolean } = {},
): ChildProcess {
  const { before = [], uid } = settings;
  const words = [
    ...before,
    process.execPath,
    ...(how.beating === false ? preloads.slice(2) : preloads),
    ...args,
  ];
  const child = spawn(words[0] as string, words.slice(1), {
    stdio: [how.fed ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(how.linked ? ['ipc' as const] : [])],
    env: environmentOf(settings),
    cwd: settings.cwd,
    ...(uid !== undefined && { uid, gid: uid }),
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Collects what a process writes on stderr. */
export function logOf(child: ChildProcess): () => string {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  return () => log;
}

/** Asks a process to end, as its operator would. Resolves with its exit code; null when a signal ended it. */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  child.kill('SIGTERM');
  // A server that does not end is found by its exit code: null.
  void sleep(20_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'));
  return exited;
}
