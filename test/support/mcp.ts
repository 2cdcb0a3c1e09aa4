/** The configuration of a real MCP server over stdio, for the option `mcpServers`. */

import { join, resolve } from 'node:path';
import type { McpServer } from '../../src/types/settings.ts';

/** Its first note is the file `note` in `folder`, if that exists; `more` are further arguments of the program. */
export function notesServer(folder: string, ...more: readonly string[]): Record<string, McpServer> {
  return {
    notes: {
      command: process.execPath,
      args: [resolve('test/support/mcp-server.mjs'), join(folder, 'note'), ...more],
    },
  };
}
