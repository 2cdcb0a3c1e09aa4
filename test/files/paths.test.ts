/** What a typed path means, without a look at the disk. */

import { homedir } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  absolutePath,
  exactPath,
  expandedPath,
  foreignName,
  fromWorkingDirectory,
  isTypedAbsolute,
  mayRise,
  pathSpellings,
  isPathWithin,
  systemPath,
} from '../../src/files/paths.ts';
import { OrielError } from '../../src/errors.ts';

/** Code, message and next call of the error. */
function failure(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof OrielError)) throw error;
    const { code, message, next } = error;
    return [code, message, ...(next === undefined ? [] : [next])];
  }
}

test.each([
  ['/w', '/w', true],
  ['/w/a', '/w', true],
  ['/w/a/b', '/w', true],
  ['/wa', '/w', false],
  ['/', '/w', false],
  ['/x/w', '/w', false],
  ['/a', '/', true],
  ['/', '/', true],
])('%s within %s: %j', (path, directory, isWithin) => {
  expect(isPathWithin(path, directory)).toBe(isWithin);
});

describe('against the working directory of this process', () => {
  test('a path, or the directory itself', () => {
    expect(fromWorkingDirectory('/a/../b')).toBe('/b');
    expect(fromWorkingDirectory('a')).toBe(`${process.cwd()}/a`);
    expect(fromWorkingDirectory()).toBe(process.cwd());
  });

  test('a directory that is gone', () => {
    const gone = vi.spyOn(process, 'cwd').mockImplementation(() => {
      throw new Error('ENOENT: uv_cwd');
    });
    onTestFinished(() => gone.mockRestore());
    expect(failure(() => fromWorkingDirectory('a'))).toStrictEqual([
      'NOT_FOUND',
      'The working directory of this process no longer exists. Start it in one that does, or name one as cwd.',
    ]);
    expect(fromWorkingDirectory('/b')).toBe('/b');
  });
});

describe('an absolute path', () => {
  test.each([
    ['a/b.ts', '/w/a/b.ts'],
    ['.', '/w'],
    ['../x', '/x'],
    ['a/./../b//c/', '/w/b/c'],
    ['/a/../b', '/b'],
    ['/', '/w'],
    ['~', homedir()],
    ['~/a', `${homedir()}/a`],
    ['~a', '/w/~a'],
    ['a~/b', '/w/a~/b'],
    ['file:///a/b%20c', '/a/b c'],
    ['FILE:///a', '/a'],
    ['file://localhost/a', '/a'],
    ['file://src/app%20x.ts', '/w/src/app x.ts'],
    ['xfile:///a', '/w/xfile:/a'],
    ['file:/a', '/w/file:/a'],
  ])('%j: %s', (typed, absolute) => {
    expect(absolutePath(typed, '/w')).toBe(absolute);
  });

  test.each<[string, unknown]>([
    ['', ['BAD_PATH', 'The path is empty. Use . for the working directory.', '.']],
    ['a\0b', ['BAD_PATH', String.raw`The path a\x00b holds a NUL byte.`]],
    ['file:///a%00', ['BAD_PATH', 'The path file:///a%00 holds a NUL byte.']],
    ...(
      'file:///a%2fb file://src/a%2Fb file://src/%ff file:///a%ff%2fb ' +
      'file:///a%ff%00 file:///a%ff?b file:///a%ff#b file://localhosts/%ff'
    )
      .split(' ')
      .map((typed): [string, unknown] => [
        typed,
        ['BAD_PATH', `${typed} is not a file URL of this machine. Use . for the working directory.`, '.'],
      ]),
  ])('%j is none', (typed, expected) => {
    expect(failure(() => absolutePath(typed, '/w'))).toStrictEqual(expected);
  });

  test('has at most 4096 bytes, also before it is shortened', () => {
    const cwd = '/w';
    const most = `${'a/'.repeat(2046)}a`;
    expect(absolutePath(most, cwd)).toBe(`/w/${most}`);
    expect(Buffer.byteLength(absolutePath(most, cwd))).toBe(4096);
    const tooLong = (typed: string): unknown => failure(() => absolutePath(typed, cwd));
    const message = (typed: string): string => `The path ${typed.slice(0, 200)}… is longer than 4096 bytes.`;
    expect(tooLong(`${most}b`)).toStrictEqual(['NAME_TOO_LONG', message(most)]);
    const shortens = `${'./'.repeat(6143)}ab`;
    expect([shortens.length, absolutePath(shortens, cwd)]).toStrictEqual([3 * 4096, '/w/ab']);
    expect(tooLong(`${shortens}c`)).toStrictEqual(['NAME_TOO_LONG', message(shortens)]);
  });
});

