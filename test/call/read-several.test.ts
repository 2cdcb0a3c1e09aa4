import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeOf, textOf, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

const lines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `${name}${i + 1}\n`).join('');

test('two paths in one string, with selectors on each', { tags: 'slow' }, async () => {
  const { write, text } = workspace();
  write('a.ts', lines('a', 3));
  write('src/b.ts', lines('b', 30));
  write('c.zip', zip([{ name: 'd,e.txt', content: 'd\n' }]));
  expect(await text('a.ts,src/b.ts:2..3')).toBe(
    '==> a.ts <==\n1|a1\n2|a2\n3|a3\n==> src/b.ts:2..3 <==\n2|b2\n3|b3\n',
  );
  expect(await text('a.ts:1..1,3..3:raw, src/b.ts:-1')).toBe(
    '==> a.ts:1..1,3..3:raw <==\na1\na3\n==> src/b.ts:-1 <==\n30|b30\n',
  );
  expect(await text('a.ts:2..2,c.zip')).toBe('==> a.ts:2..2 <==\n2|a2\n==> c.zip <==\nd,e.txt (2 B)\n');
});

test('paths in headers are canonical, whatever was typed', async () => {
  const { W, write, text } = workspace();
  write('a.ts', lines('a', 3));
  write('src/b.ts', lines('b', 3));
  expect(await text(`${W}/a.ts:1..1,./src/b.ts:2..2:raw`)).toBe(
    '==> a.ts:1..1 <==\n1|a1\n==> src/b.ts:2..2:raw <==\nb2\n',
  );
  expect(await text('src/../a.ts,@src/b.ts#L2-L2')).toMatch(/^==> a\.ts <==\n[^]*==> src\/b\.ts:\S+ <==\n/);
});

test('a list stays one though `..` would cancel its start', { tags: 'slow' }, async () => {
  const { write, text, read, oriel } = workspace();
  for (const name of ['aa.ts', 'src/a.ts', 'x,y/a.ts']) write(name, `${name}\n`);
  write('bb.ts', 'found\n');
  for (const first of ['./aa.ts', 'aa.ts', 'src/../aa.ts']) {
    for (const between of [',', ', ', ';', '|', ' ']) {
      for (const second of ['src/../bb.ts', './src/../bb.ts']) {
        expect(await text(`${first}${between}${second}`)).toMatch(/^==> .*\n1\|aa\.ts\n==> .*\n1\|found\n$/);
      }
    }
  }
  expect(await text('x,y/../bb.ts')).toBe('1|found\n');
  expect(codeOf(await read('zz.ts,src/../bb.ts'))).toBe('NOT_FOUND');
  expect(textOf(await oriel.tool('grep').run({ pattern: '.', path: 'aa.ts,src/../bb.ts' }))).toMatch(
    /aa.ts[^]*found/,
  );
});

test('the limit of paths also limits archive members', { tags: 'slow' }, async () => {
  const { write, text } = workspace();
  write('c.zip', zip([{ name: 'd.txt', content: 'd\n' }]));
  const paths = Array.from({ length: 20 }, () => 'c.zip:d.txt');
  expect(await text(paths.join(','))).toBe('==> c.zip:d.txt <==\n1|d\n'.repeat(20));
});

test('a file of that exact name comes first; missing fails', async () => {
  const { write, text, read } = workspace();
  write('a,b', 'whole\n');
  write('a', 'A\n');
  write('b', 'B\n');
  expect(await text('a,b')).toBe('1|whole\n');
  expect(codeOf(await read('a,'))).toBe('NOT_FOUND');
});

