/** The HTTP server for an offer: access control, address and log. */

import type { Writable } from 'node:stream';
import { OrielError } from '../../errors.ts';
import type { Offer } from '../offer.ts';
import { type Address, addressText, isLocal } from './listen-address.ts';
import { createApp } from './app.ts';
import { listenFor, type Serving } from './listen.ts';
import { createLog } from './log.ts';

export interface ServeOptions {
  readonly address: Address;
  readonly token?: string;
  /** The token of the operator, who sees the tasks of all clients. */
  readonly operatorToken?: string;
  readonly hosts?: readonly string[];
  readonly structured?: boolean;
  /** Timeout in milliseconds for a client that does not read; 30,000 when absent. */
  readonly writeTimeoutMs?: number;
  /** Maximum connections of an address (for IPv6, of a /64); 256 when absent. */
  readonly maxConnections?: number;
  /** The output of the log. */
  readonly log: Writable;
}

/** Throws OrielError for invalid options, and if the address cannot be used. */
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
      `Other machines could reach ${addressText(address)}, so a token is required. Use --token-file FILE, or listen on 127.0.0.1.`,
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
  const serving = await listenFor(app, { address, maxConnections });
  log('listening', { address: addressText(serving.address), dialect: offer.dialect });
  return {
    address: serving.address,
    async close() {
      await serving.close();
      log('closed');
      log.flush();
    },
  };
}
