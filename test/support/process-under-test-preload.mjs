// Loaded into a process under test: measures the lag of its event loop every 20 ms. At SIGUSR2 it prints on stderr the
// largest lag, and the largest since the previous SIGUSR2.
import { writeSync } from 'node:fs';
import { machineMs } from './machine-time.mjs';

const BEAT_MS = 20;

let largest = 0;
let latest = 0;
let at = performance.now();
let waited = machineMs();
// Ignore the lag of the program's start.
setTimeout(() => (largest = latest = 0), 1_000).unref();
setInterval(() => {
  const [now, nowWaited] = [performance.now(), machineMs()];
  latest = Math.max(latest, now - at - BEAT_MS - (nowWaited - waited));
  largest = Math.max(largest, latest);
  [at, waited] = [now, nowWaited];
}, BEAT_MS).unref();

process.on('SIGUSR2', () => {
  writeSync(2, `heartbeat ${Math.ceil(largest)}\nheartbeat since ${Math.ceil(latest)}\n`);
  latest = 0;
});
