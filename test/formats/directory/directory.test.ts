import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOriel } from '../../../src/index.ts';
import { withoutLag } from '../../support/lag.ts';
import { nextOf, textOf, workspace, type Workspace } from '../../support/workspace.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 2);

/** Gives entries ages in hours. */
function aged({ W }: Workspace, ages: Record<string, number>): void {
  for (const [path, hours] of Object.entries(ages)) {
    const time = new Date(NOW - hours * HOUR);
    utimesSync(join(W, path), time, time);
  }
}

const now = (): number => NOW;

test('two levels, newest first, with sizes and ages', async () => {
  const space = workspace();
  space.write('b.txt', 'x'.repeat(2048));
  space.write('a/deep/deeper/file', '');
  space.write('a/c', '12');
  space.write('d/e', '');
  aged(space, { 'a/deep': 30, 'a/c': 3, 'd/e': 1, d: 5, a: 2, 'b.txt': 24 * 20 });
  expect(await space.text('.', { now })).toBe(
    'a/  2h\n  c  2 B  3h\n  deep/  1d\nd/  5h\n  e  0 B  1h\nb.txt  2 KiB  2w\n',
  );
});

test('entries of equal age are sorted by name', async () => {
  const space = workspace();
  for (const name of ['b', 'a', 'B', 'é', '10', '9']) space.write(name, '');
  aged(space, { b: 1, a: 1, B: 1, é: 1, 10: 1, 9: 1 });
  expect((await space.text('.', { now })).match(/^\S+/gm)).toEqual(['10', '9', 'B', 'a', 'b', 'é']);
});

test('a fresh clone begins with what one reads first', async () => {
  const space = workspace();
  const order = [
    'README.md',
    'src',
    'package.json',
    'LICENSE',
    'docs',
    '.ci',
    '.gitignore',
    'package-lock.json',
  ];
  order.push('tsconfig.build.json', 'vite.config.ts');
  for (const name of order)
    space.write(name === 'docs' || name === 'src' || name === '.ci' ? `${name}/x` : name, '');
  // A clone takes a while: the last name is the newest.
  const seconds = order.toSorted().map((name, i) => [name, 1 - i / 3_600] as const);
  aged(space, Object.fromEntries(seconds));
  const listed = async (): Promise<string[]> =>
    (await space.text('.', { now })).match(/^[^\s/]+/gm)?.slice() ?? [];
  expect(await listed()).toEqual(order);
  aged(space, { 'vite.config.ts': 0.5 });
  expect((await listed())[0]).toBe('vite.config.ts');
});

test('what tools wrote comes last, however new', async () => {
  const space = workspace();
  space.write('.gitignore', 'node_modules/\n*.log\n');
  for (const path of ['.git/index', 'node_modules/x', 'src/a.ts', 'build.log']) space.write(path, '');
  aged(space, { '.gitignore': 9, src: 9, 'build.log': 1, '.git': 0, node_modules: 0 });
  expect((await space.text('.', { now })).match(/^\S+/gm)).toEqual([
    'build.log',
    'src/',
    '.gitignore',
    'node_modules/',
    '.git/',
  ]);
});

test('shows twelve entries of each subfolder, all of the root', async () => {
  const space = workspace();
  const names = Array.from({ length: 15 }, (_, i) => `f${String(i).padStart(2, '0')}`);
  for (const name of names) {
    space.write(`d/${name}`, '');
    space.write(name, '');
  }
  aged(space, Object.fromEntries([...names, ...names.map((name) => `d/${name}`)].map((name) => [name, 1])));
  aged(space, { d: 0 });
  const lines = (await space.text('.', { now })).trimEnd().split('\n');
  expect(lines.slice(0, 14)).toEqual([
    'd/  now',
    ...names.slice(0, 12).map((name) => `  ${name}  0 B  1h`),
    '  … 3 more. Use d for all',
  ]);
  expect(lines.slice(14)).toEqual(names.map((name) => `${name}  0 B  1h`));
});

test('hidden, ignored and special entries are marked, ignored never entered', async () => {
  const space = workspace();
  space.write('.gitignore', 'build/\n*.log\n!keep.log\n');
  space.write('.git/config', '');
  space.write('build/out', '');
  space.write('x.log', '');
  space.write('keep.log', '');
  space.write('sub/.gitignore', 'own\n');
  space.write('sub/own', '');
  symlinkSync('keep.log', `${space.W}/link`);
  symlinkSync('nowhere', `${space.W}/dangling`);
  execFileSync('mkfifo', [`${space.W}/pipe`]);
  const lines = (await space.text('.')).trimEnd().split('\n').toSorted();
  expect(lines.map((line) => line.replace(/ {2}(\d+ B {2})?now/, ''))).toEqual([
    '  .gitignore  (hidden)',
    '  own  (ignored)',
    '.git/  (hidden)',
    '.gitignore  (hidden)',
    'build/  (ignored)',
    'dangling -> nowhere',
    'keep.log',
    'link -> keep.log',
    'pipe  (FIFO)',
    'sub/',
    'x.log  (ignored)',
  ]);
});

