/**
 * @module-tag slow
 */

import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, test } from 'vitest';
import { serveOverStdio } from '../../src/faces/mcp/serve-stdio.ts';
import { textAnswer } from '../../src/render/notices.ts';
import { cli } from '../support/cli.ts';
import { offerOf, testTool } from '../support/offer.ts';
import { type Message, readCall, session } from '../support/wire.ts';
import { workspace } from '../support/workspace.ts';

const { W, write } = workspace({}, afterAll);
const wire = await session(['--cwd', W], 'test', process.env, afterAll);

let asked = 0;

/** Asks with an id that nobody has used. */
const ask = (method: string, params?: object): Promise<Message> =>
  wire.ask(`id ${(asked += 1)}`, method, params);

/** The session still answers. */
async function alive(): Promise<void> {
  expect(await ask('ping')).toEqual({ jsonrpc: '2.0', id: `id ${asked}`, result: {} });
}

/** The next message, which answers what is written. */
async function replyTo(bytes: string | Buffer): Promise<Message> {
  const known = wire.lines.length;
  await wire.write(bytes);
  await expect.poll(() => wire.lines.length).toBeGreaterThan(known);
  return JSON.parse(wire.lines[known] ?? '') as Message;
}

describe('M01 malformed frames', () => {
  test.each<[string, string | Buffer, Partial<Message>]>([
    [
      'cut JSON',
      '{"jsonrpc":"2.0","id":9,"method":',
      { id: null, error: { code: -32700, message: 'The message is not valid JSON.' } },
    ],
    ['an empty array', '[]', { id: null }],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', { id: null }],
    ['null', 'null', { id: null }],
    ['a string', '"ping"', { id: null }],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe]), { id: null }],
    ['100,000 brackets', '['.repeat(100_000), { id: null }],
    ['100,000 brackets that close', '['.repeat(100_000) + ']'.repeat(100_000), { id: null }],
    ['no method', '{"jsonrpc":"2.0"}', { id: null }],
    ['no version', '{"id":4,"method":"ping"}', { id: 4 }],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', { id: null }],
    ['an id with a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', { id: 1.5 }],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', { id: null }],
    ['a method that is none', '{"jsonrpc":"2.0","id":5,"method":7}', { id: 5 }],
    ['params that are none', '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":"x"}', { id: 6 }],
  ])('%s', async (_title, frame, wanted) => {
    const reply = await replyTo(Buffer.concat([Buffer.from(frame), Buffer.from('\n')]));
    expect(reply).toMatchObject(wanted);
    expect([-32700, -32600]).toContain(reply.error?.code);
    await alive();
  });

  test('arguments nested 100,000 deep', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const reply = await replyTo(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":${deep}}}}\n`,
    );
    // It has more values than are parsed, its id among them.
    expect(reply).toMatchObject({ id: null, error: { code: -32600 } });
    await alive();
  });
});

describe('M04 endless line without newline', () => {
  test('a message of too many values is refused before parsing', async () => {
    const values = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, 1]));
    for (const params of [
      { name: 'read', arguments: values },
      { name: 'read', arguments: {}, _meta: values },
    ]) {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      expect(await replyTo(`${JSON.stringify(message)}\n`)).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'The message has more than 10,000 values.' },
      });
    }
    await alive();
  });

  test('an SDK client works on after an 11 MB request', async () => {
    write('f', 'hi\n');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', '--cwd', W],
      stderr: 'ignore',
    });
    const client = new Client({ name: 'test', version: '0' });
    await client.connect(transport);
    const cancel = new AbortController();
    const refused = client
      .callTool(readCall('x'.repeat(11 * 2 ** 20)), { signal: cancel.signal })
      .catch((error: unknown) => error);
    expect(await client.callTool(readCall('f'))).toMatchObject({ content: [{ text: '1|hi\n' }] });
    cancel.abort();
    expect(await refused).toBeInstanceOf(Error);
    await client.close();
  });
});

test('M13 progress increases, is limited and ends before the answer', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  let took = 0;
  const busy = testTool('busy', async (_input, { onProgress }) => {
    const began = performance.now();
    let calls = 0;
    do {
      onProgress?.({ message: 'working', done: 3, total: 100 });
      calls += 1;
      await new Promise((resolve) => void setTimeout(resolve, 2));
      took = performance.now() - began;
    } while (took < 450 || calls < 2);
    setTimeout(() => onProgress?.({ message: 'too late' }), 150);
    return textAnswer('done');
  });
  const said: Message[] = [];
  output.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n').filter(Boolean)) said.push(JSON.parse(line) as Message);
  });
  const ended = serveOverStdio(offerOf(busy), { input, output, signal: new AbortController().signal });
  const call = (id: number, meta: object): void =>
    void input.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'busy', ...meta } })}\n`,
    );
  const answered = async (id: number): Promise<void> => {
    while (!said.some((message) => message.id === id))
      await new Promise((resolve) => void setTimeout(resolve, 5));
    await new Promise((resolve) => void setTimeout(resolve, 300));
  };
  call(1, {});
  await answered(1);
  expect(said).toHaveLength(1);
  call(2, { _meta: { progressToken: 'p' } });
  await answered(2);
  const told = said.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
  expect(told.length).toBeGreaterThan(1);
  expect(told.length).toBeLessThanOrEqual(2 + took / 100);
  expect(told[0]).toEqual({ progressToken: 'p', progress: 3, total: 100, message: 'working' });
  const values = told.map((params) => Number(params?.['progress']));
  expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b));
  expect(said.at(-1)).toMatchObject({ id: 2 });
  input.end();
  await ended;
});
