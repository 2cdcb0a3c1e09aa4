/**
 * When V8 optimizes the code of this process. These are flags of the whole process, so a library must not set them: nothing
 * is set unless the process has said that it is oriel's own.
 */

interface Budgets {
  readonly usual: string;
  /** For threads and sessions that end soon, before optimizing pays off: each thread has its own copy of the code. */
  readonly late: string;
}

/**
 * By the major version of V8. In V8 11 (Node 20) a function is optimized after running about 200 KB of its bytecode. With late
 * budgets the first map of 5,000 files takes a quarter less CPU time.
 *
 * Later versions have another compiler tier and other flags, so nothing is set there.
 */
const BUDGETS: Readonly<Record<string, Budgets>> = {
  '11': { usual: '--interrupt-budget=67584', late: '--interrupt-budget=400000' },
};

/** Whether the process is oriel's own. */
let isOwn = false;
let lateRuns = 0;

/** Says that the process is oriel's own. */
export function ownProcess(): void {
  isOwn = true;
}

/** In an own process, lets V8 optimize late until the returned function is called. */
export function compileLate(): () => void {
  if (!isOwn) return () => undefined;
  if ((lateRuns += 1) === 1) set('late');
  return () => {
    if ((lateRuns -= 1) === 0) set('usual');
  };
}

function set(when: keyof Budgets): void {
  const [major = ''] = process.versions.v8.split('.');
  const budgets = BUDGETS[major];
  // Not imported: loading it would take several milliseconds of every start.
  if (budgets) process.getBuiltinModule('node:v8').setFlagsFromString(budgets[when]);
}
