// Calls of @modelcontextprotocol/server-filesystem over stdio.
import { dirname } from 'node:path';
import { servers, start } from './mcp.mjs';

export async function prepare({ tool, input }) {
  const server = await serverFilesystem(dirname(input.path), tool);
  if (!server) throw new Error('not installable here');
  const call = async () => {
    const [text, isError] = await server(input);
    if (isError) throw new Error(text.slice(0, 100));
    return text;
  };
  return { call, peak: server.peak };
}

/** For several calls of a tool: returns `[text, isError]` for an input; undefined if it is not installed. */
export async function serverFilesystem(directory, tool) {
  const command = servers['server-filesystem'](directory);
  if (!command) return undefined;
  const { ask, peak, stop } = await start(command);
  const call = async (input) => {
    const { result, error } = await ask('tools/call', { name: tool, arguments: input });
    return [result?.content?.[0]?.text ?? error?.message ?? 'no answer in time', result?.isError ?? !result];
  };
  return Object.assign(call, { peak, close: stop });
}
