/**
 * Kills a process tree: a process with all of its descendants. The process group is signalled on all systems. Descendants
 * that left it (`setsid`, a double fork) are found only on Linux, by a token that they inherit in their environment. A
 * process that leaves group, session and parent and also clears its environment escapes.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { errno } from '../files/system-failure.ts';

export interface ProcessTree {
  /** Leader of its own process group and session. */
  readonly pid: number;
  /** A token (ASCII) in the environment of the leader, and so of its descendants. */
  readonly token: string;
  /** Start time of the leader in clock ticks since boot: no descendant is older. */
  readonly since: number;
  /** The same on the clock of `performance.now()`. */
  readonly began: number;
}

export interface EndedProcesses {
  /** Number of processes that were ended. */
  readonly ended: number;
  /** Number of processes that remain after SIGKILL: those of another user, or stuck in the kernel. At least 1 if unknown. */
  readonly left: number;
}

/** Milliseconds to wait for the effect of SIGKILL. */
const KILL_WAIT_MS = 1_000;

/** At least this many scans are made, even after the deadline, because one scan may take long. */
const MIN_TREE_SCANS = 4;

/** Milliseconds between two scans: at first, and at most if nothing new was found. */
const MIN_SCAN_PAUSE_MS = 5;
const MAX_SCAN_PAUSE_MS = 80;

/** Start time of a process in clock ticks since boot; 0 if unknown. */
export function processStartTime(pid: number): number {
  return processStat(pid)?.began ?? 0;
}

/** Sends SIGTERM to the whole tree, waits up to `grace` ms, then sends SIGKILL until nothing of it is left. */
export async function endTree(tree: ProcessTree, grace: number): Promise<EndedProcesses> {
  const met = new Set<number>();
  let left = grace > 0 ? await signalUntilGone(tree, 'SIGTERM', grace, met) : undefined;
  // All at once: a shell would write that its child was killed. The group is still that of the leader while it lives.
  if (left !== undefined && processStartTime(tree.pid) === tree.since) send(-tree.pid, 'SIGKILL');
  if (left !== 0) left = await signalUntilGone(tree, 'SIGKILL', KILL_WAIT_MS, met);
  return { ended: Math.max(0, met.size - left), left };
}

/** Sends SIGKILL to all processes of the tree, once, without waiting. */
export function killTree(tree: ProcessTree): void {
  send(-tree.pid, 'SIGKILL');
  const looking = lookFor(tree, listProcesses(), (pid) => send(pid, 'SIGKILL'));
  while (looking.next().done !== true);
}

/** Ids of the processes of the tree that are running; undefined if there is no /proc. */
export function runningProcessIds(tree: ProcessTree): readonly number[] | undefined {
  const looking = lookFor(tree, listProcesses(), () => undefined);
  for (;;) {
    const { done, value } = looking.next();
    if (done) return value && [...value.found];
  }
}

/**
 * Returns how many processes are left. SIGTERM is sent to each process once, so that its handler runs once. SIGKILL is
 * repeated.
 */
async function signalUntilGone(
  tree: ProcessTree,
  signal: 'SIGTERM' | 'SIGKILL',
  within: number,
  met: Set<number>,
): Promise<number> {
  const signalled = new Set<number>();
  const meet = (pid: number): void => {
    if (signal === 'SIGKILL' || !signalled.has(pid)) send(pid, signal);
    signalled.add(pid);
    met.add(pid);
  };
  const end = performance.now() + within;
  for (let [scans, pause] = [1, MIN_SCAN_PAUSE_MS]; ; scans += 1) {
    const known = signalled.size;
    const left = await signalMembers(tree, signal, meet);
    if (left === 0 || (performance.now() >= end && scans >= MIN_TREE_SCANS)) return left;
    pause = signalled.size > known ? MIN_SCAN_PAUSE_MS : Math.min(pause * 2, MAX_SCAN_PAUSE_MS);
    await sleep(pause);
  }
}

/** Signals a process, or for a negative `pid` a group, if it exists. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited, or we may not signal it; the next scan shows which.
  }
}

/** After an empty scan, at most this many more are made while other processes are started, and while some are missed. */
const MAX_EMPTY_SCANS = 12;
const MAX_MISSED_SCANS = 48;

/** fork(2) assigns an id before the process appears in /proc, on a busy machine by milliseconds. */
const PENDING_IDS = 256;

/** No machine assigns all process ids (at least 32,768) within this time. */
const IN_ORDER_MS = 200;

/**
 * Calls `meet` for the living processes of the tree and returns their number, at least 1 if it is not known of a process
 * whether it is one. If there is no /proc, the leader stands for its whole group. A process that replaces itself may be
 * missed by a scan, so the tree is gone only if a scan found nothing and no process was started during it.
 */
