import { expect, test } from 'vitest';
import { codeOf, textOf, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

const lines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `${name}${i + 1}\n`).join('');

test('two paths in one string, with selectors on each', async () => {
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

test('a list is still a list if `..` would cancel its first part', async () => {
  const { write, text, read, oriel } = workspace();
  for (const name of ['aa.ts', 'src/a.ts', 'x,y/a.ts']) write(name, `${name}\n`);
  write('bb.ts', 'found\n');
  for (const first of ['./aa.ts', 'aa.ts', 'src/../aa.ts']) {
    for (const between of [',', ', ', ';', ' ', ' and ']) {
      for (const second of ['src/../bb.ts', './src/../bb.ts']) {
        expect(await text(`${first}${between}${second}`)).toMatch(/^==> .*\n1\|aa\.ts\n==> .*\n1\|found\n$/);
      }
    }
  }
  expect(await text('x,y/../bb.ts')).toBe('1|found\n');
  for (const path of ['zz.ts,src/../bb.ts', 'aa.ts|src/../bb.ts']) {
    expect(codeOf(await read(path))).toBe('NOT_FOUND');
  }
  expect(textOf(await oriel.tool('grep').run({ pattern: '.', path: 'aa.ts,src/../bb.ts' }))).toMatch(
    /aa.ts[^]*found/,
  );
});

test('the limit of paths is also the limit of archive members', async () => {
  const { write, text } = workspace();
  write('c.zip', zip([{ name: 'd.txt', content: 'd\n' }]));
  const paths = Array.from({ length: 20 }, () => 'c.zip:d.txt');
  expect(await text(paths.join(','))).toBe('==> c.zip:d.txt <==\n1|d\n'.repeat(20));
});

test('a file with exactly that name takes precedence; a missing one is the answer', async () => {
  const { write, text, read } = workspace();
  write('a,b', 'whole\n');
  write('a', 'A\n');
  write('b', 'B\n');
  expect(await text('a,b')).toBe('1|whole\n');
  expect(codeOf(await read('a,'))).toBe('NOT_FOUND');
  expect(codeOf(await read(Array(21).fill('a').join(',')))).toBe('NOT_FOUND');
});

test.each([
  ['app.ts,zzz', 'zzz does not exist. Use app.ts for the other path.', 'app.ts'],
  [
    'app.ts,src/ap.ts:1..2',
    'src/ap.ts does not exist. Did you mean src/app.ts? Use app.ts for the other path.',
    'app.ts',
  ],
  [
    './app.ts:1-5,9;zzz;src/app.ts',
    'zzz does not exist. Use app.ts:1-5,9,src/app.ts for the other paths.',
    'app.ts:1-5,9,src/app.ts',
  ],
  ['app.ts:1-5,zzz', 'zzz does not exist. Use app.ts:1-5 for the other path.', 'app.ts:1-5'],
  [
    'app.ts,/etc/zzz',
    'That path lies outside the directories that may be read. Use app.ts for the other path.',
    'app.ts',
  ],
  ['zzz,yyy', 'zzz,yyy does not exist. Use . to list the working directory.', '.'],
  ['c.zip:d, e', 'c.zip has no entry d, e. Use c.zip to list it.', 'c.zip'],
])('of several paths one is missing: %s', async (path, message, next) => {
  const { write, read } = workspace();
  write('app.ts', 'x\n');
  write('src/app.ts', 'x\n');
  write('c.zip', zip([{ name: 'd.txt', content: 'd\n' }]));
  const answer = await read(path);
  expect([textOf(answer), answer.details['error']]).toMatchObject([message, { next }]);
});

test('paths share one budget, and every truncation names the call of its own part', async () => {
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

test('a failed part gives its reason, and the others are read', async () => {
  const { write, text } = workspace();
  write('a.zip', zip([{ name: 'x', content: 'x\n' }]));
  write('b', 'b\n');
  expect(await text('a.zip:nope,b')).toBe(
    '==> a.zip:nope <==\na.zip has no entry nope. Use a.zip to list it.\n==> b <==\n1|b\n',
  );
});

test('with a budget too small for all, the last paths are named', async () => {
  const { write, text } = workspace();
  for (const name of ['a', 'b', 'c', 'd']) write(name, lines(name, 100));
  const shown = await text('a,b,c,d', { limits: { lines: 2 } });
  expect(shown).toContain('[not shown: the answer is full. Use a to read it]');
  expect(shown.split('\n').filter((line) => /^\d+\|/.test(line)).length).toBeLessThanOrEqual(2);
});

test('the rest of a line that is oversized only because the budget is shared continues where it was cut', async () => {
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

test('every call that a part names is in the details, also several of one part', async () => {
  const { write, read } = workspace();
  for (let i = 0; i < 14; i += 1) for (const at of ['d/x', 'd/y', 'e/z']) write(`${at}/${i}`, '');
  write('a', lines('a', 5_000));
  const { details } = await read('d,a,e');
  const { next, others } = details['truncation'] as { next: string; others: string[] };
  expect([next, ...others].toSorted()).toEqual(['a:1487..', 'd/x', 'd/y', 'e/z']);
});
