import assert from 'node:assert/strict';
import { createSdkMcpServer, type Options } from '@anthropic-ai/claude-agent-sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { registerTools } from 'oriel/mcp';
import { oriel } from './world.js';

const server = createSdkMcpServer({ name: 'oriel', version: '1' });
registerTools(server.instance, oriel.tools);
export const options: Options = { mcpServers: { oriel: server }, allowedTools: ['mcp__oriel__read'] };

const client = new Client({ name: 'test', version: '1' });
const [here, there] = InMemoryTransport.createLinkedPair();
await Promise.all([server.instance.connect(here), client.connect(there)]);
const answer = await client.callTool({ name: 'read', arguments: { path: 'f:2..2' } });
assert.deepEqual(answer.content, [{ type: 'text', text: '2|b\n' }]);
await client.close();
await oriel.close();
