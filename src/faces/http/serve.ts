/** The HTTP server: where it listens, its timeouts for slow or silent peers, and how it shuts down. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { lstat, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Offer } from '../offer.ts';
import { type Address, addressText, isLocal } from './address.ts';
import { createApp } from './app.ts';
import { boundConnections, MOST_CONNECTIONS } from './connections.ts';
import { createLog } from './log.ts';

export interface ServeOptions {
  readonly address: Address;
  readonly token?: string;
  /** Whoever sends this one sees the tasks of all clients. */
  readonly operatorToken?: string;
  readonly hosts?: readonly string[];
  readonly structured?: boolean;
  /** Milliseconds for which a client may read nothing of what was written; 30,000 when absent. */
  readonly writeTimeoutMs?: number;
  /** Connections of one address (of IPv6: of one /64); 256 when absent. */
  readonly maxConnections?: number;
  /** Where the log goes. */
  readonly log: Writable;
}

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

/** Calls that run when the server is told to end may still be answered for so long. */
const GRACE_MS = 3_000;

/** Throws OrielError for options that cannot work, and where the address cannot be had. */
export async function serve(offer: Offer, options: ServeOptions): Promise<Serving> {
  const {
    address,
    token,
    operatorToken,
    hosts = [],
    structured = false,
    writeTimeoutMs,
    maxConnections,
  } = options;
  if (!isLocal(address) && !token) {
    throw new OrielError(
      'BAD_INPUT',
      `Others than this machine could reach ${addressText(address)}: that needs a token. Use --token-file FILE, or listen on 127.0.0.1.`,
    );
  }
  const log = createLog(options.log);
  const guard = {
    loopback: isLocal(address),
    hosts,
    ...(token && { token }),
    ...(operatorToken && { operatorToken }),
  };
  const app = createApp({ offer, log, guard, structured, writeTimeoutMs });
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
  const isSurplus = boundConnections(server, maxConnections ?? MOST_CONNECTIONS);
  const answer = inTurn(app.answer);
  server.on('request', (request, response) => {
    if (isSurplus(request.socket)) response.writeHead(503, REFUSED_CONNECTION).end(TOO_MANY);
    else answer(request, response);
  });
  // Without a listener the connection would be closed without a word.
  server.on('connect', (_request, socket) => socket.end(REFUSED_CONNECT));
  await listen(server, address);
  const bound = server.address();
  const at =
    address.at === 'port' && bound && typeof bound === 'object' ? { ...address, port: bound.port } : address;
  log('listening', { address: addressText(at), dialect: offer.dialect });
  return {
    address: at,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      await app.close();
      const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      await closed;
      clearTimeout(cut);
      log('closed');
      log.flush();
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

/** Requests that may wait behind one that is being answered on their connection. */
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
        if (next && !socket.destroyed) next();
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

async function listen(server: Server, address: Address): Promise<void> {
  if (address.at === 'socket') await removeStale(address.path);
  const target =
    address.at === 'socket' ? { path: address.path } : { host: address.host, port: address.port };
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new OrielError(
          'BUSY',
          `Cannot listen on ${quote(addressText(address))}: ${error.code ?? 'unknown'}.${adviceFor(error)}`,
        ),
      ),
    );
    if (address.at === 'socket') listenPrivately(() => server.listen(target, resolve));
    else server.listen(target, resolve);
  });
}

function adviceFor({ code }: NodeJS.ErrnoException): string {
  return code === 'EADDRINUSE' ? ' Another process listens there. Use another address with --listen.' : '';
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
