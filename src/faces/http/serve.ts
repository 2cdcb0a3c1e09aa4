/** The HTTP server over an offer: who may ask it, where it listens, its log. */

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
