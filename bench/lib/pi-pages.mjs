// Reads a whole file with the published read tool of the pi coding agent, by following its notices.
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { peer } from './peers.mjs';

/** The call answers `{"calls":…,"bytes":…}`. */
export async function prepare({ input: { path } }) {
  const home = peer('@earendil-works/pi-coding-agent', '0.87.1');
  if (!home) throw new Error('not installable here');
  const { createReadTool } = await import(pathToFileURL(resolve(home, 'dist/index.js')).href);
  const tool = createReadTool(dirname(path));
  const call = async () => {
    let calls = 0;
    let bytes = 0;
    for (let offset = 1; offset !== undefined; calls += 1) {
      const { content } = await tool.execute('bench', { path, offset }, new AbortController().signal);
      bytes += Buffer.byteLength(content[0].text);
      const next = /Use offset=(\d+) to continue/.exec(content[0].text)?.[1];
      offset = next && Number(next);
    }
    return JSON.stringify({ calls, bytes });
  };
  return { call };
}
