/**
 * Files are removed by descriptor: however deep, whatever their names, and nothing behind a link that is exchanged meanwhile.
 *
 * @module-tag slow
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  FixtureDirectory,
  MAX_DIRECTORY_NAMES,
  OpenDirectory,
  emptyDirectory,
  removeEntry,
} from '../../../src/faces/check/fixture-directory.ts';
import { BrokenLaw } from '../../../src/faces/check/outcome.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { skip } from '../../support/has.ts';

const ON_LINUX = process.platform === 'linux';

function within(path: string, act: (held: OpenDirectory) => void): string[] {
  const held = new OpenDirectory(path);
  try {
    act(held);
  } finally {
    held.close();
  }
  return readdirSync(path);
}

const emptied = (path: string): string[] => within(path, (held) => emptyDirectory(held));

test('nested directories with a path too long for the system', () => {
  const top = temporaryFolder();
  const script = `for (let i = 0; i < 600; i += 1) { fs.mkdirSync('directory'); process.chdir('directory'); fs.writeFileSync('a', ''); }`;
  execFileSync(process.execPath, ['-e', script], { cwd: top });
  expect(emptied(top)).toEqual([]);
});

test.runIf(ON_LINUX)('names that are not UTF-8', () => {
  const top = temporaryFolder();
  const name = Buffer.from([...Buffer.from(`${top}/`), 0xff, 0xfe]);
  mkdirSync(name);
  writeFileSync(Buffer.concat([name, Buffer.from('/'), Buffer.from([0xff])]), '');
  expect(emptied(top)).toEqual([]);
});

test.skipIf(process.getuid?.() === 0)('neighbours of a directory that cannot be removed are removed', () => {
  const top = temporaryFolder();
  for (const name of ['locked', 'one', 'two']) {
    mkdirSync(join(top, 'd', name), { recursive: true });
    writeFileSync(join(top, 'd', name, 'file'), '');
  }
  chmodSync(join(top, 'd/locked'), 0);
  onTestFinished(() => chmodSync(join(top, 'd/locked'), 0o700));
  expect(() => emptied(top)).toThrow('EACCES');
  expect([readdirSync(top), readdirSync(join(top, 'd'))]).toEqual([['d'], ['locked']]);
});

test('what is behind a link stays, and what is kept', () => {
  const top = temporaryFolder();
  const victim = temporaryFolder();
  writeFileSync(join(victim, 'precious'), '');
  mkdirSync(join(top, 'd/e'), { recursive: true });
  for (const link of ['a', 'd/b', 'd/e/c']) symlinkSync(victim, join(top, link));
  writeFileSync(join(top, 'kept'), '');
  writeFileSync(join(top, 'file'), '');
  expect(within(top, (held) => removeEntry(held, 'd')).toSorted()).toEqual(['a', 'file', 'kept']);
  expect(within(top, (held) => emptyDirectory(held, ['kept']))).toEqual(['kept']);
  expect(readdirSync(victim)).toEqual(['precious']);
  expect(() => new OpenDirectory(join(top, 'none'))).toThrow('ENOENT');
});

test.runIf(ON_LINUX)('a directory that is exchanged with a link repeatedly', async () => {
  const top = temporaryFolder();
  const victim = temporaryFolder();
  for (let i = 0; i < 200; i += 1) writeFileSync(join(victim, `precious-${i}`), '');
  const script = `
    const [victim] = process.argv.slice(1);
    fs.symlinkSync(victim, '../link');
    console.log('ready');
    for (;;) {
      try {
        if (!fs.existsSync('d')) { fs.mkdirSync('d/e', { recursive: true }); fs.writeFileSync('d/e/precious-1', ''); }
        fs.renameSync('d', '../directory'); fs.renameSync('../link', 'd');
        fs.renameSync('d', '../link'); fs.renameSync('../directory', 'd');
      } catch { try { fs.symlinkSync(victim, '../link'); } catch {} }
    }`;
  mkdirSync(join(top, 'in'));
  const racer = spawn(process.execPath, ['-e', script, victim], { cwd: join(top, 'in') });
  try {
    await new Promise((resolve) => void racer.stdout.once('data', resolve));
    for (let i = 0; i < 300; i += 1) {
      try {
        emptied(join(top, 'in'));
      } catch {
        // It may be filled faster than it is emptied.
      }
    }
  } finally {
    racer.kill('SIGKILL');
  }
  expect(readdirSync(victim)).toHaveLength(200);
});

test('nothing is removed or written where something is mounted', (context) => {
  const [top, victim] = [temporaryFolder(), temporaryFolder()];
  const precious = join(victim, 'precious');
  writeFileSync(precious, 'precious');
  writeFileSync(join(top, 'file'), '');
  mkdirSync(join(top, 'directory'));
  const mounts: string[] = [];
  const mount = (from: string, to: string): boolean => {
    const mounted = spawnSync('mount', ['--bind', from, to]).status === 0;
    if (mounted) mounts.push(to);
    return mounted;
  };
  try {
    if (!mount(victim, join(top, 'directory'))) return skip(context, 'no directory can be mounted here');
    mount(precious, join(top, 'file'));
    const held = new OpenDirectory(top);
    const files = new FixtureDirectory(held);
    const mounted = new BrokenLaw('the server mounted a file system');
    expect(() => removeEntry(held, 'directory')).toThrow(mounted);
    expect(() => emptyDirectory(held)).toThrow();
    expect(() => files.write('directory/new', 'new')).toThrow(mounted);
    expect(() => files.write('file', 'new')).toThrow(mounted);
    files.close();
  } finally {
    for (const at of mounts) spawnSync('umount', [at]);
  }
  expect(readdirSync(victim)).toEqual(['precious']);
  expect(readFileSync(precious, 'utf8')).toBe('precious');
});

test('more files than are listed at once', () => {
  const top = temporaryFolder();
  mkdirSync(join(top, 'd'));
  for (let i = 0; i < MAX_DIRECTORY_NAMES + 10; i += 1)
    writeFileSync(join(top, `d/a-file-with-a-long-name-${i}`), '');
  expect(
    within(join(top, 'd'), (held) => expect(held.names()).toHaveLength(MAX_DIRECTORY_NAMES)),
  ).toHaveLength(MAX_DIRECTORY_NAMES + 10);
  expect(emptied(top)).toEqual([]);
});

test.runIf(ON_LINUX)('files that another process creates without end', async () => {
  const top = temporaryFolder();
  mkdirSync(join(top, 'd'));
  const script = `console.log('ready'); for (let i = 0; ; i += 1) try { fs.closeSync(fs.openSync('f' + i, 'w')); } catch {}`;
  const writer = spawn(process.execPath, ['-e', script], { cwd: top });
  try {
    await new Promise((resolve) => void writer.stdout.once('data', resolve));
    try {
      emptied(top);
    } catch (error) {
      expect((error as Error).message).toBe('over 200000 files');
    }
  } finally {
    writer.kill('SIGKILL');
  }
});

test('closing a directory twice leaves other descriptors open', () => {
  const held = new OpenDirectory(temporaryFolder());
  held.close();
  const other = new OpenDirectory(temporaryFolder());
  held.close();
  expect(other.names()).toEqual([]);
  other.close();
});
