import { mkdirSync, openSync, closeSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathToLatin1, HeldDirectory } from '../../src/files/held-directory.ts';
import { openCount } from '../support/descriptors.ts';
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
});
