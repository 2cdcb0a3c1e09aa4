/** V8's flags hold for a whole process: here they are caught, and tried in child processes. */

import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test, vi } from 'vitest';

type Module = typeof import('../../src/process/compile-budget.ts');

/** The flags that are set by `use` in a new process with this V8. */
async function flagsWith(v8: string, use: (module: Module) => void): Promise<readonly string[]> {
  const flags: string[] = [];
  const faked = {
    versions: { value: { ...process.versions, v8 } },
    getBuiltinModule: { value: () => ({ setFlagsFromString: (flag: string) => void flags.push(flag) }) },
  };
  vi.resetModules();
  const module = await import('../../src/process/compile-budget.ts');
  vi.stubGlobal('process', Object.create(process, faked));
  onTestFinished(() => void vi.unstubAllGlobals());
  use(module);
  return flags;
}

const V8_11 = '11.3.244.8-node.38';
const [early, late, usual] = [10_000, 1_000_000, 67_584].map((budget) => `--interrupt-budget=${budget}`);

/** Counts the calls of a function until V8 has optimized it: bit 4 of its status in V8 11. */
const COUNT = `
  const f = (a, b) => { let c = a; for (let i = 0; i < 10; i += 1) c += b; return c; };
  let calls = 0;
  while ((%GetOptimizationStatus(f) & 16) === 0) { f(calls, 1); calls += 1; }
  console.log(calls);
`;

function callsUntilOptimized(...flags: readonly string[]): number {
  // Without a compiler thread: the number would depend on when that gets the processor.
  const fixed = ['--allow-natives-syntax', '--no-concurrent-recompilation', '--no-use-osr'];
  return Number(execFileSync(process.execPath, [...fixed, ...flags, '--eval', COUNT], { encoding: 'utf8' }));
}

test.runIf(process.versions.v8.startsWith('11.'))('the flags do what they are for in V8 11', () => {
  const calls = callsUntilOptimized();
  expect(4 * callsUntilOptimized(early as string)).toBeLessThan(calls);
  expect(callsUntilOptimized(usual as string)).toBe(calls);
  expect(callsUntilOptimized(late as string)).toBeGreaterThan(4 * calls);
});

test.each([
  [V8_11, [early]],
  ['12.4.254.21-node.33', []],
  ['110.0.0', []],
])('a server with V8 %s', async (v8, flags) => {
  expect(await flagsWith(v8, ({ compileEarly }) => compileEarly())).toEqual(flags);
});

test('in the process of somebody else nothing is set', async () => {
  expect(await flagsWith(V8_11, ({ compileLate }) => compileLate()())).toEqual([]);
});

test('late while one of several runs lasts, then as before', async () => {
  const command = (module: Module): void => {
    module.ownProcess();
    const ends = [module.compileLate(), module.compileLate()];
    for (const end of ends) end();
  };
  expect(await flagsWith(V8_11, command)).toEqual([late, usual]);
  const server = (module: Module): void => {
    module.ownProcess();
    module.compileEarly();
    command(module);
  };
  expect(await flagsWith(V8_11, server)).toEqual([early, late, early]);
});

test('a server loading during such a run optimizes early afterwards', async () => {
  const flags = await flagsWith(V8_11, ({ ownProcess, compileEarly, compileLate }) => {
    ownProcess();
    const end = compileLate();
    compileEarly();
    end();
  });
  expect(flags).toEqual([late, early]);
});
