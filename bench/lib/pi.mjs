// One call of the published read tool of the pi coding agent; with `follow` the whole file by following its notices, which
// answers `{"calls":…,"bytes":…}`.
import { pathToFileURL } from 'node:url';
import { dirname, resolve } from 'node:path';
import { readers } from './dialect-readers.mjs';
import { peer } from './peers.mjs';

export async function prepare({ input: first, follow }) {
  const path = peer('@earendil-works/pi-coding-agent', '0.87.1');
  if (!path) throw new Error('not installable here');
  const { createReadTool } = await import(pathToFileURL(resolve(path, 'dist/index.js')).href);
  const tool = createReadTool(dirname(first.path));
  const ask = async (input) => {
    const { content } = await tool.execute('bench', input, new AbortController().signal);
    return content[0].text;
  };
  const pages = async () => {
    const said = { calls: 0, bytes: 0 };
    for (let input = first; input; said.calls += 1) {
      const text = await ask(input);
      said.bytes += Buffer.byteLength(text);
      input = readers.pi.next(text, input);
    }
    return JSON.stringify(said);
  };
  return { call: follow ? pages : () => ask(first) };
}
