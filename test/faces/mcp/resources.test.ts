/**
 * @module-tag slow
 */

import { Client } from '@modelcontextprotocol/client';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type OfferOptions } from '../../../src/faces/offer.ts';
import { pipeTo, openOffer } from '../../support/app.ts';
import { workspace } from '../../support/workspace.ts';

async function connect(
  W: string,
  options: Partial<OfferOptions> = {},
  client = new Client({ name: 'test', version: '1' }),
): Promise<Client> {
  const offer = openOffer({ cwd: W, ...options });
  await client.connect(pipeTo(offer));
  onTestFinished(() => client.close());
  return client;
}

test('kept outputs are listed, completed and read, also in part', { tags: 'slow' }, async () => {
  const { W } = workspace();
  const client = await connect(W, { allowBash: true });
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

test('the size of a resource is its content’s, or unstated', async () => {
  const { W } = workspace();
  const client = await connect(W, { allowBash: true });
  await client.callTool({
    name: 'bash',
    arguments: { command: "printf '\\033[1mx\\033[0m\\ttab\\n'; seq 1 3000" },
  });
  await client.callTool({ name: 'bash', arguments: { command: 'seq 1 30000' } });
  const [small, large] = (await client.listResources()).resources;
  const { contents } = await client.readResource({ uri: small?.uri ?? '' });
  const [content] = contents as { text: string }[];
  expect(Buffer.byteLength(content?.text ?? '')).toBe(small?.size);
  expect(large?.size).toBeUndefined();
});

test('the error of an unreadable file names a readable resource', async () => {
  const { W } = workspace();
  const client = await connect(W);
  const there = pathToFileURL(W).href;
  for (const uri of ['file:///etc/passwd', `${there}/nothing-of-that-name`]) {
    await expect(client.readResource({ uri })).rejects.toThrow(`Use ${there} to list the working directory.`);
  }
  expect((await client.readResource({ uri: there })).contents).toHaveLength(1);
});

/** They would declare three tools for them in every request. */
test.each([
  ['pi', false],
  ['opencode', false],
  ['claude-code', true],
])('%s is told of resources: %s', async (name, isTold) => {
  const { W } = workspace();
  const client = await connect(W, {}, new Client({ name, version: '1' }));
  expect(client.getServerCapabilities()?.resources !== undefined).toBe(isTold);
});

test('without --allow-bash a bash call fails and says why', { tags: 'slow' }, async () => {
  const { W } = workspace();
  const client = await connect(W);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain('bash');
  await expect(client.callTool({ name: 'bash', arguments: { command: 'true' } })).rejects.toThrow(
    'The tool bash does more than read, and this server was started without --allow-bash.',
  );
});
