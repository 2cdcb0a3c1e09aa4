/** Node aborts the whole process if a thread ends while it creates a zlib handle. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { inflateRawSync } from '../../src/process/worker-ending.ts';

test('threads that create zlib handles can end at any moment', { tags: 'slow' }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-zlib-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const name of ['zlib-thread', 'end-zlib-threads']) {
    const bundle = await rolldown({ input: resolve(`test/support/${name}.ts`), platform: 'node' });
    await bundle.write({ file: join(directory, `${name}.mjs`), format: 'es', codeSplitting: false });
    await bundle.close();
  }
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(directory, 'end-zlib-threads.mjs')], {
    encoding: 'utf8',
  });
  expect([stderr, stdout, status]).toEqual(['', '40\n', 0]);
});

test('an error of such work is thrown', () => {
  expect(() => inflateRawSync(Buffer.from([7]))).toThrow('invalid');
});
