import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  closeHeld,
  HeldDirectory,
  latin1ToPath,
  openHeld,
  pathToLatin1,
  skipFiles,
} from '../../src/files/held-directory.ts';
import { keptFromClients } from '../../src/files/kept-files.ts';
import { openBelow, openCount } from '../support/descriptors.ts';
import { workspace } from '../support/workspace.ts';

function held(path: string): HeldDirectory {
  const fd = openSync(path, 'r');
  try {
    return HeldDirectory.adopt(path, fd);
  } finally {
    closeSync(fd);
  }
}

describe.skipIf(process.platform !== 'linux')('a directory that is held', () => {
  test('one whose path is too long leaves no descriptor open', () => {
    const { W } = workspace();
    const before = openCount();
    const name = 'd'.repeat(250);
    const way: HeldDirectory[] = [held(W)];
    expect(() => {
      for (;;) {
        const at = way.at(-1) as HeldDirectory;
        mkdirSync(`${at.self}/${name}`);
        way.push(at.enter(name, [pathToLatin1(W)]) as HeldDirectory);
      }
    }).toThrow('ENAMETOOLONG');
    expect(openCount()).toBe(before + way.length);
    for (const one of way.toReversed()) {
      rmdirSync(`${one.self}/${name}`);
      one.release();
    }
    expect(openCount()).toBe(before);
  });

  test('it is left only for the one that held it', () => {
    const { W, O } = workspace();
    mkdirSync(join(W, 'a/b'), { recursive: true });
    const before = openCount();
    const inner = held(join(W, 'a/b'));
    const { dev, ino } = statSync(join(W, 'a'));
    const outer = inner.leave(pathToLatin1(join(W, 'a')), dev, ino);
    expect(outer?.entries(10).entries).toEqual([{ name: 'b', kind: 'directory' }]);
    outer?.release();
    renameSync(join(W, 'a/b'), join(O, 'b'));
    expect(inner.leave(pathToLatin1(join(W, 'a')), dev, ino)).toBeUndefined();
    inner.release();
    expect(openCount()).toBe(before);
  });

  test('what is private is not entered, opened or followed', () => {
    const { W, write } = workspace();
    for (const name of ['.env', 'é.key', 'a.ts', 'vault/x.ts']) write(name, 'text');
    symlinkSync('a.ts', join(W, 'link.key'));
    symlinkSync('a.ts', join(W, 'link'));
    linkSync(join(W, '.env'), join(W, 'other.txt'));
    linkSync(join(W, 'é.key'), join(W, 'third.txt'));
    linkSync(join(W, 'a.ts'), join(W, 'b.ts'));
    const rules = ['.env', '*.key', 'vault/'].map((rule) => ({ pattern: rule, rule, from: '', lift: '' }));
    const nothing = keptFromClients([]);
    skipFiles(nothing, JSON.stringify({ key: '1', sources: [{ base: W, rules }], projects: [W] }));
    const before = openCount();
    const directory = held(W);
    const opened = (name: string): boolean => {
      const file = openHeld(directory, pathToLatin1(name));
      if (file) closeHeld(file);
      return file !== undefined;
    };
    const files = ['.env', 'é.key', 'other.txt', 'third.txt', 'a.ts', 'b.ts'];
    expect(files.filter(opened)).toEqual(['a.ts', 'b.ts']);
    expect(files.filter((name) => directory.factsOf(pathToLatin1(name)))).toEqual(['a.ts', 'b.ts']);
    expect(directory.linkedRule('other.txt')?.rule).toBe('.env');
    expect([directory.linkedRule('none'), directory.linkedRule('vault')]).toEqual([undefined, undefined]);
    expect(directory.enter('vault', [])).toBeUndefined();
    directory.enter('vault', [], true)?.release();
    const targets = ['link.key', 'a.ts', 'link'].map((name) => directory.linkTarget(name)?.toString());
    expect(targets).toEqual([undefined, undefined, 'a.ts']);
    skipFiles(nothing);
    expect(files.filter(opened)).toEqual(files);
    directory.release();
    expect(openCount()).toBe(before);
  });

  test('a kernel file is not opened, whatever directory it is mounted in', () => {
    const { dev } = statSync('/');
    expect(openHeld({ self: '/proc/self', dev, isPrivate: () => false }, 'status')).toBeUndefined();
    expect(openBelow(`/proc/${process.pid}/status`)).toEqual([]);
  });

  test('names are bytes, and texts of bytes', () => {
    expect([latin1ToPath('a\xc3\xa9'), pathToLatin1('aé'), latin1ToPath('abc')]).toEqual([
      'aé',
      'a\xc3\xa9',
      'abc',
    ]);
  });
});
