// grep and find over a tree of 50,000 files and a file of 1 GB, compared with ripgrep itself, alternating; and with rules for
// private files, compared with none, by CPU time.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { createOriel } from '../dist/index.js';
import { folder, log } from './lib/data.mjs';
import { insideProcess } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { makeTree } from './lib/tree.mjs';
import { mb, median, ms, ratio } from './lib/table.mjs';

const RUNS = sized(15, 1);
const PAIRS = sized(101, 21);
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
    await withRules('grep, nothing matches', 'grep', { pattern: 'zzzqq' }),
    await withRules('grep, 500 files match', 'grep', { pattern: 'file 7 ' }),
    await withRules('find, every file matches', 'find', { pattern: '**/*.ts' }),
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
  const memory = insideProcess('ours', { tool, input, options: { cwd }, children: true });
  const [ours, theirs] = [median(times.ours), median(times.theirs)];
  return {
    what,
    size,
    oriel: ms(ours),
    peer: ['rg', ...args.filter((arg) => arg.startsWith('--'))].join(' '),
    'peer time': ms(theirs),
    ratio: ratio(ours, theirs),
    'oriel memory': mb(memory.mb && memory.mb + memory.below),
  };
}

/** The list of servers, as in `--deny`. */
const DENY = [
  '.env,.env.*,!.env.example,!.env.sample,!.env.template,!.env.dist,*.pem,*.key,*.p12,*.pfx,id_rsa,id_dsa,id_ecdsa',
  'id_ed25519,.netrc,.pgpass,.git-credentials,**/.aws/credentials,**/.docker/config.json,**/.kube/config',
].flatMap((some) => some.split(','));

/** The median of the ratios of pairs, each measured in the other order than the one before. */
async function withRules(what, tool, input) {
  const cwd = makeTree('tree-5000', 5_000);
  const [ruled, free] = [createOriel({ cwd, deny: DENY }), createOriel({ cwd })];
  const pairs = [];
  for (let i = 0; i <= PAIRS; i += 1) {
    const pair = [];
    for (const oriel of i % 2 === 0 ? [ruled, free] : [free, ruled]) {
      // The threads, which both share, compile the rules.
      await oriel.tool(tool).run(input);
      const before = process.cpuUsage();
      await oriel.tool(tool).run(input);
      const { user, system } = process.cpuUsage(before);
      pair[oriel === ruled ? 0 : 1] = (user + system) / 1_000;
    }
    // The first run warms the page cache.
    if (i > 0) pairs.push(pair);
  }
  await Promise.all([ruled.close(), free.close()]);
  return {
    what,
    size: '5,000 files',
    oriel: ms(median(pairs.map(([one]) => one))),
    peer: 'without rules for private files, by CPU time',
    'peer time': ms(median(pairs.map(([, other]) => other))),
    ratio: median(pairs.map(([one, other]) => one / other)).toFixed(3),
  };
}

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
