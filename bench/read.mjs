// Windows over files of 10 MB to 10 GB, compared with wc, sed, server-filesystem and pi's read tool.
import { resolve } from 'node:path';
import { log, sparse } from './lib/data.mjs';
import { cli, insideProcess, pairOfProcesses } from './lib/process.mjs';
import { newerNode } from './lib/peers.mjs';
import { quick } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

const ours = (path, options = {}) => insideProcess('ours', { input: { path }, repeat: 25, ...options });
const fs = (path, input, tool = 'read_text_file') =>
  insideProcess('server-filesystem', { tool, input: { path, ...input }, repeat: 3 });
const pi = (path, input = {}) => insideProcess('pi', { input: { path, ...input }, repeat: 3 }, newerNode());

const MB = 1_000_000;
const sizes = [
  ['10 MB', log('10mb.log', 10 * MB), 100_000],
  ...(quick
    ? []
    : [
        ['100 MB', log('100mb.log', 100 * MB), 1_000_000],
        ['1 GB', log('1gb.log', 1000 * MB), 10_000_000],
      ]),
];

function row(what, size, mine, peer, theirs, why) {
  return {
    what,
    size,
    oriel: ms(mine.ms),
    peer,
    'peer time': theirs?.ms === undefined ? (why ?? theirs?.failure?.slice(0, 60)) : ms(theirs.ms),
    ratio: theirs?.ms === undefined ? undefined : ratio(mine.ms, theirs.ms),
    'oriel memory': mb(mine.mb),
    'peer memory': mb(theirs?.mb),
  };
}

const timed = (measured, which) => ({ ...measured, ms: measured[which] });

export async function rows() {
  const table = [];
  const [bare, start] = pairOfProcesses(
    [process.execPath, ['-e', '0']],
    [process.execPath, [cli, 'read', 'package.json:1..3']],
    11,
  );
  table.push({ what: `start: oriel read, above bare Node (${ms(bare)})`, oriel: ms(start - bare) });
  const small = { input: { path: resolve('package.json') + ':1..20' }, repeat: 2_000 };
  const bareRead = { ...small, input: { path: resolve('package.json') } };
  table.push(
    row(
      'small read in process, 2,000 in a row',
      '20 lines',
      timed(insideProcess('ours', small), 'warm'),
      'bare open, read, close',
      timed(insideProcess('bare-read', bareRead), 'warm'),
    ),
  );
  for (const [size, path, line] of sizes) {
    const range = `${line}..${line + 100}`;
    // Every call counts again, compared with a whole `wc`; both read from the page cache.
    const count = ours(`${path}:1..1`, { fresh: true, repeat: 9 });
    const [wc] = pairOfProcesses(['wc', ['-l', path]], ['true', []]);
    table.push(row('count all lines, nothing known before', size, timed(count, 'warm'), 'wc -l', { ms: wc }));
    const [page, sed] = pairOfProcesses(
      [process.execPath, [cli, 'read', `${path}:${range}`]],
      ['sed', ['-n', `${line},${line + 100}p;${line + 100}q`, path]],
    );
    table.push(
      row(
        `cold page at line ${line}, whole process`,
        size,
        { ms: page, mb: ours(`${path}:${range}`).mb },
        'sed',
        { ms: sed },
      ),
    );
    const warm = ours(`${path}:${range}`);
    table.push(
      row(
        `warm page at line ${line}`,
        size,
        timed(warm, 'warm'),
        'pi read',
        timed(pi(path, { offset: line, limit: 100 }), 'warm'),
      ),
    );
    table.push(
      row(
        'first page, again',
        size,
        timed(ours(path), 'warm'),
        'server-filesystem head',
        timed(fs(path, { head: 1000 }), 'warm'),
      ),
    );
    table.push(
      row(
        'last 100 lines, again',
        size,
        timed(ours(`${path}:-100`), 'warm'),
        'server-filesystem tail',
        timed(fs(path, { tail: 100 }), 'warm'),
      ),
    );
  }
  const huge = sparse('10gb.sparse', 10_000 * MB);
  const offset = Math.floor(10_000 * MB * 0.9);
  const cases = [
    ['first page', `${huge}`, 'server-filesystem head', () => fs(huge, { head: 1000 })],
    ['last 100 lines', `${huge}:-100`, 'server-filesystem tail', () => fs(huge, { tail: 100 })],
    ['byte window at 90 %', `${huge}:@${offset}+64K`, 'pi read', () => pi(huge)],
  ];
  for (const [what, path, peer, theirs] of cases) {
    const mine = ours(path);
    const other = theirs();
    table.push(
      row(
        `${what}, above countBytes, first call`,
        '10 GB sparse',
        timed(mine, 'cold'),
        peer,
        timed(other, 'cold'),
      ),
    );
    table.push(
      row(
        `${what}, above countBytes, again`,
        '10 GB sparse',
        timed(mine, 'warm'),
        peer,
        timed(other, 'warm'),
      ),
    );
  }
  return table;
}
