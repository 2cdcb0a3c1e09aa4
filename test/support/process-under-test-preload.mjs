// Loaded into a process under test: beats every 20 ms, and at SIGUSR2 prints on stderr the largest lag, and that since
// the last time.
import { writeSync } from 'node:fs';
import { machineMs } from './machine-time.mjs';

const BEAT_MS = 20;

let largest = 0;
let latest = 0;
let at = performance.now();
let waited = machineMs();
// The start of the program is no answer to anybody.
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
