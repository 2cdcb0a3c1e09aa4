// How much slower a command is under oriel than in a plain pipe to a file, and how much memory that takes.
// Each round runs the pipe and then oriel in a fresh process; rounds are compared one by one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CASES = [
  { name: 'seq 1 30000000 (247 MiB)', command: 'seq 1 30000000', rounds: 9 },
  { name: '2 GB of short lines', command: 'yes | head -c 2000000000', rounds: 3 },
  { name: '2 GB on one line', command: 'head -c 2000000000 /dev/zero | tr "\\0" a', rounds: 3 },
  { name: 'echo hi', command: 'echo hi', rounds: 15 },
];

/** With `huge`, also 10 GB, of which the first GiB is kept. */
const HUGE = { name: '10 GB on one line', command: 'head -c 10000000000 /dev/zero | tr "\\0" a', rounds: 1 };

export async function benchBash({ huge = false } = {}) {
  return [...CASES, ...(huge ? [HUGE] : [])].map(({ name, command, rounds }) => {
    const runs = Array.from({ length: rounds }, () => {
      const plain = plainPipe(command);
      return { plain, ...inOwnProcess(command) };
    });
    return {
      case: name,
      'plain pipe': `${median(runs.map((run) => run.plain)).toFixed(0)} ms`,
      oriel: `${median(runs.map((run) => run.ms)).toFixed(0)} ms`,
      ratio: median(runs.map((run) => run.ms / run.plain)).toFixed(2),
      'peak memory': `${Math.max(...runs.map((run) => run.peak)).toFixed(0)} MB`,
    };
  });
}

function plainPipe(command) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-oriel-bash-'));
  try {
    const began = performance.now();
    execFileSync('bash', ['-c', `{ ${command}; } | cat > ${folder}/out`]);
    return performance.now() - began;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function inOwnProcess(command) {
  const answer = execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--one', command]);
  return JSON.parse(answer);
}

/** Milliseconds of one warm call and the peak resident size of the process, in MB of a million bytes. */
async function one(command) {
  const { createOriel } = await import('../dist/index.js');
  const state = mkdtempSync(join(tmpdir(), 'bench-oriel-bash-'));
  const oriel = createOriel({ cwd: tmpdir(), spills: { state } });
  const bash = oriel.tool('bash');
  await bash.run({ command: 'true' });
  const began = performance.now();
  const { isError } = await bash.run({ command, timeout: 600 });
  const ms = performance.now() - began;
  await oriel.close();
  rmSync(state, { recursive: true, force: true });
  if (isError) throw new Error(`${command} failed`);
  return { ms, peak: (process.resourceUsage().maxRSS * 1024) / 1e6 };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [flag, command] = process.argv.slice(2);
  if (flag === '--one') process.stdout.write(JSON.stringify(await one(command)));
  else console.table(await benchBash({ huge: flag === '--huge' }));
}
