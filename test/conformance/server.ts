/**
 * The server that the official conformance suite is run against: fixtures registered by our own layer where it can
 * carry them, behind our own guard and our own mount of MCP over HTTP. `node test/conformance/server.ts PORT`, on a
 * Node that runs TypeScript.
 */

import { serve } from '@hono/node-server';
import { McpServer } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { registerTools } from '../../src/faces/adapters/mcp.ts';
import { createGuard } from '../../src/faces/http/guard.ts';
import { mountMcp } from '../../src/faces/http/mcp.ts';
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

const refused = createGuard({ loopback: true, hosts: [] });
const mcp = mountMcp(makeServer);
const app = new Hono();
app.all('/mcp', (context) => {
  const { pathname, search } = new URL(context.req.url);
  const refusal = refused({
    target: pathname + search,
    host: context.req.header('host'),
    origin: context.req.header('origin'),
    authorization: undefined,
  });
  return refusal ? Response.json(refusal.problem, { status: refusal.status }) : mcp.handle(context);
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.argv[2] ?? 0) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/mcp`),
);
