/** Parses the address that a server listens on: `HOST:PORT`, `PORT` or `unix:PATH`. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import { isLoopback } from './guard.ts';

export type Address =
  | { readonly at: 'port'; readonly host: string; readonly port: number }
  | { readonly at: 'socket'; readonly path: string };

const LOOPBACK = '127.0.0.1';

/** Throws `BAD_INPUT`. */
export function parseAddress(text: string, option = '--listen'): Address {
  if (text.startsWith('unix:') && text.length > 'unix:'.length)
    return { at: 'socket', path: text.slice('unix:'.length) };
  const [, host = '', port = ''] = /^(?:(\[[0-9a-f:.]+\]|[^:[\]]+):)?(\d{1,5})$/i.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535) {
    throw new OrielError(
      'BAD_INPUT',
      `${quote(text)} is not an address. Use ${option} ${LOOPBACK}:7345, or ${option} unix:/run/user/1000/oriel.sock.`,
    );
  }
  return { at: 'port', host: host.replace(/^\[|\]$/g, '') || LOOPBACK, port: Number(port) };
}

/** Whether the address can only be reached from this machine. */
export function isLocal(address: Address): boolean {
  return address.at === 'socket' || isLoopback(address.host);
}

/** The address in the form for clients. */
export function addressText(address: Address): string {
  if (address.at === 'socket') return `unix:${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `http://${host}:${address.port}`;
}
