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

/** `which`: whether it is the first call (`cold`) or a later one (`warm`) that is compared. */
function row(what, size, which, mine, peer, theirs) {
  const theirTime = theirs[which];
  return {
    what,
    size,
    oriel: ms(mine[which]),
    peer,
    'peer time': theirTime === undefined ? theirs.failure?.slice(0, 60) : ms(theirTime),
    ratio: ratio(mine[which], theirTime),
    'oriel memory': mb(mine.mb),
    'peer memory': mb(theirs.mb),
  };
}

export async function rows() {
  const table = [];
  const add = (...facts) => table.push(row(...facts));
  const [bare, start] = pairOfProcesses(
    [process.execPath, ['-e', '0']],
    [process.execPath, [cli, 'read', 'package.json:1..3']],
    11,
  );
  table.push({ what: `start: oriel read, above bare Node (${ms(bare)})`, oriel: ms(start - bare) });
  const path = resolve('package.json');
  const read = insideProcess('bare-read', { input: { path }, repeat: 2_000 });
  const small = ours(`${path}:1..20`, { repeat: 2_000 });
  add('small read in process, 2,000 in a row', '20 lines', 'warm', small, 'bare open, read, close', read);
  for (const [size, path, line] of sizes) {
    const range = `${line}..${line + 100}`;
    // Every call counts again, compared with a whole `wc`; both read from the page cache.
    const count = ours(`${path}:1..1`, { fresh: true, repeat: 9 });
    const [wc] = pairOfProcesses(['wc', ['-l', path]], ['true', []]);
    add('count all lines, nothing known before', size, 'warm', count, 'wc -l', { warm: wc });
    const [page, sed] = pairOfProcesses(
      [process.execPath, [cli, 'read', `${path}:${range}`]],
      ['sed', ['-n', `${line},${line + 100}p;${line + 100}q`, path]],
    );
    const warm = ours(`${path}:${range}`);
    const cold = { cold: page, mb: warm.mb };
    add(`cold page at line ${line}, whole process`, size, 'cold', cold, 'sed', { cold: sed });
    const theirs = pi(path, { offset: line, limit: 100 });
    add(`warm page at line ${line}`, size, 'warm', warm, 'pi read', theirs);
    const head = fs(path, { head: 1000 });
    add('first page, again', size, 'warm', ours(path), 'server-filesystem head', head);
    const tail = fs(path, { tail: 100 });
    add('last 100 lines, again', size, 'warm', ours(`${path}:-100`), 'server-filesystem tail', tail);
  }
  const huge = sparse('10gb.sparse', 10_000 * MB);
  const offset = Math.floor(10_000 * MB * 0.9);
  for (const [what, selector, peer, theirs] of [
    ['first page', '', 'server-filesystem head', fs(huge, { head: 1000 })],
    ['last 100 lines', ':-100', 'server-filesystem tail', fs(huge, { tail: 100 })],
    ['byte window at 90 %', `:@${offset}+64K`, 'pi read', pi(huge)],
  ]) {
    const mine = ours(huge + selector);
    for (const [when, which] of [
      ['first call', 'cold'],
      ['again', 'warm'],
    ])
      add(`${what}, above countBytes, ${when}`, '10 GB sparse', which, mine, peer, theirs);
  }
  return table;
}
