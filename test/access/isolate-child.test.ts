/** How the end of a child process is classified. Running one is tested in isolate-pool.test.ts. */

import { expect, test } from 'vitest';
import { ChildFailure, endedWith } from '../../src/access/isolate-child.ts';

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
  const failure = endedWith(code, signal);
  expect(failure).toBeInstanceOf(ChildFailure);
  expect({ name: failure.name, why: failure.why, message: failure.message }).toStrictEqual({
    name: 'ChildFailure',
    why,
    message,
  });
});
