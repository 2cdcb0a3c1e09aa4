/** The scheme `mcp://SERVER/URI`: resources of MCP servers that the operator allows. */

import type { Scheme } from './scheme.ts';

export const mcpScheme: Scheme = {
  name: 'mcp',
  isOn: ({ mcpServers }) => mcpServers !== undefined,
  open: async (rest, call) => (await import('../mcp/open-mcp.ts')).openMcp(rest, call),
};
