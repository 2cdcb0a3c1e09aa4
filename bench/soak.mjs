// The slope of the memory of `oriel serve` under a long load with clients that disconnect and hang: `--soak 30m`.
import { crowd, pause } from './lib/crowd.mjs';
import { loaded } from './lib/load-server.mjs';
import { sized, soakSeconds } from './lib/quick.mjs';
import { slopeOf } from './lib/slope.mjs';

const CLIENTS = sized(100, 20);
/** The share of the time in which caches fill, which is not measured. */
const WARM_SHARE = 0.4;
const SAMPLES = sized(240, 5);

export const rows = () =>
  loaded(async (server, cases, pages) => {
    const seconds = soakSeconds ?? sized(60, 2);
    const asking = crowd({ url: server.url, cases, pages, clients: CLIENTS, seconds, label: 'soak' });
    await pause(seconds * WARM_SHARE * 1_000);
    const samples = [];
    const began = performance.now();
    const step = (seconds * (1 - WARM_SHARE) * 1_000) / SAMPLES;
    for (let i = 1; i <= SAMPLES; i += 1) {
      const { rss, heap, external, descriptors } = await server.holdings(true);
      samples.push({ at: (performance.now() - began) / 3_600_000, rss, heap, external, descriptors });
      await pause(Math.max(0, began + i * step - performance.now()));
    }
    const { times, wrong, busy, unconnected } = await asking;
    if (wrong.length > 0) throw new Error(`${wrong.length} wrong answers:\n${wrong.slice(0, 5).join('\n')}`);
    const answers = [...times.values()].reduce((sum, { length }) => sum + length, 0);
    const facts = { minutes: Math.round(seconds / 6) / 10, answers, 'told to come again': busy };
    return tableOf(samples, { ...facts, 'not connected in two minutes': unconnected });
  });

const MEASURES = {
  'resident memory, MB': 'rss',
  'heap after collection, MB': 'heap',
  'memory of buffers, MB': 'external',
  descriptors: 'descriptors',
};

function tableOf(samples, facts) {
  return Object.entries(MEASURES).map(([what, name]) => {
    const points = samples.map((sample) => [sample.at, sample[name]]);
    const { slope, error } = slopeOf(points);
    const values = points.map(([, value]) => value);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return {
      what,
      ...facts,
      'wrong answers': 0,
      first: values[0].toFixed(0),
      last: values.at(-1).toFixed(0),
      mean: mean.toFixed(1),
      'slope an hour': slope.toFixed(1),
      '95 % within': `±${error.toFixed(1)}`,
      'differs from zero': Math.abs(slope) > error ? 'yes' : 'no',
    };
  });
}
