/**
 * Opens sockets for HTTP. A name is resolved here, each of its addresses is judged, and the connection goes to the
 * address that was judged: nothing that resolves differently a moment later is reached.
 */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import {
  type Allowed,
  allowsAddress,
  allowsHost,
  allowsPortOf,
  blockedPort,
  checkPort,
  isLocalName,
} from './addresses.ts';

/** Milliseconds that one connection may take to be made. */
const CONNECT_MS = 5_000;

/** Addresses of a name that are tried. */
const MOST_TRIED = 4;

/** For tests, which have no names of their own. Resolves to literal addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveName: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** The `connect` of an undici Agent. */
export function checkedConnector(
  allowed: readonly Allowed[],
  resolve: Resolve = resolveName,
): buildConnector.connector {
  const connector = buildConnector({ timeout: CONNECT_MS });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const connectTo = (address: string): Promise<buildConnector.CallbackArgs> =>
      new Promise((done) => {
        const servername = isIP(host) ? undefined : host;
        connector(
          { ...options, hostname: address, host: address, ...(servername !== undefined && { servername }) },
          (...result) => done(result),
        );
      });
    void (async () => {
      try {
        callback(...(await reach({ host, port, allowed, resolve, connectTo })));
      } catch (error) {
        callback(error as Error, null);
      }
    })();
  };
}

interface Reach {
  readonly host: string;
  readonly port: number;
  readonly allowed: readonly Allowed[];
  readonly resolve: Resolve;
  connectTo(address: string): Promise<buildConnector.CallbackArgs>;
}

async function reach({
  host,
  port,
  allowed,
  resolve,
  connectTo,
}: Reach): Promise<buildConnector.CallbackArgs> {
  checkPort(allowed, port);
  const anyAddress = allowsHost(allowed, host, port);
  if (!isIP(host) && isLocalName(host) && !anyAddress && !hasRanges(allowed)) throw blocked(host, 1);
  const addresses = isIP(host) ? [host] : await resolve(host);
  const open = addresses.filter((address) => anyAddress || allowsAddress(allowed, address, port));
  if (open.length === 0) throw blocked(host, addresses.length);
  const usable = open.filter((address) => allowsPortOf(allowed, { host, address, port }));
  if (usable.length === 0) throw blockedPort(port);
  let failed: buildConnector.CallbackArgs | undefined;
  for (const address of usable.slice(0, MOST_TRIED)) {
    const result = await connectTo(address);
    const [error, socket] = result;
    if (!error && socket) {
      const reached = socket.remoteAddress;
      if (anyAddress || (reached !== undefined && allowsAddress(allowed, reached, port))) return result;
      socket.destroy();
      throw blocked(host, 1);
    }
    failed = result;
  }
  return failed as buildConnector.CallbackArgs;
}

/** A local name may lead to an address that the operator allows. */
function hasRanges(allowed: readonly Allowed[]): boolean {
  return allowed.some((one) => 'range' in one);
}

function blocked(host: string, addresses: number): OrielError {
  const what = isIP(host) ? 'is not a public address' : `has ${addresses > 0 ? 'no public' : 'no'} address`;
  return new OrielError(
    'BLOCKED_ADDRESS',
    `${quote(host)} ${what}, and is not read. Whoever runs oriel can allow it with --allow-net ${quote(host)}.`,
  );
}
