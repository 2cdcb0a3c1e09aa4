/** Live events: who sees which, and what a client that does not read costs. */

import { request } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { outbox } from '../../../src/faces/outbox.ts';
import type { TelemetryRecorder } from '../../../src/telemetry/telemetry.ts';
import type { CallEvent } from '../../../src/types/telemetry.ts';
import { serveOffer, openOffer } from '../../support/app.ts';
import { call, noteOf } from '../../support/telemetry.ts';
import { workspace } from '../../support/workspace.ts';

interface Told {
  readonly missed: number;
  readonly events: readonly CallEvent[];
}

async function serving() {
  const { W } = workspace();
  const offer = openOffer({ cwd: W, manyClients: true });
  const { url } = await serveOffer(offer, { token: 'api', operatorToken: 'chief' });
  const telemetry = offer.telemetry as TelemetryRecorder;
  const record = (tool: string, more: Partial<CallEvent> = {}): void => {
    telemetry.record(noteOf(call({ tool, ...more }), 't'), undefined);
  };
  return { url, telemetry, record };
}

const told = (text: string): Told[] =>
  [...text.matchAll(/^event: events\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Told);

/** A connection that reads when it is told to. */
function listener(url: string, token: string) {
  const { port, host } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.write(`GET /api/v0/live HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`);
  // Chunks of HTTP stand between the parts of the text.
  return { socket, text: () => text.replaceAll(/\r\n[0-9a-f]+\r\n/g, '') };
}

test('operators get all events, clients theirs, nobody without a token', async () => {
  const { url, record } = await serving();
  const [chief, client] = [listener(url, 'chief'), listener(url, 'api')];
  for (const one of [chief, client]) await expect.poll(one.text).toContain('event: open');
  record('one');
  record('two');
  const tools = (): string[] => told(chief.text()).flatMap(({ events }) => events.map(({ tool }) => tool));
  await expect.poll(tools).toEqual(['one', 'two']);
  expect(told(client.text())).toEqual([]);
  expect((await fetch(`${url}/api/v0/live`)).status).toBe(401);
});

/** `fetch` has no address of its own to call from. */
function openFrom(url: string, localAddress: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/v0/live`, { localAddress, headers: { authorization: 'Bearer api' } });
    onTestFinished(() => void asked.destroy());
    asked.once('response', ({ statusCode }) => resolve(statusCode)).once('error', reject);
    asked.end();
  });
}

test('HEAD uses no stream', async () => {
  const { url } = await serving();
  const head = { method: 'HEAD', headers: { authorization: 'Bearer api' } };
  for (let i = 0; i < 100; i += 1) expect((await fetch(`${url}/api/v0/live`, head)).status).toBe(200);
  const one = listener(url, 'api');
  await expect.poll(one.text).toContain('event: open');
});

test('H24 streams of clients leave some for others and the operator', async () => {
  const { url } = await serving();
  const warnings: string[] = [];
  const warned = (warning: Error): void => void warnings.push(warning.message);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  // A response that nobody holds is collected, and its stream ends.
  const held: Response[] = [];
  const open = async (client: string, token = 'api'): Promise<number> => {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const headers = { authorization: `Bearer ${token}`, 'oriel-client': client };
    const response = await fetch(`${url}/api/v0/live`, { headers, signal: stop.signal });
    held.push(response);
    return response.status;
  };
  const opened = async (client: string, token?: string): Promise<number> => {
    for (let i = 0; ; i += 1) if ((await open(client, token)) === 503) return i;
  };
  const greedy = await opened('greedy');
  expect(await open('modest')).toBe(200);
  let clients = 0;
  while ((await open(`client ${clients}`)) === 200 && clients < 100) clients += 1;
  expect(greedy + 1 + clients).toBe(32);
  expect(await openFrom(url, '127.0.0.2')).toBe(200);
  clients += 1;
  expect(await open('chief', 'chief')).toBe(200);
  expect(await opened('chief', 'chief')).toBe(64 - greedy - 1 - clients - 1);
  expect(warnings).toEqual([]);
  expect(held.length).toBeGreaterThan(32);
});

test('unread events are bounded, and the client learns the number', { tags: 'slow' }, async () => {
  const { url, record } = await serving();
  const { socket, text } = listener(url, 'chief');
  await expect.poll(text).toContain('event: open');
  socket.pause();
  const host = 'h'.repeat(90);
  let [events, most, full] = [0, 0, 0];
  // Until its buffers and those of the system have been full for a while.
  for (let i = 0; full < 300 && i < 40_000; i += 1) {
    for (let n = 0; n < 100; n += 1) record(`t${(events += 1)}`, { host });
    await turn();
    most = Math.max(most, outbox.unsent);
    if (outbox.unsent > 256 << 10) full += 1;
  }
  expect(full).toBe(300);
  // What was left to send, and one batch that was made before that was seen.
  expect(most).toBeLessThan(600 << 10);
  socket.resume();
  record('last');
  const all = (): number =>
    told(text()).reduce((sum, { missed, events: some }) => sum + missed + some.length, 0);
  await expect.poll(all).toBe(events + 1);
  expect(told(text()).some(({ missed }) => missed > 0)).toBe(true);
});
