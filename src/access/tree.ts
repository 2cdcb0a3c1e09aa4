/**
 * Kills a process tree: a process with everything it has started. The group is signalled everywhere; descendants that left
 * it (`setsid`, a double fork) are found on Linux only, by a token that they inherit in their environment. What
 * escapes even there: a process that leaves group, session and parent and clears its environment as well.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { errno } from './failure.ts';
import { holdsToken, lastProcess, listProcesses, type ProcessStat, processStat } from './process-table.ts';

export interface Tree {
  /** Leader of its own process group and session. */
  readonly pid: number;
  /** Stands in the environment of the leader and so of its descendants. */
  readonly token: string;
  /** When the leader began, in clock ticks since boot: no descendant is older. */
  readonly since: number;
  /** The same by `performance.now()`. */
  readonly began: number;
}

/** When a process began, in clock ticks since boot; 0 where that is not to be known. */
export function beginOf(pid: number): number {
  return (process.platform === 'linux' && processStat(pid)?.began) || 0;
}

export interface Ended {
  /** Processes that were there and had to be ended. */
  readonly ended: number;
  /** Processes that are still there after SIGKILL: another user's, or stuck in the kernel. */
  readonly left: number;
}

/** How long SIGKILL may take to show, in ms. */
const KILL_WAIT = 1_000;

/** Sends SIGTERM to the whole tree, waits up to `grace` ms, then sends SIGKILL until nothing of it is left. */
export async function endTree(tree: Tree, grace: number): Promise<Ended> {
  const met = new Set<number>();
  if (grace > 0 && (await signalUntilGone(tree, 'SIGTERM', grace, met)) === 0) {
    return { ended: met.size, left: 0 };
  }
  const left = await signalUntilGone(tree, 'SIGKILL', KILL_WAIT, met);
  return { ended: met.size - left, left };
}

/** Sends SIGKILL to what there is of the tree, once and at once. */
export function killTree(tree: Tree): void {
  kill(-tree.pid, 'SIGKILL');
  for (const pid of members(tree)) kill(pid, 'SIGKILL');
}

/** Signals again what appears while it waits: a tree may grow while it is being felled. */
async function signalUntilGone(
  tree: Tree,
  signal: 'SIGTERM' | 'SIGKILL',
  within: number,
  met: Set<number>,
): Promise<number> {
  const signalled = new Set<number>();
  const end = performance.now() + within;
  for (let pause = 5; ; pause = Math.min(pause * 2, 80)) {
    const alive = members(tree);
    if (alive.length === 0) return 0;
    if (performance.now() >= end) return alive.length;
    const fresh = alive.filter((pid) => !signalled.has(pid));
    if (fresh.length > 0) kill(-tree.pid, signal);
    for (const pid of fresh) {
      kill(pid, signal);
      signalled.add(pid);
      met.add(pid);
    }
    await sleep(pause);
  }
}

/** Signals a process, or the group of `-pid`, as far as there is one. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, or not ours to end: the next look tells.
  }
}

/**
 * Living processes of the tree. Where there is no /proc, the leader stands for its whole group. A process that is
 * started during a look may be missed, and its parent be gone: then another look is taken.
 */
function members(tree: Tree): number[] {
  const before = lastProcess();
  const found = look(tree);
  return found.length > 0 || (before !== undefined && lastProcess() === before) ? found : look(tree);
}

function look(tree: Tree): number[] {
  const all = process.platform === 'linux' ? youngerProcesses(tree) : undefined;
  if (!all) return groupLives(tree.pid) ? [tree.pid] : [];
  const found = new Set<number>();
  for (const { pid, group, session } of all) {
    if (group === tree.pid || session === tree.pid || holdsToken(pid, tree.token)) found.add(pid);
  }
  // Children that cleared their environment are reached through their parents.
  for (let before = -1; found.size > before;) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  found.delete(process.pid);
  return [...found];
}

function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return errno(error) === 'EPERM';
  }
}

/** No machine gives out all process ids, 32,768 at least, in so short a time. */
const IN_ORDER_MS = 200;

/** Living processes that began with the leader or after it, itself included; undefined where there is no /proc. */
function youngerProcesses(tree: Tree): ProcessStat[] | undefined {
  const listed = listProcesses();
  if (!listed) return undefined;
  const last = performance.now() - tree.began < IN_ORDER_MS ? lastProcess() : undefined;
  const younger = last === undefined ? listed : listed.filter((pid) => isBetween(pid, tree.pid, last));
  return younger
    .flatMap((pid) => processStat(pid) ?? [])
    .filter(({ alive, began }) => alive && began >= tree.since);
}

/** Ids are given out in ascending order, from the start again when the largest is used. Source: alloc_pid in Linux. */
function isBetween(pid: number, first: number, last: number): boolean {
  return first <= last ? pid >= first && pid <= last : pid >= first || pid <= last;
}