async function signalMembers(
  tree: ProcessTree,
  signal: NodeJS.Signals,
  meet: (pid: number) => void,
): Promise<number> {
  // Ids are assigned in ascending order, and wrap around at the maximum. Source: alloc_pid in Linux.
  let from = performance.now() - tree.began < IN_ORDER_MS ? tree.pid : 0;
  for (let scans = 1; ; scans += 1) {
    const before = lastProcess();
    if (before < from) from = 0;
    const asked: number[] = [];
    const look = await inTurns(
      lookFor(tree, listProcesses(from), signal === 'SIGKILL' ? meet : (pid) => asked.push(pid)),
    );
    // A shell handles its signal before the child that it waits for has ended.
    for (const pid of asked.toSorted((a, b) => a - b)) meet(pid);
    if (!look) return groupLives(tree.pid) ? (meet(-tree.pid), 1) : 0;
    // A process that is just forking in the group does not escape this.
    if (look.hasGroup && signal === 'SIGKILL') send(-tree.pid, signal);
    if (look.found.size > 0) return look.found.size;
    if (look.isSure && before !== 0 && lastProcess() === before) return 0;
    const most = look.hasMissed ? MAX_MISSED_SCANS : MAX_EMPTY_SCANS;
    if (scans >= most || (look.isSure && before === 0 && scans > 1)) return look.isSure ? 0 : 1;
    if (look.isSure) from = Math.max(from, before - PENDING_IDS);
    await setImmediate();
  }
}

async function inTurns<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}

/** Processes in a step: a few milliseconds. */
const PROCESSES_AT_ONCE = 128;

interface Look {
  readonly found: ReadonlySet<number>;
  /** Whether one of them is in the process group of the tree. */
  readonly hasGroup: boolean;
  /** False if a process had no environment yet. */
  readonly isSure: boolean;
  /** Whether a process ended before it was looked at: what it started may be in no list yet. */
  readonly hasMissed: boolean;
}

/**
 * Finds the processes of the tree among `ids`, with their descendants, and calls `meet` for each as soon as it is found.
 * The newest come first: these may be about to replace themselves, and children are seen before their parents are ended.
 */
function* lookFor(
  tree: ProcessTree,
  ids: readonly number[] | undefined,
  meet: (pid: number) => void,
): Generator<undefined, Look | undefined> {
  if (!ids) return undefined;
  const children = new Map<number, ProcessStat[]>();
  const found = new Set<number>();
  let [isSure, hasGroup, hasMissed] = [true, false, false];
  for (let i = ids.length - 1; i >= 0; i -= 1) {
    if ((ids.length - i) % PROCESSES_AT_ONCE === 0) yield;
    const stat = processStat(ids[i] as number);
    hasMissed ||= !stat?.isAlive && (stat?.began ?? tree.since) >= tree.since;
    if (!stat?.isAlive || stat.began < tree.since || stat.pid === process.pid) continue;
    const { pid, parent, group, session } = stat;
    const isOurs = group === tree.pid || session === tree.pid || holdsToken(pid, tree.token);
    if (isOurs) {
      found.add(pid);
      hasGroup ||= group === tree.pid;
      meet(pid);
    }
    // Kernel threads have no environment and no session.
    else if (isOurs === undefined && session !== 0) isSure = false;
    const others = children.get(parent);
    if (others) others.push(stat);
    else children.set(parent, [stat]);
  }
  // Children that cleared their environment are reached through their parents, and so are theirs: the set grows meanwhile.
  for (const parent of found) {
    for (const { pid, began } of children.get(parent) ?? []) {
      if (found.has(pid)) continue;
      found.add(pid);
      // Its id may have been reused since.
      if (processStat(pid)?.began === began) meet(pid);
    }
  }
  return { found, hasGroup, isSure, hasMissed };
}

function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return errno(error) === 'EPERM';
  }
}

// The running processes of Linux, from /proc. On other systems they are unknown.

export interface ProcessStat {
  readonly pid: number;
  readonly isAlive: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Start time in clock ticks since boot. */
  readonly began: number;
}

/** Ids of all processes from `from` on, in ascending order; undefined if there is no /proc. */
export function listProcesses(from = 0): readonly number[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((id) => id >= from)
      .sort((a, b) => a - b);
  } catch {
    return undefined;
  }
}

/** The id that was assigned last; 0 if unknown. Source: proc_loadavg(5). */
function lastProcess(): number {
  return Number(readProc('loadavg')?.trimEnd().split(' ').at(-1)) || 0;
}

/** Undefined if the process does not exist any more. Source: proc_pid_stat(5). */
export function processStat(pid: number): ProcessStat | undefined {
  const stat = process.platform === 'linux' ? readProc(`${pid}/stat`) : undefined;
  if (stat === undefined) return undefined;
  // The name is in parentheses and may contain parentheses.
  const [state, ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20);
  const [parent = 0, group = 0, session = 0] = numbers.map(Number);
  // A zombie is dead; in a container without an init it may stay for ever.
  const isAlive = state !== 'Z' && state !== 'X';
  return { pid, isAlive, parent, group, session, began: Number(numbers[18]) };
}

/**
 * Whether `token` is in the environment that a process was started with. Undefined if that is not known yet: during
 * execve(2) a process has neither environment nor arguments, and a file opened before it reads as empty afterwards. So an
 * environment counts as empty only if it is empty again after arguments were there. Source: environ_read in Linux.
 */
function holdsToken(pid: number, token: string): boolean | undefined {
  let hasArguments = false;
  for (let tries = 0; tries < 3; tries += 1) {
    const environment = readProc(`${pid}/environ`);
    if (environment) return environment.includes(token);
    if (hasArguments) return false;
    const args = readProc(`${pid}/cmdline`);
    if (args === undefined) return false;
    hasArguments = args !== '';
  }
  return undefined;
}

/** Undefined if the file is gone or may not be read. */
function readProc(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
