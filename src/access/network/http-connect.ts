/**
 * Opens sockets for HTTP. A name is resolved here, each of its addresses is checked, and the connection is made to a
 * checked address, so a name that resolves differently later (DNS rebinding) has no effect.
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
  hasCredentials,
  hostName,
  isLocalName,
} from './addresses.ts';

/** Timeout for making a connection, in milliseconds. */
const CONNECT_MS = 5_000;

/** Maximum addresses of a name that are tried. */
const MOST_TRIED = 8;

/** After this many milliseconds without an answer the next address is tried concurrently. Source: RFC 8305, section 5. */
const NEXT_MS = 250;

/** Resolves a name to literal addresses. Tests replace it. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveName: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

export interface ConnectOptions {
  readonly resolve?: Resolve | undefined;
  /** How the operator can allow a host; `HOST` stands for that host. */
  readonly howToAllow?: string | undefined;
}

/** The `connect` of an undici Agent. */
export function checkedConnector(
  allowed: readonly Allowed[],
  { resolve = resolveName, howToAllow }: ConnectOptions = {},
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
        callback(...(await reach({ host, port, allowed, resolve, howToAllow, connectTo })));
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
  readonly howToAllow: string | undefined;
  connectTo(address: string): Promise<buildConnector.CallbackArgs>;
}

async function reach(wanted: Reach): Promise<buildConnector.CallbackArgs> {
  const { host, port, allowed, resolve, connectTo } = wanted;
  checkPort(allowed, port);
  const anyAddress = allowsHost(allowed, host, port);
  if (!isIP(host) && isLocalName(host) && !anyAddress && !hasRanges(allowed)) throw blocked(wanted);
  const addresses = isIP(host) ? [host] : await resolve(host);
  const open = addresses.filter((address) => anyAddress || allowsAddress(allowed, address, port));
  if (open.length === 0) throw blocked(wanted, addresses);
  const usable = open.filter((address) => allowsPortOf(allowed, { host, address, port }));
  if (usable.length === 0) throw blockedPort(port);
  const result = await firstToConnect(inTurns(usable).slice(0, MOST_TRIED), connectTo);
  const reached = result[1]?.remoteAddress;
  if (!result[1] || anyAddress || (reached !== undefined && allowsAddress(allowed, reached, port)))
    return result;
  result[1].destroy();
  throw blocked(wanted);
}

/** Alternates IPv6 and IPv4, beginning with the family of the first: one may be unreachable. Source: RFC 8305, section 4. */
function inTurns(addresses: readonly string[]): readonly string[] {
  const [first = ''] = addresses;
  const same = addresses.filter((address) => isIP(address) === isIP(first));
  const other = addresses.filter((address) => isIP(address) !== isIP(first));
  return same.flatMap((address, i) => [address, ...other.slice(i, i + 1)]).concat(other.slice(same.length));
}

/** The first socket that connects, or the last failure. Sockets that connect later are closed. */
function firstToConnect(
  addresses: readonly string[],
  connectTo: Reach['connectTo'],
): Promise<buildConnector.CallbackArgs> {
  return new Promise((resolve) => {
    let next = 0;
    let open = 0;
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const tryNext = (): void => {
      clearTimeout(timer);
      const address = addresses[next];
      if (isOver || address === undefined) return;
      next += 1;
      open += 1;
      if (next < addresses.length) timer = setTimeout(tryNext, NEXT_MS);
      void connectTo(address).then((result) => {
        open -= 1;
        if (isOver) return void result[1]?.destroy();
        if (result[1] || (open === 0 && next === addresses.length)) {
          isOver = true;
          clearTimeout(timer);
          resolve(result);
        } else if (result[0]) tryNext();
      });
    };
    tryNext();
  });
}

/** Whether the operator allows address ranges: then a local name has to be resolved before it is refused. */
function hasRanges(allowed: readonly Allowed[]): boolean {
  return allowed.some((one) => 'range' in one);
}

/** `addresses`: the addresses that are refused. */
function blocked({ host, port, howToAllow }: Reach, addresses: readonly string[] = [host]): OrielError {
  const what = isIP(host)
    ? 'is not a public address'
    : `has ${addresses.length > 0 ? 'no public' : 'no'} address`;
  const name = hostName(host);
  const place = [80, 443].includes(port) ? name : `${isIP(host) === 6 ? `[${name}]` : name}:${port}`;
  const how =
    // The error must not suggest allowing a metadata service.
    howToAllow === undefined || [host, ...addresses].some(hasCredentials)
      ? ''
      : ` The operator of oriel can allow it ${howToAllow.replace('HOST', () => quote(place))}.`;
  return new OrielError('BLOCKED_ADDRESS', `${quote(host)} ${what}, and is not read.${how}`);
}
