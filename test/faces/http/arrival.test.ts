/** Requests that stand behind a running one on the same connection: what arrives of them is read, and nothing of it stays. */

import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { textAnswer } from '../../../src/render/notices.ts';
import { inbox } from '../../../src/faces/http/request-body.ts';
import { serveOffer } from '../../support/app.ts';
import { hangingTool, offerOf, testTool } from '../../support/offer.ts';

const HEAD =
  'POST /api/v0/tools/hang HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ';
const CALL = `${HEAD}2\r\n\r\n{}`;

/** A connection with a running call. */
async function calling() {
  const { tool, started, stopped } = hangingTool('hang');
  const { url } = await serveOffer(offerOf(tool));
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).write(CALL);
  await started;
  return { socket, stopped, url };
}

test.each([
  ['the head', `${HEAD}100000\r\n\r\n`],
  ['a part of the body', `${HEAD}100000\r\n\r\n${' '.repeat(90_000)}`],
  ['a part of a body that is too large', `${HEAD}5000000\r\n\r\n${' '.repeat(200_000)}`],
])('with %s queued behind it, a disconnect ends the call', async (_, bytes) => {
  const { socket, stopped } = await calling();
  socket.write(bytes);
  await sleep(50);
  socket.destroy();
  await stopped;
});

test('bodies behind a call count until their client disconnects', async () => {
  const { socket, stopped } = await calling();
  const body = JSON.stringify({ text: 'x'.repeat(200_000) });
  socket.write(`${HEAD}${body.length}\r\n\r\n${body}`.repeat(3));
  await expect.poll(() => inbox.bytes).toBeGreaterThan(600_000);
  socket.destroy();
  await stopped;
  await expect.poll(() => inbox.bytes).toBe(0);
});

const BODY = `${HEAD}40000\r\n\r\n${' '.repeat(40_000)}`;

test('a call behind a request that Node.js refuses is cancelled', async () => {
  const { tool, started, stopped } = hangingTool('hang');
  const slow = testTool('slow', async () => {
    await sleep(100);
    return textAnswer('done');
  });
  const { url } = await serveOffer(offerOf(tool, slow));
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const closed = new Promise((resolve) => void socket.once('close', resolve));
  const first = CALL.replace('hang', 'slow');
  // Without the header Host.
  socket.resume().write(`${first}GET / HTTP/1.1\r\n\r\n${CALL}${BODY}${BODY}`);
  await closed;
  await Promise.all([started, stopped]);
  await expect.poll(() => inbox.bytes).toBe(0);
});
