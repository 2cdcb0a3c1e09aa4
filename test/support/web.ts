/** A web server on loopback that serves a test's pages and records the requested paths. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Page =
  | string
  | {
      readonly type?: string;
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly body: string | Uint8Array;
    }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Site {
  readonly url: string;
  /** Requested paths, in order. */
  readonly asked: string[];
  readonly heard: IncomingMessage[];
}

/** Pages by path, or what answers all of them; a string is HTML. Other paths give 404. */
export async function site(pages: Readonly<Record<string, Page>> | RequestListener): Promise<Site> {
  const asked: string[] = [];
  const heard: IncomingMessage[] = [];
  const url = await answering((request, response) => {
    asked.push(request.url ?? '');
    heard.push(request);
    const page = typeof pages === 'function' ? pages : pages[request.url ?? ''];
    if (typeof page === 'function') return page(request, response);
    if (page === undefined)
      return response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>');
    const {
      type = 'text/html; charset=utf-8',
      status = 200,
      headers = {},
      body,
    } = typeof page === 'string' ? { body: page } : page;
    return response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  });
  return { url, asked, heard };
}

/** The address of a server with this handler, which is closed after the test. */
export async function answering(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An HTML page like a blog's: a menu, an article with a title, a footer. */
export function article(title: string, body: string, head = ''): string {
  return (
    `<!doctype html><html><head><title>${title}</title>${head}</head><body>` +
    `<nav><a href="/">Home</a> <a href="/about">About us</a></nav>` +
    `<main><article><h1>${title}</h1>${body}</article></main><footer>All rights reserved</footer></body></html>`
  );
}

/** `count` paragraphs, long enough for the extraction to recognise them as the main text. */
export function paragraphs(count: number): string {
  return Array.from(
    { length: count },
    (_, i) =>
      `<p>Paragraph ${i + 1} goes on for a while, so that it is taken for the main text of the page.</p>`,
  ).join('\n');
}
