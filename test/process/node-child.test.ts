/** How child processes are started, and how their ends are classified. Running one is tested in isolate-pool.test.ts. */

import { afterEach, expect, test, vi } from 'vitest';
import { ChildFailure, childEndFailure, spawnNode } from '../../src/process/node-child.ts';

const started = vi.hoisted(() => [] as unknown[][]);
vi.mock('../../src/process/start.ts', () => ({
  startProcess: (...call: unknown[]) => void started.push(call),
}));

afterEach(() => void vi.unstubAllEnvs());

test.each<[number | null, NodeJS.Signals | null, string, string]>([
  [1, null, 'crashed', 'ended with code 1'],
  [null, 'SIGABRT', 'crashed', 'ended with SIGABRT'],
  [null, 'SIGBUS', 'crashed', 'ended with SIGBUS'],
  [null, 'SIGFPE', 'crashed', 'ended with SIGFPE'],
  [null, 'SIGILL', 'crashed', 'ended with SIGILL'],
  [null, 'SIGSEGV', 'crashed', 'ended with SIGSEGV'],
  [null, 'SIGSYS', 'crashed', 'ended with SIGSYS'],
  [null, 'SIGTRAP', 'crashed', 'ended with SIGTRAP'],
  [null, 'SIGKILL', 'ended', 'ended with SIGKILL'],
  [null, 'SIGTERM', 'ended', 'ended with SIGTERM'],
])('code %j, signal %j: %s', (code, signal, why, message) => {
  const failure = childEndFailure(code, signal);
  expect(failure).toBeInstanceOf(ChildFailure);
  expect({ name: failure.name, why: failure.why, message: failure.message }).toEqual({
    name: 'ChildFailure',
    why,
    message,
  });
});

test.each([
  ['nothing of our environment', undefined, {}],
  ['the system directory of Windows', 'C:\\Windows', { SystemRoot: 'C:\\Windows' }],
  ['not an empty one', '', {}],
])('a child gets %s', (_, systemRoot, more) => {
  vi.stubEnv('SystemRoot', systemRoot);
  started.length = 0;
  spawnNode(['--flag', 'child.js']);
  expect(started).toEqual([
    [
      process.execPath,
      ['--flag', 'child.js'],
      {
        cwd: '/',
        env: { MALLOC_ARENA_MAX: '1', TZ: 'UTC', ...more },
        stdio: ['pipe', 'pipe', 'ignore'],
        windowsHide: true,
      },
    ],
  ]);
});
