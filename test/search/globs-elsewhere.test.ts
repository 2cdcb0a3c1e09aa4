/** Globs that name a directory outside the searched one, or one whose name looks like a glob. */

import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type Place, place } from '../support/dialect.ts';

afterEach(() => vi.unstubAllEnvs());

/** A working directory `proj`, and beside it `other` and a home directory. */
function beside(roots: readonly string[] = []): Place & { readonly top: string } {
  const { folder: top, write } = place('oriel');
  write('other/deep/a.md', 'needle\n');
  write('home/.plans/b.md', 'needle\n');
  write('proj/src/c.md', 'needle\n');
  write('proj/lib/d.md', 'needle\n');
  vi.stubEnv('HOME', join(top, 'home'));
  const made = place('oriel', { cwd: join(top, 'proj'), roots: roots.map((path) => join(top, path)) });
  return { ...made, top };
}

test.each([
  ['TOP/other/**/*.md', 'TOP/other/deep/a.md'],
  ['TOP/other/deep/a.md', 'TOP/other/deep/a.md'],
  ['file://TOP/other/*/*.md', 'TOP/other/deep/a.md'],
  ['../other/*/*.md', 'TOP/other/deep/a.md'],
  ['~/.plans/*.md', 'TOP/home/.plans/b.md'],
  ['TOP/proj/src/*.md', 'src/c.md'],
  ['/src/*.md', 'src/c.md'],
])('%s leads to %s, in find and in grep', async (typed, shown) => {
  const { call, top } = beside();
  const [glob, path] = [typed, shown].map((text) => text.replace('TOP', top));
  expect((await call('find', { pattern: glob })).text).toBe(path);
  expect((await call('grep', { pattern: 'needle', glob })).text).toBe(`${path}:1: needle`);
  expect((await call('grep', { pattern: 'needle', glob, output: 'files' })).text).toBe(path);
});

test('outside the roots it is refused, with a call inside', async () => {
  const { call, top } = beside(['proj']);
  for (const [tool, input] of [
    ['find', { pattern: `${top}/other/deep/*.md` }],
    ['grep', { pattern: 'needle', glob: '~/.plans/*.md' }],
  ] as const) {
    const { details } = await call(tool, input);
    const { code, next } = details['error'] as { code: string; next: string };
    expect(code).toBe('OUTSIDE_ROOT');
    expect((await call(tool, JSON.parse(next) as object)).text).toContain('src/c.md');
  }
  expect((await call('find', { pattern: '/src/*.md' })).text).toBe('src/c.md');
  // Also if it is malformed: mended, it would be refused for its place.
  const { details } = await call('grep', { pattern: 'needle', glob: 'file:///sr[a' });
  const { code, next } = details['error'] as { code: string; next: string };
  expect([code, JSON.parse(next)]).toEqual([
    'OUTSIDE_ROOT',
    { path: '.', pattern: 'needle', glob: String.raw`\[a` },
  ]);
});

test('the directory above has a call, or is refused', async () => {
  const { text, details } = await beside().call('find', { pattern: '..' });
  expect(text).toContain('Use path=.. with pattern **');
  expect(details['hint']).toEqual({ next: JSON.stringify({ path: '..', pattern: '**' }) });
  expect((await beside(['proj']).call('find', { pattern: '..' })).details['error']).toMatchObject({
    code: 'OUTSIDE_ROOT',
  });
});

test('a glob beside the given path names the call that finds it', async () => {
  const { call } = beside();
  for (const [tool, input, field] of [
    ['find', { path: 'src', pattern: 'lib/*.md' }, 'pattern'],
    ['grep', { path: 'src', pattern: 'needle', glob: '../lib/*.md' }, 'glob'],
    ['grep', { path: 'src', pattern: 'needle', glob: 'lib/*.md', output: 'count' }, 'glob'],
  ] as const) {
    const { text, details } = await call(tool, input);
    const { next } = details['hint'] as { next: string };
    expect(text).toContain(
      `[The ${field} leads out of the searched directory. Use path=lib with ${field} /*.md`,
    );
    expect((await call(tool, { ...input, ...(JSON.parse(next) as object) })).text).toContain('lib/d.md');
  }
});

test('below a directory, the named glob is no absolute path', async () => {
  const { call, write } = place('oriel');
  write('app/[slug]/page.md', 'needle\n');
  write('src/a.ts', '');
  const input = { pattern: 'needle', path: 'src', glob: 'app/[slug]/page.md' };
  const { details } = await call('grep', input);
  const { next } = details['hint'] as { next: string };
  expect((await call('grep', { ...input, ...(JSON.parse(next) as object) })).text).toContain(
    'app/[slug]/page.md:1: needle',
  );
});

test.each(['app/[slug]/*.tsx', 'app/[[...all]]/*.tsx'])(
  'the find that read advises for %s finds its files',
  async (glob) => {
    const { call, write } = place('oriel');
    const path = glob.replace('*', 'page');
    write(path, 'needle\n');
    const { text } = await call('read', { path: glob });
    const advised = JSON.parse(/Use find (\{.*?\})/.exec(text)?.[1] ?? '{}') as object;
    expect((await call('find', advised)).text).toBe(path);
    expect((await call('grep', { pattern: 'needle', glob: `${dirname(glob)}/**` })).text).toContain(path);
  },
);

test('paths below the root of the file system are absolute', async () => {
  const { call } = place('oriel', { roots: [] });
  expect((await call('find', { pattern: 'etc/passwd', path: '/.' })).text).toBe('/etc/passwd');
});
