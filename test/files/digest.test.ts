import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sha256Of } from '../../src/files/package-files.ts';

test.each([0, 1, 512 << 10, (512 << 10) + 1, 1_500_000])('the SHA-256 of %i bytes', async (length) => {
  const bytes = Buffer.from(Array.from({ length }, (_, i) => i % 251));
  expect(await sha256Of(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
});

test('other work runs between the pieces', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await sha256Of(Buffer.alloc(4 * (512 << 10)));
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(3);
});
