// node recording-server.mjs DIR TELEMETRY: the tools as an MCP server over stdio; TELEMETRY is the option, as JSON.
// `oriel mcp` always records; here it can be turned off.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createOriel } from '../../dist/index.js';
import { registerTools } from '../../dist/faces/adapters/mcp.js';

const [directory, telemetry] = process.argv.slice(2);
const server = new McpServer({ name: 'bench', version: '1' });
const { tools } = createOriel({ cwd: directory, roots: [directory], telemetry: JSON.parse(telemetry) });
registerTools(server, tools);
await server.connect(new StdioServerTransport());
