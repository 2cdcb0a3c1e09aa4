/** Sends a reply through the outlet of its client. */

import type { ServerResponse } from 'node:http';
import { Outlet } from '../outbox.ts';
import type { Exchange, Reply } from './exchange.ts';

/** Resolves when the body was written to the outlet; the client may not have received it yet. Throws the errors of `body`. */
export async function send(
  { status, headers, body = '', caller }: Reply,
  { client, method }: Exchange,
  outgoing: ServerResponse,
  timeoutMs?: number,
): Promise<void> {
  const outlet = new Outlet(outgoing, caller ?? client, { timeoutMs });
  if (typeof body === 'function') {
    outgoing.writeHead(status, headers);
    // The headers are sent immediately, because the first part of the body may take long.
    outgoing.flushHeaders();
    if (method !== 'HEAD') await body(outlet);
    return outlet.end();
  }
  const bodiless = method === 'HEAD' || status === 304;
  const length = status === 304 || 'content-length' in headers ? {} : { 'content-length': sizeOf(body) };
  outgoing.writeHead(status, { ...headers, ...length });
  outlet.end(bodiless ? '' : body);
}

function sizeOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}
