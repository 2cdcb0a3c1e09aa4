// What recording costs a small read: the same calls with and without it, in turns in one process; medians of processor
// and wall time over all turns. Answers are written as JSON, as every host does with them: the text of one that nobody
// looks at was never put together, and recording, which counts its bytes, would be charged for that.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sized } from './lib/quick.mjs';
import { median } from './lib/table.mjs';

const TURNS = sized(100, 5);

/** Calls are counted together, at most so many at a time: each turn has its share of that. */
const CALLS = 256;

export async function rows() {
  const { createOriel } = await import('../dist/index.js');
  const directory = mkdtempSync(join(tmpdir(), 'oriel-bench-'));
  try {
    writeFileSync(join(directory, 'small.txt'), 'a line of a small file\n'.repeat(20));
    const at = { cwd: directory, roots: [directory] };
    const ways = {
      'in memory': {},
      'in memory and a file': { file: join(directory, 'calls.jsonl') },
    };
    const table = [];
    for (const [recorded, telemetry] of Object.entries(ways)) {
      table.push({
        recorded,
        ...(await compared(createOriel({ ...at, telemetry: false }), createOriel({ ...at, telemetry }))),
      });
    }
    return table;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function compared(without, with_) {
  const pairs = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const order = turn % 2 === 0 ? [without, with_] : [with_, without];
    const [first, second] = [await timed(order[0]), await timed(order[1])];
    if (turn > TURNS / 10) pairs.push(turn % 2 === 0 ? [first, second] : [second, first]);
  }
  await Promise.all([without.close(), with_.close()]);
  const of = (name) => median(pairs.map(([a, b]) => b[name] / a[name]));
  const percent = (ratio) => `${(100 * (ratio - 1)).toFixed(1)} %`;
  return {
    'more wall time': percent(of('wall')),
    'more processor time': percent(of('cpu')),
    turns: pairs.length,
  };
}

async function timed(oriel) {
  const read = oriel.tool('read');
  const [began, before] = [performance.now(), process.cpuUsage()];
  let written = 0;
  for (let i = 0; i < CALLS; i += 1) written += JSON.stringify(await read.run({ path: 'small.txt' })).length;
  if (written === 0) throw new Error('nothing was read');
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - began, cpu: user + system };
}
