// Sends requests over a number of connections, one after the other on each.
import { Agent, request } from 'node:http';
import { AUTHORIZATION } from './process.mjs';
import { sized } from './quick.mjs';
import { median } from './table.mjs';

/**
 * `{ perSecond, median, p99 }` (milliseconds) over `seconds`, after a warm-up. Without `keepAlive` each request
 * opens a connection.
 */
export async function load(url, connections, seconds, { keepAlive = true } = {}) {
  const agent = new Agent({ keepAlive, maxSockets: connections });
  let times = [];
  let until = performance.now() + sized(1_000, 100);
  const one = () =>
    new Promise((done, fail) => {
      const began = performance.now();
      request(url, { agent, headers: AUTHORIZATION }, (response) => {
        if (response.statusCode !== 200) fail(new Error(`status ${response.statusCode}`));
        response.resume().on('end', () => done(performance.now() - began));
      })
        .on('error', fail)
        .end();
    });
  const worker = async () => {
    while (performance.now() < until) times.push(await one());
  };
  await Promise.all(Array.from({ length: connections }, worker));
  times = [];
  until = performance.now() + seconds * 1000;
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  const elapsed = performance.now() - began;
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  return {
    perSecond: Math.round((times.length / elapsed) * 1000),
    median: median(times),
    p99: sorted[Math.floor(sorted.length * 0.99)],
  };
}
