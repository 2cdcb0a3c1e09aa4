/** An error that replaces another one keeps it as its cause, from the system call up. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAccess } from '../src/files/local.ts';
import { advised, OrielError } from '../src/errors.ts';
import { parseBehind } from '../src/selector/selection.ts';
import { Tree } from './support/tree.ts';

const access = (cwd: string, roots: string[] = []) =>
  createAccess({ cwd, roots, allow: [], ours: () => false });

async function failureOf(work: () => unknown): Promise<OrielError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof OrielError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('an error has only what is given: code, next, cause', () => {
  const cause = new Error('why');
  const error = new OrielError('NOT_FOUND', 'It does not exist.', { next: '.', cause });
  expect([error.code, error.message, error.next, error.cause]).toEqual([
    'NOT_FOUND',
    'It does not exist.',
    '.',
    cause,
  ]);
  expect(Object.hasOwn(new OrielError('BUSY', 'Later.'), 'cause')).toBe(false);
});

test('advice is part of the message, not of the reason', () => {
  const error = advised('BAD_PATH', 'It is no path.', 'Use a.txt.', { next: 'a.txt' });
  expect([error.message, error.why, error.next]).toEqual([
    'It is no path. Use a.txt.',
    'It is no path.',
    'a.txt',
  ]);
  expect(new OrielError('BUSY', 'Later.').why).toBe('Later.');
});

test('a missing path keeps the error of the system', async () => {
  const { path } = await Tree.create({ 'a.txt': 'a' });
  const error = await failureOf(() => access(path).open(join(path, 'b.txt')));
  expect([error.code, (error.cause as NodeJS.ErrnoException).code]).toEqual(['NOT_FOUND', 'ENOENT']);
});

test('a selector that is worded again keeps the first error', async () => {
  const error = await failureOf(() => parseBehind('a.txt', '0'));
  expect(error.next).toBe('a.txt:1');
  expect(error.cause).toMatchObject({ code: 'BAD_SELECTOR', next: ':1' });
});
