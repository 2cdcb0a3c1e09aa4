/** What the stdio transport takes in one read, and what it holds of requests that are not answered yet. */

import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { BoundedStdioTransport } from '../../../src/faces/mcp/serve-stdio.ts';

test('open requests are bounded in bytes until they are answered', { tags: 'slow' }, async () => {
  const input = new PassThrough({ highWaterMark: 1 << 20 });
  const output = new PassThrough();
  output.resume();
  const transport = new BoundedStdioTransport(input, output);
  const open: number[] = [];
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage) => {
      if ('id' in message) open.push(message.id as number);
    },
  });
  await transport.start();
  const params = { x: 'x'.repeat(3 << 20) };
  for (let id = 0; id < 40; id += 1)
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'm', params })}\n`);
  await expect.poll(() => input.isPaused()).toBe(true);
  expect(open.length * (3 << 20)).toBeLessThan(40 << 20);
  for (let done = 0; done < 40; done += 1) {
    await expect.poll(() => open.length).toBeGreaterThan(done);
    await transport.send({ jsonrpc: '2.0', id: open[done] as number, result: {} });
  }
  expect(open).toEqual(Array.from({ length: 40 }, (_, i) => i));
  await transport.close();
});

const MANY = 10_001;
const fields = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [i, 0]));

test.each([
  ['arguments', { name: 'read', arguments: fields(MANY) }],
  ['_meta', { name: 'read', _meta: fields(MANY) }],
  ['a list', { name: 'read', arguments: { path: Array.from({ length: MANY }, () => []) } }],
])('a message of many values, in %s, is refused unparsed', async (_, params) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new BoundedStdioTransport(input, output);
  const taken: unknown[] = [];
  Object.assign(transport, { onmessage: (message: object) => taken.push(Object(message).id) });
  await transport.start();
  const send = (id: number, what: object): void =>
    void input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: what })}\n`);
  send(1, params);
  send(2, { name: 'read', arguments: { path: ','.repeat(3 * MANY) } });
  await expect.poll(() => taken).toEqual([2]);
  const message = 'The message has more than 10,000 values.';
  expect(JSON.parse(String(output.read()))).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32600, message },
  });
  await transport.close();
});
