/** A server that is asked, and asks, and does not read. */

import { resolve } from 'node:path';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { StdioClientTransport } from '../../src/network/mcp-stdio.ts';

function transportTo(how: string): StdioClientTransport {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [resolve('test/support/hostile-mcp-server.mjs'), how],
    cwd: process.cwd(),
    env: {},
    maxMessage: 1 << 20,
    reduce: (message) => Promise.resolve(message),
  });
  onTestFinished(() => transport.close());
  return transport;
}

/** A fifth of a second in which it does not grow. */
async function untilStill(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count();
    await new Promise((done) => void setTimeout(done, 200));
  }
}

test.each(['chatty', 'chatty by strings'])('%s: not read on once nobody waits for an answer', async (how) => {
  const transport = transportTo(how);
  let [taken, answers] = [0, 0];
  Object.assign(transport, {
    onmessage(message: JSONRPCMessage) {
      if ('result' in message) answers += 1;
      else taken += 1;
    },
  });
  await transport.start();
  for (const id of [1, 2]) {
    await transport.send({ jsonrpc: '2.0', id, method: 'resources/list', params: {} });
    await expect.poll(() => answers).toBe(id);
    await untilStill(() => taken);
  }
  const before = taken;
  await transport.send({ jsonrpc: '2.0', id: 3, method: 'silent', params: {} });
  await expect.poll(() => taken).toBeGreaterThan(before);
  await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
  await untilStill(() => taken);
});

test('a server that only sends pings is not read on', { tags: 'slow' }, async () => {
  const transport = transportTo('pings');
  let taken = 0;
  const answer = (message: JSONRPCMessage): void => {
    taken += 1;
    if (!('id' in message)) return;
    void transport.send({ jsonrpc: '2.0', id: message.id as string, result: {} }).catch(() => undefined);
  };
  Object.assign(transport, { onmessage: answer });
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 'a', method: 'resources/list', params: {} });
  // Each answer has 10 KB.
  await expect.poll(() => taken).toBeGreaterThan(100);
  await untilStill(() => taken);
  expect(taken).toBeLessThan(200);
  await transport.close();
});

test('a server that never reads gets at most 1 MiB', async () => {
  const transport = transportTo('deaf');
  await transport.start();
  const uri = 'y'.repeat(60_000);
  const ask = (id: number): Promise<void> =>
    transport.send({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } });
  let asked = 0;
  const refused = (async () => {
    for (; asked < 1_000; asked += 1) await ask(asked);
  })();
  await expect(refused).rejects.toThrow(
    'The MCP server does not read its input: more than 1 MiB is waiting for it. Use the same call later.',
  );
  expect(asked).toBeLessThan(25);
});
