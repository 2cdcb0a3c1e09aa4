/** How a process tree is found and ended, on a simulated machine. Real processes are ended in call/run.test.ts and hardening/. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { processStartTime, endTree, killTree, type ProcessTree } from '../../src/process/process-tree.ts';
import type { ProcessStat } from '../../src/process/process-table.ts';

interface Simulated extends ProcessStat {
  /** Whether the token is in its environment; undefined during execve. */
  readonly token: boolean | undefined;
  /** Called for a signal that it survives. */
  readonly survives?: (signal: string) => boolean;
  readonly isForeign?: boolean;
}

const machine = vi.hoisted(() => ({
  processes: new Map<number, Simulated>(),
  hasProc: true,
  /** Ids that were assigned last, one for each question; the last of them stays. */
  last: [] as (number | undefined)[],
  now: 0,
  /** What happens, in order: `stat 7`, `SIGTERM 7`, `turn` of the event loop, `pause 5`. */
  events: [] as string[],
  /** Called with each event. */
  follow: (() => undefined) as (event: string) => void,
}));

function happens(event: string): void {
  machine.events.push(event);
  // With a pause that takes no time, what never ends would never let the test end either.
  if (machine.events.length > 50_000) throw new Error('It goes on without an end.');
  machine.follow(event);
}

vi.mock('../../src/process/process-table.ts', () => ({
  listProcesses: () => (machine.hasProc ? [...machine.processes.keys()].sort((a, b) => a - b) : undefined),
  lastProcess: () => (machine.last.length > 1 ? machine.last.shift() : machine.last[0]),
  isProcess(pid: number) {
    const is = machine.processes.has(pid);
    if (!is) happens(`stat ${pid}`);
    return is;
  },
  processStat(pid: number) {
    const found = machine.processes.get(pid);
    happens(`stat ${pid}`);
    return found;
  },
  holdsToken: (pid: number, token: string) => {
    expect(token).toBe('abc');
    return machine.processes.get(pid)?.token;
  },
}));

vi.mock('../../src/queues/turns.ts', () => ({
  createTurns: () => () => {
    happens('turn');
    return Promise.resolve();
  },
}));

vi.mock('node:timers/promises', () => ({
  setTimeout(ms: number) {
    machine.now += ms;
    happens(`pause ${ms}`);
    return Promise.resolve();
  },
}));

/** Started long ago, so the whole table is read. */
const TREE: ProcessTree = { pid: 100, token: 'abc', since: 50, began: -1_000 };

beforeEach(() => {
  Object.assign(machine, { hasProc: true, last: [900], now: 0, events: [], follow: () => undefined });
  machine.processes.clear();
  vi.spyOn(performance, 'now').mockImplementation(() => machine.now);
  vi.spyOn(process, 'kill').mockImplementation(send);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Another system, on which /proc is not looked at. */
function onAnotherSystem(): void {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'darwin' } }));
}

function add(pid: number, more: Partial<Simulated> = {}): void {
  const stat = { pid, alive: true, parent: 1, group: pid, session: pid, began: 60, token: false, ...more };
  machine.processes.set(pid, stat);
}

/** A process in the group of the tree. */
const member = (pid: number, more: Partial<Simulated> = {}): void =>
  add(pid, { group: 100, session: 100, token: true, ...more });

function send(pid: number, signal: string | number = 'SIGTERM'): true {
  if (signal !== 0) happens(`${signal} ${pid}`);
  const targets = [...machine.processes.values()].filter((one) => one.pid === pid || one.group === -pid);
  if (targets.length === 0) throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
  const own = targets.filter(({ isForeign }) => !isForeign);
  if (own.length === 0) throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  if (signal === 0) return true;
  for (const one of own) if (!one.survives?.(String(signal))) machine.processes.delete(one.pid);
  return true;
}

const eventsOf = (kind: RegExp): string[] => machine.events.filter((event) => kind.test(event));
const signals = (): string[] => eventsOf(/^SIG/);
const looked = (): number[] => eventsOf(/^stat/).map((event) => Number(event.slice(5)));

