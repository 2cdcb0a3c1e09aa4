// The output of `npm run bench -- --help`: the groups, the size of their data, and how long each took the last time.
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from './data.mjs';

const TIMES = join(folder, 'times.json');

/** `groups`: name → { about }. */
export function help(groups) {
  const times = timesKnown();
  const rows = Object.entries(groups).map(([name, { about }]) => {
    const took = ['full', 'quick'].flatMap((how) => times[`${name} ${how}`] ?? []);
    return `  ${name.padEnd(12)}${about}${took.length > 0 ? ` (here: ${took.join(', ')})` : ''}`;
  });
  return [
    'npm run bench [-- GROUP… --quick --soak 30m]',
    '',
    'Measures oriel and its peers in the same run, and prints one table a group; without a GROUP all of them, one after the',
    'other. Nothing else should run meanwhile. On two idle cores all groups take about 4 minutes with --quick; in full a',
    'group takes half a minute to 5 minutes, map and load longer. Behind a group that has run stands what it took here.',
    '',
    ...rows,
    '',
    `Everything is written below ${folder} (${sizeOf(folder)} now): data of up to 1 GB a file, and 10 GB sparse ones, made`,
    'once and used again, and peers from npm.',
    '',
    '  --quick     little data, few rounds, and only peers that are installed already',
    '  --soak 30m  how long the soak of the group load runs',
    '  --list      the names of the groups alone',
    '  --clean     remove all that was written, and measure nothing',
    '',
  ].join('\n');
}

export function clean() {
  const size = sizeOf(folder);
  rmSync(folder, { recursive: true, force: true });
  return `Removed ${folder} (${size}).`;
}

/** Stores how long a group took, for the next `--help`. */
export function keepTime(group, isQuick, ms) {
  const how = isQuick ? 'quick' : 'full';
  const minutes = ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
  writeFileSync(TIMES, JSON.stringify({ ...timesKnown(), [`${group} ${how}`]: `${how} ${minutes}` }));
}

function timesKnown() {
  try {
    return JSON.parse(readFileSync(TIMES, 'utf8'));
  } catch {
    return {};
  }
}

/** The bytes on disk, which for a sparse file are those of its blocks. */
function sizeOf(path) {
  const bytes = existsSync(path) ? stored(path) : 0;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

function stored(path) {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.blocks * 512;
  return readdirSync(path).reduce((sum, name) => sum + stored(join(path, name)), 0);
}
