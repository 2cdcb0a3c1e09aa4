/** Which descriptors count as inherited, on a list in place of /proc/self/fdinfo. */

import type * as fs from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';

const faked = vi.hoisted(() => ({
  files: {} as Record<string, string>,
  most: undefined as number | undefined,
  fails: false,
  listed: 0,
}));

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof fs>()),
  readdirSync(path: string) {
    expect(path).toBe('/proc/self/fdinfo');
    faked.listed += 1;
    if (faked.fails) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    return Object.keys(faked.files);
  },
  readFileSync(path: string) {
    const content = faked.files[path.replace('/proc/self/fdinfo/', '')];
    if (!content) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    return content;
  },
}));
vi.mock('../../src/files/descriptors.ts', () => ({ maxDescriptors: () => faked.most }));

/** As in proc_pid_fdinfo(5). */
const info = (flags: string): string => `pos:\t0\nflags:\t${flags}\nmnt_id:\t15\nino:\t2\n`;
const PASSED_ON = info('0100002');
const CLOSED = info('02100002');

async function inherited(platform = 'linux'): Promise<() => readonly number[]> {
  vi.resetModules();
  vi.stubGlobal('process', Object.create(process, { platform: { value: platform } }));
  const { inheritedDescriptors } = await import('../../src/process/inherited.ts');
  return () => {
    try {
      return inheritedDescriptors();
    } finally {
      vi.unstubAllGlobals();
    }
  };
}

beforeEach(() => {
  const files = { 0: PASSED_ON, 1: PASSED_ON, 2: PASSED_ON, 3: PASSED_ON, 17: CLOSED, 40: PASSED_ON };
  Object.assign(faked, { files, most: undefined, fails: false, listed: 0 });
});

test('those above 2 without close-on-exec', async () => {
  expect((await inherited())()).toEqual([3, 40]);
});

test('flags are octal, and only close-on-exec counts', async () => {
  faked.files = { 3: info('0'), 4: info('02000000'), 5: info('07777777'), 6: info('05777777') };
  expect((await inherited())()).toEqual([3, 6]);
});

test('not one that was closed since, nor one without flags', async () => {
  faked.files = { 3: '', 4: 'pos:\t0\n', 5: 'pos:\t0\nnotflags:\t0\n', 6: 'flags:0\n' };
  expect((await inherited())()).toEqual([6]);
});

test('those below the limit of the process: others could not be replaced', async () => {
  faked.most = 40;
  expect((await inherited())()).toEqual([3]);
  faked.most = 41;
  expect((await inherited())()).toEqual([3, 40]);
});

test('they are listed once', async () => {
  const list = await inherited();
  expect(list()).toBe(list());
  expect(faked.listed).toBe(1);
});

test.each([
  ['on another system', 'darwin', false],
  ['without /proc', 'linux', true],
])('none %s', async (_, platform, fails) => {
  faked.fails = fails;
  expect((await inherited(platform))()).toEqual([]);
});
