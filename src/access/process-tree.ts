/**
 * Kills a process tree: a process with all of its descendants. The process group is signalled on all systems. Descendants
 * that left it (`setsid`, a double fork) are found only on Linux, by a token that they inherit in their environment. A
 * process that leaves group, session and parent and also clears its environment escapes.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { createTurns } from '../queues/turns.ts';
import { processStat } from './process-table.ts';
import { AT_ONCE, atOnce, type Member, members, type Steps, type Tree } from './tree-members.ts';

/** Start time of a process in clock ticks since boot; 0 if unknown. */
export function beginOf(pid: number): number {
  return (process.platform === 'linux' && processStat(pid)?.began) || 0;
}

export interface Ended {
  /** Number of processes that were ended. */
  readonly ended: number;
  /** Number of processes that remain after SIGKILL: those of another user, or stuck in the kernel. At least 1 if unknown. */
  readonly left: number;
}

/** Milliseconds to wait for the effect of SIGKILL. */
const KILL_WAIT = 1_000;

/** Sends SIGTERM to the whole tree, waits up to `grace` ms, then sends SIGKILL until nothing of it is left. */
export async function endTree(tree: Tree, grace: number): Promise<Ended> {
  const met = new Set<number>();
  if (grace > 0) {
    const { alive, isSure } = await signalUntilGone(tree, 'SIGTERM', grace, met);
    if (alive === 0 && isSure) return { ended: met.size, left: 0 };
  }
  const { alive, isSure } = await signalUntilGone(tree, 'SIGKILL', KILL_WAIT, met);
  return { ended: met.size - alive, left: isSure ? alive : Math.max(1, alive) };
}

/** Sends SIGKILL to all processes of the tree, once, without waiting. */
export function killTree(tree: Tree): void {
  kill(-tree.pid, 'SIGKILL');
  for (const { pid } of atOnce(members(tree)).found) kill(pid, 'SIGKILL');
}

/** At least this many scans are made, even after the deadline, because one scan may take long. */
const LEAST_LOOKS = 3;

/** Milliseconds between two scans; longer if nothing new was found. */
const SHORTEST_PAUSE = 5;

/**
 * Also signals processes that appear while it waits, because a tree may grow while it is being killed. SIGTERM is sent to
 * each process once, so that its handler runs once. SIGKILL is also sent to the group, which reaches processes that are
 * just being started.
 */
async function signalUntilGone(
  tree: Tree,
  signal: 'SIGTERM' | 'SIGKILL',
  within: number,
  met: Set<number>,
): Promise<{ readonly alive: number; readonly isSure: boolean }> {
  const signalled = new Set<number>();
  let end: number | undefined;
  let pause = SHORTEST_PAUSE;
  const meet = ({ pid }: Member): void => {
    signalled.add(pid);
    met.add(pid);
  };
  const atSight = (member: Member): void => {
    if (signalled.has(member.pid)) return;
    kill(member.pid, signal);
    meet(member);
  };
  for (let looks = 1; ; looks += 1) {
    const known = met.size;
    // The first scans keep parents alive, through which other processes are found. A process that is still
    // there later may be replacing itself constantly.
    const hit = signal === 'SIGKILL' && looks > 1 ? atSight : undefined;
    const { found: alive, isSure } = await inTurns(members(tree, hit));
    const isGone = alive.length === 0 && isSure;
    if (isGone || (end !== undefined && performance.now() >= end && looks > LEAST_LOOKS))
      return { alive: alive.length, isSure };
    const fresh = alive.filter(({ pid }) => !signalled.has(pid));
    if (fresh.some(({ began }) => began === undefined || signal === 'SIGKILL')) kill(-tree.pid, signal);
    await inTurns(signalAll(fresh, signal));
    const isNew = met.size > known || fresh.length > 0;
    fresh.forEach(meet);
    end ??= performance.now() + within;
    await sleep(pause);
    pause = isNew ? SHORTEST_PAUSE : Math.min(pause * 2, 80);
  }
}

/** A process whose id was reused is skipped. A group leader signals its whole group. */
function* signalAll(members: readonly Member[], signal: NodeJS.Signals): Steps<void> {
  for (const [i, { pid, began }] of members.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    if (began !== undefined && processStat(pid)?.began === began) kill(pid, signal);
  }
}

/** Signals a process, or for a negative `pid` a group, if it exists. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited, or we may not signal it; the next scan shows which.
  }
}

/** One step, of all trees together, in each turn of the event loop. */
const nextTurn = createTurns();

async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}
