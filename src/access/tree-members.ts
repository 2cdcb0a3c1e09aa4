/** Finds the processes of a tree that are running, without missing those that are started during the search. */

import {
  holdsToken,
  isProcess,
  lastProcess,
  listProcesses,
  type ProcessStat,
  processStat,
} from './process-table.ts';
import { errno } from './system-failure.ts';

export interface Tree {
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
export type Steps<T> = Generator<undefined, T>;

/** Processes in a step: a few milliseconds. */
export const AT_ONCE = 128;

/** Ids without a process that take as long as one with a process. */
const ABSENT_AT_ONCE = 16;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Ids of the processes of the tree that are running; undefined if there is no /proc. This is one scan: a process that is started during
 * it may be missed.
 */
export function runningIn(tree: Tree): readonly number[] | undefined {
  const listed = process.platform === 'linux' ? listProcesses() : undefined;
  return atOnce(lookAt(tree, listed))?.found.map(({ pid }) => pid);
}

export type Member = Pick<ProcessStat, 'pid'> & Partial<ProcessStat>;

interface Look {
  readonly found: readonly Member[];
  /** False if a process still had no environment; then another scan is needed. */
  readonly isSure: boolean;
}

interface Pass {
  readonly found: readonly Member[];
  /** Ids of processes that had no environment yet: it is not known whether they belong to the tree. */
  readonly unknown: readonly number[];
}

/**
 * At most this many passes through processes that were started during a scan. On a busy machine new ones are started during
 * each of them. A process of the tree that replaces itself would have to be missed by all of them, though each begins with the
 * newest ids: it would have to start the next one, and end, within the microseconds between two looks, each time.
 */
const MOST_PASSES = 12;

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
export function* members(tree: Tree, atSight?: (member: Member) => void): Steps<Look> {
  let last = lastProcess();
  let pass: Pass | undefined = yield* lookAt(tree, younger(tree, last), atSight);
  if (!pass) return { found: groupLives(tree.pid) ? [{ pid: tree.pid }] : [], isSure: true };
  for (let passes = 0; pass && pass.found.length === 0 && passes < MOST_PASSES; passes += 1) {
    const now = lastProcess();
    if (now !== undefined && now === last) break;
    pass = yield* lookAt(tree, after(pass.unknown, tree, last, now), atSight);
    if (now === undefined) break;
    last = now;
  }
  // Those that were started last are looked at until they have an environment, or until another scan is needed.
  for (
    let passes = 0;
    pass?.found.length === 0 && pass.unknown.length > 0 && passes < MOST_PASSES;
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
  tree: Tree,
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
  tree: Tree,
  ids: Iterable<number> | undefined,
  atSight?: (member: Member) => void,
): Steps<Pass | undefined> {
  if (!ids) return undefined;
  const children = new Map<number, ProcessStat[]>();
  const found = new Map<number, ProcessStat>();
  const unknown: number[] = [];
  let work = 0;
  for (const pid of ids) {
    if (work >= AT_ONCE) {
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
function younger(tree: Tree, last: number | undefined): Iterable<number> | undefined {
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
