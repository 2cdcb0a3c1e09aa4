/**
 * Access control of the server: refuses web pages in the user's browser (also with DNS rebinding) and, if a
 * token is set, requests without it.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { DASHBOARD_PATHS } from './dashboard.ts';
import type { Problem } from './problem.ts';

export interface GuardOptions {
  /** The bearer token that every request must carry; none when absent. */
  readonly token?: string;
  /** The operator's own token, which does all that the other one does. */
  readonly operatorToken?: string;
  /** Only reachable from this machine. */
  readonly loopback: boolean;
  /** Names, besides addresses, by which the server is known. */
  readonly hosts: readonly string[];
}

export interface Asked {
  /** Of the request target, as it was sent: nothing has been parsed or decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  /** What a browser says of the page that asks: `Sec-Fetch-Site`. Programs send none. */
  readonly site: string | undefined;
}

export interface Refusal {
  readonly status: 400 | 401 | 403;
  readonly problem: Problem;
}

/**
 * Open to everybody: a supervisor needs no token to see that the process lives, and a browser sends none with the page
 * that asks for it. The page holds no data.
 */
const OPEN = new Set(['/healthz', ...DASHBOARD_PATHS]);

/** Where clients of MCP look for an authorization server when they have no token, before they register with it. */
const OAUTH = /^\/(?:\.well-known\/(?:oauth-|openid-)[^?]*|register|authorize|token)$/;

/** They are answered with 404, token or not: one that got 401 here would continue asking. */
export function isOAuth(path: string): boolean {
  return OAUTH.test(path);
}

const UNKNOWN_HOST = 'This server is not known by that Host. Whoever runs it lets it be with --host NAME.';
const OTHER_SITE =
  'Requests from pages of other sites are refused. Send it from a program, without Origin and Sec-Fetch-Site.';

export interface Guard {
  /** Why a request is refused; undefined if it is not. */
  refused(asked: Asked): Refusal | undefined;
  isOperator(authorization: string | undefined): boolean;
}

export function createGuard({ token, operatorToken, loopback, hosts }: GuardOptions): Guard {
  const known = new Set(hosts.map((name) => name.toLowerCase()));
  const wanted = token === undefined ? undefined : digest(token);
  const operators = operatorToken === undefined ? undefined : digest(operatorToken);
  const isOperator = (authorization: string | undefined): boolean =>
    operators !== undefined && timingSafeEqual(digest(tokenIn(authorization)), operators);

  const refused = ({ path, query, host, origin, authorization, site }: Asked): Refusal | undefined => {
    if (!path.startsWith('/') || path.startsWith('//'))
      return refuse(400, 'The request target must be a path.');
    const name = nameOf(host);
    if (name === undefined) return refuse(400, 'The request must name one Host.');
    if (!isOurs(name, loopback, known)) return refuse(403, UNKNOWN_HOST);
    // A page of another site, or of none ("null"), has no business here; programs send no Origin.
    if (origin !== undefined && !isSameOrigin(origin, host)) return refuse(403, OTHER_SITE);
    // Scripts, images and styles of another site are asked for without an Origin. A link to the dashboard may be anywhere.
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !OPEN.has(path))
      return refuse(403, OTHER_SITE);
    if (['access_token', 'token'].some((key) => query.has(key))) {
      // It would end up in logs and histories on the way.
      return refuse(401, 'A token belongs in the Authorization header, not in the URL.');
    }
    if (
      wanted &&
      !OPEN.has(path) &&
      !isOAuth(path) &&
      !timingSafeEqual(digest(tokenIn(authorization)), wanted) &&
      !isOperator(authorization)
    ) {
      return refuse(401, 'This server wants its token: Authorization: Bearer TOKEN.');
    }
    return undefined;
  };
  return { refused, isOperator };
}

function tokenIn(authorization = ''): string {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
}

/** Digests have one length: comparing them tells nothing about the token, not even how long it is. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuse(status: Refusal['status'], message: string): Refusal {
  return { status, problem: { message, code: status === 400 ? 'BAD_INPUT' : 'DENIED' } };
}

/** The host without its port, lower case, without brackets. */
function nameOf(host: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host ?? '');
  return match?.[1]?.toLowerCase().replace(/^\[|\]$/g, '');
}

/** DNS rebinding needs a name: an address in Host was typed by somebody, not resolved. */
function isOurs(name: string, loopback: boolean, known: ReadonlySet<string>): boolean {
  if (name === 'localhost' || known.has(name)) return true;
  return loopback ? isLoopback(name) : isIP(name) !== 0;
}

export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return (
    /^https?:\/\//.test(origin) && origin.replace(/^https?:\/\//, '').toLowerCase() === host?.toLowerCase()
  );
}
