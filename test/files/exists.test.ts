import { expect, test } from 'vitest';
import { exists } from '../../src/files/deepest-directory.ts';
import type { FileAccess } from '../../src/types/access.ts';

test('what can be opened exists, and is closed again', async () => {
  const closed: string[] = [];
  const open = (path: string): Promise<unknown> =>
    path === '/a'
      ? Promise.resolve({ close: () => Promise.resolve(void closed.push(path)) })
      : Promise.reject(new Error('ENOENT'));
  const access = { open } as Partial<FileAccess> as FileAccess;
  expect([await exists('/a', access), await exists('/b', access), closed]).toStrictEqual([
    true,
    false,
    ['/a'],
  ]);
});
