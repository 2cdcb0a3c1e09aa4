// The peak memory of processes on Linux, in MB; 0 on other systems.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The sum of the peaks of all descendants of `pid` that were seen until `stop` is called. */
export function watchBelow(pid) {
  const peaks = new Map();
  const look = () => {
    for (const child of below(pid)) peaks.set(child, Math.max(peaks.get(child) ?? 0, highWater(child)));
  };
  const timer = setInterval(look, 5);
  return {
    stop() {
      look();
      clearInterval(timer);
      return [...peaks.values()].reduce((sum, peak) => sum + peak, 0);
    },
  };
}

/** Runs a command: `{ status, stdout, ms, mb }`; `status` is undefined if it cannot be started. */
export function measuredCommand(command, args) {
  return new Promise((resolve) => {
    const start = performance.now();
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const parts = [];
    let own = 0;
    const watch = child.pid === undefined ? undefined : watchBelow(child.pid);
    const timer = setInterval(() => (own = Math.max(own, highWater(child.pid))), 5);
    const end = (status) => {
      clearInterval(timer);
      const mb = Math.max(own, 0) + (watch?.stop() ?? 0);
      resolve({ status, stdout: Buffer.concat(parts).toString('utf8'), ms: performance.now() - start, mb });
    };
    child.stdout.on('data', (part) => parts.push(part));
    child.on('error', () => end(undefined));
    child.on('close', (code) => end(code ?? 1));
  });
}

function below(pid) {
  const children = read(`/proc/${pid}/task`, readdirSync).flatMap((task) =>
    read(`/proc/${pid}/task/${task}/children`, readFileSync).toString().split(' ').filter(Boolean),
  );
  return children.flatMap((child) => [child, ...below(child)]);
}

function highWater(pid) {
  const status = read(`/proc/${pid}/status`, readFileSync).toString();
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Undefined for a process that has ended. */
function read(path, how) {
  try {
    return how(path);
  } catch {
    return [];
  }
}
