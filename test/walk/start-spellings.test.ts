import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { place } from '../support/dialect.ts';

const spelled = ['@my src', '"my src"', "'my src/'", 'my\\ src', './my src', 'x/../my src'];

test.each(spelled)('grep, find and ls start at %j, showing real paths', async (path) => {
  const { write, call } = place('oriel');
  write('my src/a.txt', 'needle\n');
  write('x/b.txt', 'b');
  expect((await call('grep', { pattern: 'needle', path })).text).toBe('my src/a.txt:1: needle');
  expect((await call('find', { pattern: '*', path })).text).toBe('my src/a.txt');
  expect((await call('ls', { path })).text).toBe('a.txt');
});

test.each(['@d/a.txt', '"d/a.txt"', 'd\\a.txt', './d/a.txt'])('grep in the file %j', async (path) => {
  const { write, call } = place('oriel');
  const url = pathToFileURL(write('d/a.txt', 'needle\n')).href;
  for (const typed of [path, url])
    expect((await call('grep', { pattern: 'needle', path: typed })).text).toBe('d/a.txt:1: needle');
});

test('a file with exactly that name takes precedence', async () => {
  const { write, call } = place('oriel');
  write('a.txt', 'needle\n');
  write('@a.txt', 'needle\n');
  expect((await call('grep', { pattern: 'needle', path: '@a.txt' })).text).toBe('@a.txt:1: needle');
});

test.each([
  ['src/*.ts', 'path=src with the glob *.ts'],
  ['**/*.ts', 'path=. with the glob **/*.ts'],
  ['/srv/*.ts', 'path=/srv with the glob *.ts'],
])('a glob as path, %s, suggests the fields for it', async (path, use) => {
  const { write, call } = place('oriel', { roots: [] });
  write('src/a.ts', 'needle\n');
  expect((await call('grep', { pattern: 'needle', path })).text).toBe(
    `${path} does not exist; a glob is a field of its own. Use ${use}.`,
  );
});
