/** What a case must not do to the process that serves it: take its memory or its time, hold its loop, leave things open. */

import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { MOST_LAG_MS, slowness } from '../../support/lag.ts';
import { lagSince } from '../../support/process-under-test.ts';
import type { Case } from './case.ts';
import { PLAIN, PLAIN_TEXT, type Place } from './place.ts';
import type { Door } from './way.ts';

const MOST_MB = 300;
const MOST_SECONDS = 5;

/** Of Linux's clock ticks in /proc/PID/stat. */
const TICKS = 100;

/** Children that wait for the next picture, document or command, by their command lines. */
const RESTING = /-child|-worker|oriel-watchdog|isolate/;

export interface Watch {
  /** Waits until what the case has begun is over, and holds what it did to the invariants. */
  finish(): Promise<void>;
}

export interface Figures {
  /** Of the server before its first try. */
  idleMb?: number;
  lagMs: number;
  addedMb: number;
  seconds: number;
}

/** Begins to look at what serves; `figures` receives what was measured. */
export async function watch(door: Door, one: Case, place: Place, figures: Figures): Promise<Watch> {
  const { pid } = door;
  const state = one.changes ? '' : place.state();
  if (pid === undefined || process.platform !== 'linux') {
    return { finish: async () => expectUnchanged(one, place, state) };
  }
  await lagSince({ pid, log: door.log });
  forgetPeak(pid);
  const idle = (figures.idleMb ??= statusMb(pid, 'VmRSS'));
  const secondsBefore = processorSeconds(pid);
  let ofChildren = 0;
  const look = (): void => {
    const sum = descendantsOf(pid).reduce((total, child) => total + statusMb(child, 'VmHWM'), 0);
    ofChildren = Math.max(ofChildren, sum);
  };
  const resting = descendantsOf(pid).reduce((total, child) => total + statusMb(child, 'VmHWM'), 0);
  const timer = setInterval(look, 50);
  return {
    async finish() {
      look();
      clearInterval(timer);
      figures.lagMs = await lagSince({ pid, log: door.log });
      figures.addedMb = Math.max(0, statusMb(pid, 'VmHWM') - idle) + Math.max(0, ofChildren - resting);
      figures.seconds = processorSeconds(pid) - secondsBefore;
      expectUnchanged(one, place, state);
      const most = one.mostSeconds ?? MOST_SECONDS;
      if (figures.seconds > most)
        expect(figures.seconds / slowness(), 'seconds of processor time').toBeLessThanOrEqual(most);
      await expectNothingLeft(pid, place, one.own?.(place).roots);
      const next = await door.call('read', { path: PLAIN });
      expect(next?.text, 'the next call').toBe(`1|${PLAIN_TEXT}`);
    },
  };
}

/**
 * What was more than the law allows, if anything: how long the loop was held, which a busy machine does now and then, or how
 * much memory was added, which depends on when garbage is collected.
 */
export function excess({ lagMs, addedMb }: Figures, { mostMb = MOST_MB }: Case): string | undefined {
  if (lagMs > MOST_LAG_MS && lagMs / slowness() > MOST_LAG_MS)
    return `the event loop was held for ${lagMs} ms`;
  return addedMb > mostMb ? `${Math.round(addedMb)} MB added, ${mostMb} allowed` : undefined;
}

function expectUnchanged(one: Case, place: Place, before: string): void {
  if (!one.changes) expect(place.state(), 'what lies on the disk').toBe(before);
}

/** No child that works and no descriptor of what the case has made, but for the roots themselves. */
async function expectNothingLeft(pid: number, { W }: Place, roots: readonly string[] = []): Promise<void> {
  let left: string[] = [];
  for (let waited = 0; waited < 20_000; waited += 20) {
    const working = descendantsOf(pid)
      .map(commandOf)
      .filter((line) => line !== '' && !RESTING.test(line));
    left = [...working, ...openBelow(pid, `${W}/`).filter((path) => !roots.includes(path))];
    if (left.length === 0) return;
    await sleep(20);
  }
  expect(left, 'left behind').toEqual([]);
}

function openBelow(pid: number, folder: string): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

function descendantsOf(pid: number): number[] {
  return threadsOf(pid)
    .flatMap((thread) =>
      readOr(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
    )
    .flatMap((child) => [child, ...descendantsOf(child)]);
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

const commandOf = (pid: number): string => readOr(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();

/** The process and all that it has started, those that have ended too. */
function processorSeconds(pid: number): number {
  return [pid, ...descendantsOf(pid)].reduce((total, one) => total + secondsOf(one), 0);
}

function secondsOf(pid: number): number {
  const stat = readOr(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [11, 12, 13, 14].reduce((total, at) => total + Number(fields[at] ?? 0), 0) / TICKS;
}

function statusMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readOr(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

/** The peak begins anew. Source: proc(5), clear_refs. */
function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Then the peak so far is what counts.
  }
}

/** Empty for a process that has ended. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
