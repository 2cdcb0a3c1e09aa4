/**
 * Which addresses may be reached, and the sockets to them. A name is resolved here, each of its addresses is checked, and the connection is made to a
 * checked address, so a name that resolves differently later (DNS rebinding) has no effect.
 */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { OrielError } from '../errors.ts';
import { createTurns } from '../queues/turns.ts';
import { quote } from '../text/visible.ts';

const CONNECT_MS = 5_000;

const MAX_TRIED_ADDRESSES = 8;

/** After this many milliseconds without an answer the next address is tried concurrently. Source: RFC 8305, section 5. */
const NEXT_MS = 250;

/** Resolves a name to literal addresses. Tests replace it. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

const resolveName: ResolveHost = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

export interface ConnectOptions {
  readonly resolve?: ResolveHost | undefined;
  /** How the operator can allow a host; `HOST` stands for that host. */
  readonly howToAllow?: string | undefined;
}

export function checkedConnector(
  allowed: readonly AllowedAddress[],
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
  readonly allowed: readonly AllowedAddress[];
  readonly resolve: ResolveHost;
  readonly howToAllow: string | undefined;
  connectTo(address: string): Promise<buildConnector.CallbackArgs>;
}

async function reach(wanted: Reach): Promise<buildConnector.CallbackArgs> {
  const { host, port, allowed, resolve, connectTo } = wanted;
  checkPort(allowed, port);
  const anyAddress = allowsHost(allowed, host, port);
  // Where address ranges are allowed, a local name has to be resolved before it is refused.
  const mayBeOpen = anyAddress || allowed.some((one) => 'range' in one);
  if (!isIP(host) && isLocalName(host) && !mayBeOpen) throw blocked(wanted);
  const addresses = isIP(host) ? [host] : await resolve(host);
  const open = addresses.filter((address) => anyAddress || allowsAddress(allowed, address, port));
  if (open.length === 0) throw blocked(wanted, addresses);
  const usable = open.filter((address) => allowsPortOf(allowed, { host, address, port }));
  if (usable.length === 0) throw blockedPort(port);
  const result = await firstToConnect(inTurns(usable).slice(0, MAX_TRIED_ADDRESSES), connectTo);
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

// Checks which addresses may be connected to: public ones, and those that the operator allows.

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A value of `--allow-net HOST|CIDR[:PORT]`. */
export type AllowedAddress = { readonly port?: number | undefined } & (
  | { readonly host: string }
  | { readonly range: [Address, number] }
);

/** In a public range, but used privately: the wire server of Azure. */
const PRIVATE_BY_USE = new Set(['168.63.129.16']);

/** Metadata services from which cloud machines get credentials. */
const CREDENTIALS = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'metadata.google.internal',
]);

/** Whether a host is a metadata service with credentials. */
export function hasCredentials(host: string): boolean {
  return CREDENTIALS.has(ipaddr.isValid(host) ? reached(ipaddr.process(host)).toString() : hostName(host));
}

/** The address that is really reached: for a NAT64 address, the IPv4 address at its end. */
function reached(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6) || address.range() !== 'rfc6052') return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

