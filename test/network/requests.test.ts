/** How many connections there are to sites, of all callers together. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createNetwork } from '../../src/network/fetch.ts';
import { registerCaller } from '../../src/queues/caller.ts';

test('one caller has sixteen connections, and others do not wait', async () => {
  const hanging: ServerResponse[] = [];
  const server = createServer(({ url }, response) => {
    if (url === '/quick') response.end('quick');
    else hanging.push(response);
  });
  await new Promise<void>((done) => void server.listen(0, '0.0.0.0', done));
  const { port } = server.address() as AddressInfo;
  const network = createNetwork({ allow: ['127.0.0.0/8'] });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await network.close();
  });
  const over = new AbortController();
  registerCaller({}, over.signal);
  const get = (url: string, signal: AbortSignal) => network.get(url, { signal, mostBytes: () => 1_024 });
  const asked = Array.from({ length: 60 }, (_, i) =>
    get(`http://127.0.0.${i + 1}:${port}/hang`, over.signal).catch((error: unknown) => error),
  );
  await expect.poll(() => hanging.length).toBe(16);
  const other = await get(`http://127.0.0.99:${port}/quick`, AbortSignal.timeout(200_000));
  expect(Buffer.from(other.body).toString()).toBe('quick');
  expect(hanging).toHaveLength(16);
  // What is over makes room for the next.
  hanging[0]?.end();
  await expect.poll(() => hanging.length).toBe(17);
  over.abort(new Error('over'));
  expect(await Promise.all(asked)).toContainEqual(new Error('over'));
});