/** Acts once, at the first such event. */
function at(event: string, act: () => void): void {
  let done = false;
  const { follow } = machine;
  machine.follow = (now) => {
    follow(now);
    if (now !== event || done) return;
    done = true;
    act();
  };
}

describe('the members of a tree', () => {
  test.each<[string, Partial<Simulated>]>([
    ['in its group', { group: 100 }],
    ['in its session', { session: 100 }],
    ['with its token', { token: true }],
    ['a child of a member, without the token', { parent: 100 }],
    ['as old as the leader', { parent: 100, began: 50 }],
  ])('%s', async (_, more) => {
    member(100);
    add(200, more);
    // And the descendants of that.
    add(150, { parent: 201 });
    add(201, { parent: 200 });
    add(202, { parent: 200 });
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 5, left: 0 });
    expect(signals()).toHaveLength(5);
    expect(machine.processes.size).toBe(0);
  });

  test.each<[string, Partial<Simulated>]>([
    ['none of that', {}],
    ['older than the leader', { began: 49, group: 100, session: 100, parent: 100, token: true }],
    ['a zombie', { alive: false, group: 100, session: 100, parent: 100, token: true }],
    ['a child of another process', { parent: 300 }],
  ])('not: %s', async (_, more) => {
    member(100);
    add(200, more);
    add(201, { parent: 200 });
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 1, left: 0 });
    expect(signals()).toEqual(['SIGTERM 100']);
  });

  test('this process is none of them, though its command started the tree and has the same token', async () => {
    member(100);
    add(process.pid, { token: true });
    expect(await endTree(TREE, 0)).toEqual({ ended: 1, left: 0 });
    expect(signals()).toEqual(['SIGKILL -100']);
  });
});

describe('SIGTERM', () => {
  test('is sent once to each process, also to those that appear later', async () => {
    const slow = { survives: () => true };
    member(100, slow);
    member(101, slow);
    at('pause 5', () => {
      member(102, slow);
      at('pause 20', () => machine.processes.clear());
    });
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 3, left: 0 });
    expect(signals()).toEqual(['SIGTERM 100', 'SIGTERM 101', 'SIGTERM 102']);
  });

  test('is followed by SIGKILL after the grace, with longer and longer pauses', async () => {
    member(100, { survives: (signal) => signal === 'SIGTERM' });
    expect(await endTree(TREE, 300)).toEqual({ ended: 1, left: 0 });
    expect(eventsOf(/^(SIG|pause)/)).toEqual([
      'SIGTERM 100',
      ...[5, 5, 10, 20, 40, 80, 80, 80].map((ms) => `pause ${ms}`),
      'SIGKILL -100',
      'pause 5',
    ]);
  });

  test('what appears makes the pauses short again', async () => {
    const slow = { survives: (signal: string) => signal === 'SIGTERM' };
    member(100, slow);
    at('pause 40', () => member(101, slow));
    await endTree(TREE, 100);
    expect(eventsOf(/^(SIGT|pause)/)).toEqual([
      'SIGTERM 100',
      ...[5, 5, 10, 20, 40].map((ms) => `pause ${ms}`),
      'SIGTERM 101',
      ...[80, 5].map((ms) => `pause ${ms}`),
    ]);
  });

  test('no time is added to the grace', async () => {
    member(100, { survives: (signal) => signal === 'SIGTERM' });
    await endTree(TREE, 80);
    expect(eventsOf(/^(SIG|pause)/)).toEqual([
      'SIGTERM 100',
      ...[5, 5, 10, 20, 40].map((ms) => `pause ${ms}`),
      'SIGKILL -100',
      'pause 5',
    ]);
  });

  test('is not sent without a grace', async () => {
    member(100);
    member(101);
    expect(await endTree(TREE, 0)).toEqual({ ended: 2, left: 0 });
    expect(signals()).toEqual(['SIGKILL -100']);
  });

  test('nothing is sent where nothing is left', async () => {
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 0, left: 0 });
    expect(eventsOf(/^(SIG|pause)/)).toEqual([]);
  });
});

