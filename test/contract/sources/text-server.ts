/** A web server whose texts change while it runs. It ends with its process, and keeps none alive. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TextServer {
  readonly url: string;
  /** By their paths, as plain text. What is not there is a 404. */
  serve(texts: Readonly<Record<string, string>>): void;
}

export async function textServer(): Promise<TextServer> {
  let served: Readonly<Record<string, string>> = {};
  const server = createServer((request, response) => {
    const text = served[request.url ?? ''];
    response
      .writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain; charset=utf-8' })
      .end(text);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (texts) => void (served = texts),
  };
}
