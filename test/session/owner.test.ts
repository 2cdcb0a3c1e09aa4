import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sessionDirectory, isLeftBehind, ownName, ScratchDirectory } from '../../src/session/directories.ts';
import { FileCache } from '../../src/session/disk-cache.ts';
import { temporaryFolder } from '../support/commands.ts';

const { pid: ended } = spawnSync('true');

/** The name that a process would have given which has ended. */
const nameOfTheDead = (): string => ownName().replace(/^\d+/, String(ended));

/** As the names of values in the cache. */
const DIGEST = 'a'.repeat(64);

/** As another machine or container would give it, with the same process id. */
const elsewhere = (name: string): string => name.replace(/-[0-9a-f]{8}/, '-00000000');

test.skipIf(process.platform !== 'linux')(
  'leftovers of an ended process are recognised by their names',
  () => {
    const dead = nameOfTheDead();
    expect(isLeftBehind(dead)).toBe(true);
    expect(isLeftBehind(`${dead}-removed-12`)).toBe(true);
    const others = [
      ownName(),
      elsewhere(dead),
      `${dead}0`,
      `x${dead}`,
      `${dead}.backup`,
      `${dead} notes.txt`,
      'x',
      '1-2',
    ];
    expect(others.filter(isLeftBehind)).toEqual([]);
    expect(ownName()).not.toBe(ownName());
  },
);

test.skipIf(process.platform !== 'linux')(
  'C11 the next process removes leftovers of a killed one',
  async () => {
    const [home, dead] = [temporaryFolder(), nameOfTheDead()];
    vi.stubEnv('TMPDIR', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const made = (path: string): string => {
      mkdirSync(join(home, path), { recursive: true });
      writeFileSync(join(home, path, '1.log'), 'x');
      return join(home, path);
    };
    const left = [
      made(`sessions/${dead}`),
      made(`oriel-scratch-${dead}`),
      join(home, `${DIGEST}.${dead}.tmp`),
    ];
    const kept = [
      made(`sessions/${elsewhere(dead)}`),
      made(`oriel-scratch-${elsewhere(dead)}`),
      join(home, `${DIGEST}.${elsewhere(dead)}.tmp`),
    ];
    for (const path of [left[2], kept[2]]) writeFileSync(path as string, 'x');
    sessionDirectory(home);
    const cache = new FileCache({ directory: home });
    cache.put('key', [Buffer.from('value')]);
    await cache.close();
    const scratch = new ScratchDirectory();
    await (await scratch.file()).close();
    await expect.poll(() => left.filter((path) => existsSync(path))).toEqual([]);
    expect(kept.filter((path) => existsSync(path))).toEqual(kept);
    await scratch.remove();
    expect(readdirSync(home).filter((name) => name.startsWith('oriel-scratch-'))).toHaveLength(1);
  },
);

test.skipIf(process.platform !== 'linux')(
  'links and foreign files in a shared directory are untouched',
  async () => {
    const home = temporaryFolder();
    vi.stubEnv('TMPDIR', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const named = (): string => join(home, `oriel-scratch-${nameOfTheDead()}`);
    const [own, target] = [named(), join(home, 'target')];
    // Several: they are met in any order.
    const links = Array.from({ length: 8 }, named);
    // Only root gives files away.
    const others = Array.from({ length: process.getuid?.() === 0 ? 8 : 0 }, named);
    for (const path of [own, target, ...others]) {
      mkdirSync(path);
      writeFileSync(join(path, 'f'), 'x');
    }
    for (const path of links) symlinkSync(target, path);
    for (const path of others) chownSync(path, 1_234, 1_234);
    const scratch = new ScratchDirectory();
    await (await scratch.file()).close();
    await expect.poll(() => existsSync(own)).toBe(false);
    const left = [target, ...links, ...others].filter((path) => existsSync(join(path, 'f')));
    expect(left).toHaveLength(1 + links.length + others.length);
    await scratch.remove();
  },
);
