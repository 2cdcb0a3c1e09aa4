// One call of the published read tool of the pi coding agent.
import { pathToFileURL } from 'node:url';
import { dirname, resolve } from 'node:path';
import { peer } from './peers.mjs';

export async function prepare({ input }) {
  const path = peer('@earendil-works/pi-coding-agent', '0.87.1');
  if (!path) throw new Error('not installable here');
  const { createReadTool } = await import(pathToFileURL(resolve(path, 'dist/index.js')).href);
  const tool = createReadTool(dirname(input.path));
  const call = async () => {
    const { content } = await tool.execute('bench', input, new AbortController().signal);
    return content[0].text;
  };
  return { call };
}
