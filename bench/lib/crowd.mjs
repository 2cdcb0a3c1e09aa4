// Many concurrent clients of a server: normal ones, slow ones, ones that disconnect, ones whose calls hang.
import { httpClient, mcpClient } from './load-client.mjs';

/** Shares per hundred clients; the others are normal ones over HTTP. */
const SHARES = { mcp: 20, slow: 3, vanishing: 6 };
const HANGING = 10;

/** A repeatable sequence of numbers in [0, 1). */
function randomFrom(seed) {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Runs `clients` clients for `seconds`. Returns the times in ms of each kind of request, wrong answers, and the numbers of
 * busy answers, of connections that were not accepted, and of disconnected clients.
 */
export async function crowd({ url, cases, pages, clients, seconds, label }) {
  const stop = new AbortController();
  const { signal } = stop;
  const found = { times: new Map(), wrong: [], busy: 0, unconnected: 0, vanished: 0, hung: 0 };
  const ask = askFrom(cases, found);
  const all = Array.from({ length: clients }, (_, i) => {
    const job = { url, name: `${label}-${i}`, random: randomFrom(i + 1), ask, found, signal, pages };
    const share = (i * 100) / clients;
    if (i >= clients - HANGING) return hanging(job, i % 2 === 0);
    if (share < SHARES.mcp) return asking(job, mcpClient);
    if (share < SHARES.mcp + SHARES.slow) return slow(job, cases);
    if (share < SHARES.mcp + SHARES.slow + SHARES.vanishing) return vanishing(job, cases);
    return asking(job, httpClient);
  });
  const timer = setTimeout(() => stop.abort(), seconds * 1_000);
  await Promise.all(all);
  clearTimeout(timer);
  return found;
}

/** Sends a request of the mix, and compares the answer. */
function askFrom(cases, { times, wrong }) {
  return async (client, { random, found, mcp }) => {
    const kinds = mcp ? cases.filter(({ name }) => !OVER_HTTP.has(name)) : cases;
    const kind = weighted(kinds, random);
    const question = kind.ask(random);
    const began = performance.now();
    const text = await client.ask(question);
    const took = performance.now() - began;
    if (text === undefined) {
      found.busy += 1;
      await pause(200);
      return;
    }
    const name = client.known ? (mcp ? `${kind.name}, MCP` : kind.name) : FIRST;
    client.known = true;
    if (!times.has(name)) times.set(name, []);
    times.get(name).push(took);
    compare(question, text, wrong);
  };
}

/** Measured separately: Node.js accepts one connection in each turn of its event loop, so many new clients wait. */
export const FIRST = 'first answer on a new connection';

/** Routes that do not exist over MCP. */
const OVER_HTTP = new Set(['read-file-lines', 'download of 1 MiB']);

function weighted(kinds, random) {
  let left = random() * kinds.reduce((sum, { weight }) => sum + weight, 0);
  return kinds.find(({ weight }) => (left -= weight) < 0) ?? kinds[0];
}

function compare({ tool, get, input, expected }, text, wrong) {
  const wanted = typeof expected === 'function' ? expected() : expected;
  if (text === wanted) return;
  wrong.push(`${tool ?? get} ${JSON.stringify(input ?? '')}: ${JSON.stringify(text.slice(0, 200))}`);
}

async function asking({ url, name, random, ask, found, signal }, connect) {
  await pause(random() * 500);
  const client = await connect(url, name);
  while (!signal.aborted) await ask(client, { random, found, mcp: connect === mcpClient });
  await client.close();
}

/** Downloads slowly, with pauses between the pieces. */
async function slow({ url, name, random, found, signal }, cases) {
  const kind = cases.find(({ name: known }) => known.startsWith('download'));
  while (!signal.aborted) {
    const client = httpClient(url, name);
    const question = kind.ask(random);
    const options = { pauseMs: 20 + random() * 60 };
    const text = await client.ask(question, options).catch((error) => unconnected(error, found));
    if (text === undefined) found.busy += 1;
    else if (text !== UNCONNECTED) compare(question, text, found.wrong);
    client.close();
  }
}

const UNCONNECTED = Symbol('no connection');

/** The system gave up: the server accepted no connection for two minutes. */
function unconnected(error, found) {
  if (error.code !== 'ETIMEDOUT') throw error;
  found.unconnected += 1;
  return UNCONNECTED;
}

/** Disconnects before, during or after an answer. */
async function vanishing({ url, name, random, found, signal }, cases) {
  while (!signal.aborted) {
    const client = httpClient(url, name);
    const question = weighted(cases, random).ask(random);
    await client.ask(question, { vanishMs: random() * 100 }).catch(() => (found.vanished += 1));
    client.close();
    await pause(50);
  }
}

/** Requests a command or a page that does not end, except by the server's own timeout. */
async function hanging({ url, name, found, signal, pages }, page) {
  const question = page
    ? { tool: 'read', input: { path: `${pages}/hang` } }
    : { tool: 'bash', input: { command: 'sleep 600' } };
  const left = new Promise((done) => signal.addEventListener('abort', done, { once: true }));
  while (!signal.aborted) {
    const client = httpClient(url, name);
    found.hung += 1;
    await Promise.race([client.ask(question).catch(() => undefined), left]);
    client.close();
    await pause(100);
  }
}

/** `count` clients send a request at the same time, and all disconnect `ms` later. */
export async function vanishAtOnce({ url, cases, count, ms, label }) {
  const random = randomFrom(count);
  const clients = Array.from({ length: count }, (_, i) => httpClient(url, `${label}-${i}`));
  await Promise.all(
    clients.map(async (client) => {
      const question = weighted(cases, random).ask(random);
      await client.ask(question, { vanishMs: ms }).catch(() => undefined);
      client.close();
    }),
  );
}

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