/** Ports of other protocols than HTTP. Source: "bad port" in the Fetch Standard. */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** "localhost:8080", "10.0.0.0/8", "[fd00::]/8:443", "intranet.example". Throws `BAD_INPUT`. */
export function parseAllowed(text: string): AllowedAddress {
  const wrong = (): OrielError =>
    new OrielError(
      'BAD_INPUT',
      `${quote(text)} is not HOST or CIDR, with or without :PORT. Use localhost:8080 or 10.0.0.0/8.`,
    );
  const bracketed = /^\[([^\]]+)\](\/\d+)?(?::(\d+))?$/.exec(text);
  const plain = /^([^/:]+)(\/\d+)?(?::(\d+))?$/.exec(text);
  const bare =
    ipaddr.IPv6.isValidCIDR(text) || ipaddr.IPv6.isValid(text) ? [text, ...text.split('/')] : undefined;
  const [, name, bits, digits] =
    bracketed ?? plain ?? (bare ? [text, bare[1], bare[2] === undefined ? undefined : `/${bare[2]}`] : []);
  if (name === undefined) throw wrong();
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) throw wrong();
  const rest = port === undefined ? {} : { port };
  if (!ipaddr.isValid(name)) {
    if (bits !== undefined || !/^[\p{L}\p{N}._-]+$/u.test(name)) throw wrong();
    return { host: hostName(domainToASCII(name) || name), ...rest };
  }
  const address = ipaddr.parse(name);
  const length = bits === undefined ? (address.kind() === 'ipv4' ? 32 : 128) : Number(bits.slice(1));
  if (length > (address.kind() === 'ipv4' ? 32 : 128)) throw wrong();
  // As for addresses: an IPv4 address inside an IPv6 address counts as IPv4.
  const judged = length >= 96 ? ipaddr.process(name) : address;
  const isMapped = judged.kind() !== address.kind();
  return { range: [judged, isMapped ? length - 96 : length], ...rest };
}

/** Normalizes a host name: lower case, without the final dot. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** Whether the operator allows this name, whatever it resolves to. */
export function allowsHost(allowed: readonly AllowedAddress[], host: string, port: number): boolean {
  return allowed.some((one) => 'host' in one && one.host === hostName(host) && allowsPort(one, port));
}

/** Whether a connection to this literal address is public, or allowed by the operator. */
export function allowsAddress(allowed: readonly AllowedAddress[], literal: string, port: number): boolean {
  const address = parsed(literal);
  return address !== undefined && (isPublic(address) || isInRanges(allowed, literal, port));
}

function isInRanges(allowed: readonly AllowedAddress[], literal: string, port: number): boolean {
  const address = parsed(literal);
  return allowed.some(
    (one) =>
      'range' in one &&
      one.range[0].kind() === address?.kind() &&
      address.match(one.range as [ipaddr.IPv4 & ipaddr.IPv6, number]) &&
      allowsPort(one, port),
  );
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || PRIVATE_BY_USE.has(address.toString())) return false;
  // All global unicast addresses of IPv6 are in 2000::/3; addresses that embed an IPv4 address are not.
  return address.kind() === 'ipv4' || ((address as ipaddr.IPv6).parts[0] ?? 0) >> 13 === 1;
}

/** Whether a name is local to this machine or its network: `localhost`, `x.localhost`, `intranet`. */
export function isLocalName(host: string): boolean {
  const name = hostName(host);
  return !name.includes('.') || name.endsWith('.localhost');
}

function allowsPort({ port }: AllowedAddress, asked: number): boolean {
  return port === undefined || port === asked;
}

/** Parses an address; an IPv4 address inside an IPv6 address counts as the IPv4 address. */
function parsed(literal: string): Address | undefined {
  // A zone id names an interface of this machine: such an address is local.
  return ipaddr.isValid(literal) && !literal.includes('%') ? ipaddr.process(literal) : undefined;
}

/** Whether the port is not a bad port, or the operator allows it for this host or this address. */
export function allowsPortOf(
  allowed: readonly AllowedAddress[],
  { host, address, port }: { readonly host: string; readonly address: string; readonly port: number },
): boolean {
  if (!BAD_PORTS.has(port)) return true;
  const naming = allowed.filter((one) => one.port === port);
  return allowsHost(naming, host, port) || isInRanges(naming, address, port);
}

/** Throws `BLOCKED_PORT` for a bad port that the operator allows for no host: then the name need not be resolved. */
export function checkPort(allowed: readonly AllowedAddress[], port: number): void {
  if (BAD_PORTS.has(port) && !allowed.some((one) => one.port === port)) throw blockedPort(port);
}

function blockedPort(port: number): OrielError {
  return new OrielError(
    'BLOCKED_PORT',
    `Port ${port} is not one of a web server. Use a URL with another port.`,
  );
}

// Limits reading of response bodies to one piece, of all bodies together, in each turn of the event loop.

export const nextBodyTurn: () => Promise<void> = createTurns();
