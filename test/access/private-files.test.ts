/** Which private files are kept from clients that have roots. */

import {
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  fileKey,
  filesKeptFromClients,
  keepFileFromClients,
  keepFromClients,
  keptFromClients,
} from '../../src/access/private-files.ts';

function temporary(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-private-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a place is kept by its real path, also before it exists, and not from a root inside it', () => {
  const folder = temporary();
  mkdirSync(join(folder, 'real'));
  symlinkSync('real', join(folder, 'link'));
  keepFromClients(join(folder, 'link', 'later', 'cache'));
  const place = join(folder, 'real', 'later', 'cache');
  const keptFrom = (...roots: string[]): string[] =>
    keptFromClients(roots).filter((path) => path.startsWith(folder));
  expect(keptFrom(folder)).toStrictEqual([place]);
  expect(keptFrom(folder, join(place, 'own'))).toStrictEqual([]);
  expect(keptFrom(place)).toStrictEqual([]);
  expect(keptFromClients([])).toStrictEqual([]);
});

test('a file is kept by its path and, open, by its inode: under every name', () => {
  const folder = temporary();
  const path = join(folder, 'token');
  writeFileSync(path, 'secret');
  const stats = statSync(path);
  const fd = openSync(path, 'r');
  keepFileFromClients(path, fd, stats);
  expect(keptFromClients([folder]).filter((kept) => kept.startsWith(folder))).toStrictEqual([path]);
  expect(filesKeptFromClients([folder]).has(fileKey(stats))).toBe(true);
  expect(filesKeptFromClients([]).size).toBe(0);
  expect(() => fstatSync(fd)).not.toThrow();
  // A second descriptor of the same file is not needed.
  const second = openSync(path, 'r');
  keepFileFromClients(path, second, stats);
  expect(() => fstatSync(second)).toThrow('EBADF');
});
