/** Listens for an application of HTTP: timeouts for slow or silent peers, one request of a connection at a time, the end. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { lstat, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import { type Address, addressText } from './listen-address.ts';
import type { App } from './app.ts';
import { boundConnections, mostConnections } from './connections.ts';

export interface Serving {
  /** With the port that was given, where 0 was asked for. */
  readonly address: Address;
  /** Takes nothing new, lets what runs end for a moment, then ends it. */
  close(): Promise<void>;
}

/** Against peers that send byte by byte, or nothing. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 5_000;
const UNREAD_MS = 500;
const ALIVE_MS = 30_000;
const HEADER_BYTES = 16 * 1024;

/**
 * Connections that may wait to be accepted, which Node.js does with one for each turn of its loop: of a thousand clients
 * that come at once none is reset. The kernel bounds it too (`net.core.somaxconn`).
 */
const BACKLOG = 4_096;

/** Calls that run when the server is told to end may still be answered for so long. */
export const GRACE_MS = 3_000;

export interface ListenOptions {
  readonly address: Address;
  readonly maxConnections?: number | undefined;
  /** The option that names another address. */
  readonly option?: string;
}

/** Throws OrielError where the address cannot be had. */
export async function listenFor(
  app: App,
  { address, maxConnections = mostConnections(), option = '--listen' }: ListenOptions,
): Promise<Serving> {
  const server = createServer({
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    maxHeaderSize: HEADER_BYTES,
    connectionsCheckingInterval: 1_000,
    // Notices a peer whose machine has vanished while a call of it runs for long.
    keepAlive: true,
    keepAliveInitialDelay: ALIVE_MS,
  });
  const isSurplus = boundConnections(server, maxConnections);
  const answer = inTurn(app.answer);
  server.on('request', (request, response) => {
    if (isSurplus(request.socket)) response.writeHead(503, REFUSED_CONNECTION).end(TOO_MANY);
    else answer(request, response);
  });
  // Without a listener the connection would be closed without a word.
  server.on('connect', (_request, socket) => {
    // It has left HTTP, with its time limits and its listener of errors, without which a reset would end the process.
    socket.on('error', () => undefined).end(REFUSED_CONNECT);
    setTimeout(() => socket.destroy(), UNREAD_MS).unref();
  });
  await listen(server, address, option);
  const bound = server.address();
  const at =
    address.at === 'port' && bound && typeof bound === 'object' ? { ...address, port: bound.port } : address;
  return {
    address: at,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      await app.close();
      const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      await closed;
      clearTimeout(cut);
    },
  };
}

const REFUSED_CONNECT = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

const TOO_MANY = JSON.stringify({
  message: 'Too many connections are open from your address. Close some, or use them again.',
  code: 'BUSY',
});

const REFUSED_CONNECTION = {
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(TOO_MANY),
  'retry-after': '1',
  connection: 'close',
};

/** Requests that may wait after one that is being answered on their connection. */
const MOST_PIPELINED = 64;

type Answering = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Requests of one connection are answered one after the other: the next begins when the client has the answer. */
function inTurn(answer: Answering): (request: IncomingMessage, response: ServerResponse) => void {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const begin = (): void => {
      response.once('close', () => {
        endUnread(request);
        const next = waiting.get(socket)?.shift();
        // Others have their turn first.
        if (next && !socket.destroyed) setImmediate(next);
        else waiting.delete(socket);
      });
      void answer(request, response);
    };
    const before = waiting.get(socket);
    if (!before) {
      waiting.set(socket, []);
      begin();
    } else if (before.length < MOST_PIPELINED) before.push(begin);
    else socket.destroy();
  };
}

/**
 * A client that still sends when it has been answered is listened to a little longer: cut off at once, it might never
 * see the answer.
 */
function endUnread(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, UNREAD_MS).unref();
}

async function listen(server: Server, address: Address, option: string): Promise<void> {
  if (address.at === 'socket') await removeStale(address.path);
  const target =
    address.at === 'socket' ? { path: address.path } : { host: address.host, port: address.port };
  await new Promise<void>((resolve, reject) => {
    // Later errors are those of connections that could not be accepted: the peer learns it, and the server continues.
    server.on('error', (error: NodeJS.ErrnoException) =>
      reject(
        new OrielError(
          'BUSY',
          `Cannot listen on ${quote(addressText(address))}: ${error.code ?? 'unknown'}.${adviceFor(error, option)}`,
        ),
      ),
    );
    const options = { ...target, backlog: BACKLOG };
    if (address.at === 'socket') listenPrivately(() => server.listen(options, resolve));
    else server.listen(options, resolve);
  });
}

function adviceFor({ code }: NodeJS.ErrnoException, option: string): string {
  if (code !== 'EADDRINUSE') return '';
  return ` Another process listens there. Use another address with ${option}.`;
}

/** The socket is made within `listen`, before it returns: with mode 0600, and never with another. */
function listenPrivately(listenNow: () => void): void {
  const before = process.umask(0o177);
  try {
    listenNow();
  } finally {
    process.umask(before);
  }
}

/** A socket that a killed server left behind, to which nobody answers any more. */
async function removeStale(path: string): Promise<void> {
  // A file of the user's is refused to a connection just the same.
  if (!(await lstat(path).catch(() => undefined))?.isSocket()) return;
  const refused = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
  if (refused) await rm(path, { force: true });
}