test.each([
  ['app.ts,zzz.ts', 'zzz.ts does not exist. Use app.ts for the other path.', 'app.ts'],
  [
    'app.ts,src/ap.ts:1..2',
    'src/ap.ts does not exist. Did you mean src/app.ts? Use app.ts for the other path.',
    'app.ts',
  ],
  [
    'scr/app.ts,app.ts',
    'scr/app.ts does not exist. Did you mean src/app.ts? Use app.ts for the other path.',
    'app.ts',
  ],
  [
    'app.ts:1-5,9,zzz.ts,src/app.ts',
    'zzz.ts does not exist. Use app.ts:1-5,9,src/app.ts for the others.',
    'app.ts:1-5,9,src/app.ts',
  ],
  ['app.ts:1-5,zzz.ts', 'zzz.ts does not exist. Use app.ts:1-5 for the other path.', 'app.ts:1-5'],
  // Of several the first is named, and the next one by the next call.
  ['x.ts,app.ts,y.ts', 'x.ts does not exist. Use app.ts for the others.', 'app.ts'],
  [
    'app.ts,/etc/zzz',
    'That path lies outside the directories that may be read. Use app.ts for the other path.',
    'app.ts',
  ],
  [
    'app.ts,src/app.ts/x.ts',
    'src/app.ts/x.ts goes through src/app.ts, which is a file. Use app.ts for the other path.',
    'app.ts',
  ],
  // The same file name elsewhere is not searched for.
  ['app.ts,deep.ts', 'deep.ts does not exist. Use app.ts for the other path.', 'app.ts'],
  // Names without an ending.
  ['Makefile,src/zz.ts', 'src/zz.ts does not exist. Use Makefile for the other path.', 'Makefile'],
  ['src/zz.ts, Makefile:1', 'src/zz.ts does not exist. Use Makefile:1 for the other path.', 'Makefile:1'],
  ['src,lib/zz.ts', 'lib/zz.ts does not exist. Use src for the other path.', 'src'],
  ['zzz.ts,yyy.ts', 'zzz.ts,yyy.ts does not exist. Use . to list the working directory.', '.'],
  ['c.zip:d, e', 'c.zip has no entry d, e. Use c.zip to list it.', 'c.zip'],
  [
    'c.zip:d, e.txt',
    'c.zip has no entry d, e.txt. Did you mean c.zip:d.txt? Use c.zip to list it.',
    'c.zip:d.txt',
  ],
])('of several paths some are missing: %j', async (path, message, next) => {
  const { write, read } = workspace();
  for (const name of ['app.ts', 'src/app.ts', 'src/in/deep.ts', 'x,y.ts', 'Makefile']) write(name, 'x\n');
  write('c.zip', zip([{ name: 'd.txt', content: 'd\n' }]));
  const answer = await read(path);
  const { next: named } = answer.details['error'] as { next?: string };
  expect([textOf(answer), named]).toEqual([message, next]);
});

test('an error of a list gives one piece of advice', async () => {
  const { W, write, text } = workspace();
  write('app.ts', 'x\n');
  symlinkSync('nowhere', join(W, 'broken.ts'));
  symlinkSync('loop.ts', join(W, 'loop.ts'));
  expect(await text('app.ts,broken.ts')).toBe(
    'broken.ts is a link to nowhere, which does not exist. Use app.ts for the other path.',
  );
  expect(await text('app.ts,loop.ts')).toBe(
    'loop.ts leads into a loop of links. Use app.ts for the other path.',
  );
  expect(await text(`app.ts,${'z'.repeat(300)}.ts`)).toBe(
    `${'z'.repeat(200)}… has a name that is too long. Use app.ts for the other path.`,
  );
});

test('a URL with a comma is not a list', async () => {
  const { write, text } = workspace();
  write('a.ts', 'x\n');
  expect(await text('nope://x,a.ts')).toMatch(/^nope:\/\/ is not read here\. /);
});

test.each([
  ['test data/x.json', 'Did you mean test-data/x.json?', 'test-data/x.json'],
  ['my.ts > out.txt', 'Did you mean my.ts?', 'my.ts'],
  ['my.ts; wc -l my.ts', 'Did you mean my.ts?', 'my.ts'],
  ['my.ts;$HOME.txt', 'Did you mean my.ts?', 'my.ts'],
  ['my.ts,zzz', 'Did you mean my.ts?', 'my.ts'],
])('a path, name or command is not a list: %s', async (path, meant, next) => {
  const { write, read } = workspace();
  for (const name of ['my.ts', 'my.ts,file.ts', 'test/a', 'test-data/x.json', 'Smith/a']) write(name, 'x\n');
  const answer = await read(path);
  expect([textOf(answer), answer.details['error']]).toMatchObject([
    `${path} does not exist. ${meant} Use . to list the working directory.`,
    { next },
  ]);
});

