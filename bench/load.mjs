// `oriel serve` under the load of a thousand clients: comparison of every answer, times, and the resources of the server.
import { crowd, FIRST, pause, vanishAtOnce } from './lib/crowd.mjs';
import { loaded } from './lib/load-server.mjs';
import { sized } from './lib/quick.mjs';
import { mb, ms } from './lib/table.mjs';

const CLIENTS = sized(1_000, 30);
const SECONDS = sized(60, 2);
const FIRST_SECONDS = sized(15, 1);
const VANISHING = sized(400, 30);
/** Time for the release of connections, children and pooled pipes. */
const SETTLE_MS = sized(12_000, 200);

/** The rows of the table of `load-held`. */
export const held = [];

export const rows = () => loaded(measured);

async function measured(server, cases, pages) {
  const note = (when, { rss, heap, descriptors, children, lag }) =>
    held.push({
      when,
      'resident memory': mb(rss),
      'heap after collection': heap === undefined ? undefined : mb(heap),
      descriptors,
      children,
      'longest lag': lag === undefined ? undefined : ms(lag),
    });
  const calm = async (when, lag) => {
    await pause(SETTLE_MS);
    note(when, { ...(await server.holdings(true)), lag });
  };
  const run = (label, seconds) => crowd({ url: server.url, cases, pages, clients: CLIENTS, seconds, label });

  await calm('at the start');
  // A first round with the same clients, so that state of clients and compiled code do not count as a leak.
  const first = await run('client', FIRST_SECONDS);
  await calm('after a first round', (await server.holdings()).lag);
  const peak = watchPeak(server);
  const second = await run('client', SECONDS);
  note(`under ${CLIENTS} clients`, await peak.stop());
  await calm('after them');
  for (const wait of [5, 50, 200]) {
    await vanishAtOnce({ url: server.url, cases, count: VANISHING, ms: wait, label: 'client' });
    await pause(500);
    const { lag, ...now } = await server.holdings();
    note(`${VANISHING} clients vanish after ${wait} ms`, { ...now, heap: undefined, lag });
  }
  await calm('after them too');
  const wrong = [...first.wrong, ...second.wrong];
  if (wrong.length > 0) throw new Error(`${wrong.length} wrong answers:\n${wrong.slice(0, 5).join('\n')}`);
  return tableOf(second);
}

/** The maximum of each figure, sampled twice a second. */
function watchPeak(server) {
  const most = {};
  let ended = false;
  const watching = (async () => {
    while (!ended) {
      const now = await server.holdings();
      for (const [name, value] of Object.entries(now)) most[name] = Math.max(most[name] ?? 0, value);
      await pause(500);
    }
  })();
  return {
    stop: async () => {
      ended = true;
      await watching;
      return { ...most, heap: undefined };
    },
  };
}

function tableOf({ times, busy, unconnected, vanished, hung }) {
  const rowsOf = (name, values) => {
    const sorted = values.toSorted((a, b) => a - b);
    const at = (share) => ms(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
    return { what: name, answers: values.length, wrong: 0, p50: at(0.5), p99: at(0.99), 'p99.9': at(0.999) };
  };
  const names = [...times.keys()].toSorted((a, b) => times.get(b).length - times.get(a).length);
  const all = names.filter((name) => name !== FIRST).flatMap((name) => times.get(name));
  return [
    rowsOf('all but the first', all),
    ...names.map((name) => rowsOf(name, times.get(name))),
    { what: 'told to come again (BUSY, TIMEOUT)', answers: busy },
    { what: 'not connected in two minutes', answers: unconnected },
    { what: 'gone before their answer', answers: vanished },
    { what: 'calls that hang', answers: hung },
  ];
}
