/** The routes of the workspace agent: `POST /api/v0/tools/NAME` of `oriel serve`. */

import type { Answer } from '../../../src/index.ts';
import { replyOf } from './reply.ts';
import { startServer, TOKEN, unlessAborted } from './served.ts';
import type { Door, Settings, Way } from './way.ts';

export const workspaceHttp: Way = {
  name: 'workspace-http',
  async open(settings: Settings): Promise<Door> {
    const { pid, url, port, log, post, get, raw, close } = await startServer(settings);
    const client = { 'oriel-client': 'hostile' };
    return {
      way: 'workspace-http',
      pid,
      async call(tool, input, signal) {
        const text = await unlessAborted(
          post(`/api/v0/tools/${tool}`, input, client, signal).then((response) => response.text()),
          signal,
        );
        return text === undefined ? undefined : replyOf(JSON.parse(text) as Answer, text);
      },
      tools: async () => ((await (await get('/api/v0/tools')).json()) as { tools: { name: string }[] }).tools,
      log,
      http: { url, port, token: TOKEN, path: '/api/v0/tools/read', raw, body: (path) => ({ path }) },
      close,
    };
  },
};
