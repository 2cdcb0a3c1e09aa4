// Commands with much output, beside a plain pipe to a file.
import { rmSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { folder } from './lib/data.mjs';
import { insideProcess, wholeProcess } from './lib/process.mjs';
import { quick, sized } from './lib/quick.mjs';
import { mb, median, ms, ratio } from './lib/table.mjs';

const out = resolve(folder, 'pipe.out');

const [SEQ, BYTES, SIZE] = sized([30_000_000, 2_000_000_000, '2 GB'], [100_000, 10_000_000, '10 MB']);

const CASES = [
  { what: `seq 1 ${SEQ}`, command: `seq 1 ${SEQ}`, rounds: sized(9, 1) },
  { what: `${SIZE} of short lines`, command: `yes | head -c ${BYTES}`, rounds: sized(3, 1) },
  { what: `${SIZE} on one line`, command: `head -c ${BYTES} /dev/zero | tr "\\0" a`, rounds: sized(3, 1) },
  { what: 'one line', command: 'echo hi', rounds: sized(15, 1) },
  { what: 'one line, the first command', command: 'echo hi', rounds: sized(15, 1), warm: [] },
];

/** Without a peer: only the first GiB is kept, so a plain pipe would do other work. */
const CAPPED = { what: '10 GB on one line', command: 'head -c 10000000000 /dev/zero | tr "\\0" a' };

/** Alternates both, so that a machine that slows down affects both. */
function beside({ what, command, rounds, warm }) {
  const runs = Array.from({ length: rounds }, () => {
    // The first of two runs warms up and is not counted.
    const pipe = wholeProcess('bash', ['-c', `{ ${command}; } | cat > ${out}`], 1);
    rmSync(out);
    return { pipe, ...run(command, warm) };
  });
  return {
    what,
    oriel: ms(median(runs.map(({ cold }) => cold))),
    'plain pipe': ms(median(runs.map(({ pipe }) => pipe))),
    ratio: ratio(median(runs.map(({ cold, pipe }) => cold / pipe)), 1),
    'oriel memory': mb(Math.max(...runs.map((one) => one.mb))),
  };
}

/** One call in a process of its own, which has run another command before (`warm`). */
function run(command, warm = [{ command: 'true' }]) {
  const measured = insideProcess('ours', { tool: 'bash', input: { command, timeout: 600 }, warm });
  if (measured.failure) throw new Error(measured.failure);
  return measured;
}

export async function rows() {
  mkdirSync(folder, { recursive: true });
  const table = CASES.map(beside);
  if (quick) return table;
  const capped = run(CAPPED.command);
  return [...table, { what: CAPPED.what, oriel: ms(capped.cold), 'oriel memory': mb(capped.mb) }];
}
