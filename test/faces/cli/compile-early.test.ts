/** V8's flags hold for a whole process: here they are caught, and tried in child processes. */

import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { compileEarly } from '../../../src/faces/cli/compile-early.ts';

const { setFlagsFromString } = vi.hoisted(() => ({ setFlagsFromString: vi.fn<(flags: string) => void>() }));

vi.mock('node:v8', () => ({ setFlagsFromString }));

/** The flags that are set in a process with this V8. */
function flagsWith(v8: string): readonly string[] {
  setFlagsFromString.mockClear();
  vi.stubGlobal('process', Object.create(process, { versions: { value: { ...process.versions, v8 } } }));
  onTestFinished(() => void vi.unstubAllGlobals());
  compileEarly();
  return setFlagsFromString.mock.calls.map(([flags]) => flags);
}

/** Counts the calls of a function until V8 has optimized it: bit 4 of its status in V8 11. */
const COUNT = `
  const f = (a, b) => { let c = a; for (let i = 0; i < 10; i += 1) c += b; return c; };
  let calls = 0;
  while ((%GetOptimizationStatus(f) & 16) === 0) { f(calls, 1); calls += 1; }
  console.log(calls);
`;

function callsUntilOptimized(flags: readonly string[]): number {
  // Without a compiler thread: the number would depend on when that gets the processor.
  const fixed = ['--allow-natives-syntax', '--no-concurrent-recompilation', '--no-use-osr'];
  return Number(execFileSync(process.execPath, [...fixed, ...flags, '--eval', COUNT], { encoding: 'utf8' }));
}

test.runIf(process.versions.v8.startsWith('11.'))(
  'with the flags V8 11 optimizes a function after less than a quarter of the calls',
  () => {
    const flags = flagsWith('11.3.244.8-node.38');
    vi.unstubAllGlobals();
    expect(4 * callsUntilOptimized(flags)).toBeLessThan(callsUntilOptimized([]));
  },
);

test.each([
  ['11.3.244.8-node.38', ['--interrupt-budget=10000']],
  ['12.4.254.21-node.33', []],
  ['110.0.0', []],
])('the flags for V8 %s', (v8, flags) => {
  expect(flagsWith(v8)).toEqual(flags);
});
