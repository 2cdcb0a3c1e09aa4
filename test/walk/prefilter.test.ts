/** Which files the prefilter skips. */

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { PatternPrefilter } from '../../src/walk/read-texts.ts';
import { textOf, workspace } from '../support/workspace.ts';

const needle = (): PatternPrefilter => new PatternPrefilter(Buffer.from('needle'));

test('skips only whole files that cannot contain the needle', () => {
  const { W, O, write } = workspace();
  const passed: Record<string, string | Buffer> = {
    'a-none.txt': 'nothing\n',
    'b-part.txt': 'need',
    'd-long.txt': 'x'.repeat(70_001),
    'e-zeros.bin': Buffer.concat([Buffer.from('x'), Buffer.alloc(5_000)]),
  };
  const left: Record<string, string | Buffer> = {
    'f-found.txt': 'a needle\n',
    'g-found.txt': `${'x'.repeat(9_000)}needle`,
    'h-utf8.txt': Buffer.from('\ufeffneedle\n'),
    'i-utf16.txt': Buffer.from('\ufeffneedle\n', 'utf16le'),
    'j-utf16be.txt': Buffer.from('\ufeffneedle\n', 'utf16le').swap16(),
    'j-unmarked.txt': Buffer.from('no mark, needle\n', 'utf16le'),
    'k-utf32be.txt': Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x6e]),
    'l-pages.txt': 'x'.repeat(8_192),
    'm-large.txt': 'x'.repeat((1 << 20) + 1),
    'n-empty.txt': '',
  };
  for (const [name, content] of Object.entries({ ...passed, ...left })) write(name, content);
  execFileSync('mkfifo', [`${W}/o-pipe`]);
  fs.mkdirSync(`${W}/p-directory`);
  fs.symlinkSync(`${O}/secret.txt`, `${W}/q-link`);
  const irregular = ['o-pipe', 'p-directory', 'q-link', 'r-gone'];
  const names = [...Object.keys({ ...passed, ...left }), ...irregular].toSorted();
  expect(needle().filter(W, names)).toEqual([...Object.keys(left), ...irregular].toSorted());
});

test('a hit across two files keeps the first, hides none', () => {
  const { W, write } = workspace();
  write('a.txt', 'need');
  write('b.txt', 'le needle');
  write('c.txt', 'nee');
  write('d.txt', 'dle');
  write('e.txt', 'needle');
  expect(needle().filter(W, ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'])).toEqual([
    'a.txt',
    'b.txt',
    'c.txt',
    'e.txt',
  ]);
});

test('files that fill more than one buffer', () => {
  const { W, write } = workspace();
  const names = Array.from({ length: 60 }, (_, i) => `f${100 + i}.txt`);
  for (const [i, name] of names.entries())
    write(name, `${'x'.repeat(50_001)}${i % 13 === 5 ? 'needle' : ''}`);
  expect(needle().filter(W, names)).toEqual(names.filter((_, i) => i % 13 === 5));
});

test('is not worthwhile when most files remain', () => {
  const { W, write } = workspace();
  write('with.txt', 'needle');
  write('none.txt', 'x');
  const prefilter = needle();
  prefilter.filter(
    W,
    Array.from({ length: 63 }, () => 'with.txt'),
  );
  expect(prefilter.isWorthwhile).toBe(true);
  prefilter.filter(W, ['with.txt']);
  expect(prefilter.isWorthwhile).toBe(false);
  const other = needle();
  other.filter(
    W,
    Array.from({ length: 400 }, (_, i) => (i % 5 === 0 ? 'with.txt' : 'none.txt')),
  );
  expect(other.isWorthwhile).toBe(true);
});

test('a literal search finds every encoding among thousands of files', async () => {
  const { W, write, oriel } = workspace();
  for (let i = 0; i < 1_200; i += 1) write(`d${i % 7}/f${1000 + i}.txt`, `nothing ${i}\n`);
  write('d0/a.txt', Buffer.from('\ufeffa needle\n', 'utf16le'));
  write('d1/é.txt', 'a needle\n');
  write('d2/z.txt', `${'x\n'.repeat(4_093)}a needle\n`);
  write('d3/binary.bin', Buffer.concat([Buffer.from('needle'), Buffer.alloc(9)]));
  fs.symlinkSync(`${W}/d2/z.txt`, `${W}/d4/link.txt`);
  const answer = await oriel.tool('grep').run({ pattern: 'a needle' });
  expect(textOf(answer)).toBe('d0/a.txt:1: a needle\nd1/é.txt:1: a needle\nd2/z.txt:4094: a needle');
});
