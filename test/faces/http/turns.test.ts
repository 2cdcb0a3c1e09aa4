import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { RequestTurns } from '../../../src/faces/http/turns.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

test('new connections are answered while others ask all the time', async () => {
  const server = createServer();
  let answered = 0;
  const turns = new RequestTurns(server, (_, response) => ({
    async answer() {
      // Busy, as with real work.
      for (const until = performance.now() + 1; performance.now() < until;);
      answered += 1;
      await sleep(1);
      response.end('done');
    },
  }));
  server.on('request', (request, response) => turns.answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: 60 }, () => connect(port, '127.0.0.1'));
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  for (const client of clients) client.on('data', () => client.write(REQUEST)).write(REQUEST);
  await expect.poll(() => answered, { interval: 5 }).toBeGreaterThan(300);
  const before = answered;
  const fresh = 40;
  let welcomed = 0;
  for (let i = 0; i < fresh; i += 1) {
    const client = connect(port, '127.0.0.1');
    clients.push(client);
    client.once('data', () => (welcomed += 1)).write(REQUEST);
  }
  await expect.poll(() => welcomed, { interval: 5 }).toBe(fresh);
  // One is accepted for each request that begins, and waits then for those that were there.
  expect(answered - before).toBeLessThan(500);
});
