// Times whole processes, and calls inside a process.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quick } from './quick.mjs';
import { median } from './table.mjs';

export const cli = fileURLToPath(new URL('../../dist/faces/cli/main.js', import.meta.url));
const TOKEN = 'token-of-a-benchmark';

/** The header that a server with commands wants. */
export const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };

/** The options of a server with commands, which needs a token. */
export function withCommands() {
  const file = join(mkdtempSync(join(tmpdir(), 'oriel-bench-token-')), 'token');
  writeFileSync(file, TOKEN, { mode: 0o600 });
  return ['--allow-bash', '--token-file', file];
}

/** A server in a process of its own that says its address: `{ url, child, stop }`. */
export async function listening(args, { ipc = false, env = process.env } = {}) {
  const stdio = ['ignore', 'ignore', 'pipe', ...(ipc ? ['ipc'] : [])];
  const child = spawn(process.execPath, args, { stdio, env });
  const ended = once(child, 'exit');
  const url = await new Promise((done, fail) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      // The log is read and discarded.
      if (said.length < 10_000) said += chunk;
      const found = /"address":"([^"]+)"/.exec(said)?.[1];
      if (found) done(found);
    });
    child.once('exit', () => fail(new Error(`The server has ended: ${said}`)));
  });
  const stop = () => {
    child.kill();
    return ended;
  };
  return { url, child, stop };
}

const inside = fileURLToPath(new URL('./inside.mjs', import.meta.url));

/** Whether each run counts: the first of `most + 1` only warms the page cache. In quick mode there is one, and it counts. */
const runsOf = (most) => Array.from({ length: quick ? 1 : most + 1 }, (_, i) => quick || i > 0);

/** Milliseconds from start to end, the median of `runs`; output is discarded. */
export function wholeProcess(command, args, runs = 5, options = {}) {
  const times = [];
  for (const counts of runsOf(runs)) {
    const start = performance.now();
    const { status, error } = spawnSync(command, args, { stdio: 'ignore', ...options });
    if (error || (status !== 0 && options.mayFail !== true))
      throw error ?? new Error(`${command} ended with ${status}`);
    if (counts) times.push(performance.now() - start);
  }
  return median(times);
}

/** Alternates two commands, so that a machine that slows down affects both. */
export function pairOfProcesses(one, other, runs = 5) {
  const times = [[], []];
  for (const counts of runsOf(runs)) {
    for (const [which, [command, args, options]] of [one, other].entries()) {
      const time = wholeProcess(command, args, 0 + 1, options);
      if (counts) times[which].push(time);
    }
  }
  return times.map(median);
}

/**
 * Runs calls in a new process: `{ cold, warm, mb, bytes }`: milliseconds of the first call and of later ones,
 * peak memory of the process, bytes of the answer's text. In quick mode there is at most one later one.
 */
export function insideProcess(module, options, node = process.execPath) {
  const asked = quick && options.repeat ? { ...options, repeat: 1 } : options;
  const { status, stdout, stderr } = spawnSync(node, [inside, module, JSON.stringify(asked)], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    timeout: 300_000,
  });
  if (status !== 0) return { failure: /^\w*Error: (.*)$/m.exec(stderr)?.[1] ?? 'failed' };
  return JSON.parse(stdout);
}
