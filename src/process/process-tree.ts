/**
 * Kills a process tree: a process with all of its descendants. The process group is signalled on all systems. Descendants
 * that left it (`setsid`, a double fork) are found only on Linux, by a token that they inherit in their environment. A
 * process that leaves group, session and parent and also clears its environment escapes.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { errno } from '../files/system-failure.ts';
import { createTurns } from '../queues/turns.ts';
import {
  type ProcessStat,
  listProcesses,
  lastProcess,
  isProcess,
  processStat,
  holdsToken,
} from './process-table.ts';

/** Start time of a process in clock ticks since boot; 0 if unknown. */
export function processStartTime(pid: number): number {
  return (process.platform === 'linux' && processStat(pid)?.began) || 0;
}

export interface EndedProcesses {
  /** Number of processes that were ended. */
  readonly ended: number;
  /** Number of processes that remain after SIGKILL: those of another user, or stuck in the kernel. At least 1 if unknown. */
  readonly left: number;
}

/** Milliseconds to wait for the effect of SIGKILL. */
const KILL_WAIT = 1_000;

/** Sends SIGTERM to the whole tree, waits up to `grace` ms, then sends SIGKILL until nothing of it is left. */
export async function endTree(tree: ProcessTree, grace: number): Promise<EndedProcesses> {
  const met = new Set<number>();
  if (grace > 0) {
    const { alive, isSure } = await signalUntilGone(tree, 'SIGTERM', grace, met);
    if (alive === 0 && isSure) return { ended: met.size, left: 0 };
  }
  const { alive, isSure } = await signalUntilGone(tree, 'SIGKILL', KILL_WAIT, met);
  return { ended: met.size - alive, left: isSure ? alive : Math.max(1, alive) };
}

/** Sends SIGKILL to all processes of the tree, once, without waiting. */
export function killTree(tree: ProcessTree): void {
  kill(-tree.pid, 'SIGKILL');
  for (const { pid } of runSteps(treeMembers(tree)).found) kill(pid, 'SIGKILL');
}

/** At least this many scans are made, even after the deadline, because one scan may take long. */
const MIN_TREE_SCANS = 3;

/** Milliseconds between two scans; longer if nothing new was found. */
const SHORTEST_PAUSE = 5;

/**
 * Also signals processes that appear while it waits, because a tree may grow while it is being killed. SIGTERM is sent to
 * each process once, so that its handler runs once. SIGKILL is also sent to the group, which reaches processes that are
 * just being started.
 */
