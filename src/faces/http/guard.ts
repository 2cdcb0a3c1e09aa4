/**
 * Access control of the server: refuses web pages in the user's browser (also with DNS rebinding) and, if a
 * token is set, requests without it.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import { DASHBOARD_PATHS } from './dashboard.ts';
import type { HttpExchange } from './exchange.ts';
import type { ProblemDetails } from './problem.ts';

export interface GuardOptions {
  /** The bearer token that every request must carry; none when absent. */
  readonly token?: string | undefined;
  /** The token of the operator, which includes all rights of `token`. */
  readonly operatorToken?: string | undefined;
  readonly loopback: boolean;
  /** Host names that are accepted, besides addresses. */
  readonly hosts: readonly string[];
}

type GuardedRequest = Pick<HttpExchange, 'path' | 'query' | 'host' | 'header'>;

export interface GuardRefusal {
  readonly status: 400 | 401 | 403;
  readonly problem: ProblemDetails;
}

/**
 * Paths without a token: the health check of a supervisor, and the page that asks for the token, which has no data.
 */
const OPEN = new Set(['/healthz', ...DASHBOARD_PATHS]);

/** What the dashboard asks for first. */
const TASKS = '/api/v0/tasks';

/** Paths at which MCP clients without a token look for an authorization server. */
const OAUTH = /^\/(?:\.well-known\/(?:oauth-|openid-)[^?]*|register|authorize|token)$/;

/** These paths are always answered with 404, because a client that gets 401 would try again. */
export function isOAuth(path: string): boolean {
  return OAUTH.test(path);
}

const UNKNOWN_HOST =
  'This server does not accept that Host header. Its operator can allow the name with --host NAME.';
const OTHER_SITE =
  'Requests from pages of other sites are refused. Send it from a program, without Origin and Sec-Fetch-Site.';

interface RequestGuard {
  /** The refusal of a request; undefined if it is accepted. */
  refused(asked: GuardedRequest): GuardRefusal | undefined;
  isOperator(asked: GuardedRequest): boolean;
}

export function createGuard({ token, operatorToken, loopback, hosts }: GuardOptions): RequestGuard {
  const known = new Set(hosts.map((name) => name.toLowerCase()));
  const wrong = hosts.find(
    (name) => nameOf(name) !== name.toLowerCase() && !isIP(name.replace(/^\[|\]$/g, '')),
  );
  if (wrong !== undefined)
    throw new OrielError('BAD_INPUT', `${quote(wrong)} is not the name of a host. Use --host files.example.`);
  const wanted = token === undefined ? undefined : digest(token);
  const operators = operatorToken === undefined ? undefined : digest(operatorToken);
  const isOperator = (asked: GuardedRequest): boolean =>
    operators !== undefined && timingSafeEqual(digest(tokenOf(asked)), operators);

  const refused = (asked: GuardedRequest): GuardRefusal | undefined => {
    const { path, query, host } = asked;
    const origin = asked.header('origin');
    // Browsers send it, and other programs do not.
    const site = asked.header('sec-fetch-site');
    if (!path.startsWith('/') || path.startsWith('//'))
      return refuse(400, 'The request target must be a path.');
    const name = nameOf(host);
    if (name === undefined) return refuse(400, 'The request must have exactly one Host header.');
    if (!isOurs(name, loopback, known)) return refuse(403, UNKNOWN_HOST);
    // Refuses pages of other sites, also with the origin "null". Programs other than browsers send no Origin.
    if (origin !== undefined && !isSameOrigin(origin, host)) return refuse(403, OTHER_SITE);
    // Other sites load scripts, images and styles without an Origin. Only links to the dashboard are allowed.
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !OPEN.has(path))
      return refuse(403, OTHER_SITE);
    if (['access_token', 'token'].some((key) => query.has(key))) {
      // A token in the URL would be in logs and histories.
      return refuse(401, 'A token belongs in the Authorization header, not in the URL.');
    }
    const given = tokenOf(asked);
    const isNeeded = wanted !== undefined && !OPEN.has(path) && !isOAuth(path);
    // Whoever signs in to the dashboard of a server without a token is told that theirs is none.
    if (!isNeeded && (given === '' || path !== TASKS)) return undefined;
    if (isOperator(asked) || (wanted && timingSafeEqual(digest(given), wanted))) return undefined;
    const why = given === '' ? 'This server wants its token' : 'This is not the token of this server';
    return refuse(401, `${why}: Authorization: Bearer TOKEN.`);
  };
  return { refused, isOperator };
}

function tokenOf(asked: GuardedRequest): string {
  return /^Bearer +(\S+)$/i.exec(asked.header('authorization') ?? '')?.[1] ?? '';
}

/** Digests have a fixed length, so that comparing them does not reveal the length of the token. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuse(status: GuardRefusal['status'], message: string): GuardRefusal {
  return { status, problem: { message, code: status === 400 ? 'BAD_INPUT' : 'DENIED' } };
}

/** The host without its port, lower case, without brackets. */
function nameOf(host: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host ?? '');
  return match?.[1]?.toLowerCase().replace(/^\[|\]$/g, '');
}

/** Whether the host is acceptable. Addresses are, because DNS rebinding needs a name. */
function isOurs(name: string, loopback: boolean, known: ReadonlySet<string>): boolean {
  if (name === 'localhost' || known.has(name)) return true;
  return loopback ? isLoopback(name) : isIP(name) !== 0;
}

function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return (
    /^https?:\/\//.test(origin) && origin.replace(/^https?:\/\//, '').toLowerCase() === host?.toLowerCase()
  );
}

// Parses the address that a server listens on: `HOST:PORT`, `PORT` or `unix:PATH`.

export type ListenAddress =
  | { readonly kind: 'port'; readonly host: string; readonly port: number }
  | { readonly kind: 'socket'; readonly path: string };

const LOOPBACK = '127.0.0.1';

/** Throws `BAD_INPUT`. */
export function parseAddress(text: string, option = '--listen'): ListenAddress {
  if (text.startsWith('unix:') && text.length > 'unix:'.length)
    return { kind: 'socket', path: text.slice('unix:'.length) };
  const [, host = '', port = ''] = /^(?:(\[[0-9a-f:.]+\]|[^:[\]]+):)?(\d{1,5})$/i.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535) {
    throw new OrielError(
      'BAD_INPUT',
      `${quote(text)} is not an address. Use ${option} ${LOOPBACK}:7345, or ${option} unix:/run/user/1000/oriel.sock.`,
    );
  }
  return { kind: 'port', host: host.replace(/^\[|\]$/g, '') || LOOPBACK, port: Number(port) };
}

/** A token for a link that this process prints. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

export function isLocalAddress(address: ListenAddress): boolean {
  return address.kind === 'socket' || isLoopback(address.host);
}

/** The address in the form for clients. */
export function addressText(address: ListenAddress): string {
  if (address.kind === 'socket') return `unix:${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `http://${host}:${address.port}`;
}
