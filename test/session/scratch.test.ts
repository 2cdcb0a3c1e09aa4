import { chmodSync, fstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ScratchDirectory } from '../../src/session/directories.ts';
import { temporaryFolder } from '../support/commands.ts';

function scratch(): { directory: ScratchDirectory; made: () => string[] } {
  const temporary = temporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { directory: new ScratchDirectory(), made: () => readdirSync(temporary) };
}

test('a file is written and read at offsets, then removed', async () => {
  const { directory, made } = scratch();
  const file = await directory.file();
  await file.append(Buffer.from('one two'));
  const target = Buffer.alloc(3);
  expect(await file.readInto(target, 4)).toBe(3);
  expect(target.toString()).toBe('two');
  expect(await file.readInto(target, 6)).toBe(1);
  expect(made()).toHaveLength(1);
  const { fd } = file;
  expect(fstatSync(fd).size).toBe(7);
  await file.close();
  await file.close();
  expect(() => fstatSync(fd)).toThrow('EBADF');
  await directory.remove();
  expect(made()).toEqual([]);
});

test('no file is created after the session has ended', async () => {
  const { directory, made } = scratch();
  await (await directory.file()).close();
  const late = directory.file().then(
    (file) => file.close(),
    () => undefined,
  );
  await directory.remove();
  await late;
  expect(made()).toEqual([]);
  await expect(directory.file()).rejects.toThrow('The session is closed.');
});

test('a removed directory is made again, elsewhere if others could replace it', async () => {
  const cache = temporaryFolder();
  const { directory, made } = scratch();
  const temporary = process.env['TMPDIR'] as string;
  vi.stubEnv('XDG_CACHE_HOME', cache);
  await (await directory.file()).close();
  rmSync(join(temporary, made()[0] as string), { recursive: true });
  await (await directory.file()).close();
  expect(made()).toHaveLength(1);
  chmodSync(temporary, 0o777);
  await (await directory.file()).close();
  expect([made().length, readdirSync(join(cache, 'oriel')).length]).toEqual([1, 1]);
  await directory.remove();
  expect(readdirSync(join(cache, 'oriel'))).toEqual([]);
});
