/**
 * A descriptor lent by a thread is read as the file it was lent for, or not at all: threads end, and descriptor numbers
 * are reused.
 */

import { closeSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lentFile } from '../../src/files/file.ts';
import { BlockReader } from '../../src/walk/read-block.ts';
import { HELPER, WalkControl, type WalkMessage } from '../../src/walk/walk-messages.ts';
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

  test('a lent directory is read unchanged, or leaves a gap', () => {
    const { W, write } = workspace();
    for (const at of ['mine', 'other']) {
      mkdirSync(join(W, at), { recursive: true });
      write(`${at}/f`, `${at}\n`);
    }
    const directory = lend(join(W, 'mine'));
    const read = (): WalkMessage[] => {
      const messages: WalkMessage[] = [];
      const how = { needle: undefined, prefilters: false, asStored: false };
      const reader = new BlockReader(new WalkControl(), HELPER, how, (message) => messages.push(message));
      const { fd, dev, ino } = directory;
      const part = { self: `/proc/${process.pid}/fd/${fd}`, dev, ino, front: '', names: 'f' };
      reader.read({ no: 0, parts: [part], until: Number.POSITIVE_INFINITY });
      reader.close();
      return messages;
    };
    expect(read()).toMatchObject([{ is: 'texts' }, { is: 'block-end', gaps: { broken: false } }]);
    replace(directory, join(W, 'other'));
    expect(read()).toMatchObject([{ is: 'block-end', gaps: { broken: true } }]);
    closeSync(directory.fd);
    expect(read()).toMatchObject([{ is: 'block-end', gaps: { broken: true } }]);
  });
});