describe('other spellings', () => {
  const of = (typed: string): string[] => Array.from(pathSpellings(typed, '/w'));

  test('an ordinary path has none', () => {
    expect(of('src/app.ts')).toStrictEqual(['/w/src/app.ts']);
  });

  test('the @ of an editor', () => {
    expect(of('@src/app.ts')).toStrictEqual(['/w/@src/app.ts', '/w/src/app.ts']);
    expect(of('@')).toStrictEqual(['/w/@', '/w']);
    expect(of('src/@app.ts')).toStrictEqual(['/w/src/@app.ts']);
  });

  test('spaces that look like one', () => {
    expect(of('a\u00a0b\u202fc')).toStrictEqual(['/w/a\u00a0b\u202fc', '/w/a b c']);
    expect(of('shot 9.41 AM.png')).toStrictEqual(['/w/shot 9.41 AM.png', '/w/shot 9.41\u202fAM.png']);
    expect(of('shot 9.41 PM.png')).toStrictEqual(['/w/shot 9.41 PM.png', '/w/shot 9.41\u202fPM.png']);
    expect(of('the AMs.png')).toStrictEqual(['/w/the AMs.png']);
  });

  test('letters with accents, in one code point or two', () => {
    expect(of('caf\u00e9')).toStrictEqual(['/w/caf\u00e9', '/w/cafe\u0301']);
    expect(of('cafe\u0301')).toStrictEqual(['/w/cafe\u0301', '/w/caf\u00e9']);
    expect(of('caf\u00e9\u00a0x')).toStrictEqual([
      '/w/caf\u00e9\u00a0x',
      '/w/caf\u00e9 x',
      '/w/cafe\u0301\u00a0x',
      '/w/cafe\u0301 x',
    ]);
    expect(of('cafe\u0301\u00a0x')).toStrictEqual([
      '/w/cafe\u0301\u00a0x',
      '/w/cafe\u0301 x',
      '/w/caf\u00e9\u00a0x',
      '/w/caf\u00e9 x',
    ]);
  });

  test('apostrophes', () => {
    expect(of("it's")).toStrictEqual(["/w/it's", '/w/it\u2019s']);
    expect(of('it\u2019s')).toStrictEqual(['/w/it\u2019s', "/w/it's"]);
    expect(of("l'\u00e9t\u00e9")).toStrictEqual([
      "/w/l'\u00e9t\u00e9",
      "/w/l'e\u0301te\u0301",
      '/w/l\u2019\u00e9t\u00e9',
      '/w/l\u2019e\u0301te\u0301',
    ]);
  });
});

