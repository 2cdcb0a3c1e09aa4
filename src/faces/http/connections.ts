/**
 * Limits the connections of one address, because each takes memory and a descriptor. Requests on connections
 * over the limit are answered with 503; above twice the limit, new connections are closed immediately.
 */

import { mostDescriptors } from '../../access/descriptors.ts';
import { isIPv6, type Server, type Socket } from 'node:net';

/** Default maximum connections of an address. */
const MOST_CONNECTIONS = 256;

/** Maximum share of the descriptors: twice the maximum may be open briefly, and other addresses need some too. */
const SHARE_OF_DESCRIPTORS = 1 / 8;

/** The maximum connections of an address, fewer if this process may open few descriptors. */
export function mostConnections(descriptors = mostDescriptors()): number {
  if (descriptors === undefined) return MOST_CONNECTIONS;
  return Math.max(1, Math.min(MOST_CONNECTIONS, Math.floor(descriptors * SHARE_OF_DESCRIPTORS)));
}

let open = 0;
let refused = 0;

/** Counters of the whole process: open connections, and connections over the limit. */
export const connections = {
  get open(): number {
    return open;
  },
  get refused(): number {
    return refused;
  },
};

/** Counts the connections of `server`. The returned function says whether a connection is over the limit. */
export function boundConnections(server: Server, most: number): (socket: Socket) => boolean {
  const counts = new Map<string, number>();
  const surplus = new WeakSet<Socket>();
  // Before the listener of HTTP, which would start parsing.
  server.prependListener('connection', (socket: Socket) => {
    const from = networkOf(socket.remoteAddress ?? 'local');
    const before = counts.get(from) ?? 0;
    if (before >= most) {
      refused += 1;
      surplus.add(socket);
    }
    if (before >= 2 * most) return void socket.destroy();
    counts.set(from, before + 1);
    open += 1;
    socket.once('close', () => {
      open -= 1;
      const left = (counts.get(from) ?? 1) - 1;
      if (left > 0) counts.set(from, left);
      else counts.delete(from);
    });
  });
  return (socket) => surplus.has(socket);
}

/** An IPv4 address, or the /64 network of an IPv6 address, all of which one machine may use. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const [head = [], tail = []] = plain.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}
