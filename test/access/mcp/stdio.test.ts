/** A server that is asked, and asks, and does not read. */

import { resolve } from 'node:path';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { StdioTransport } from '../../../src/access/mcp/stdio.ts';

const PINGS = 20_000;

test(
  'one that sends pings without an end and reads no answer is not read on',
  { timeout: 30_000 },
  async () => {
    const transport = new StdioTransport({
      command: process.execPath,
      args: [resolve('test/support/hostile-mcp-server.mjs'), 'pings'],
      cwd: process.cwd(),
      env: {},
      maxMessage: 1 << 20,
      reduce: (message) => Promise.resolve(message),
    });
    onTestFinished(() => transport.close());
    let taken = 0;
    let waiting = 0;
    const answer = (message: JSONRPCMessage): void => {
      taken += 1;
      if (!('id' in message)) return;
      waiting += 1;
      void transport
        .send({ jsonrpc: '2.0', id: message.id as string, result: {} })
        .finally(() => (waiting -= 1))
        .catch(() => undefined);
    };
    Object.assign(transport, { onmessage: answer });
    await transport.start();
    // Each answer has 10 KB.
    await expect.poll(() => taken, { timeout: 20_000 }).toBeGreaterThan(100);
    for (let before = -1; before !== taken;) {
      before = taken;
      await new Promise((done) => void setTimeout(done, 500));
    }
    expect(waiting).toBeLessThan(200);
    expect(taken).toBeLessThan(PINGS);
    await transport.close();
  },
);
