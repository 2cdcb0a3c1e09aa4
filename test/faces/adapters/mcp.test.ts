import { writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer, type RegisteredTool } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { registerTools } from '../../../src/faces/adapters/mcp.ts';
import { createOriel } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { place } from '../../support/dialect.ts';
import { PIXEL, testTools, type TestTools } from '../../support/tools.ts';

async function connected(options?: { structured: boolean }): Promise<TestTools & { client: Client }> {
  const made = testTools();
  const server = new McpServer({ name: 'mine', version: '1' });
  server.registerTool('own', { inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'mine' }],
  }));
  registerTools(server, made.tools, options);
  return { ...made, client: await clientOf(server) };
}

async function clientOf(server: McpServer, name = 'test'): Promise<Client> {
  const client = new Client({ name, version: '1' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(here), client.connect(there)]);
  onTestFinished(() => client.close());
  return client;
}

test('tools join those of the server, with schema and annotations', async () => {
  const { client, tools } = await connected();
  const listed = (await client.listTools()).tools;
  expect(listed.map(({ name }) => name)).toEqual(['own', 'read', 'picture', 'hang']);
  const { $schema: _, ...inputSchema } = tools[0]?.jsonSchema ?? {};
  expect(listed[1]).toMatchObject({
    description: tools[0]?.description,
    inputSchema,
    annotations: { readOnlyHint: true, destructiveHint: false },
  });
  expect(await client.callTool({ name: 'own', arguments: {} })).toMatchObject({
    content: [{ text: 'mine' }],
  });
});

test('calls answer with text, images, facts in _meta and failures', async () => {
  const { client } = await connected();
  const _meta = { 'io.github.oriel/details': true };
  const read = await client.callTool({ name: 'read', arguments: { path: 'f:2..2' }, _meta });
  expect(read.content).toEqual([{ type: 'text', text: '2|b\n' }]);
  expect(read._meta).toMatchObject({ 'io.github.oriel/details': { kind: 'file' } });
  expect((await client.callTool({ name: 'picture', arguments: {} })).content).toContainEqual({
    type: 'image',
    mimeType: 'image/png',
    data: PIXEL,
  });
  const wrong = await client.callTool({ name: 'read', arguments: { path: 5 } });
  expect(wrong).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^The field path of read/) }],
  });
});

test('structured content is sent on request', async () => {
  const { client } = await connected({ structured: true });
  const { structuredContent } = await client.callTool({ name: 'read', arguments: { path: 'f:2..2' } });
  expect(structuredContent).toMatchObject({ text: '2|b\n', details: { kind: 'file' } });
});

test('a cancellation reaches the work', async () => {
  const { client, hanging } = await connected();
  const stop = new AbortController();
  const call = client.callTool({ name: 'hang', arguments: {} }, { signal: stop.signal });
  call.catch(() => undefined);
  await hanging.started;
  stop.abort();
  await hanging.stopped;
  await expect(call).rejects.toThrow();
});

test('the server returns what it does for its own tools', () => {
  const server = new McpServer({ name: 'mine', version: '1' });
  const registered: RegisteredTool[] = registerTools(server, testTools().tools);
  expect(registered.map(({ enabled }) => enabled)).toEqual([true, true, true]);
});

test('all hosts read below the directories of the moment in which the tools were made', async () => {
  const W = temporaryFolder();
  writeFileSync(`${W}/f`, 'here\n');
  const at = vi.spyOn(process, 'cwd').mockReturnValue(W);
  onTestFinished(() => at.mockRestore());
  const oriel = createOriel({ roots: ['.'] });
  onTestFinished(() => oriel.close());
  at.mockReturnValue('/');
  const server = new McpServer({ name: 'mine', version: '1' });
  registerTools(server, oriel.tools);
  const client = await clientOf(server, 'claude-code');
  const { content } = await client.callTool({ name: 'read', arguments: { path: 'f' } });
  expect(content).toEqual([{ type: 'text', text: '1|here\n' }]);
});

/** Text in content, without structured content that would replace it. */
test.each([
  ['claude-code', 47_000],
  ['opencode', 49_900],
  ['nobody knows it', 18_400],
])('answers have the size that %s passes', async (name, most) => {
  const { write, oriel } = place('oriel', {});
  write('long.txt', `${'x'.repeat(99)}\n`.repeat(2_000));
  const server = new McpServer({ name: 'mine', version: '1' });
  registerTools(server, oriel.tools);
  const client = await clientOf(server, name);
  const answer = await client.callTool({ name: 'read', arguments: { path: 'long.txt' } });
  expect(answer.structuredContent).toBeUndefined();
  const { text } = (answer.content as { text: string }[])[0] as { text: string };
  expect(text.length).toBeGreaterThan(most * 0.97);
  expect(text.length).toBeLessThan(most + 1_024);
  expect(text).toMatch(/Use long\.txt:\d+\.\. to continue\]$/);
});
