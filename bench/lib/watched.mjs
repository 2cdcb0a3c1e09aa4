// Preloaded into a measured server: reports its resources and the lag of its event loop to the parent on request.
import { readdirSync, readFileSync } from 'node:fs';

const BEAT_MS = 10;
let [at, waited, lag] = [performance.now(), waitedMs(), 0];

setInterval(() => {
  const [now, nowWaited] = [performance.now(), waitedMs()];
  // The time that the thread waited for a CPU is not counted.
  lag = Math.max(lag, now - at - BEAT_MS - (nowWaited - waited));
  [at, waited] = [now, nowWaited];
}, BEAT_MS).unref();

process.on('message', ({ collect }) => {
  if (collect) {
    globalThis.gc?.();
    // This garbage collection does not count as lag.
    [at, waited] = [performance.now(), waitedMs()];
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send({
    rss: rss / 2 ** 20,
    heap: heapUsed / 2 ** 20,
    external: external / 2 ** 20,
    descriptors: count('/proc/self/fd'),
    children: childrenOf('/proc/self/task'),
    lag,
  });
  lag = 0;
});
process.channel?.unref();

/** 0 if the system does not report it. Source: proc(5), schedstat. */
function waitedMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

function count(directory) {
  try {
    return readdirSync(directory).length;
  } catch {
    return 0;
  }
}

function childrenOf(tasks) {
  try {
    return readdirSync(tasks)
      .map((task) => readFileSync(`${tasks}/${task}/children`, 'utf8').split(' ').filter(Boolean).length)
      .reduce((sum, one) => sum + one, 0);
  } catch {
    return 0;
  }
}
