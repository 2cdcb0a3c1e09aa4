import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { start } from '../../src/access/start.ts';

// Node closes what it has opened itself; what it was started with, a test cannot add.
vi.mock('../../src/access/inherited.ts', () => ({ inheritedDescriptors: () => [3, 5, 40] }));

const LIST = ['-c', 'for fd in 3 4 5 40; do echo $fd $(readlink /proc/self/fd/$fd); done'];

async function descriptorsOf(...more: number[]): Promise<string> {
  const child = start('bash', LIST, { stdio: ['ignore', 'pipe', 'ignore', ...more] });
  const [said] = await Promise.all([text(child.stdout as Readable), once(child, 'close')]);
  return said;
}

test('a child process gets nothing in place of what this one was started with', async () => {
  expect(await descriptorsOf()).toBe('3 /dev/null\n4\n5 /dev/null\n40 /dev/null\n');
});

test('a descriptor that it is given has its place, whatever was inherited there', async () => {
  const own = openSync('package.json', 'r');
  expect(await descriptorsOf(own)).toMatch(/^3 \S+\/package\.json\n4\n5 \/dev\/null\n40 \/dev\/null\n$/);
  closeSync(own);
});
