/** Files that oriel wrote are opened, and nothing that has replaced them. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type DescriptorInspector, inspectorOf } from '../../src/files/descriptors.ts';
import { openRegular } from '../../src/files/path-walk.ts';
import { temporaryFolder } from '../support/commands.ts';
import { openCount } from '../support/descriptors.ts';
import { makeFifo } from '../support/fifo.ts';

afterEach(() => void vi.restoreAllMocks());

describe.runIf(process.platform === 'linux').each(['linux', 'darwin'] as const)('on %s', (platform) => {
  beforeEach(() => void vi.spyOn(process, 'platform', 'get').mockReturnValue(platform));

  test('a regular file is opened for reading', async () => {
    const path = join(temporaryFolder(), 'f');
    fs.writeFileSync(path, 'text');
    const before = openCount();
    const { fd, stats } = await openRegular(path, inspectorOf(path));
    expect([fs.readFileSync(fd, 'utf8'), stats.ino]).toStrictEqual([
      'text',
      fs.statSync(path, { bigint: true }).ino,
    ]);
    expect(() => fs.writeSync(fd, 'x')).toThrow('EBADF');
    fs.closeSync(fd);
    expect(openCount()).toBe(before);
  });

  test.each(['directory', 'fifo', 'link', 'link-to-nothing', 'none'])('a %s is refused', async (name) => {
    const W = temporaryFolder();
    fs.writeFileSync(join(W, 'f'), 'text');
    fs.mkdirSync(join(W, 'directory'));
    fs.symlinkSync('f', join(W, 'link'));
    fs.symlinkSync('nowhere', join(W, 'link-to-nothing'));
    makeFifo(join(W, 'fifo'));
    const before = openCount();
    const path = join(W, name);
    const error = (await openRegular(path, inspectorOf(path)).catch(
      (caught: unknown) => caught,
    )) as NodeJS.ErrnoException;
    expect([error instanceof Error, error.code]).toStrictEqual([
      true,
      // Without O_PATH it is the system that refuses a link.
      platform === 'darwin' && name.startsWith('link') ? 'ELOOP' : 'ENOENT',
    ]);
    if (name === 'directory') expect(error.message).toBe('This is not a regular file.');
    expect(openCount()).toBe(before);
  });
});

test.runIf(process.platform === 'linux')('a file that is replaced between looking and opening', async () => {
  const W = temporaryFolder();
  const path = join(W, 'f');
  fs.writeFileSync(path, 'text');
  const before = openCount();
  const real = inspectorOf(path);
  const replacing: DescriptorInspector = {
    ...real,
    open(opened, flags) {
      if (opened !== path) {
        fs.rmSync(path);
        fs.symlinkSync('/etc/passwd', path);
      }
      return real.open(opened, flags);
    },
  };
  const { fd } = await openRegular(path, replacing);
  expect(fs.readFileSync(fd, 'utf8')).toBe('text');
  fs.closeSync(fd);
  expect(openCount()).toBe(before);
});
