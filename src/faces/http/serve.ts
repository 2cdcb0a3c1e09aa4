/** Owns the HTTP server: where it listens, how long it waits for slow or silent peers, and how it ends. */

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { chmod, lstat, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Writable } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Offer } from '../offer.ts';
import { type Address, addressText, isLocal } from './address.ts';
import { createApp } from './app.ts';
import { createLog } from './log.ts';

export interface ServeOptions {
  readonly address: Address;
  readonly token?: string;
  readonly hosts?: readonly string[];
  readonly structured?: boolean;
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
const HEADER_BYTES = 16 * 1024;

/** Calls that run when the server is told to end may still be answered for so long. */
const GRACE_MS = 3_000;

/** Throws OrielError for options that cannot work, and where the address cannot be had. */
export async function serve(offer: Offer, options: ServeOptions): Promise<Serving> {
  const { address, token, hosts = [], structured = false } = options;
  if (!isLocal(address) && !token) {
    throw new OrielError(
      'BAD_INPUT',
      `Others than this machine could reach ${addressText(address)}: that needs a token. Set ORIEL_TOKEN, or listen on 127.0.0.1.`,
    );
  }
  const log = createLog(options.log);
  const guard = { loopback: isLocal(address), hosts, ...(token && { token }) };
  const app = createApp({ offer, log, guard, structured });
  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      maxHeaderSize: HEADER_BYTES,
      connectionsCheckingInterval: 1_000,
    },
    getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: 'localhost' }),
  );
  server.on('request', (request, response) => {
    response.once('finish', () => endUnread(request));
  });
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
    },
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
          `Cannot listen on ${quote(addressText(address))}: ${error.code ?? 'unknown'}.`,
        ),
      ),
    );
    server.listen(target, resolve);
  });
  if (address.at === 'socket') await chmod(address.path, 0o600);
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