describe('a name of another system', () => {
  const why = (typed: string, walled = false): unknown => {
    const error = foreignName(typed, walled);
    return error && [error.code, error.message];
  };
  const bad = (typed: string, what: string): unknown => [
    'BAD_PATH',
    `${typed} ${what}. Use a path like src/app.ts.`,
  ];

  test.each([
    [String.raw`\\server\share`, 'is a network or device path'],
    [String.raw`\\?\C:\a`, 'is a network or device path'],
    ['C:/a', 'names a drive'],
    ['c:a', 'names a drive'],
    ['CON', 'is the name of a Windows device'],
    ['src/nul.txt', 'is the name of a Windows device'],
    [String.raw`src\com1`, 'is the name of a Windows device'],
    ['LPT9.x', 'is the name of a Windows device'],
    ['prn', 'is the name of a Windows device'],
    ['aux', 'is the name of a Windows device'],
    ['a.txt::$DATA', 'names an alternate data stream'],
    ['a.txt:$data', 'names an alternate data stream'],
    ['a.txt.', 'ends with a dot or a space, and no such file exists'],
    ['src/a ', 'ends with a dot or a space, and no such file exists'],
  ])('%s %s', (typed, what) => {
    expect(why(typed)).toStrictEqual(bad(typed, what));
  });

  test.each([
    ...'src/app.ts console recon com com10 con/a.ts .. . a.. a$DATA ab:$DATA:b x1:/a'.split(' '),
    String.raw`\a`,
  ])('%s is none', (typed) => {
    expect(why(typed)).toBeUndefined();
  });

  test('a short name counts as outside the roots', () => {
    const typed = String.raw`PROGRA~1\x`;
    const outside = `${typed} is a short name that cannot be placed inside the roots. Use the long path.`;
    expect(why(typed, true)).toStrictEqual(['OUTSIDE_ROOT', outside]);
    expect(why(typed, false)).toBeUndefined();
    expect(why(String.raw`ab~1.TXT\x`, true)).toMatchObject(['OUTSIDE_ROOT', expect.any(String)]);
    for (const name of [
      String.raw`PROGRAMSX~1\x`,
      'PROGRA~1',
      String.raw`PROGRA~x\x`,
      String.raw`a\PROGRA~1\x`,
    ])
      expect([name, why(name, true)]).toStrictEqual([name, undefined]);
  });
});

test.each([
  ['/a', true, '/a'],
  ['FILE:///a%20b', true, '/a b'],
  ['file://src/a', false, 'src/a'],
  ['xfile:///a', false, 'xfile:///a'],
  ['~/a', false, `${homedir()}/a`],
  ['a/../b', false, 'a/../b'],
  ['file:///a/%ff', true, `/a/${String.fromCharCode(0xdcff)}`],
  ['file://localhost/%ff', false, `/${String.fromCharCode(0xdcff)}`],
])('%j is absolute: %j, and means %j', (typed, absolute, expanded) => {
  expect([isTypedAbsolute(typed), expandedPath(typed)]).toEqual([absolute, expanded]);
});

test('a name that is not UTF-8 is its bytes', () => {
  expect([systemPath('/é'), systemPath('/\udcff')]).toEqual(['/é', Buffer.from('/\xff', 'latin1')]);
  const read = (text: string, bytes: string): string =>
    exactPath((encoding) => (encoding === 'utf8' ? text : bytes));
  expect([read('é', 'none'), read('a\ufffd', 'a\xff')]).toEqual(['é', 'a\udcff']);
  // One spelling for the same bytes, of which there may be 4096.
  expect(absolutePath('\udcc3\udca9', '/w')).toBe('/w/é');
  expect(absolutePath('\udcff'.repeat(4000), '/w')).toBe(`/w/${'\udcff'.repeat(4000)}`);
  expect(failure(() => absolutePath('\udcff'.repeat(4096), '/w'))).toMatchObject(['NAME_TOO_LONG', {}]);
});

test('above a root nothing is looked for', () => {
  const roots = ['/w', '/v/x'];
  const asked = ['/w', '/w/a', '/v', '/v/x', '/v/x/y', '/'];
  expect(asked.filter((path) => mayRise(path, roots))).toEqual(['/w/a', '/v/x/y']);
  expect([mayRise('/w', []), mayRise('/w/a', ['/w/a', '/w'])]).toEqual([true, true]);
});
