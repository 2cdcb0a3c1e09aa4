// Loaded into a process under test: beats every 20 ms, and prints the largest lag on stderr at SIGUSR2.
import { readFileSync, writeSync } from 'node:fs';

const BEAT_MS = 20;

/** Milliseconds for which the main thread was ready to run and waited for a processor. */
const waitedMs = () =>
  Number(readFileSync('/proc/self/task/' + process.pid + '/schedstat', 'utf8').split(' ')[1]) / 1e6;

let largest = 0;
let at = performance.now();
let waited = waitedMs();
// The start of the program is no answer to anybody.
setTimeout(() => (largest = 0), 1_000).unref();
setInterval(() => {
  const [now, nowWaited] = [performance.now(), waitedMs()];
  largest = Math.max(largest, now - at - BEAT_MS - (nowWaited - waited));
  [at, waited] = [now, nowWaited];
}, BEAT_MS).unref();

process.on('SIGUSR2', () => writeSync(2, `heartbeat ${Math.ceil(largest)}\n`));
