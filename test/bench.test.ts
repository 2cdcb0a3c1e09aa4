/**
 * What `npm run bench` says of itself. What it measures runs with `npm run bench -- --quick`.
 *
 * @module-tag slow
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from './support/commands.ts';

const RUN = fileURLToPath(new URL('../bench/run.mjs', import.meta.url));

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

function bench(...words: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [RUN, ...words], { cwd, encoding: 'utf8' });
  return { stdout, stderr, status };
}

test('lists its groups, explains each, and writes nothing', () => {
  const { stdout, status } = bench('--list');
  const groups = stdout.trim().split('\n');
  expect(status).toBe(0);
  expect(groups.length).toBeGreaterThan(10);
  const help = bench('--help').stdout;
  for (const group of groups) expect(help).toMatch(new RegExp(`^  ${group} +\\w`, 'm'));
  expect(help).toContain(`Everything is written below ${join(cwd, '.bench')} (0 MB now)`);
  expect(existsSync(join(cwd, '.bench'))).toBe(false);
});

test('the package script builds nothing for --help, --list and --clean', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { bench: string } };
  const [, ...words] = scripts.bench.split(' ').slice(1);
  expect(scripts.bench).toMatch(/^node bench\/run\.mjs /);
  for (const asked of ['--help', '--list', '--clean']) {
    expect(bench(...words, asked), asked).toMatchObject({ stderr: '', status: 0 });
    expect(existsSync(join(cwd, '.build')) || existsSync(join(cwd, 'dist'))).toBe(false);
  }
});

test('its help names only options that it takes', () => {
  const { stdout } = bench('--help');
  const source = readFileSync(RUN, 'utf8');
  for (const [, option = ''] of stdout.matchAll(/^ {2}--([a-z]+)/gm)) {
    expect(source).toMatch(new RegExp(`\\b${option}: (?:flag|\\{ (?:type|\\.\\.\\.flag))`));
  }
});

test('removes what it has written, and nothing else', () => {
  mkdirSync(join(cwd, '.bench'));
  writeFileSync(join(cwd, '.bench/data.bin'), Buffer.alloc(2_000_000, 1));
  writeFileSync(join(cwd, 'mine.txt'), 'mine');
  expect(bench('--clean')).toMatchObject({ stdout: `Removed ${join(cwd, '.bench')} (2 MB).\n`, status: 0 });
  expect(existsSync(join(cwd, '.bench'))).toBe(false);
  expect(existsSync(join(cwd, 'mine.txt'))).toBe(true);
});

test.each([
  [['nonsense'], /^There is no group nonsense\. Use one of read, /],
  [['--soak', 'long'], /^long is not a time\. Use --soak 30m\.$/m],
  [['--fast'], /^Unknown option '--fast'\. Use npm run bench -- --help\.$/m],
  [['read'], /^Nothing is built\. Use npm run build first\.$/m],
])('%j is refused with a call that works', (words, said) => {
  const { stderr, status } = bench(...words);
  expect(stderr).toMatch(said);
  expect(status).toBe(2);
});
