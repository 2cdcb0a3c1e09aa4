// Loaded into a process under test: beats every 20 ms, and at SIGUSR2 prints on stderr the largest lag, and that since
// the last time.
import { openSync, readSync, writeSync } from 'node:fs';

const BEAT_MS = 20;

// Opened once: a beat that finds no descriptor would end the process, which is then blamed for it.
const stat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const bytes = Buffer.alloc(128);

/** Milliseconds for which the main thread was ready to run and waited for a processor. */
const waitedMs = () =>
  Number(bytes.toString('latin1', 0, readSync(stat, bytes, 0, bytes.length, 0)).split(' ')[1]) / 1e6;

let largest = 0;
let latest = 0;
let at = performance.now();
let waited = waitedMs();
// The start of the program is no answer to anybody.
setTimeout(() => (largest = latest = 0), 1_000).unref();
setInterval(() => {
  const [now, nowWaited] = [performance.now(), waitedMs()];
  latest = Math.max(latest, now - at - BEAT_MS - (nowWaited - waited));
  largest = Math.max(largest, latest);
  [at, waited] = [now, nowWaited];
}, BEAT_MS).unref();

process.on('SIGUSR2', () => {
  writeSync(2, `heartbeat ${Math.ceil(largest)}\nheartbeat since ${Math.ceil(latest)}\n`);
  latest = 0;
});