describe('SIGKILL', () => {
  test('reaches those that left the group one by one, and the group at once', async () => {
    member(100);
    add(200, { token: true });
    add(201, { parent: 200 });
    expect(await endTree(TREE, 0)).toEqual({ ended: 3, left: 0 });
    expect(signals()).toEqual(['SIGKILL -100', 'SIGKILL 200', 'SIGKILL 201']);
  });

  test('a process that cannot be killed is left, and not counted as ended', async () => {
    member(100);
    add(200, { token: true, isForeign: true });
    expect(await endTree(TREE, 0)).toEqual({ ended: 1, left: 1 });
    expect(signals()).toEqual(['SIGKILL -100', 'SIGKILL 200']);
    // A second, as for a process that is stuck in the kernel.
    expect(machine.now).toBeGreaterThanOrEqual(1_000);
    expect(machine.now).toBeLessThan(1_100);
  });

  test('there are four scans, however long one takes', async () => {
    member(100, { survives: () => true });
    machine.follow = (event) => {
      if (event === 'stat 100') machine.now += 5_000;
    };
    expect(await endTree(TREE, 0)).toEqual({ ended: 0, left: 1 });
    expect(eventsOf(/^pause/)).toHaveLength(3);
  });

  test('the first scan finds all before it kills one, later scans kill at sight', async () => {
    member(100);
    add(200, { token: true });
    at('pause 5', () => {
      add(300, { token: true });
      add(301, { parent: 300, token: true });
    });
    expect(await endTree(TREE, 0)).toEqual({ ended: 4, left: 0 });
    expect(eventsOf(/^(SIG|stat|pause)/)).toEqual([
      'stat 100',
      'stat 200',
      'SIGKILL -100',
      'stat 100',
      'stat 200',
      'SIGKILL 200',
      'pause 5',
      'stat 300',
      'SIGKILL 300',
      'stat 301',
      'SIGKILL 301',
      // Nothing is asked about them again: they were killed when they were found.
      'pause 5',
    ]);
  });

  test('a process that is killed at sight makes the pauses short again', async () => {
    member(100, { survives: () => true });
    at('pause 20', () => add(200, { token: true }));
    at('pause 40', () => at('pause 5', () => machine.processes.clear()));
    expect(await endTree(TREE, 0)).toEqual({ ended: 2, left: 0 });
    expect(eventsOf(/^pause/)).toEqual([5, 5, 10, 20, 40, 5].map((ms) => `pause ${ms}`));
  });

  test('a process that keeps its id is killed at sight once', async () => {
    member(100, { survives: () => true });
    at('pause 20', () => machine.processes.clear());
    expect(await endTree(TREE, 0)).toEqual({ ended: 1, left: 0 });
    expect(signals()).toEqual(['SIGKILL -100', 'SIGKILL 100']);
  });

  test('a process whose id was reused meanwhile is not killed', async () => {
    member(100);
    add(200, { token: true });
    at('SIGKILL -100', () => add(200, { began: 70 }));
    await endTree(TREE, 0);
    expect(signals()).toEqual(['SIGKILL -100']);
    expect(machine.processes.has(200)).toBe(true);
  });

  test('with the end of this process: at once, without another scan', () => {
    member(100, { survives: () => true });
    add(200, { token: true });
    add(201, { parent: 200 });
    killTree(TREE);
    expect(eventsOf(/^SIG|^pause|^turn/)).toEqual([
      'SIGKILL -100',
      'SIGKILL 100',
      'SIGKILL 200',
      'SIGKILL 201',
    ]);
  });
});

test('with the end of this process hundreds are killed at once', () => {
  for (let pid = 1_000; pid < 1_300; pid += 1) add(pid, { token: true });
  killTree(TREE);
  expect([machine.processes.size, eventsOf(/^turn/)]).toEqual([0, []]);
});

