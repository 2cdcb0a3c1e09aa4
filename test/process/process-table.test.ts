/** The table of processes, read from a directory in place of /proc. */

import type * as fs from 'node:fs';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  holdsToken,
  isProcess,
  lastProcess,
  listProcesses,
  processStat,
} from '../../src/process/process-table.ts';

const faked = vi.hoisted(() => ({
  root: '/proc',
  /** Called with each path below /proc that is opened. */
  opened: (() => undefined) as (path: string) => void,
  /** Bytes that a read returns at most. */
  most: Infinity,
  /** Names after which reading a directory fails. */
  failsAfter: undefined as readonly string[] | undefined,
  /** A path that may not be looked at. */
  denied: undefined as string | undefined,
  descriptors: 0,
}));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const there = (path: string): string => path.replace(/^\/proc/, faked.root);
  return {
    ...real,
    openSync(path: string, flags: string) {
      faked.opened(path);
      const fd = real.openSync(there(path), flags);
      faked.descriptors += 1;
      return fd;
    },
    closeSync(fd: number) {
      real.closeSync(fd);
      faked.descriptors -= 1;
    },
    readSync: (fd: number, into: Buffer, at: number, length: number, position: null) =>
      real.readSync(fd, into, at, Math.min(length, faked.most), position),
    statSync(path: string, options: object) {
      if (path === faked.denied) throw Object.assign(new Error('EACCES: stat'), { code: 'EACCES' });
      return real.statSync(path, options);
    },
    readdirSync: (path: string) => real.readdirSync(there(path)),
    opendirSync(path: string, options: object) {
      const directory = real.opendirSync(there(path), options);
      faked.descriptors += 1;
      const names = [...(faked.failsAfter ?? [])];
      return {
        readSync() {
          if (!faked.failsAfter) return directory.readSync();
          const name = names.shift();
          if (name === undefined) throw Object.assign(new Error('ENOENT: lstat'), { code: 'ENOENT' });
          return { name };
        },
        closeSync() {
          directory.closeSync();
          faked.descriptors -= 1;
        },
      };
    },
  };
});

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'oriel-'));
  Object.assign(faked, {
    root,
    opened: () => undefined,
    most: Infinity,
    failsAfter: undefined,
    denied: undefined,
    descriptors: 0,
  });
});

afterEach(() => {
  expect(faked.descriptors).toBe(0);
  rmSync(root, { recursive: true });
});

/** Writes the files of a process. */
function add(pid: number | string, files: Record<string, string | Uint8Array> = {}): void {
  const at = join(root, String(pid));
  mkdirSync(at, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(at, name), content);
}

const listed = (): number[] | undefined => {
  const ids = listProcesses();
  return ids && [...ids].sort((a, b) => a - b);
};

describe('the list', () => {
  test('holds the ids, and no other name', () => {
    for (const name of ['1', '20', '3', 'self', 'acpi', '4x', 'x5', '١']) add(name);
    expect(listed()).toEqual([1, 3, 20]);
  });

  test('a process that ends while they are listed ends the list of no other', () => {
    for (const name of ['1', '10', '2', '9', 'self', '11x']) add(name);
    faked.failsAfter = ['acpi', '1', '2'];
    expect([...(listProcesses() ?? [])]).toEqual([1, 2, 9, 10]);
    faked.failsAfter = [];
    expect([...(listProcesses() ?? [])]).toEqual([1, 2, 9, 10]);
  });

  test('that is not read to its end is closed', () => {
    for (const name of ['1', '2']) add(name);
    for (const id of listProcesses() ?? []) {
      expect([1, 2]).toContain(id);
      break;
    }
  });

  test('is unknown without /proc', () => {
    faked.root = join(root, 'none');
    expect(listProcesses()).toBeUndefined();
  });
});

test.each([
  ['0.52 0.58 0.59 1/257 4711\n', 4_711],
  ['0.52 0.58 0.59 1/257 1\n', 1],
  // Systems that emulate Linux.
  ['0.52 0.58 0.59 1/257 0\n', undefined],
  ['', undefined],
  [undefined, undefined],
])('the id that was assigned last in %j is %j', (content, expected) => {
  if (content !== undefined) writeFileSync(join(root, 'loadavg'), content);
  expect(lastProcess()).toBe(expected);
});

describe('one process', () => {
  /** As in proc_pid_stat(5): 52 fields, of which the 22nd is the start. */
  const stat = (name: string, state: string): string => {
    const numbers = Array.from({ length: 49 }, (_, i) => 1_000 + i);
    return `7 (${name}) ${state} ${numbers.join(' ')}\n`;
  };
  const fields = { pid: 7, parent: 1_000, group: 1_001, session: 1_002, began: 1_018 };

  test.each([
    ['sleep', 'S', true],
    ['sleep', 'R', true],
    ['sleep', 'T', true],
    ['sleep', 'Z', false],
    ['sleep', 'X', false],
    ['a) Z 1 2', 'S', true],
    ['a) (b\nc', 'S', true],
  ])('%j in state %s', (name, state, alive) => {
    add(7, { stat: stat(name, state) });
    expect(processStat(7)).toStrictEqual({ ...fields, alive });
  });

  test('that is gone is unknown, also if it goes while it is read', () => {
    expect(processStat(7)).toBeUndefined();
    // Reading a directory fails as reading the file of an ended process does.
    add('7/stat');
    expect(processStat(7)).toBeUndefined();
  });

  test('this one is as the system says', () => {
    faked.root = '/proc';
    expect(processStat(process.pid)).toMatchObject({ pid: process.pid, alive: true, parent: process.ppid });
    expect(readFileSync('/proc/self/stat', 'latin1')).toContain(` ${processStat(process.pid)?.began} `);
    expect([...(listProcesses() ?? [])]).toEqual(expect.arrayContaining([process.pid, process.ppid]));
    expect(lastProcess()).toBeGreaterThan(0);
  });
});

