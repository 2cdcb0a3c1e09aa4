// Loaded into a process under test: measures its event loop every 20 ms. At SIGUSR2 it prints on stderr the largest lag so
// far, which waiting calls cause, too, and the longest work since the previous SIGUSR2.
import { writeSync } from 'node:fs';
import { machineMs, workMs } from './machine-time.mjs';

const BEAT_MS = 20;

let largest = 0;
let latest = 0;
let at = performance.now();
let waited = machineMs();
let worked = workMs();
// Ignore the lag of the program's start.
setTimeout(() => (largest = latest = 0), 1_000).unref();
setInterval(() => {
  const [now, nowWaited, nowWorked] = [performance.now(), machineMs(), workMs()];
  latest = Math.max(latest, nowWorked - worked - BEAT_MS);
  largest = Math.max(largest, now - at - BEAT_MS - (nowWaited - waited));
  [at, waited, worked] = [now, nowWaited, nowWorked];
}, BEAT_MS).unref();

process.on('SIGUSR2', () => {
  writeSync(2, `heartbeat ${Math.ceil(largest)}\nheartbeat since ${Math.ceil(latest)}\n`);
  latest = 0;
});
