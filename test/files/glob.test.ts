import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { checkGlob, Glob, isElsewhere } from '../../src/files/glob.ts';

const paths = [
  'a.ts',
  'b.js',
  'src/a.ts',
  'src/deep/a.ts',
  'src/deep/b.test.ts',
  'lib/src/c.ts',
  '.hidden.ts',
];

function matches(pattern: string, path: string): boolean {
  return new Glob(pattern).matches(path);
}

function matching(pattern: string, from: readonly string[] = paths): string[] {
  return from.filter((path) => matches(pattern, path));
}

describe('the meaning of a glob', () => {
  test.each([
    ['*.ts', ['a.ts', 'src/a.ts', 'src/deep/a.ts', 'src/deep/b.test.ts', 'lib/src/c.ts', '.hidden.ts']],
    ['a.ts', ['a.ts', 'src/a.ts', 'src/deep/a.ts']],
    ['./a.ts', ['a.ts', 'src/a.ts', 'src/deep/a.ts']],
    ['/a.ts', ['a.ts']],
    ['src/*.ts', ['src/a.ts']],
    ['src/**/*.ts', ['src/a.ts', 'src/deep/a.ts', 'src/deep/b.test.ts']],
    ['**/src/*.ts', ['src/a.ts', 'lib/src/c.ts']],
    ['src/**', ['src/a.ts', 'src/deep/a.ts', 'src/deep/b.test.ts']],
    ['src/', ['src/a.ts', 'src/deep/a.ts', 'src/deep/b.test.ts']],
    ['**/', paths],
    ['a.ts ', []],
    ['**', paths],
    ['**/*', paths],
    ['**/**/*', paths],
    ['*', paths],
    ['*/*.ts', ['src/a.ts']],
    ['{a,b}.{ts,js}', ['a.ts', 'b.js', 'src/a.ts', 'src/deep/a.ts']],
    ['src/{a,deep/a}.ts', ['src/a.ts', 'src/deep/a.ts']],
    ['[ab].*', ['a.ts', 'b.js', 'src/a.ts', 'src/deep/a.ts', 'src/deep/b.test.ts']],
    ['[!a-b].ts', ['lib/src/c.ts']],
    ['[^a-b].ts', ['lib/src/c.ts']],
    ['?.ts', ['a.ts', 'src/a.ts', 'src/deep/a.ts', 'lib/src/c.ts']],
    ['*.test.*', ['src/deep/b.test.ts']],
    ['*.js,/*.ts', ['a.ts', 'b.js', '.hidden.ts']],
    ['*.js, src/*.ts', ['b.js', 'src/a.ts']],
    ['*.js,src/*.{ts,tsx}', ['b.js', 'src/a.ts']],
    ['b.js,a.ts', []],
    ['{*.js,/*.ts}', ['a.ts', 'b.js', '.hidden.ts']],
    ['src', []],
    ['*.tsx', []],
    ['*s?', []],
    ['s*a', []],
    ['a*b*s', []],
    ['a.t', []],
    ['', []],
  ])('%s', (pattern, expected) => {
    expect(matching(pattern)).toEqual(expected);
  });

  test('matches by code points', () => {
    expect(matching('?.txt', ['𝒳.txt', 'é.txt', 'ab.txt'])).toEqual(['𝒳.txt', 'é.txt']);
    expect(matching('[😀-😂].txt', ['😁.txt', 'a.txt'])).toEqual(['😁.txt']);
  });

  test('comma-separated valid globs are a list', () => {
    const [list, name] = [new Glob('*.ts,*.js'), new Glob('*,*.csv')];
    expect(['a.ts', 'd/a.js', 'a.csv'].map((path) => list.matches(path))).toEqual([true, true, false]);
    expect(['a.txt', 'a.csv', 'a,b.csv'].map((path) => name.matches(path))).toEqual([false, false, true]);
  });

  test('a comma may be part of a name', () => {
    expect(matching('a,*.ts', ['a,b.ts', 'a', 'b.ts'])).toEqual(['a,b.ts']);
    expect(matching('*,v,*.ts', ['a,v,b.ts', 'v'])).toEqual(['a,v,b.ts']);
    expect(matching('*[a,b]*', ['x,', 'xc'])).toEqual(['x,']);
    expect(matching('*v,*.ts', ['xv', 'xv,b.ts'])).toEqual(['xv,b.ts']);
    expect(matching('v*,*.ts', ['vx', 'vx,b.ts'])).toEqual(['vx,b.ts']);
    expect(matching('/{a,b}*.ts', ['{/a1.ts}', 'a1.ts'])).toEqual(['a1.ts']);
  });

  test('a path equal to the pattern matches', () => {
    expect(matching('app/[id]/page.tsx', ['app/[id]/page.tsx', 'app/i/page.tsx', 'app/x/page.tsx'])).toEqual([
      'app/[id]/page.tsx',
      'app/i/page.tsx',
    ]);
    expect(matching('x{a,b}', ['x{a,b}', 'xa', 'x'])).toEqual(['x{a,b}', 'xa']);
  });

  test('the meaning of a backslash depends on the next character', () => {
    expect(matching(String.raw`\*.ts`, ['*.ts', 'a.ts'])).toEqual(['*.ts']);
  });

  test('malformed syntax is literal', () => {
    expect(matching('[a', ['[a', 'a'])).toEqual(['[a']);
    expect(matching('{a', ['{a', 'a'])).toEqual(['{a']);
    for (const one of ['a[]', '[]a-', '[]\\', '[[:none:]', '[a-'])
      expect(matching(one, [one, 'a'])).toEqual([one]);
  });
});

