// How long the main thread worked, and the part of a lag that the machine causes: waiting for a processor, and slow page
// faults. Plain JavaScript, because programs under test load it too.
import { openSync, readSync } from 'node:fs';

const PAGE = 4_096;
/** Pages in each block that is measured. */
const PAGES = 256;
/** Time of a page fault (the first write to a page) on an idle machine, in ms. */
const FAULT_MS = 0.001;

// Opened once, at load: opening them later could fail for lack of descriptors, and end the process under test.
const scheduler = opened('schedstat');
const stat = opened('stat');
const bytes = Buffer.alloc(1_024);
const extraFaultMs = Math.max(0, measuredFaultMs() - FAULT_MS);

/**
 * Milliseconds so far that the main thread was runnable and waited for a processor, plus the extra time of its page faults:
 * a virtual machine may have to get each page from its host. 0 if the system gives no numbers.
 * Source: Documentation/scheduler/sched-stats.rst, proc_pid_stat(5).
 */
export function machineMs() {
  return Number(read(scheduler).split(' ')[1] ?? 0) / 1e6 + faults() * extraFaultMs;
}

/**
 * Milliseconds so far that the main thread worked, without the extra time of its page faults; by the clock if the system
 * gives no numbers. Unlike the clock it does not go on while a program that the thread starts waits for a processor.
 */
export function workMs() {
  const [ran] = read(scheduler).split(' ');
  return ran ? Number(ran) / 1e6 - faults() * extraFaultMs : performance.now();
}

/** Minor page faults of the main thread so far. The program's name in brackets may contain spaces, so split after it. */
function faults() {
  return Number(read(stat).split(') ')[1]?.split(' ')[7] ?? 0);
}

function measuredFaultMs() {
  // Keep all blocks until the end: freed memory could be reused without page faults.
  const blocks = [];
  const times = Array.from({ length: 5 }, () => {
    const block = Buffer.allocUnsafeSlow(PAGES * PAGE);
    blocks.push(block);
    const [before, at] = [faults(), performance.now()];
    for (let i = 0; i < PAGES; i += 1) block[i * PAGE] = 1;
    const ms = performance.now() - at;
    return ms / Math.max(PAGES / 2, faults() - before);
  });
  return times.sort((a, b) => a - b)[2] ?? 0;
}

function opened(name) {
  try {
    return openSync(`/proc/self/task/${process.pid}/${name}`, 'r');
  } catch {
    return undefined;
  }
}

function read(fd) {
  return fd === undefined ? '' : bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0));
}
