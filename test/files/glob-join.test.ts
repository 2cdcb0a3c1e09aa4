import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { Glob } from '../../src/files/glob.ts';
import { globAtPath, globBelowPath, joinGlobs, globWithinPath } from '../../src/files/glob-text.ts';

test.each([
  ['*.ts', '*.ts'],
  ['*', '*'],
  ['**/*', '**/*'],
  ['*/src/', '*/src/'],
  ['*/src', '{*/src,*/src/**}'],
  ['lib-*', '{lib-*,lib-*/**}'],
])('the glob for the path %s is %s', (path, glob) => {
  expect(globAtPath(path)).toBe(glob);
});

test.each([
  ['*', '*.ts', '*.ts'],
  ['*.ts', '*.ts', '*.ts'],
  ['*/src', '*.ts', '*/src/**/*.ts'],
  ['*/src/*', '*.ts', '*/src/**/*.ts'],
  ['*/src/*', 'a/*.ts', '*/src/*/a/*.ts'],
  // A file may have such a name, too.
  ['*/src*', '*.ts', undefined],
  ['[a-c]*', '*.ts', undefined],
  ['*.ts', '!*.test.ts', '{*.ts,!*.test.ts}'],
  ['*/src', '!*.js', '{{*/src,*/src/**},!*.js}'],
  // Both at once are no glob.
  ['*.ts', 'a*', undefined],
  ['*/src', '*.ts,!a.ts', undefined],
  ['*.ts', '!a.ts,!b.ts', undefined],
])('the glob for the path %s and the glob %s is %s', (path, glob, both) => {
  expect(globWithinPath(path, glob)).toBe(both);
});

test.each([
  ['*', '*.ts', '*.ts'],
  ['src/*', '*.ts', 'src/**/*.ts'],
  ['src/*', 'a/*.ts', 'src/*/a/*.ts'],
  ['my*', '*.ts', 'my*/**/*.ts'],
  ['*/*', '*.ts', '*/**/*.ts'],
])('the glob for directories %s and the pattern %s is %s', (path, glob, both) => {
  expect(globBelowPath(path, glob)).toBe(both);
});

test('a list of globs is not joined', () => {
  for (const glob of ['*.ts,*.js', '{a/*,*.ts}', '*.ts,!a.ts', '!{a/b,c}'])
    expect(joinGlobs('*', glob)).toBeUndefined();
});

test('a joined glob matches what the second glob matches below a directory that the first matches', () => {
  const directory = fc.constantFrom('*', 'a*', '*/b', '**', '**/b', '{a,b}', '**/a*', '*/');
  const globs = [
    '*.ts',
    'b',
    '**',
    'b/*.ts',
    '**/*.ts',
    '/a.ts',
    './b/a.ts',
    '*.{ts,js}',
    '!*.ts',
    '!b',
    '!b/*.ts',
  ];
  const names = fc.array(fc.constantFrom('a', 'b', 'ab', 'a.ts', 'a.js'), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(directory, fc.constantFrom(...globs), names, (first, second, path) => {
      const joined = joinGlobs(first, second) as string;
      const above = new Glob(`/${first.replace(/\/$/, '')}`);
      const below = new Glob(second);
      const parts = path.flatMap((_, at) => {
        const isDirectory = at === 0 ? first === '**' : above.matches(path.slice(0, at).join('/'));
        return isDirectory ? [path.slice(at).join('/')] : [];
      });
      const excludes = second.startsWith('!');
      const meant = parts.length > 0 && parts[excludes ? 'every' : 'some']((part) => below.matches(part));
      expect({ joined, matches: new Glob(joined).matches(path.join('/')) }).toEqual({
        joined,
        matches: meant,
      });
    }),
    { numRuns: 2_000 },
  );
});