describe('without /proc', () => {
  beforeEach(() => {
    machine.hasProc = false;
    machine.last = [undefined];
  });

  test('the group is ended, and counts as one process', async () => {
    member(100);
    member(101);
    add(200, { token: true });
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 1, left: 0 });
    expect(signals()).toEqual(['SIGTERM -100']);
    expect([...machine.processes.keys()]).toEqual([200]);
  });

  test('the same on another system, where /proc is something else', async () => {
    onAnotherSystem();
    machine.hasProc = true;
    member(100);
    add(200, { token: true });
    expect([processStartTime(100), looked()]).toEqual([0, []]);
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 1, left: 0 });
    expect(signals()).toEqual(['SIGTERM -100']);
  });

  test('the group is ended also if its leader is gone', async () => {
    member(101);
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 1, left: 0 });
    expect(signals()).toEqual(['SIGTERM -100']);
  });

  test('a group of another user lives, and is left', async () => {
    member(100, { isForeign: true });
    expect(await endTree(TREE, 100)).toEqual({ ended: 0, left: 1 });
    expect(signals()).toEqual(['SIGTERM -100', 'SIGKILL -100']);
  });

  test('a group that is gone is not signalled', async () => {
    expect(await endTree(TREE, 100)).toEqual({ ended: 0, left: 0 });
    expect(signals()).toEqual([]);
  });

  test('that disappears during a scan nothing more is found', async () => {
    machine.hasProc = true;
    // The ids have wrapped around, so all would be listed again.
    machine.last = [900, 20, 20];
    add(300);
    at('stat 300', () => (machine.hasProc = false));
    expect(await endTree(TREE, 0)).toEqual({ ended: 0, left: 0 });
  });
});

describe('an empty scan', () => {
  test('is repeated while a process has no environment yet', async () => {
    add(200, { token: undefined });
    at('pause 5', () => add(200, { token: true }));
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 1, left: 0 });
    expect(eventsOf(/^(SIG|pause)/)).toEqual(['pause 5', 'SIGTERM 200', 'pause 10']);
  });

  test('is enough if that process is a thread of the kernel', async () => {
    add(2, { token: undefined, session: 0, group: 0 });
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 0, left: 0 });
    expect(eventsOf(/^(SIG|pause)/)).toEqual([]);
  });

  test('one whose environment stays unknown counts as left, and nothing as ended', async () => {
    add(200, { token: undefined });
    expect(await endTree(TREE, 0)).toEqual({ ended: 0, left: 1 });
    expect(signals()).toEqual([]);
  });

  test('does not hide that others were ended', async () => {
    member(100);
    add(200, { token: undefined });
    expect(await endTree(TREE, 0)).toEqual({ ended: 1, left: 1 });
  });

  test('is followed by one of the new ids, the newest first', async () => {
    for (const pid of [3, 6, 12]) add(pid);
    machine.last = [3, 12, 12];
    expect(await endTree(TREE, 0)).toEqual({ ended: 0, left: 0 });
    const newest = [12, 11, 10, 9, 8, 7, 6, 5];
    const all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    expect(looked()).toEqual([3, 6, 12, ...newest, ...all]);
  });

  test('begins with the ids that may not have been in /proc yet', async () => {
    machine.last = [1_000, 1_002, 1_002];
    await endTree(TREE, 0);
    expect(looked().slice(0, 8)).toEqual([1_002, 1_001, 1_000, 999, 998, 997, 996, 995]);
    expect(looked().slice(8)).toEqual(Array.from({ length: 258 }, (_, i) => 745 + i));
  });

  test('a process that replaces itself is found among the newest', async () => {
    machine.last = [900, 901, 902, 902];
    at('stat 901', () => add(902, { token: true }));
    expect(await endTree(TREE, 0)).toEqual({ ended: 1, left: 0 });
    expect(signals()).toEqual(['SIGKILL -100', 'SIGKILL 902']);
  });

  test('all ids are looked at again when they have wrapped around', async () => {
    add(7);
    add(800);
    machine.last = [900, 20, 20];
    await endTree(TREE, 0);
    expect(looked()).toEqual([7, 800, 7, 800]);
  });

  test('all ids are looked at twice where the last one is unknown', async () => {
    add(7);
    machine.last = [undefined];
    expect(await endTree(TREE, 0)).toEqual({ ended: 0, left: 0 });
    expect(looked()).toEqual([7, 7]);
    machine.last = [900, undefined];
    machine.events = [];
    expect(await endTree(TREE, 0)).toEqual({ ended: 0, left: 0 });
    expect(looked()).toEqual([7, 7]);
    // Unknown only at first: what is new is unknown too.
    machine.last = [undefined, 900, 900];
    machine.events = [];
    expect(await endTree(TREE, 0)).toEqual({ ended: 0, left: 0 });
    expect(looked()).toEqual([7, 7]);
  });

  test('is the only one that is repeated: what was found counts, though others were started', async () => {
    member(100);
    machine.last = [900, 901, 901];
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 1, left: 0 });
    expect(signals()).toEqual(['SIGTERM 100']);
  });

  test('is believed after twelve passes through new ids, though others are started constantly', async () => {
    let assigned = 1_000;
    machine.last = { length: 2, shift: () => (assigned += 20) } as unknown as number[];
    expect(await endTree(TREE, 0)).toEqual({ ended: 0, left: 0 });
    expect(eventsOf(/^(SIG|pause)/)).toEqual([]);
    // Each pass begins with the eight newest, and ends with all that were not in the one before.
    expect(looked()).toHaveLength(12 * (8 + 256 + 20));
    expect(looked().at(-1)).toBe(1_000 + 13 * 20);
  });

  test('what is found in the last of them counts', async () => {
    let assigned = 1_000;
    machine.last = { length: 2, shift: () => (assigned += 20) } as unknown as number[];
    at(`stat ${1_000 + 12 * 20 - 7}`, () => add(1_000 + 13 * 20, { token: true }));
    expect(await endTree(TREE, 0)).toEqual({ ended: 1, left: 0 });
  });

  test('a process that gets its environment within a few turns costs no pause', async () => {
    add(200, { token: undefined });
    let turns = 0;
    machine.follow = (event) => {
      if (event === 'turn' && (turns += 1) === 5) add(200, { token: true });
    };
    expect(await endTree(TREE, 1_000)).toEqual({ ended: 1, left: 0 });
    expect(eventsOf(/^(SIG|pause)/)).toEqual(['SIGTERM 200', 'pause 5']);
  });
});