test('an empty directory, and windows over a listing', async () => {
  const space = workspace();
  expect(await space.text('.')).toBe('(empty directory)\n');
  for (let i = 0; i < 9; i += 1) space.write(`f${i}`, '');
  aged(space, Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, 1])));
  expect(await space.text('.:2-3', { now })).toBe('f1  0 B  1h\nf2  0 B  1h\n');
  expect(await space.text('.:8', { now })).toBe('f7  0 B  1h\nf8  0 B  1h\n');
  expect(await space.text('/', { now, limits: { lines: 2 } })).toBe(
    'f0  0 B  1h\nf1  0 B  1h\n[Showing lines 1-2 of 9. Use .:3.. to continue]',
  );
});

test('a large directory is bounded and paged to its end', { tags: 'slow' }, async () => {
  const space = workspace();
  const names = Array.from(
    { length: 5000 },
    (_, i) => `a-file-with-a-rather-long-name-${String(i).padStart(4, '0')}`,
  );
  for (const name of names) space.write(name, '');
  aged(space, Object.fromEntries(names.map((name) => [name, 1])));
  const found: string[] = [];
  for (let path: string | undefined = '.'; path !== undefined;) {
    const answer = await space.read(path, { now });
    expect(Buffer.byteLength(textOf(answer))).toBeLessThan(52_300);
    found.push(...(textOf(answer).match(/^a-file\S+/gm) ?? []));
    path = nextOf(answer);
  }
  expect(found).toEqual(names);
});

test.skipIf(process.platform !== 'linux')('kernel file systems are listed and not entered', async () => {
  const oriel = createOriel({ cwd: '/', roots: ['/'], limits: { bytes: 1 << 20, lines: 10_000 } });
  const listed = textOf(await oriel.tool('read').run({ path: '/' }));
  await oriel.close();
  expect(listed).toMatch(/^(?:\d+\|)?proc\/ /m);
  expect(listed).not.toContain('cpuinfo');
  expect(listed).not.toContain('Use /proc for all');
});

test('a long .gitignore counts whole; one too long is reported', async () => {
  const space = workspace();
  const filler = 'nothing-of-that-name\n'.repeat(1_000);
  space.write('.gitignore', `/a/\n*.log\n${filler}!/a/\n${filler}!keep.log\n`);
  space.write('a/in.txt', '');
  space.write('x.log', '');
  space.write('keep.log', '');
  space.write('sub/.gitignore', `${filler.repeat(4)}own\n`);
  space.write('sub/own', '');
  const listed = await space.text('.');
  expect(listed.match(/^ *\S+(?=.*ignored)/gm)).toEqual(['x.log']);
  expect(listed.match(/^ *…/gm)).toEqual(['  …']);
  space.write('.gitignore', `*.log\n${filler.repeat(4)}`);
  expect((await space.text('.')).match(/^ *….*not used/gm)).toHaveLength(2);
});

test('slow rules do not block other calls', { tags: 'slow' }, async () => {
  const space = workspace();
  const read = space.with({ timeoutMs: 300_000 }).tool('read');
  const listed = async (): Promise<string> => textOf(await withoutLag(() => read.run({ path: deep })));
  const many = '*1a*[x-z]\n'.repeat(2_000);
  const one = `${'*1a*[x-z]'.repeat(7_000)}\n`;
  const deep = 'd/d/d/d';
  for (const at of ['', 'd/', 'd/d/', 'd/d/d/', `${deep}/`]) space.write(`${at}.gitignore`, many);
  mkdirSync(join(space.W, '.git'));
  for (let i = 0; i < 20; i += 1) space.write(`${deep}/${`${i}1a`.padStart(250, '1a')}`, '');
  const [front] = (await listed()).split('\n');
  expect(front).toContain('1a');
  space.write(`${deep}/.gitignore`, one);
  await listed();
});

test('an unknown directory selector is answered with the valid ones', async () => {
  const { write, read } = workspace();
  write('src/a.ts', '');
  expect(textOf(await read('src:Store'))).toBe(
    ':Store is not a selector of src. Use src alone, or followed by :outline, a symbol below it (:#name, :#name:refs), ' +
      'or lines of the listing (:50-100, :raw).',
  );
});
