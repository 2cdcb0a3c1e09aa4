import { expect, test, vi } from 'vitest';
import { listProcesses } from '../../src/access/process-table.ts';

/** A process that ends while the list of them is read cannot be had on purpose: on most kernels nothing fails then. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const names = ['acpi', '1', '2'];
  return {
    ...fs,
    opendirSync: () => ({
      readSync() {
        const name = names.shift();
        if (name === undefined) throw Object.assign(new Error('ENOENT: lstat'), { code: 'ENOENT' });
        return { name };
      },
      closeSync() {},
    }),
    readdirSync: () => ['1', '10', '2', '9', 'self'],
  };
});

test('a process that ends while they are listed ends the list of no other', () => {
  expect([...(listProcesses() ?? [])]).toEqual([1, 2, 9, 10]);
});
