/** What the stdio transport takes in one read, and what it holds of requests that are not answered yet. */

import { text } from 'node:stream/consumers';
import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { BoundedStdioTransport, serveOverStdio } from '../../../src/faces/mcp/serve-stdio.ts';
import { textAnswer } from '../../../src/render/notices.ts';
import { offerOf, testTool } from '../../support/offer.ts';
import { initialize } from '../../support/server.ts';

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

/** The replies to `lines` in a session of that protocol version, whose tool answers with its input. */
async function repliesTo(version: string, ...lines: string[]): Promise<{ id?: unknown }[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said = text(output);
  const tool = testTool('echo', (given) => Promise.resolve(textAnswer(JSON.stringify(given))));
  input.write(`${JSON.stringify({ ...initialize(version), id: 'begin' })}\n`);
  input.end(lines.join('\n'));
  await serveOverStdio(offerOf(tool), { input, output, signal: new AbortController().signal });
  output.end();
  return (await said)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id?: unknown })
    .filter(({ id }) => id !== 'begin');
}

const ping = (id: number | string): object => ({ jsonrpc: '2.0', id, method: 'ping' });
const pong = (id: number | string): object => ({ jsonrpc: '2.0', id, result: {} });

test('null for parameters and arguments is none', async () => {
  const call = { ...request(1, 'tools/call'), params: { name: 'echo', arguments: null } };
  const list = { ...request(2, 'tools/list'), params: null };
  const replies = await repliesTo('2025-06-18', JSON.stringify(call), JSON.stringify(list));
  expect(replies.toSorted((a, b) => Number(a.id) - Number(b.id))).toMatchObject([
    { id: 1, result: { content: [{ text: '{}' }] } },
    { id: 2, result: { tools: [{ name: 'echo' }] } },
  ]);
});

test('an id that a number cannot hold is refused without one', async () => {
  const replies = await repliesTo(
    '2025-06-18',
    '{"jsonrpc":"2.0","id":1915883588174806058,"method":"ping"}',
    '{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}',
  );
  const message = 'The id is too large to be returned exactly. Use one below 2^53, or a string.';
  expect(replies).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32600, message } },
    pong(Number.MAX_SAFE_INTEGER),
  ]);
});

test('a byte order mark before a message is no part of it', async () => {
  expect(await repliesTo('2025-06-18', `\u{feff}${JSON.stringify(ping(1))}`)).toEqual([pong(1)]);
});

test('a batch is answered with one list, where the version has them', async () => {
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const batch = JSON.stringify([ping('a'), notification, 1, ping('a'), ping('b')]);
  const lines = ['[]', JSON.stringify([notification]), batch, JSON.stringify(ping('c'))];
  const refused = { jsonrpc: '2.0', id: null, error: { code: -32600 } };
  const replies = await repliesTo('2025-03-26', ...lines);
  const duplicate = { id: 'a', error: { code: -32600 } };
  expect(replies).toMatchObject([refused, [refused, duplicate, pong('a'), pong('b')], pong('c')]);
  const message =
    'This version of MCP has no batches. Send each message of the list alone, on a line of its own.';
  expect(await repliesTo('2025-06-18', batch)).toMatchObject([
    { ...refused, error: { code: -32600, message } },
  ]);
});

test.each([
  [
    'tools/call',
    null,
    'In tools/call params is missing. Use "params":{"name":"read","arguments":{"path":"."}}.',
  ],
  [
    'tools/call',
    { name: 'echo', arguments: 'x' },
    'In tools/call params.arguments is wrong: Invalid input: expected record, received string. ' +
      'Use "params":{"name":"read","arguments":{"path":"."}}.',
  ],
  [
    'resources/read',
    { uri: 5 },
    'In resources/read params.uri is wrong: Invalid input: expected string, received number.',
  ],
])('%s with wrong parameters (%j) gets a sentence', async (method, params, message) => {
  const call = JSON.stringify({ ...request(1, method), params });
  expect(await repliesTo('2025-06-18', call)).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32602, message } },
  ]);
});

function request(id: number, method: string): object {
  return { jsonrpc: '2.0', id, method };
}
