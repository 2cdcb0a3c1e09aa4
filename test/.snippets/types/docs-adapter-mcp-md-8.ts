import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createOriel } from 'oriel';
import { registerTools } from 'oriel/mcp';
import { z } from 'zod';

const oriel = createOriel({ roots: [process.cwd()] });

serveStdio(() => {
  const server = new McpServer({ name: 'mine', version: '1.0.0' });
  server.registerTool('greet', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    content: [{ type: 'text', text: `Hello, ${name}.` }],
  }));
  registerTools(
    server,
    oriel.tools.filter(({ effects }) => effects.readOnly),
  );
  return server;
});
