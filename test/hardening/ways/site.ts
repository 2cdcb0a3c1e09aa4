/** A site on loopback whose pages lie, never end, or lead elsewhere. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makePng } from '../../support/images.ts';
import { article, paragraphs } from '../../support/web.ts';

export interface HostileSite {
  /** The site that doors may read: `127.0.0.1:PORT`. */
  readonly host: string;
  readonly url: string;
  /** One of the same pages that no door may read. */
  readonly hiddenUrl: string;
  readonly hiddenPort: number;
  /** A site whose certificate nobody signed; doors may read it. */
  readonly tlsUrl: string;
  readonly tlsHost: string;
  /** Requests that are open, by their paths. */
  readonly open: readonly string[];
  /** What the hidden site was asked for so far. */
  readonly leaked: readonly string[];
  close(): Promise<void>;
}

export const INTERNAL_SECRET = 'INTERNAL-SECRET';

type Answer = (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => void;

const sent =
  (type: string, body: string | Uint8Array, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': type, ...headers }).end(body);

/** Writes for as long as somebody reads. */
const endless =
  (piece: string): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', write);
    write();
  };

const every = (response: ServerResponse, write: () => void): void => {
  const timer = setInterval(write, 100);
  response.on('close', () => clearInterval(timer));
};

const html = (body: string): string => `<html><body>${body}`;

const hidden =
  '<p style="display:none">HIDDEN-TEXT</p><p hidden>HIDDEN-TEXT</p><!-- HIDDEN-TEXT --><p>\u001b[2J &#27;[31m</p>';

const pages: Readonly<Record<string, Answer>> = {
  '/meta': sent('text/plain', INTERNAL_SECRET),
  '/ok': sent('text/html', article('A page', paragraphs(3))),
  '/redirect': (_, response, query) =>
    void response.writeHead(Number(query.get('status') ?? 302), { location: query.get('to') ?? '' }).end(),
  '/endless': endless('endless\n'.repeat(4_000)),
  '/endless-chunks': endless('x'),
  '/drip': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    every(response, () => response.write('.'));
  },
  '/drip-headers': (_, response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\nx-drip: ');
    every(response, () => response.socket?.write('.'));
  },
  '/hang': () => undefined,
  '/windows-1252': sent('text/html; charset=windows-1252', Buffer.from([0x3c, 0x70, 0x3e, 0x80])),
  '/shift-jis': sent('text/plain; charset=shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x0a])),
  '/utf-16': sent('text/plain; charset=utf-16', Buffer.from('\ufeffwörd\n', 'utf16le')),
  '/bogus': sent('text/plain; charset=bogus', Buffer.from('wörd\n')),
  '/not-utf-8': sent('text/plain; charset=utf-8', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a])),
  '/utf-7': sent('text/plain; charset=utf-7', '+ADw-b+AD4-\n'),
  '/image-as-page': sent('text/html', makePng(4, 4)),
  '/text-as-image': sent('image/png', 'only text\n'),
  '/disposition': sent('text/plain', 'text\n', {
    'content-disposition': 'attachment; filename="../../evil.txt"',
  }),
  '/scripts': sent('text/html', html('<script'.repeat(300_000))),
  '/nested': sent('text/html', html(`${'<div>'.repeat(1_000_000)}deep`)),
  '/hidden': sent('text/html; charset=utf-8', article('A', hidden + paragraphs(3))),
};

export async function hostileSite(): Promise<HostileSite> {
  const [open, leaked]: [string[], string[]] = [[], []];
  const shown = createServer((request, response) => {
    const path = request.url ?? '';
    open.push(path);
    response.on('close', () => void open.splice(open.indexOf(path), 1));
    answer(request, response);
  });
  const secret = createServer((request, response) => {
    leaked.push(request.url ?? '');
    answer(request, response);
  });
  const fixture = (name: string): Buffer =>
    readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url));
  const tls = createTlsServer({ key: fixture('leaf.key'), cert: fixture('self.pem') }, answer);
  const [port, hiddenPort, tlsPort] = await Promise.all(
    [shown, secret, tls].map(async (server) => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    hiddenUrl: `http://127.0.0.1:${hiddenPort}`,
    hiddenPort: hiddenPort as number,
    tlsUrl: `https://127.0.0.1:${tlsPort}`,
    tlsHost: `127.0.0.1:${tlsPort}`,
    open,
    leaked,
    async close() {
      for (const server of [shown, secret, tls]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
  const page = pages[pathname];
  if (page) return page(request, response, searchParams);
  return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>');
}
