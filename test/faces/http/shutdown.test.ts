/** What running calls get when the server is told to end. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mcpHeaders, server } from '../../support/server.ts';

test('a call that takes longer than the server waits is ended with an error; a stream of MCP ends', async () => {
  const W = mkdtempSync(join(tmpdir(), 'oriel-shutdown-'));
  onTestFinished(() => rmSync(W, { recursive: true }));
  const running = await server(['--cwd', W, '--allow-bash']);
  const long = (name: string) => ({ command: `touch ${name}; sleep 600` });
  const params = { name: 'bash', arguments: long('b') };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const called = running.post('/api/v0/tools/bash', long('a'));
  const streamed = running
    .post('/mcp', message, { headers: mcpHeaders })
    .then((reply) => reply.text())
    .catch(() => 'closed');
  await expect.poll(() => readdirSync(W).toSorted()).toEqual(['a', 'b']);
  running.kill('SIGTERM');
  const reply = await called;
  expect([reply.status, await reply.json()]).toEqual([
    503,
    {
      message: 'The server has ended, and this call with it. Use the same call when it runs again.',
      code: 'BUSY',
    },
  ]);
  expect(await streamed).toBe('closed');
  expect(await running.exited).toBe(0);
  expect(running.log()).toContain('"path":"/api/v0/tools/:name","status":503');
});
