import { once } from 'node:events';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { start } from '../../src/process/start.ts';

// Node closes what it has opened itself; what it was started with, a test cannot add.
const mocked = vi.hoisted(() => ({ inherited: [3, 5, 40] }));
vi.mock('../../src/process/inherited.ts', () => ({ inheritedDescriptors: () => mocked.inherited }));

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

test('the same options are used if nothing was inherited', async () => {
  mocked.inherited = [];
  onTestFinished(() => void (mocked.inherited = [3, 5, 40]));
  const child = start('bash', ['-c', 'echo $NAME; pwd'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { NAME: 'value' },
    cwd: '/',
  });
  expect(await text(child.stdout as Readable)).toBe('value\n/\n');
});

test('this process keeps no descriptor, also if the start fails', async () => {
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  await once(start('true', [], { stdio: ['ignore', 'ignore', 'ignore'] }), 'close');
  expect(open()).toBe(before);
  const long = 'x'.repeat(200_000);
  expect(() => start('true', [long], { stdio: ['ignore', 'ignore', 'ignore'] })).toThrow('E2BIG');
  expect(open()).toBe(before);
});