test('paths share a budget; each truncation names its own call', async () => {
  const { write, read } = workspace();
  write('a', lines('a', 5_000));
  write('b', lines('b', 5_000));
  write('c', lines('c', 10));
  const answer = await read('a,b,c');
  const text = textOf(answer);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50 * 1024 + 2 * 1024);
  const uses = [...text.matchAll(/Use (\S+) to continue\]/g)].map(([, use]) => use ?? '');
  expect(uses).toHaveLength(2);
  expect(answer.details['truncation']).toMatchObject({ next: uses[0], others: [uses[1]] });
  for (const [at, name] of ['a', 'b'].entries()) {
    const [, from] = /^(\w):(\d+)\.\.$/.exec(uses[at] ?? '')?.slice(1) ?? [];
    expect(text).toContain(`|${name}${Number(from) - 1}\n`);
    expect(text).not.toContain(`|${name}${from}\n`);
  }
  expect(text).toContain('10|c10\n');
  expect(answer.isError).toBe(false);
});

describe('more paths than one call reads', () => {
  const names = Array.from({ length: 30 }, (_, i) => `f${i}.txt`);
  const errorFor = (first: readonly string[]): unknown => {
    const next = first.slice(0, 20).join(',');
    const message = `At most 20 paths are read in one call. Use ${next} for the first 20, then read the others.`;
    return { code: 'LIMIT', message, next };
  };

  test.each([',', ', ', ';', '\n', ' '])('separated by %j', { tags: 'slow' }, async (separator) => {
    const { write, read, text } = workspace();
    for (const name of names) write(name, `${name}\n`);
    for (const count of [21, 30]) {
      const { details, isError } = await read(names.slice(0, count).join(separator));
      expect([isError, details['error']]).toEqual([true, errorFor(names)]);
    }
    const { next } = (await read(names.join(separator))).details['error'] as { next: string };
    expect(await text(next)).toMatch(/^==> f0\.txt <==\n[^]*==> f19\.txt <==\n1\|f19\.txt\n$/);
  });

  test('in braces', async () => {
    const { write, read } = workspace();
    for (const name of names) write(name, 'x\n');
    const braces = (count: number): string =>
      `f{${Array.from({ length: count }, (_, i) => i).join(',')}}.txt`;
    expect(codeOf(await read(braces(20)))).toBe('OK');
    for (const count of [21, 30])
      expect((await read(braces(count))).details['error']).toEqual(errorFor(names));
  });

  test('with selectors, as fields, and with commas in names', async () => {
    const { write, read, oriel } = workspace();
    for (const name of names) write(name, 'x\n');
    const ranges = names.map((name) => `${name}:1..3`);
    expect((await read(ranges.join(','))).details['error']).toEqual(errorFor(ranges));
    const { details } = await oriel.tool('read').run({ paths: names });
    expect(details['error']).toEqual(errorFor(names));
    const commas = names.map((name) => `a,${name}`);
    for (const name of commas) write(name, 'x\n');
    expect((await read(commas.join('\n'))).details['error']).toEqual({
      code: 'LIMIT',
      message: 'At most 20 paths are read in one call. Read the others in another call.',
    });
  });

  test('only if the first 20 exist', async () => {
    const { write, read } = workspace();
    for (const name of names.slice(0, 20)) write(name, 'x\n');
    expect((await read(names.join(','))).details['error']).toEqual(errorFor(names));
    expect(codeOf(await read(['none.txt', ...names].join(',')))).toBe('NOT_FOUND');
  });
});

test('a failed part gives its reason; the others are read', async () => {
  const { write, read } = workspace();
  write('a.zip', zip([{ name: 'x', content: 'x\n' }]));
  write('b', 'b\n');
  const answer = await read('a.zip:nope,b');
  const message = 'a.zip has no entry nope. Use a.zip to list it.';
  expect(textOf(answer)).toBe(`==> a.zip:nope <==\n${message}\n==> b <==\n1|b\n`);
  expect(answer.isError).toBe(false);
  const { parts, error } = answer.details as { parts: unknown[]; error?: unknown };
  expect([parts.length, parts[0], error]).toEqual([
    2,
    { error: { code: 'NOT_FOUND', message, next: 'a.zip' } },
    undefined,
  ]);
  expect(parts[1]).toMatchObject({ source: 'b', kind: 'file' });
});

