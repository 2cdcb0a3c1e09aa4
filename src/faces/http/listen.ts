/** Listens for an HTTP application: timeouts for slow peers, one request of a connection at a time, graceful shutdown. */

import { lstat, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import { GRACE_MS } from '../outbox.ts';
import type { HttpApp } from './app.ts';
import { boundConnections, mostConnections } from './exchange.ts';
import { addressText, type ListenAddress } from './guard.ts';
import { RequestTurns, UNREAD_MS } from './turns.ts';

export interface RunningServer {
  /** With the actual port, if port 0 was requested. */
  readonly address: ListenAddress;
  /** Refuses new requests, waits a moment for running ones, then ends them with an error. Closes all connections. */
  close(): Promise<void>;
}

/** Timeouts in milliseconds against peers that send slowly or nothing. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 5_000;
const ALIVE_MS = 30_000;
const HEADER_BYTES = 16 * 1024;

/**
 * Maximum connections that wait to be accepted. Node.js accepts one in each turn of its event loop, so a thousand clients
 * that connect at the same time need a long queue. The kernel also limits it (`net.core.somaxconn`).
 */
const BACKLOG = 4_096;

export interface ListenOptions {
  readonly address: ListenAddress;
  readonly maxConnections?: number | undefined;
  /** The command line option for another address, for errors. */
  readonly option?: string | undefined;
}

/** Throws OrielError if the address cannot be used. */
export async function listenFor(
  app: HttpApp,
  { address, maxConnections = mostConnections(), option = '--listen' }: ListenOptions,
): Promise<RunningServer> {
  const server = createServer({
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    maxHeaderSize: HEADER_BYTES,
    connectionsCheckingInterval: 1_000,
    // TCP keep-alive detects a peer that has vanished during a long call.
    keepAlive: true,
    keepAliveInitialDelay: ALIVE_MS,
  });
  const isSurplus = boundConnections(server, maxConnections);
  const turns = new RequestTurns(server, app.receive);
  const refuse = (socket: Socket, status: string): void => {
    // Each further chunk of invalid input is reported again.
    if (socket.writableEnded) return;
    if (!socket.writable || turns.owesReply(socket)) return void socket.destroy();
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    setTimeout(() => socket.destroy(), UNREAD_MS).unref();
  };
  server.on('request', (request, response) => {
    if (isSurplus(request.socket)) response.writeHead(503, REFUSED_CONNECTION).end(TOO_MANY);
    else turns.answer(request, response);
  });
  // Without a listener the connection would be closed without a response.
  server.on('connect', ({ socket }) => {
    // The socket has no HTTP timeouts and error listeners any more; without a listener a reset would end the process.
    socket.on('error', () => undefined);
    refuse(socket, BAD_REQUEST);
  });
  // Bytes that are no request, a request that takes too long, or an error of the connection.
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuse(socket, REFUSED_INPUT[error.code ?? ''] ?? BAD_REQUEST),
  );
  await listen(server, address, option);
  const bound = server.address();
  const at =
    address.kind === 'port' && bound && typeof bound === 'object'
      ? { ...address, port: bound.port }
      : address;
  return {
    address: at,
    async close() {
      let cut = setTimeout(() => {
        app.evictAll?.();
        cut = setTimeout(() => server.closeAllConnections(), UNREAD_MS);
      }, GRACE_MS);
      turns.end();
      app.drain?.();
      await turns.closeIdle(GRACE_MS);
      await new Promise<void>((resolve) => void server.close(() => resolve()));
      clearTimeout(cut);
      await app.close?.();
    },
  };
}

const BAD_REQUEST = '400 Bad Request';

/** The status of refused input, by the code of Node.js. */
const REFUSED_INPUT: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const TOO_MANY = JSON.stringify({
  message: 'Too many connections are open from your address. Reuse them, or raise --max-connections N.',
  code: 'BUSY',
});

const REFUSED_CONNECTION = {
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(TOO_MANY),
  'retry-after': '1',
  connection: 'close',
};

async function listen(server: Server, address: ListenAddress, option: string): Promise<void> {
  if (address.kind === 'socket') await removeStale(address.path);
  const target =
    address.kind === 'socket' ? { path: address.path } : { host: address.host, port: address.port };
  await new Promise<void>((resolve, reject) => {
    // Later errors are about connections that could not be accepted; they are ignored.
    server.on('error', (error: NodeJS.ErrnoException) =>
      reject(
        new OrielError(
          'BUSY',
          `Cannot listen on ${quote(addressText(address))}: ${error.code ?? 'unknown'}.${reasonOf(error, address)} Use another address with ${option}.`,
        ),
      ),
    );
    const options = { ...target, backlog: BACKLOG };
    if (address.kind === 'socket') listenPrivately(() => server.listen(options, resolve));
    else server.listen(options, resolve);
  });
}

function reasonOf({ code }: NodeJS.ErrnoException, { kind }: ListenAddress): string {
  if (code !== 'EADDRINUSE') return '';
  return kind === 'socket'
    ? ' A process listens there, or it is no socket.'
    : ' Another process listens there.';
}

/** `listen` creates the socket synchronously, so that it has mode 0600 from the beginning. */
function listenPrivately(listenNow: () => void): void {
  const before = process.umask(0o177);
  try {
    listenNow();
  } finally {
    process.umask(before);
  }
}

async function removeStale(path: string): Promise<void> {
  // Connecting to a regular file fails in the same way, so the type is checked first.
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
