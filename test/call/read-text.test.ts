import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createOriel } from '../../src/index.ts';
import { numbered } from '../support/dialect.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { bodyOf, codeOf, nextOf, textOf, unhurried, workspace } from '../support/workspace.ts';

describe('ranges beyond the end', () => {
  test.each([
    ['1..2,60..70', '1|1\n2|2\n[five ends at line 50: nothing at 60-70]'],
    ['49..49,51', '48|48\n49|49\n50|50\n[five ends at line 50: nothing at 51]'],
    ['1..1,60..', '1|1\n[five ends at line 50: nothing at 60-]'],
    ['1..1,52..52,60..70', '1|1\n[five ends at line 50: nothing at 52, 60-70]'],
    ['50..70', '50|50\n[five ends at line 50]'],
    ['1..1,49..70', '1|1\n…\n49|49\n50|50\n[five ends at line 50]'],
    ['49..50', '49|49\n50|50\n'],
    ['1..1,50..', '1|1\n…\n50|50\n'],
  ])(':%s', async (ranges, answer) => {
    const { write, text } = workspace();
    write('five', numbered(1, 50));
    expect(await text(`five:${ranges}`)).toBe(answer);
  });
});

describe('a tail that is told to end inside a line', () => {
  test('notices name the call for the rest of the line', async () => {
    const { write, text, read } = workspace();
    write('app.log', 'aa\nbb\ncc\n');
    const answer = await read('app.log:-2@4');
    expect(textOf(answer)).toBe('1|aa\n2|b\n[Line 2 is cut at byte 4. Use app.log:2..2 for the rest of it]');
    expect(answer.details['notices']).toEqual([
      { kind: 'cut-end', text: 'Line 2 is cut at byte 4. Use app.log:2..2 for the rest of it' },
    ]);
    expect(await text('app.log:2..2')).toBe('2|bb\n');
    expect(await text('app.log:-1@4:raw')).toBe(
      'b\n[Line 2 is cut at byte 4. Use app.log:2..2:raw for the rest of it]',
    );
    expect(await text('app.log:-2@6')).toBe('1|aa\n2|bb\n');
  });

  test('the rest of an oversized line begins at that byte', async () => {
    const { write, text } = workspace();
    write('mid.txt', `a\nb\n${'x'.repeat(300_000)}\nend\n`);
    expect(await text('mid.txt:-3@20')).toBe(
      `1|a\n2|b\n3|${'x'.repeat(16)}\n[Line 3 is cut at byte 20. Use mid.txt:@20+64K for the rest of it]`,
    );
    expect(await text('mid.txt:@20+64K')).toBe(
      `3|${'x'.repeat(65_536)}\n` +
        '[Showing bytes 20-65556 of 300009, inside line 3 (300001 bytes long). Use mid.txt:@65556+64K to continue]',
    );
  });
});

describe('an overlong line among ranges', () => {
  test.each([
    ['2..2', '2'],
    ['2-2', '2'],
    ['2..2,4..5', '2,4-5'],
    ['1..2,4..5', '1-2,4-5'],
    ['2..2,2000..2001', '2'],
    ['1..1,2..2,5..5', '1-2,5'],
    ['2..3:raw', '2-3'],
  ])('%s: the notices lead through exactly the requested ranges', async (ranges, shown) => {
    const { write, read } = workspace();
    const long = `${'é'.repeat(3000)}\n`;
    const content = `one\n${long}three\nfour\nfive\nsix\n`;
    write('f', content);
    const lines = content.split(/(?<=\n)/);
    const asked = shown.split(',').flatMap((run) => {
      const [from = 0, to = from] = run.split('-').map(Number);
      return lines.slice(from - 1, to);
    });
    const options = { limits: { bytes: 1000 }, display: 'plain' } as const;
    let got = '';
    let calls = 0;
    for (let path: string | undefined = `f:${ranges}`; path !== undefined; calls += 1) {
      const answer = await read(path, options);
      path = nextOf(answer);
      const body = bodyOf(answer).replace('…\n', '');
      // A notice stands on a line of its own, also below a part of a line.
      got += path?.includes('@') ? body.replace(/\n$/, '') : body;
      expect(calls).toBeLessThan(30);
    }
    expect(got).toBe(asked.join(''));
  });

  test('a byte offset in another line is ignored', async () => {
    const { write, text } = workspace();
    write('f', 'one\ntwo\nthree\n');
    expect(await text('f:2@1..2')).toBe('2|two\n');
    expect(await text('f:2@9..2')).toBe('2|two\n');
    expect(await text('f:2@5..2')).toBe('2|wo\n');
  });
});

describe('an empty file', () => {
  test.each([
    ['e', 'OK'],
    ['e:raw', 'OK'],
    ['e:2', 'OUT_OF_RANGE'],
  ])('%s: %s', async (path, code) => {
    const { write, read } = workspace();
    write('e', '');
    const answer = await read(path);
    expect([codeOf(answer), answer.isError]).toEqual([code, false]);
    expect(textOf(answer)).toBe('[e is empty: 0 lines]');
  });
});

test('default limits apply to stored files, not listings or members', async () => {
  const { write, read } = workspace(unhurried);
  write('f', numbered(1, 50));
  for (let i = 0; i < 10; i += 1) write(`d/${i}`, '');
  const code = Array.from(
    { length: 120 },
    (_, i) => `export function f${i}() {\n${'  call();\n'.repeat(12)}}\n`,
  );
  write('code.ts', code.join(''));
  const options = { read: { defaultLimit: 5 } };
  const lines = async (path: string): Promise<number> =>
    bodyOf(await read(path, options)).split('\n').length - 1;
  expect(await lines('f')).toBe(5);
  expect(await lines('d')).toBe(10);
  expect(textOf(await read('code.ts', options))).toBe(textOf(await read('code.ts')));
});

