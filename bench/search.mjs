// grep and find over a tree of 50,000 files and a file of 1 GB, compared with ripgrep itself, alternating.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createOriel } from '../dist/index.js';
import { folder, log } from './lib/data.mjs';
import { insideProcess } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { makeTree } from './lib/tree.mjs';
import { mb, median, ms, ratio } from './lib/table.mjs';

const RUNS = sized(15, 1);
const FILES = sized(50_000, 2_000);
const [SIZE, BYTES] = sized(['1 GB', 1_000_000_000], ['10 MB', 10_000_000]);
const files = `${FILES.toLocaleString('en')} files`;

/** The binary that oriel runs. */
const rg = createRequire(createRequire(import.meta.url).resolve('@vscode/ripgrep')).resolve(
  `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`,
);

export async function rows() {
  const tree = makeTree(sized('tree', 'tree-2000'), FILES);
  const big = log(`${SIZE.replace(' ', '').toLowerCase()}.log`, BYTES);
  const grep = (what, input, args) => row(`grep, ${what}`, files, tree, 'grep', input, args);
  const find = (what, input, args) => row(`find, ${what}`, files, tree, 'find', input, args);
  const one = (what, input, args) =>
    row(`grep, ${what}`, SIZE, folder, 'grep', { path: big, ...input }, [...args, big]);
  return [
    await grep('nothing matches', { pattern: 'zzzqq' }, ['zzzqq', './']),
    await grep('1,000 files match', { pattern: 'file 7 ' }, ['--sort=path', 'file 7 ', './']),
    await grep('every file matches', { pattern: 'value1' }, ['--sort=path', 'value1', './']),
    await find('nothing matches', { pattern: '*.zzz' }, ['--files', './']),
    await find('every file matches', { pattern: '**/*.ts' }, ['--files', '--sort=path', './']),
    await one('nothing matches', { pattern: 'zzzqq' }, ['zzzqq']),
    await one('a line near the end', { pattern: `request=${BYTES / 100 - 1} ` }, [
      `request=${BYTES / 100 - 1} `,
    ]),
    await one('every line matches', { pattern: 'INFO' }, ['INFO']),
  ];
}

async function row(what, size, cwd, tool, input, args) {
  const oriel = createOriel({ cwd });
  const times = { ours: [], theirs: [] };
  for (let i = 0; i <= RUNS; i += 1) {
    const ours = await time(async () => {
      const { isError, content } = await oriel.tool(tool).run(input);
      if (isError) throw new Error(content[0].text);
    });
    const theirs = await time(() => spawnSync(rg, ['--no-config', ...args], { cwd, stdio: 'ignore' }));
    // The first run warms the page cache.
    if (i > 0) {
      times.ours.push(ours);
      times.theirs.push(theirs);
    }
  }
  await oriel.close();
  const memory = insideProcess(fileURLToPath(new URL('./lib/children.mjs', import.meta.url)), {
    cwd,
    tool,
    input,
  });
  const [ours, theirs] = [median(times.ours), median(times.theirs)];
  return {
    what,
    size,
    oriel: ms(ours),
    peer: ['rg', ...args.filter((arg) => arg.startsWith('--'))].join(' '),
    'peer time': ms(theirs),
    ratio: ratio(ours, theirs),
    'oriel memory': mb(memory.mb),
  };
}

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
