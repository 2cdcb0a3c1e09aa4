/** The HTTP server for an offer: access control, address and log. */

import type { Writable } from 'node:stream';
import { OrielError } from '../../errors.ts';
import { wideRoots } from '../mcp/server.ts';
import type { ServerOffer } from '../offer.ts';
import { createApp } from './app.ts';
import { addressText, isLocalAddress, type ListenAddress } from './guard.ts';
import { listenFor, type RunningServer } from './listen.ts';
import { createLog } from './metrics.ts';

export interface ServeOptions {
  readonly address: ListenAddress;
  readonly token?: string | undefined;
  /** The token of the operator, who sees the tasks of all clients. */
  readonly operatorToken?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly structured?: boolean | undefined;
  /** Timeout in milliseconds for a client that does not read; 30,000 when absent. */
  readonly writeTimeoutMs?: number | undefined;
  /** Maximum connections of an address (for IPv6, of a /64); 256 when absent. */
  readonly maxConnections?: number | undefined;
  readonly log: Writable;
}

const NO_TOKEN =
  'There is no token: every account and program of this machine can read what this server reads. Use --token-file FILE, or --listen unix:PATH, a socket that only your user can open.';

/** Throws `BAD_INPUT` if accounts without a key could start programs through the server: others than the user reach a port. */
export function refuseWithoutKey(
  offer: ServerOffer,
  { address, token }: Pick<ServeOptions, 'address'> & { readonly token: string | undefined },
): void {
  if (token || address.kind === 'socket') return;
  const servers = Object.values(offer.engine().settings.mcpServers ?? {});
  const what = offer.tools().some(({ effects }) => !effects.readOnly)
    ? 'run commands'
    : servers.some((server) => server.command !== undefined) && 'start the servers of .mcp.json';
  if (what === false) return;
  throw new OrielError(
    'BAD_INPUT',
    `Without a token every account and program of this machine could ${what} as your user. Use --token-file FILE, or --listen unix:PATH, a socket that only your user can open.`,
  );
}

/** Throws OrielError for invalid options, and if the address cannot be used. */
export async function serve(offer: ServerOffer, options: ServeOptions): Promise<RunningServer> {
  const { address, token, operatorToken, hosts = [], structured = false, writeTimeoutMs } = options;
  if (!isLocalAddress(address) && !token) {
    throw new OrielError(
      'BAD_INPUT',
      `Other machines could reach ${addressText(address)}, so a token is required. Use --token-file FILE, or listen on 127.0.0.1.`,
    );
  }
  const log = createLog(options.log);
  const guard = {
    loopback: isLocalAddress(address),
    hosts,
    token: token || undefined,
    operatorToken: operatorToken || undefined,
  };
  const app = createApp({ offer, log, guard, structured, writeTimeoutMs });
  const serving = await listenFor(app, options);
  log('listening', { address: addressText(serving.address), dialect: offer.dialect });
  if (address.kind === 'port' && !token) log('warning', { message: NO_TOKEN });
  for (const message of wideRoots(offer)) log('warning', { message });
  return {
    address: serving.address,
    async close() {
      await serving.close();
      log('closed');
      log.flush();
    },
  };
}
