/**
 * The server that the official conformance suite is run against: fixtures registered by our own layer where it can
 * carry them, behind our own guard and our own mount of MCP over HTTP. `node test/conformance/server.ts PORT`, on a
 * Node that runs TypeScript.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/server';
import { registerTools } from '../../src/faces/adapters/mcp.ts';
import { HttpExchange, send } from '../../src/faces/http/exchange.ts';
import { createGuard } from '../../src/faces/http/guard.ts';
import { mountMcp } from '../../src/faces/http/mcp.ts';
import { problem } from '../../src/faces/http/problem.ts';
import { registerOtherTools } from './other-tools.ts';
import { ownTools } from './own-tools.ts';
import { registerPrompts, registerResources } from './prompts.ts';
import { registerRounds, stateCodec } from './rounds.ts';

const hints = { ttlMs: 0, cacheScope: 'private' } as const;

function makeServer(): McpServer {
  const server = new McpServer(
    { name: 'oriel-conformance', version: '1' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: stateCodec.verify },
      cacheHints: {
        'tools/list': hints,
        'prompts/list': hints,
        'resources/list': hints,
        'resources/templates/list': hints,
        'resources/read': hints,
        'server/discover': hints,
      },
    },
  );
  registerTools(server, ownTools);
  registerOtherTools(server);
  registerRounds(server);
  registerPrompts(server);
  registerResources(server);
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  return server;
}

const mcp = mountMcp(makeServer, { keeps: () => false, forget: () => Promise.resolve() });
const { refused } = createGuard({ loopback: true, hosts: [] });
const app = createServer(async (incoming, outgoing) => {
  const exchange = new HttpExchange(incoming, outgoing);
  const refusal = refused(exchange);
  await send(
    refusal ? problem(refusal.status, refusal.problem) : await mcp.handle(exchange),
    exchange,
    outgoing,
  );
});
app.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(app.address() as AddressInfo).port}/mcp`),
);