async function signalUntilGone(
  tree: ProcessTree,
  signal: 'SIGTERM' | 'SIGKILL',
  within: number,
  met: Set<number>,
): Promise<{ readonly alive: number; readonly isSure: boolean }> {
  const signalled = new Set<number>();
  let end: number | undefined;
  let pause = SHORTEST_PAUSE;
  const meet = ({ pid }: ProcessTreeMember): void => {
    signalled.add(pid);
    met.add(pid);
  };
  const atSight = (member: ProcessTreeMember): void => {
    if (signalled.has(member.pid)) return;
    kill(member.pid, signal);
    meet(member);
  };
  for (let looks = 1; ; looks += 1) {
    const known = met.size;
    // The first scans keep parents alive, through which other processes are found. A process that is still
    // there later may be replacing itself constantly.
    const hit = signal === 'SIGKILL' && looks > 1 ? atSight : undefined;
    const { found: alive, isSure } = await inTurns(treeMembers(tree, hit));
    const isGone = alive.length === 0 && isSure;
    if (isGone || (end !== undefined && performance.now() >= end && looks > MIN_TREE_SCANS))
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
function* signalAll(members: readonly ProcessTreeMember[], signal: NodeJS.Signals): ScanSteps<void> {
  for (const [i, { pid, began }] of members.entries()) {
    if (i % PROCESSES_AT_ONCE === PROCESSES_AT_ONCE - 1) yield;
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

async function inTurns<T>(steps: ScanSteps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}

// Finds the processes of a tree that are running, without missing those that are started during the search.

export interface ProcessTree {
  /** Leader of its own process group and session. */
  readonly pid: number;
  /** A token in the environment of the leader, and so of its descendants. */
  readonly token: string;
  /** Start time of the leader in clock ticks since boot: no descendant is older. */
  readonly since: number;
  /** The same on the clock of `performance.now()`. */
  readonly began: number;
}

/** Work that yields between steps, so that other work can run. */
type ScanSteps<T> = Generator<undefined, T>;

/** Processes in a step: a few milliseconds. */
const PROCESSES_AT_ONCE = 128;

/** Ids without a process that take as long as one with a process. */
const ABSENT_AT_ONCE = 16;

function runSteps<T>(steps: ScanSteps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Ids of the processes of the tree that are running; undefined if there is no /proc. This is one scan: a process that is started during
 * it may be missed.
 */
export function runningProcessIds(tree: ProcessTree): readonly number[] | undefined {
  const listed = process.platform === 'linux' ? listProcesses() : undefined;
  return runSteps(lookAt(tree, listed))?.found.map(({ pid }) => pid);
}

type ProcessTreeMember = Pick<ProcessStat, 'pid'> & Partial<ProcessStat>;

interface Look {
  readonly found: readonly ProcessTreeMember[];
  /** False if a process still had no environment; then another scan is needed. */
  readonly isSure: boolean;
}

interface Pass {
  readonly found: readonly ProcessTreeMember[];
  /** Ids of processes that had no environment yet: it is not known whether they belong to the tree. */
  readonly unknown: readonly number[];
}

/**
 * At most this many passes through processes that were started during a scan. On a busy machine new ones are started during
 * each of them. A process of the tree that replaces itself would have to be missed by all of them, though each begins with the
 * newest ids: it would have to start the next one, and end, within the microseconds between two looks, each time.
 */
const MAX_SCAN_PASSES = 12;

/**
 * That many of the newest ids may belong to processes that are not in /proc yet: fork(2) assigns an id before the process
 * appears, on a busy machine by milliseconds.
 */
const PENDING = 256;

/**
 * Living processes of the tree. If there is no /proc, the leader stands for its whole group. A process that
 * is started during a scan may be missed, and its parent may have exited. So the tree is empty only if a scan
 * found no process, and neither did further passes through the ids that were assigned meanwhile.
 */
function* treeMembers(tree: ProcessTree, atSight?: (member: ProcessTreeMember) => void): ScanSteps<Look> {
  let last = lastProcess();
  let pass: Pass | undefined = yield* lookAt(tree, younger(tree, last), atSight);
  if (!pass) return { found: groupLives(tree.pid) ? [{ pid: tree.pid }] : [], isSure: true };
  for (let passes = 0; pass && pass.found.length === 0 && passes < MAX_SCAN_PASSES; passes += 1) {
    const now = lastProcess();
    if (now !== undefined && now === last) break;
    pass = yield* lookAt(tree, after(pass.unknown, tree, last, now), atSight);
    if (now === undefined) break;
    last = now;
  }
  // Those that were started last are looked at until they have an environment, or until another scan is needed.
  for (
    let passes = 0;
    pass?.found.length === 0 && pass.unknown.length > 0 && passes < MAX_SCAN_PASSES;
    passes += 1
  ) {
    yield;
    pass = yield* lookAt(tree, pass.unknown, atSight);
  }
  return { found: pass?.found ?? [], isSure: !pass || pass.unknown.length === 0 };
}

/**
 * What is looked at after a pass: `unknown` ids again, and those that were assigned after `last` up to `now`, or that were not in
 * /proc yet. All ids if they have wrapped around.
 */
function* after(
  unknown: readonly number[],
  tree: ProcessTree,
  last: number | undefined,
  now: number | undefined,
): Generator<number, void> {
  if (last === undefined || now === undefined || now < last) return yield* younger(tree, undefined) ?? [];
  yield* unknown;
  yield* newestAndAll(Math.max(0, last - PENDING), now);
}

/**
 * The processes of the tree among `ids`, with their descendants. `atSight` is called for each as soon as it is found.
 */
function* lookAt(
  tree: ProcessTree,
  ids: Iterable<number> | undefined,
  atSight?: (member: ProcessTreeMember) => void,
): ScanSteps<Pass | undefined> {
  if (!ids) return undefined;
  const children = new Map<number, ProcessStat[]>();
  const found = new Map<number, ProcessStat>();
  const unknown: number[] = [];
  let work = 0;
  for (const pid of ids) {
    if (work >= PROCESSES_AT_ONCE) {
      work = 0;
      yield;
    }
    const stat = isProcess(pid) ? processStat(pid) : undefined;
    work += stat ? 1 : 1 / ABSENT_AT_ONCE;
    if (!stat?.alive || stat.began < tree.since || pid === process.pid) continue;
    const { parent, group, session } = stat;
    const isOurs = group === tree.pid || session === tree.pid || holdsToken(pid, tree.token);
    if (isOurs) {
      found.set(pid, stat);
      atSight?.(stat);
    }
    // Kernel threads have no environment and no session.
    else if (isOurs === undefined && session !== 0) unknown.push(pid);
    const others = children.get(parent);
    if (others) others.push(stat);
    else children.set(parent, [stat]);
  }
  // Children that cleared their environment are reached through their parents. Processes found here are
  // searched for children too.
  for (const pid of found.keys()) {
    for (const child of children.get(pid) ?? []) found.set(child.pid, child);
  }
  return { found: [...found.values()], unknown };
}

function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return errno(error) === 'EPERM';
  }
}

/** No machine assigns all process ids (at least 32,768) within this time. */
const IN_ORDER_MS = 200;

/**
 * Ids of processes that include all that were started from the leader to `last` (inclusive); undefined if there is no
 * /proc.
 */
function younger(tree: ProcessTree, last: number | undefined): Iterable<number> | undefined {
  const listed = process.platform === 'linux' ? listProcesses() : undefined;
  const inOrder = last !== undefined && performance.now() - tree.began < IN_ORDER_MS;
  return listed && inOrder ? between(listed, tree.pid, last) : listed;
}

/** Ids are assigned in ascending order, and wrap around at the maximum. Source: alloc_pid in Linux. */
function* between(ids: Iterable<number>, first: number, last: number): Generator<number, void> {
  for (const id of ids) {
    if (first <= last ? id >= first && id <= last : id >= first || id <= last) yield id;
  }
}

/** The newest ids are checked first, to catch processes that constantly replace themselves. */
const NEWEST = 8;

/**
 * The ids after `before` up to `last`: first the newest, then all in ascending order. In this order no
 * process is missed whose child already has an id.
 */
function* newestAndAll(before: number, last: number): Generator<number, void> {
  for (let id = last; id > Math.max(before, last - NEWEST); id -= 1) yield id;
  for (let id = before + 1; id <= last; id += 1) yield id;
}
