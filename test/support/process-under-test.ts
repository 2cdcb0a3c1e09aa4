/** Observes another process under hostile input: event loop lag, memory, and leaked descriptors and children. */

import { readdirSync, readFileSync } from 'node:fs';
import { slowness } from './lag.ts';

/** Options of Node that load the heartbeat, which answers SIGUSR2 on stderr. */
export const heartbeat: readonly string[] = [
  '--import',
  new URL('process-under-test-preload.mjs', import.meta.url).href,
];

interface Beating {
  readonly pid: number;
  /** Its stderr so far. */
  log(): string;
}

/**
 * The largest event loop lag in ms so far of a process that was started with `heartbeat`, without the time that it waited
 * for a processor, and divided by `slowness()` to estimate that of an idle machine.
 */
export async function lagOf(process: Beating): Promise<number> {
  return (await beats(process, /^heartbeat (\d+)$/m)) / slowness();
}

/**
 * The longest work in ms that held the event loop since the previous request, not divided: for a process that is shared by
 * several tests.
 */
export function lagSince(process: Beating): Promise<number> {
  return beats(process, /^heartbeat since (\d+)$/m);
}

async function beats({ pid, log }: Beating, what: RegExp): Promise<number> {
  const from = log().length;
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const said = what.exec(log().slice(from))?.[1];
    if (said !== undefined) return Number(said);
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

export interface Holdings {
  readonly descriptors: number;
  readonly children: number;
  readonly threads: number;
}

export function holdingsOf(pid: number): Holdings {
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    children: readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length,
    threads: readdirSync(`/proc/${pid}/task`).length,
  };
}

/** Resident memory of a process in MiB. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Peak resident memory of a process in MiB. */
export function peakMb(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Waits until a process holds no more than `before`, with `spare` more descriptors allowed for idle connections. */
export async function givenBack(pid: number, before: Holdings, spare = 2): Promise<Holdings> {
  const held = (now: Holdings): boolean =>
    now.descriptors <= before.descriptors + spare && now.children <= before.children;
  for (let i = 0; i < 350 && !held(holdingsOf(pid)); i += 1)
    await new Promise((resolve) => void setTimeout(resolve, 100));
  return holdingsOf(pid);
}