test('details give the limits of the host, headers included', async () => {
  const { write, read } = workspace();
  write('f', numbered(1, 5));
  const { details } = await read('f', { display: 'hashline', limits: { bytes: 5000 } });
  expect(details['limits']).toMatchObject({ bytes: 5000 });
});

test('tags of oh-my-pi are only those that its edit tool computes', async () => {
  const { write, with: walled } = workspace();
  const oriel = walled({ display: 'hashline@18' });
  write('marked', '\ufeffa \r\nb\r\n');
  write('utf16', Buffer.from('\ufeffa\nb\n', 'utf16le'));
  write('torn', Buffer.from(`a\n${'b\n'.repeat(1 << 18)}\xff\n`, 'latin1'));
  write('large', 'a\n'.repeat((4 << 20) / 2));
  write('larger', 'a\n'.repeat((4 << 20) / 2 + 1));
  // What is derived from a file that was just written is not kept: its times may stay the same at the next write.
  await setTimeout(50);
  const shown = async (path: string): Promise<string[]> =>
    textOf(await oriel.tool('read').run({ path: `${path}:1..1` })).split('\n');
  expect((await shown('marked')).slice(0, 2)).toEqual(['[marked#9A46]', '1:a \r']);
  expect(await shown('large')).toEqual([expect.stringMatching(/^\[large#[0-9A-F]{4}\]$/), '1:a', '']);
  for (const path of ['utf16', 'torn', 'larger']) expect((await shown(path))[0]).toBe('1|a');
  // Pages of a text do not hash it again.
  for (const page of ['large:2..2', 'large:9..9']) await oriel.tool('read').run({ path: page });
  expect(oriel.session.store.stats().get('text tag')?.misses).toBe(3);
});

describe('paths in notices and headers are canonical', () => {
  test.each([
    ['f', 'f'],
    ['@f', 'f'],
    ['./f', 'f'],
    ['d/../f', 'f'],
    ['d//g', 'd/g'],
    ['link', 'link'],
    ['./d/', 'd'],
    ['~odd', './~odd'],
  ])('%s is %s', async (typed, shown) => {
    const { W, write, read } = workspace();
    for (const path of ['f', 'd/g', '~odd']) write(path, numbered(1, 9));
    symlinkSync(join(W, 'f'), join(W, 'link'));
    for (const path of [typed, typed.startsWith('@') ? typed : join(W, typed)]) {
      const answer = await read(`${path}:1..1`, { display: 'hashline' });
      expect(answer.details['source']).toBe(shown);
      if (shown !== 'd') expect(textOf(answer)).toMatch(new RegExp(`^¶${shown}#`));
    }
  });

  test('a file outside has its absolute path; URLs are paths', async () => {
    const { W, write } = workspace();
    const path = write('f', 'x\n');
    write('d/x', '');
    const below = createOriel({ cwd: join(W, 'd'), roots: [W] });
    const source = async (typed: string): Promise<unknown> =>
      (await below.tool('read').run({ path: typed })).details['source'];
    expect(await source('../f')).toBe(path);
    expect(await source(pathToFileURL(path).href)).toBe(path);
    expect(await source(pathToFileURL(join(W, 'd/x')).href)).toBe('x');
    await below.close();
  });
});

describe('truncation of lists is in the details', () => {
  test('a directory with more entries than are listed', async () => {
    const { write, read } = workspace();
    for (let i = 0; i < 14; i += 1) write(`d/sub/${i}`, '');
    const answer = await read('d');
    expect(textOf(answer)).toContain('  … 2 more. Use d/sub for all\n');
    expect(answer.details['truncation']).toMatchObject({ by: 'entries', next: 'd/sub' });
    expect((await read('d:1..2')).details['truncation']).toBeUndefined();
    expect((await read('d/sub')).details['truncation']).toBeUndefined();
  });

  test('tables, rows and queries', { tags: 'slow' }, async () => {
    const { write, read } = workspace();
    const tables = Array.from({ length: 520 }, (_, i) => `create table t${i}(a);`).join('');
    const rows = 'with recursive n(i) as (values(1) union all select i+1 from n where i<60) select i from n';
    write('m.sqlite', await databaseBytes(`${tables} insert into t0 ${rows}`));
    const next = async (path: string): Promise<unknown> => (await read(path)).details['truncation'];
    expect(await next('m.sqlite')).toMatchObject({ by: 'page', next: 'm.sqlite?limit=500&offset=500' });
    expect(await next('m.sqlite:t0')).toMatchObject({ by: 'page', next: 'm.sqlite:t0?limit=20&offset=5' });
    expect(await next('m.sqlite:t0?limit=9')).toMatchObject({ next: 'm.sqlite:t0?limit=9&offset=9&after=9' });
    expect(await next('m.sqlite?limit=3&q=select a from t0')).toMatchObject({ by: 'page' });
    expect(await next('m.sqlite:t0?limit=60')).toBeUndefined();
    expect(textOf(await read('m.sqlite:501..'))).toBe(
      '[Line 501 is beyond this page of m.sqlite (500 lines). Use m.sqlite?limit=500&offset=500 for the next page, m.sqlite:500 for the end or m.sqlite:1 for the start]',
    );
  });
});
