/**
 * A descriptor lent by a thread is read as the file it was lent for, or not at all: threads end, and descriptor numbers
 * are reused.
 */

import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lentFile } from '../../src/files/file.ts';
import { workspace } from '../support/workspace.ts';

interface Lent {
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
}

function lend(path: string): Lent {
  const fd = openSync(path, 'r');
  const { dev, ino } = fstatSync(fd);
  return { fd, dev, ino };
}

/** Something else under the number of what was lent. */
function replace({ fd }: Lent, path: string): void {
  closeSync(fd);
  expect(openSync(path, 'r')).toBe(fd);
}

describe.skipIf(process.platform !== 'linux')('a thread that ends', () => {
  test('a lent file is read unchanged, or not at all', async () => {
    const { W, write } = workspace();
    write('mine', 'mine\n');
    write('other', 'other\n');
    const file = lend(join(W, 'mine'));
    const held = await lentFile(file, 'mine');
    replace(file, join(W, 'other'));
    const bytes = Buffer.alloc(8);
    expect(await held?.bytes.readInto(bytes, 0)).toBe(5);
    expect(bytes.toString('utf8', 0, 5)).toBe('mine\n');
    expect(await lentFile(file, 'mine')).toBeUndefined();
    closeSync(file.fd);
    expect(await lentFile(file, 'mine')).toBeUndefined();
    await held?.close();
  });
});