describe('a tree that was just started', () => {
  const young: ProcessTree = { ...TREE, began: 0 };
  const ids = [50, 99, 100, 150, 199, 200, 201, 400];

  test.each([
    ['ids from the leader to the last one are looked at', 199, 200, [100, 150, 199, 200]],
    ['all are looked at after 200 ms', 200, 200, ids],
    ['ids that have wrapped around', 0, 99, [50, 99, 100, 150, 199, 200, 201, 400]],
    ['ids that have wrapped around by less', 0, 50, [50, 100, 150, 199, 200, 201, 400]],
    ['the leader was the last', 0, 100, [100]],
    ['all are looked at if the last is unknown', 0, undefined, ids],
  ])('%s', async (_, now, last, expected) => {
    for (const pid of ids) add(pid, { group: 1, session: 1 });
    Object.assign(machine, { now, last: [last] });
    await endTree(young, 0);
    expect(looked().slice(0, expected.length)).toEqual(expected);
    expect(looked().length).toBe(last === undefined ? 2 * expected.length : expected.length);
  });
});

test('a few milliseconds of work at once: 128 processes are looked at or signalled between two turns', async () => {
  for (let pid = 1_000; pid < 1_300; pid += 1) add(pid, { token: true });
  expect(await endTree(TREE, 1_000)).toEqual({ ended: 300, left: 0 });
  const kinds = machine.events.map((event) => event.split(' ')[0] as string);
  const work = kinds
    .join(' ')
    .split('turn')
    .map((part) => part.split(' ').filter((kind) => kind === 'stat').length);
  expect(work).toEqual([128, 128, 44 + 127, 128, 45]);
});

test('the start of a process, 0 where it is unknown', () => {
  add(7, { began: 4_711 });
  expect([processStartTime(7), processStartTime(8)]).toEqual([4_711, 0]);
});