describe('the token', () => {
  const TOKEN = 'ab12'.repeat(8);
  const environ = (...variables: string[]): string => variables.map((one) => `${one}\0`).join('');

  test.each([
    ['alone', environ(`ORIEL_RUN=${TOKEN}`), true],
    ['after others', environ('A=1', `ORIEL_RUN=outer,${TOKEN}`, 'B=2'), true],
    ['of another run', environ(`ORIEL_RUN=${TOKEN.slice(1)}`), false],
    ['of none', environ('PATH=/bin'), false],
  ])('%s', (_, content, expected) => {
    add(7, { environ: content, cmdline: 'sleep\0' });
    expect(holdsToken(7, TOKEN)).toBe(expected);
  });

  test.each([1, 5, 31, 32, 33, 100])('is found in reads of %d bytes, wherever it lies', (most) => {
    faked.most = most;
    for (let before = 0; before <= 40; before += 1) {
      add(7, { environ: `${'x'.repeat(before)}${TOKEN}yz` });
      expect(holdsToken(7, TOKEN)).toBe(true);
      add(7, { environ: `${'x'.repeat(before)}${TOKEN.slice(0, -1)}yz` });
      expect(holdsToken(7, TOKEN)).toBe(false);
    }
  });

  test('is found in an environment that is larger than the buffer, at any place', () => {
    const CHUNK = 64 << 10;
    for (const at of [0, CHUNK - 32, CHUNK - 31, CHUNK - 1, CHUNK, 2 * CHUNK - 40, 3 * CHUNK - 50]) {
      add(7, { environ: 'x'.repeat(at) + TOKEN + 'x'.repeat(3 * CHUNK - at) });
      expect(holdsToken(7, TOKEN)).toBe(true);
      add(7, { environ: 'x'.repeat(at) + TOKEN.slice(1) + 'x'.repeat(3 * CHUNK - at) });
      expect(holdsToken(7, TOKEN)).toBe(false);
    }
  });

  test('what an earlier process had is not seen in a shorter environment', () => {
    add(7, { environ: environ('A=1', `ORIEL_RUN=${TOKEN}`) });
    expect(holdsToken(7, TOKEN)).toBe(true);
    add(8, { environ: environ('A=1') });
    expect(holdsToken(8, TOKEN)).toBe(false);
  });

  test('a process without an environment has none, if its arguments stay the same', () => {
    add(7, { environ: '', cmdline: 'sleep\0' });
    expect(holdsToken(7, TOKEN)).toBe(false);
  });

  test('a process that is gone, or of another user, has none', () => {
    expect(holdsToken(7, TOKEN)).toBe(false);
    add(7, { cmdline: 'sleep\0' });
    expect(holdsToken(7, TOKEN)).toBe(false);
  });

  /** A process in execve: its files have these contents at each open. */
  function during(environs: readonly string[], lines: readonly string[]): string[] {
    const asked: string[] = [];
    add(7, { environ: '', cmdline: '' });
    const left = { environ: [...environs], cmdline: [...lines] };
    faked.opened = (path) => {
      const name = path.endsWith('environ') ? 'environ' : 'cmdline';
      asked.push(name);
      const content = left[name].shift();
      if (content !== undefined) add(7, { [name]: content });
    };
    return asked;
  }

  test.each<[string, string[], string[], boolean | undefined, number]>([
    ['it has arguments before it has the token', ['', TOKEN], ['sh\0'], true, 3],
    ['it has arguments before an environment', ['', 'A=1'], ['sh\0'], false, 3],
    ['other arguments each time, then the token', ['', '', '', TOKEN], ['a', 'b', 'c'], true, 7],
    ['other arguments at first', [], ['sh\0', 'sleep\0'], false, 6],
    ['no arguments at first', [], ['', 'sleep\0'], false, 6],
    ['no arguments: it is not known', [], [], undefined, 8],
    ['other arguments each time: it is not known', [], ['a', 'b', 'c', 'd'], undefined, 8],
    ['the same arguments at the last try', [], ['a', 'b', 'c', 'c'], false, 8],
  ])('during execve: %s', (_, environs, lines, expected, opens) => {
    const asked = during(environs, lines);
    expect(holdsToken(7, TOKEN)).toBe(expected);
    expect(asked).toHaveLength(opens);
  });
});

test('an id is that of a process, or not', () => {
  // Above the largest id that Linux assigns.
  expect([isProcess(process.pid), isProcess(5_000_000)]).toEqual([process.platform === 'linux', false]);
});

test('an id that may not be looked at may be that of a process', () => {
  faked.denied = '/proc/1';
  expect(isProcess(1)).toBe(true);
});