/** The number of content lines of each part. */
const linesOfParts = (text: string): number[] =>
  text
    .split(/^==> .* <==\n/m)
    .slice(1)
    .map((part) => [...part.matchAll(/^\d+\|/gm)].length);

test('with too few lines the last paths are named', async () => {
  const { write, read } = workspace();
  for (const name of ['a', 'b', 'c', 'd']) write(name, lines(name, 100));
  const answer = await read('a,b,c,d', { limits: { lines: 2 } });
  const text = textOf(answer);
  expect(linesOfParts(text)).toEqual([1, 1, 0, 0]);
  expect(text).toContain('==> d <==\n[not shown: the answer is full. Use d to read it]');
  const { parts } = answer.details as { parts: { truncation: unknown }[] };
  expect(parts.map(({ truncation }) => truncation)).toMatchObject([
    { by: 'lines', next: 'a:2..' },
    { by: 'lines', next: 'b:2..' },
    { by: 'lines', next: 'c' },
    { by: 'lines', next: 'd' },
  ]);
});

test('with too few bytes the first paths are shown', async () => {
  const { write, text } = workspace();
  const names = Array.from({ length: 20 }, (_, i) => `f${i + 10}`);
  for (const name of names) write(name, lines('line', 100));
  const counts = linesOfParts(await text(names.join(','), { limits: { bytes: 2_000 } }));
  const shown = counts.filter((count) => count > 0);
  expect(shown.length).toBeGreaterThan(2);
  expect(counts).toEqual([...shown, ...Array<number>(20 - shown.length).fill(0)]);
  // The header alone is larger than the budget.
  const long = 'x'.repeat(70);
  write(long, lines('line', 100));
  expect(await text(`${long},f11`, { limits: { bytes: 64 } })).toMatch(
    /^==> x+ <==\n1\|line1\n[^]*==> f11 <==\n\[not shown: /,
  );
});

test('a limit of tokens that leaves no room is named', async () => {
  const { write, read } = workspace();
  for (const name of ['a', 'b', 'c']) write(name, lines(name, 100));
  const { details } = await read('a,b,c', { limits: { tokens: 40 } });
  const { parts } = details as { parts: unknown[] };
  expect(parts.at(-1)).toMatchObject({ source: 'c', truncation: { by: 'tokens', next: 'c' } });
});

test('a line cut by the shared budget continues there', async () => {
  const { write, read, text } = workspace();
  const long = Array.from({ length: 6_000 }, (_, i) => `${i};`).join('');
  write('one.txt', `${long}\nlast\n`);
  write('two.txt', lines('b', 5_000));
  for (const mode of ['', ':raw']) {
    const answer = await read(`one.txt${mode},two.txt`);
    const { next } = answer.details['truncation'] as { next: string };
    const shown = /^==> .*\n(?:1\|)?([^\n[]*)/.exec(textOf(answer))?.[1] ?? '';
    expect(long.startsWith(shown)).toBe(true);
    expect(next).toBe(`one.txt:1@${shown.length}..${mode}`);
    expect(textOf(answer)).toContain(`Use ${next} to continue]`);
    const number = (no: number): string => (mode === '' ? `${no}|` : '');
    expect(await text(next)).toBe(`${number(1)}${long.slice(shown.length)}\n${number(2)}last\n`);
  }
});

test('details have every call that a part names', async () => {
  const { write, read } = workspace();
  for (let i = 0; i < 14; i += 1) for (const at of ['d/x', 'd/y', 'e/z']) write(`${at}/${i}`, '');
  write('a', lines('a', 5_000));
  const { details } = await read('d,a,e');
  const { next, others } = details['truncation'] as { next: string; others: string[] };
  expect([next, ...others].toSorted()).toEqual([expect.stringMatching(/^a:\d+\.\.$/), 'd/x', 'd/y', 'e/z']);
});
