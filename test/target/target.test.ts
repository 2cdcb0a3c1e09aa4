import { symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { databaseBytes } from '../support/sqlite.ts';
import { codeOf, textOf, workspace } from '../support/workspace.ts';

describe('spellings', () => {
  test.each([
    ['@ in front', 'f', '@f'],
    ['@ in front, with a selector', 'f', '@f:1..1'],
    ['a file that is called so', '@f', '@f'],
    ['no-break space typed for a space', 'a b', 'a\u00a0b'],
    ['a screenshot with a narrow space', 'Shot at 1.02.03\u202fPM.txt', 'Shot at 1.02.03 PM.txt'],
    ['NFC typed, NFD stored', 'e\u0301.txt', '\u00e9.txt'],
    ['NFD typed, NFC stored', '\u00e9.txt', 'e\u0301.txt'],
    ['straight typed, curly stored', 'it\u2019s', "it's"],
    ['curly typed, straight stored', "it's", 'it\u2019s'],
    ['relative with dots', 'd/f', './d/../d/f'],
  ])('%s', async (_title, stored, typed) => {
    const { write, text } = workspace();
    write(stored, 'x\n');
    expect(await text(typed)).toBe('1|x\n');
  });

  test('absolute, file URL and home', async () => {
    const { write, text, read } = workspace();
    const path = write('a b:1-2', 'x\n');
    expect(await text(path)).toBe('1|x\n');
    expect(await text(pathToFileURL(path).href)).toBe('1|x\n');
    expect(await text(`${pathToFileURL(path).href}:1..1`)).toBe('1|x\n');
    expect((await read('~', { cwd: '/', roots: [] })).details['resolvedPath']).toBe(homedir());
  });

  test('a bare slash is the working directory', async () => {
    const { W, write, read } = workspace();
    write('f', '');
    expect((await read('/')).details['resolvedPath']).toBe(W);
  });
});

test('a name that breaks a notice becomes a file URL', async () => {
  const { W, write, read } = workspace();
  write('a\nb \x1b?:1', 'one\ntwo\n');
  const answer = await read('a\nb \x1b?:1', { limits: { lines: 1 } });
  const url = `file://${W}/a%0Ab%20%1B%3F:1`;
  expect(textOf(answer)).toBe(`1|one\n[Showing line 1 of 2. Use ${url}:2.. to continue]`);
  expect(textOf(await read(`${url}:2..`))).toBe('2|two\n');
});

describe('a path that does not exist', () => {
  test('a unique file with that path suffix is read', async () => {
    const { write, read } = workspace();
    write('src/deep/app.ts', 'one\ntwo\n');
    const answer = await read('deep/app.ts:2..2');
    expect(textOf(answer)).toBe(
      "[Path 'deep/app.ts' not found; resolved to 'src/deep/app.ts' via suffix match]\n2|two\n",
    );
    expect(answer.details['suffixResolution']).toEqual({ from: 'deep/app.ts', to: 'src/deep/app.ts' });
  });

  test('a selector inside a database or archive is kept', async () => {
    const { write, text } = workspace();
    write('src/deep/app.db', await databaseBytes('create table t(a); insert into t values (1)'));
    const found = "[Path 'deep/app.db' not found; resolved to 'src/deep/app.db' via suffix match]\n";
    expect(await text('deep/app.db:t:1')).toBe(`${found}a: 1\n`);
    expect(await text('deep/app.db?q=select 2 as b')).toBe(`${found}| b |\n|---|\n| 2 |\n`);
    expect(await text('deep/none.db:t:1')).toBe(
      'deep/none.db does not exist. Use . to list the working directory.',
    );
  });

  test('several candidates are listed, at most five, never guessed', async () => {
    const { write, read } = workspace();
    for (const folder of ['a', 'b', 'c', 'd', 'e', 'f']) write(`${folder}/x.ts`, '');
    const answer = await read('x.ts');
    expect(codeOf(answer)).toBe('NOT_FOUND');
    expect(textOf(answer)).toBe(
      'x.ts does not exist. Several files end in it: a/x.ts, b/x.ts, c/x.ts, d/x.ts, e/x.ts, …. Use one of them.',
    );
    expect(answer.details['error']).toMatchObject({ next: 'a/x.ts' });
  });

  test('ignored, partly named, linked and outside files do not count', async () => {
    const { W, O, write, read } = workspace();
    write('.gitignore', 'dist\n');
    write('dist/y.ts', '');
    write('src/my-y.ts', '');
    symlinkSync(O, `${W}/out`);
    for (const path of ['y.ts', 'secret.txt', `${basename(dirname(W))}/outside/secret.txt`]) {
      expect(codeOf(await read(path))).toBe('NOT_FOUND');
    }
  });
});

describe('a call that ends early', () => {
  test('cancelled before and during', async () => {
    const { write, oriel } = workspace();
    write('f', 'x\n'.repeat(1000));
    const stop = new AbortController();
    stop.abort();
    const answer = await oriel.tool('read').run({ path: 'f' }, { signal: stop.signal });
    expect([codeOf(answer), textOf(answer)]).toEqual(['CANCELLED', 'The call was cancelled.']);
    expect(codeOf(await oriel.tool('read').run({ path: 'f' }))).toBe('OK');
  });

  test('over time', async () => {
    const { write, with: walled } = workspace();
    write('f', 'x\n'.repeat(3_000_000));
    const tokens = (text: string): number => {
      const until = performance.now() + 1;
      while (performance.now() < until);
      return text.length;
    };
    const oriel = walled({ timeoutMs: 20, tokens, limits: { tokens: 1e9, bytes: 1e9, lines: 1e9 } });
    const answer = await oriel.tool('read').run({ path: 'f' });
    expect([codeOf(answer), textOf(answer)]).toEqual([
      'TIMEOUT',
      'The call took longer than 0.02 seconds and was ended. Use a smaller window, such as the byte window :@0+64K of a file.',
    ]);
  });
});
