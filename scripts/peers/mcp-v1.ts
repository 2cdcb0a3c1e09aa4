import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { registerTools } from 'oriel/mcp';
import { oriel } from './world.js';

const server = new McpServer({ name: 'mine', version: '1' });
registerTools(server, oriel.tools);
const client = new Client({ name: 'test', version: '1' });
const [here, there] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(here), client.connect(there)]);

const { tools } = await client.listTools();
assert.deepEqual(
  tools.map(({ name }) => name),
  oriel.tools.map(({ name }) => name),
);
/** Version 1 has another value of `$schema`. */
const listed = { ...tools[0]?.inputSchema, $schema: oriel.tool('read').jsonSchema['$schema'] };
assert.deepEqual(listed, oriel.tool('read').jsonSchema);
const answer = await client.callTool({ name: 'read', arguments: { file_path: 'f', offset: 2 } });
assert.deepEqual(answer.content, [{ type: 'text', text: '2|b\n' }]);
const wrong = await client.callTool({ name: 'read', arguments: { path: 5 } });
assert.match(JSON.stringify(wrong), /The field path of read is wrong/);
await client.close();
await oriel.close();
