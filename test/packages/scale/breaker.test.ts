/** When a store counts as away. */

import { expect, onTestFinished, test } from 'vitest';
import { CircuitBreaker } from '../../../packages/scale/src/state/shared-state.ts';
import '../../support/scale.ts';

test('failures of uses begun before an outage are no outage', async () => {
  const changes: boolean[] = [];
  const breaker = new CircuitBreaker({
    timeoutMs: 60_000,
    probe: () => Promise.resolve(),
    reset: () => Promise.resolve(),
    isRefusal: () => false,
    onChange: (up) => changes.push(up),
    onRefused: () => undefined,
  });
  onTestFinished(() => breaker.close());
  const fails: (() => void)[] = [];
  const use = (): Promise<string> =>
    breaker.run(() => new Promise<string>((_, reject) => fails.push(() => reject(new Error('broken')))));
  const uses = Array.from({ length: 3 }, use);
  fails[0]?.();
  await expect.poll(() => changes).toEqual([false, true]);
  for (const fail of fails) fail();
  expect(await Promise.all(uses)).toEqual(['away', 'away', 'away']);
  expect(changes).toEqual([false, true]);
  // One that began since is.
  const last = use();
  fails[3]?.();
  expect(await last).toBe('away');
  expect(changes).toEqual([false, true, false]);
});
