/** Homes that are not there, few descriptors, and directories mounted inside a root. */

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { expect } from 'vitest';
import { mayMount } from '../../../support/has.ts';
import { type Case, read } from '../case.ts';

export const surroundings: readonly Case[] = [
  {
    id: 'C07',
    title: 'no home, no temporary directory and no cache',
    own: ({ base }) => ({
      env: { HOME: `${base}/no/home`, TMPDIR: `${base}/no/tmp`, XDG_CACHE_HOME: `${base}/no/cache` },
    }),
    steps: [read('plain.txt', { is: '1|still served\n' })],
  },
  {
    id: 'C08',
    title: 'a hundred reads at once with 64 descriptors',
    // Over HTTP each of them takes a descriptor before it is looked at.
    ways: ['library', 'cli', 'mcp-stdio'],
    own: () => ({ before: ['prlimit', '--nofile=64:64'] }),
    async run(door) {
      const count = door.pid === undefined ? 2 : 100;
      const replies = await Promise.all(
        Array.from({ length: count }, () => door.call('read', { path: 'plain.txt' })),
      );
      for (const reply of replies) expect(['OK', 'BUSY']).toContain(reply?.code);
    },
    if: spawnSync('prlimit', ['--version']).status === 0,
  },
  {
    id: 'P44',
    title: 'a directory that is mounted inside the root: readable, as documented',
    make({ W, O }) {
      fs.mkdirSync(`${W}/m`);
      fs.writeFileSync(`${O}/mounted.txt`, 'mounted\n');
    },
    own: ({ W, O }) => ({
      before: ['unshare', '-rm', 'sh', '-c', `mount --bind ${O} ${W}/m && exec "$0" "$@"`],
    }),
    steps: [read('m/mounted.txt', { is: '1|mounted\n' })],
    if: mayMount(),
  },
];
