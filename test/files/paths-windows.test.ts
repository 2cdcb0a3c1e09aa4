/** What a typed path means on Windows: the same code with Windows' own path functions, which Node has on every system. */

import { expect, test, vi } from 'vitest';
import { absolutePath, isPathWithin, pathSpellings } from '../../src/files/paths.ts';

vi.mock('node:path', async (original) => (await original<typeof import('node:path')>()).win32);
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  homedir: () => String.raw`C:\Users\Ann`,
}));
vi.mock('node:url', async (original) => {
  const url = await original<typeof import('node:url')>();
  return { ...url, fileURLToPath: (text: string) => url.fileURLToPath(text, { windows: true }) };
});

const cwd = String.raw`C:\work\app`;

test.each([
  ['src/a.ts', String.raw`C:\work\app\src\a.ts`],
  [String.raw`src\a.ts`, String.raw`C:\work\app\src\a.ts`],
  ['../b', String.raw`C:\work\b`],
  ['C:/work/app/a.ts', String.raw`C:\work\app\a.ts`],
  [String.raw`D:\other\a.ts`, String.raw`D:\other\a.ts`],
  ['/', cwd],
  ['~', String.raw`C:\Users\Ann`],
  ['~/a b.txt', String.raw`C:\Users\Ann\a b.txt`],
  ['file:///C:/work/a%20b.txt', String.raw`C:\work\a b.txt`],
  ['FILE:///c:/x', String.raw`c:\x`],
  [String.raw`\\server\share\a.txt`, String.raw`\\server\share\a.txt`],
])('%s is %s', (typed, expected) => {
  expect(absolutePath(typed, cwd)).toBe(expected);
});

test.each([
  [String.raw`C:\work\app\a`, String.raw`C:\work\app`, true],
  [String.raw`C:\work\application`, String.raw`C:\work\app`, false],
  [String.raw`C:\work`, 'C:\\', true],
  [String.raw`D:\work\app`, String.raw`C:\work\app`, false],
])('whether %s is within %s: %s', (path, directory, expected) => {
  expect(isPathWithin(path, directory)).toBe(expected);
});

test('other spellings keep the drive and its separators', () => {
  expect([...pathSpellings("it's.txt", cwd)]).toEqual([
    String.raw`C:\work\app\it's.txt`,
    'C:\\work\\app\\it\u2019s.txt',
  ]);
});
