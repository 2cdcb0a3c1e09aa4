/** What may have become of a file since it was read a moment ago. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isLocalPath } from '../../src/files/mounts.ts';
import { codeOf, SECRET, workspace } from '../support/workspace.ts';

/** So that its head is in memory. */
async function readTwice(of: ReturnType<typeof workspace>, path: string): Promise<void> {
  for (let i = 0; i < 2; i += 1) expect(codeOf(await of.read(path))).toBe('OK');
}

test('a replacement of the same length and time is read', async () => {
  const of = workspace();
  const [first, second] = [of.write('d/f', 'one\n'), of.write('d/g', 'two\n')];
  const then = new Date(1_700_000_000_000);
  for (const path of [first, second]) utimesSync(path, then, then);
  await readTwice(of, 'd/f');
  renameSync(second, first);
  expect(await of.text('d/f')).toBe('1|two\n');
});

test('new content with the old length and time is read', async () => {
  const of = workspace();
  const full = of.write('d/f', 'one\n');
  const then = new Date(1_700_000_000_000);
  utimesSync(full, then, then);
  await readTwice(of, 'd/f');
  writeFileSync(full, 'two\n');
  utimesSync(full, then, then);
  expect(await of.text('d/f')).toBe('1|two\n');
});

test.each<[string, string, (W: string, O: string) => void]>([
  ['a FIFO', 'NOT_REGULAR', (W) => execFileSync('mkfifo', [join(W, 'd/f')])],
  ['a link that leads out', 'OUTSIDE_ROOT', (W, O) => symlinkSync(join(O, 'secret.txt'), join(W, 'd/f'))],
  ['a directory', 'OK', (W) => mkdirSync(join(W, 'd/f'))],
  ['nothing', 'NOT_FOUND', () => undefined],
])('the file gives way to %s', async (_what, code, make) => {
  const of = workspace();
  const full = of.write('d/f', 'one\n');
  await readTwice(of, 'd/f');
  rmSync(full);
  make(of.W, of.O);
  const answer = await of.read('d/f');
  expect(codeOf(answer)).toBe(code);
  expect(JSON.stringify(answer)).not.toContain(SECRET);
});

test.each([[''], ['d/e/']])('its directory (%j below the root) becomes a link outside', async (above) => {
  const of = workspace();
  of.write(`${above}d/secret.txt`, 'one\n');
  await readTwice(of, `${above}d/secret.txt`);
  renameSync(join(of.W, `${above}d`), join(of.O, 'moved'));
  symlinkSync(of.O, join(of.W, `${above}d`));
  for (const path of ['d/secret.txt', 'd/moved/secret.txt']) {
    const answer = await of.read(above + path);
    expect(codeOf(answer)).toBe('OUTSIDE_ROOT');
    expect(JSON.stringify(answer)).not.toContain(SECRET);
  }
});

test('too long a directory path is refused; nothing stays open', async () => {
  const of = workspace();
  const name = 'n'.repeat(200);
  onTestFinished(() => void execFileSync('rm', ['-rf', name], { cwd: of.W }));
  const deep = Array.from({ length: 19 }, () => name).join('/');
  const script = `const fs = require('fs');
    for (let i = 0; i < 23; i += 1) { fs.mkdirSync('${name}'); process.chdir('${name}'); }
    fs.writeFileSync('f', 'one')`;
  execFileSync(process.execPath, ['-e', script], { cwd: of.W });
  symlinkSync(deep, join(of.W, 'l'));
  const path = `l/${name}/${name}/${name}/${name}/f`;
  const code = codeOf(await of.read(path));
  const before = readdirSync('/proc/self/fd').length;
  for (let i = 0; i < 20; i += 1) expect(codeOf(await of.read(path))).toBe(code);
  expect(code).toBe('NAME_TOO_LONG');
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(before + 10);
});

test('thousands of threadless reads let the event loop turn', { tags: 'slow' }, async () => {
  const { W, write, oriel } = workspace();
  write('f', 'one\n');
  const read = oriel.tool('read');
  await read.run({ path: 'f' });
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 1_500 }, () => read.run({ path: 'f' })));
  counting = false;
  if (isLocalPath(W)) expect(turns).toBeGreaterThan(3);
});
