/** How a process tree is found and ended, with real processes. Hostile trees are ended in hardening/commands.test.ts. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  endTree,
  killTree,
  processStartTime,
  type ProcessTree,
  runningProcessIds,
} from '../../src/process/process-tree.ts';
import { living, nap } from '../support/commands.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Another system, on which /proc is not looked at. */
function onAnotherSystem(): void {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'darwin' } }));
}

let trees = 0;

/** Starts a tree that says `ready` when it is complete. */
async function treeOf(command: string): Promise<ProcessTree> {
  const token = `test-${process.pid}-${(trees += 1)}`;
  const began = performance.now();
  const child = spawn('bash', ['-c', command], {
    detached: true,
    env: { ...process.env, ORIEL_RUN: token },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = child.pid as number;
  const tree = { pid, token, since: processStartTime(pid), began };
  onTestFinished(() => killTree(tree));
  await once(child.stdout, 'data');
  return tree;
}

describe.runIf(process.platform === 'linux')('on Linux', () => {
  test.each([
    ['its group', `${nap(711)}1 & ${nap(711)}2 & sleep 0.1; echo ready; wait`, 3],
    ['another session', `setsid ${nap(712)}1 & sleep 0.1; echo ready; wait`, 2],
    [
      'a double fork',
      `(setsid nohup ${nap(713)}1 > /dev/null & ); sleep 0.1; echo ready; ${nap(713)}2; :`,
      3,
    ],
    [
      'a child without an environment',
      `env -i "$(command -v sleep)" ${nap(714).slice(6)}1 & sleep 0.1; echo ready; wait`,
      2,
    ],
    [
      'a child without an environment in a session of its own',
      `setsid env -i "$(command -v sleep)" ${nap(715).slice(6)}1 & sleep 0.2; echo ready; wait`,
      2,
    ],
  ])('ends %s', async (_, command, count) => {
    const tree = await treeOf(command);
    await expect.poll(() => runningProcessIds(tree)).toHaveLength(count);
    // A shell may end by itself when its last child has been ended.
    expect((await endTree(tree, 1_000)).left).toBe(0);
    expect(runningProcessIds(tree)).toEqual([]);
  });

  test('sends SIGTERM once, also to later processes, and then SIGKILL', async () => {
    const again = `trap '${nap(716)}1 &' TERM; echo ready; while :; do sleep 0.05; done`;
    expect(await endTree(await treeOf(again), 300)).toMatchObject({ left: 0 });
    expect(living(nap(716))).toEqual([]);
  });

  test('leaves processes alone that have none of its marks', async () => {
    const other = await treeOf(`${nap(717)}1 & sleep 0.1; echo ready; wait`);
    const tree = await treeOf(`${nap(717)}2 & sleep 0.1; echo ready; wait`);
    await endTree(tree, 0);
    expect(living(nap(717)).filter((line) => line.startsWith('sleep'))).toHaveLength(1);
    await endTree(other, 0);
    expect(living(nap(717))).toEqual([]);
  });

  test('nothing is ended where nothing is left', async () => {
    const tree = await treeOf('echo ready');
    await expect.poll(() => runningProcessIds(tree)).toEqual([]);
    expect(await endTree(tree, 1_000)).toEqual({ ended: 0, left: 0 });
  });

  test('when this process ends the tree is killed at once', async () => {
    const tree = await treeOf(`setsid ${nap(718)}1 & ${nap(718)}2 & sleep 0.1; echo ready; wait`);
    killTree(tree);
    // Nothing else ends them; when they die is the kernel's affair.
    await expect.poll(() => living(nap(718))).toEqual([]);
  });
});

describe('without /proc', () => {
  test('the group is ended, and counts as one process', async () => {
    const tree = await treeOf(`${nap(719)}1 & ${nap(719)}2 & sleep 0.1; echo ready; wait`);
    onAnotherSystem();
    expect([processStartTime(tree.pid), runningProcessIds(tree)]).toEqual([0, undefined]);
    expect(await endTree(tree, 1_000)).toEqual({ ended: 1, left: 0 });
    expect(await endTree(tree, 1_000)).toEqual({ ended: 0, left: 0 });
    vi.unstubAllGlobals();
    expect(living(nap(719))).toEqual([]);
  });
});
