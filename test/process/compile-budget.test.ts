/** V8's flags hold for a whole process: here they are caught, and tried in child processes. */

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
test.each([
  [V8_11, ['--interrupt-budget=400000', '--interrupt-budget=67584']],
  ['12.4.254.21-node.33', []],
  ['110.0.0', []],
])('an own process with V8 %s', async (v8, flags) => {
  const use = ({ ownProcess, compileLate }: Module): void => {
    ownProcess();
    const [end, other] = [compileLate(), compileLate()];
    end();
    other();
  };
  expect(await flagsWith(v8, use)).toEqual(flags);
});

test('in the process of somebody else nothing is set', async () => {
  expect(await flagsWith(V8_11, ({ compileLate }) => compileLate()())).toEqual([]);
});
