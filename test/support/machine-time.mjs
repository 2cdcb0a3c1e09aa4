// What of a lag is the machine's: other programs have the processor, or memory is slow to come. Plain JavaScript, for a
// program under test loads it too.
import { openSync, readSync } from 'node:fs';

const PAGE = 4_096;
/** Pages in each block that is measured. */
const PAGES = 256;
/** What the first touch of a page takes on an idle machine, in ms. */
const FAULT_MS = 0.001;

// Opened once: a look that finds no descriptor would end the process, which is then blamed for it.
const scheduler = opened('schedstat');
const stat = opened('stat');
const bytes = Buffer.alloc(1_024);
const extraFaultMs = Math.max(0, measuredFaultMs() - FAULT_MS);

/**
 * Milliseconds so far that the main thread was ready to run and waited for a processor, and that its pages took longer
 * than usual to come: a virtual machine may have to ask its host for each. 0 where the system does not tell.
 * Source: Documentation/scheduler/sched-stats.rst, proc_pid_stat(5).
 */
export function machineMs() {
  return Number(read(scheduler).split(' ')[1] ?? 0) / 1e6 + faults() * extraFaultMs;
}

/** Pages that the main thread was the first to touch. The name of the program, in brackets, may hold blanks. */
function faults() {
  return Number(read(stat).split(') ')[1]?.split(' ')[7] ?? 0);
}

function measuredFaultMs() {
  // All are kept until the end: memory that was given back may be had again at once.
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