describe('limits', () => {
  test('a glob too long or wide is refused with advice', () => {
    expect(() => checkGlob('a'.repeat(1001))).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', next: '**/*.ts' }) as Error,
    );
    expect(() => checkGlob('{a,b}'.repeat(9))).toThrow(
      expect.objectContaining({
        code: 'BAD_INPUT',
        message: `The glob ${'{a,b}'.repeat(9)} stands for more than 256 patterns. Use * in place of alternatives.`,
      }) as Error,
    );
  });

  test('syntax of other tools is literal, with a hint', () => {
    for (const one of ['+(a|aa)', '!(a)', 'x@(a)']) expect(checkGlob(one)).toBe('extended-glob');
    for (const one of ['{1..9}', 'x{01..12}']) expect(checkGlob(one)).toBe('brace-range');
    for (const one of ['*.ts', 'a(b)', '{a,b..c}', '{a..b,c}', 'a'.repeat(1000)])
      expect(checkGlob(one)).toBeUndefined();
  });

  test('the cost is linear in the path length', { tags: 'slow' }, () => {
    const name = `${'a'.repeat(250)}!`;
    expect(matches(`${'a*'.repeat(100)}b`, name)).toBe(false);
    const deep = 'a/'.repeat(200) + name;
    expect(matches(`${'**/a/'.repeat(100)}b`, deep)).toBe(false);
    // A matcher that goes back, and takes the alternatives one by one, needs minutes.
    const all = new Glob(`${'{a,b}'.repeat(8)}${'*a'.repeat(100)}*b`);
    for (let i = 0; i < 5000; i += 1) expect(all.matches(`${i}/${'ab'.repeat(120)}${i}`)).toBe(false);
  });
});

test('agrees with the plain definition of * and **', { tags: 'slow' }, () => {
  const part = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b', 'a*b*', '?', '?b', '**');
  const name = fc.stringMatching(/^[ab]{1,4}$/);
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 2, maxLength: 5 }),
      fc.array(name, { minLength: 1, maxLength: 5 }),
      (pattern, names) => {
        const path = names.join('/');
        expect(matches(pattern.join('/'), path)).toBe(defined(pattern, names));
      },
    ),
    { numRuns: 2000 },
  );
});

/** By definition and slowly: `**` is any number of names, at the end at least one. */
function defined(pattern: readonly string[], names: readonly string[]): boolean {
  const [part, ...rest] = pattern;
  if (part === undefined) return names.length === 0;
  if (part === '**') {
    if (rest.length === 0) return names.length > 0;
    return names.some((_, i) => defined(rest, names.slice(i))) || defined(rest, []);
  }
  const [name, ...others] = names;
  return name !== undefined && sameName([...part], [...name]) && defined(rest, others);
}

function sameName(part: readonly string[], name: readonly string[]): boolean {
  const [first, ...rest] = part;
  if (first === undefined) return name.length === 0;
  if (first === '*') return [...name, ''].some((_, i) => sameName(rest, name.slice(i)));
  return name.length > 0 && (first === '?' || first === name[0]) && sameName(rest, name.slice(1));
}

