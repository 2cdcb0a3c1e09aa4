// `oriel serve` in a process that reports its resources, and a web server for its pages.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { prepare } from './load-cases.mjs';
import { cli, listening, withCommands } from './process.mjs';

const watched = fileURLToPath(new URL('./watched.mjs', import.meta.url));

/** `{ url, holdings, stop }`; `holdings(true)` collects garbage first. Its `lag` is the maximum since the last query. */
async function startServer(directory) {
  const args = ['serve', directory, '--listen', '127.0.0.1:0', ...withCommands(), '--web'];
  // The clients are no host that is known, and read long windows.
  args.push('--limits', 'bytes=50K,lines=3000');
  const open = ['--allow-net', '127.0.0.1', '--max-connections', '8192'];
  const node = ['--expose-gc', '--import', watched];
  const server = await listening([...node, cli, ...args, ...open], { ipc: true });
  const holdings = async (collect = false) => {
    server.child.send({ collect });
    return (await once(server.child, 'message'))[0];
  };
  return { ...server, holdings };
}

/** Calls `use` with a server, its cases (`prepare` in load-cases.mjs) and the address of the pages, and ends both. */
export async function loaded(use) {
  const pages = await startPages();
  const { directory, cases } = await prepare(pages.url);
  const server = await startServer(directory);
  try {
    return await use(server, cases, pages.url);
  } finally {
    await server.stop();
    pages.stop();
  }
}

/** Pages `/0` to `/9` differ; `/hang` is never answered. */
async function startPages() {
  const server = createServer(({ url }, response) => {
    if (url === '/hang') return;
    const paragraph = (i) =>
      `<p>Page ${url.slice(1)}, paragraph ${i}: ${'words of an article '.repeat(12)}</p>`;
    const body = Array.from({ length: 40 }, (_, i) => paragraph(i)).join('\n');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><title>Page</title><main><h1>Page</h1>${body}</main>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}
