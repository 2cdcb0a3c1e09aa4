/** `/mcp` of `oriel serve`, in one session of Streamable HTTP. */

import { mcpHeaders } from '../../support/server.ts';
import { DETAILED, replyOfMessage } from './reply.ts';
import { startServer, TOKEN, unlessAborted } from './served.ts';
import type { Door, Settings, Way } from './way.ts';

const VERSION = '2025-11-25';

export const mcpHttp: Way = {
  name: 'mcp-http',
  async open(settings: Settings): Promise<Door> {
    const { pid, url, port, log, post, raw, close } = await startServer(settings);
    const hello = await post(
      '/mcp',
      message(0, 'initialize', {
        protocolVersion: VERSION,
        capabilities: {},
        clientInfo: { name: 'hostile', version: '1' },
      }),
      mcpHeaders,
    );
    await hello.text();
    const session = {
      ...mcpHeaders,
      'mcp-session-id': hello.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': VERSION,
    };
    let ids = 0;
    const ask = async (method: string, params: object, signal?: AbortSignal): Promise<string> =>
      (await post('/mcp', message((ids += 1), method, params), session, signal)).text();
    return {
      way: 'mcp-http',
      pid,
      async call(tool, input, signal) {
        const asked = ask('tools/call', { name: tool, arguments: input, ...DETAILED }, signal);
        const text = await unlessAborted(asked, signal);
        return text === undefined ? undefined : replyOfMessage(lastMessage(text), text);
      },
      async tools() {
        const { result } = lastMessage(await ask('tools/list', {}));
        return (result as { tools: { name: string }[] }).tools;
      },
      log,
      http: {
        url,
        port,
        token: TOKEN,
        path: '/mcp',
        raw,
        body: (path) => message(1, 'tools/call', { name: 'read', arguments: { path }, ...DETAILED }),
      },
      close,
    };
  },
};

function message(id: number, method: string, params: object): object {
  return { jsonrpc: '2.0', id, method, params };
}

/** A reply is JSON, or the last event of a stream. */
function lastMessage(text: string): Record<string, unknown> {
  const data = [...text.matchAll(/^data: (\{.*\})$/gm)].at(-1)?.[1] ?? text;
  return JSON.parse(data) as Record<string, unknown>;
}