describe('a leading ! excludes', () => {
  test.each([
    ['!*.ts', ['b.js']],
    ['!src', ['a.ts', 'b.js', '.hidden.ts']],
    ['!src/**', ['a.ts', 'b.js', 'lib/src/c.ts', '.hidden.ts']],
    ['!**/src/**', ['a.ts', 'b.js', '.hidden.ts']],
    ['*.ts,!*.test.ts', ['a.ts', 'src/a.ts', 'src/deep/a.ts', 'lib/src/c.ts', '.hidden.ts']],
    ['{*.ts,!*.test.ts}', ['a.ts', 'src/a.ts', 'src/deep/a.ts', 'lib/src/c.ts', '.hidden.ts']],
    ['*.ts,!a.ts', ['src/deep/b.test.ts', 'lib/src/c.ts', '.hidden.ts']],
    ['!*.{ts,js}', []],
  ])('%s', (pattern, expected) => {
    expect(matching(pattern)).toEqual(expected);
  });
});

test.each<[string, string[]]>([
  ['src/**/*.ts', ['a.ts', 'src/b.ts', 'deep/c.ts']],
  ['./src/*.ts', ['a.ts', 'src/b.ts']],
  ['!src/*.ts', ['deep/c.ts']],
  ['/w/src/*.ts', ['a.ts']],
  ['!/w/src/*.ts', ['src/b.ts', 'deep/c.ts']],
  ['/w/**/*.ts', ['a.ts', 'src/b.ts', 'deep/c.ts']],
  ['*/*.ts', ['src/b.ts', 'deep/c.ts']],
  ['srcs/*.ts', []],
])('in /w/src from /w, %s may begin with src', (pattern, expected) => {
  const glob = new Glob(pattern, { directories: ['/w/src', '/w/src'], cwd: '/w' });
  const paths = ['a.ts', 'src/b.ts', 'deep/c.ts'];
  expect(paths.filter((path) => glob.matches(path))).toEqual(expected);
  for (const path of expected.filter((one) => one.includes('/')))
    expect(glob.mayMatchBelow(path.slice(0, path.indexOf('/')))).toBe(true);
});

test.each<[string, string[]]>([
  ['app/[slug]/*.tsx', ['app/[slug]/a.tsx', 'app/s/a.tsx']],
  ['**/[slug]/*.tsx', ['app/[slug]/a.tsx', 'app/s/a.tsx']],
  ['app/[...all]/*', ['app/[...all]/a.tsx', 'app/./a.tsx']],
  ['app/[[...opt]]/**', ['app/[[...opt]]/a.tsx', 'app/o]/a.tsx']],
  ['[slug]*.tsx', ['[slug]-a.tsx', 'app/s/sa.tsx']],
  ['!app/[slug]/**', ['[slug]-a.tsx']],
])('%s also names brackets literally', (pattern, expected) => {
  const glob = new Glob(pattern);
  for (const path of expected) expect(glob.matches(path)).toBe(true);
  expect(glob.matches('app/x/a.tsx')).toBe(pattern.startsWith('!'));
});

test.each([
  ...['/a', '~/a', '../a', './../a', 'file:///a', 'FILE://a'].map((pattern) => [pattern, true] as const),
  ...['a/../b', '~a', '/', '~/', '../', '..', './a', 'x/~/a', 'xfile://a', '.../a'].map(
    (one) => [one, false] as const,
  ),
])('%j may lead elsewhere: %j', (pattern, elsewhere) => {
  expect(isElsewhere(pattern)).toBe(elsewhere);
});

test.each<[string, string[]]>([
  ['src/*.ts', ['src']],
  ['src/*/x', ['src', 'src/a']],
  ['src/**/x', ['src', 'src/a', 'src/a/b']],
  ['*.ts', ['src', 'lib', 'src/a', 'src/a/b', 'x{a,b}']],
  ['/a.ts', []],
  ['x{a,b}/c', ['x{a,b}']],
  ['./src/a/b', ['src', 'src/a']],
])('%s may match below %j', (pattern, expected) => {
  const glob = new Glob(pattern);
  const directories = ['src', 'lib', 'src/a', 'src/a/b', 'x{a,b}'];
  expect(directories.filter((path) => glob.mayMatchBelow(path))).toEqual(expected);
});

test('a question mark is one character, whatever its size', () => {
  const name = ['a', 'é', '\uffff', '😀', '\u{10000}'].join('');
  expect([
    new Glob('?????').matches(name),
    new Glob('??????').matches(name),
    new Glob('*??').matches(name),
  ]).toEqual([true, false, true]);
  expect(new Glob('../*.ts', { directories: ['/w'], cwd: '/w/src' }).matches('a.ts')).toBe(false);
});
