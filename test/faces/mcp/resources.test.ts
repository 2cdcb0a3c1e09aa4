import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { cli } from '../../support/cli.ts';
import { workspace } from '../../support/workspace.ts';

async function connect(W: string, ...args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp', '--cwd', W, ...args],
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

test('outputs that were kept are listed, completed and read, also in part', async () => {
  const { W } = workspace();
  const client = await connect(W, '--allow-bash');
  expect(await client.listResources()).toMatchObject({ resources: [] });
  expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
    { uriTemplate: 'artifact://{id}' },
  ]);
  await client.callTool({ name: 'bash', arguments: { command: 'seq 1 3000' } });
  await client.callTool({ name: 'bash', arguments: { command: 'seq 1 4000' } });
  expect((await client.listResources()).resources).toEqual([
    { uri: 'artifact://1', name: 'artifact 1', mimeType: 'text/plain', size: 13_893 },
    { uri: 'artifact://2', name: 'artifact 2', mimeType: 'text/plain', size: 18_893 },
  ]);
  const complete = async (value: string): Promise<string[]> => {
    const ref = { type: 'ref/resource', uri: 'artifact://{id}' } as const;
    return (await client.complete({ ref, argument: { name: 'id', value } })).completion.values;
  };
  expect(await complete('')).toEqual(['1', '2']);
  expect(await complete('2')).toEqual(['2']);
  const { contents } = await client.readResource({ uri: 'artifact://2:3999..' });
  expect(contents).toEqual([{ uri: 'artifact://2:3999..', mimeType: 'text/plain', text: '3999\n4000\n' }]);
  const whole = await client.readResource({ uri: 'artifact://1' });
  expect(whole.contents).toMatchObject([{ text: expect.stringMatching(/^1\n2\n/) }]);
  await expect(client.readResource({ uri: 'artifact://9' })).rejects.toThrow(
    'There is no artifact://9. The last one kept is artifact://2.',
  );
});

test('without --allow-bash there is no bash, and its name says why', async () => {
  const { W } = workspace();
  const client = await connect(W);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain('bash');
  await expect(client.callTool({ name: 'bash', arguments: { command: 'true' } })).rejects.toThrow(
    'The tool bash does more than read, and this server was started without --allow-bash.',
  );
});
