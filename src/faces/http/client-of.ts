/** Which client sends a request: it decides whose turn is next, and whose kept outputs `artifact://N` means. */

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { comesFrom, type Caller, nameCaller } from '../../queues/caller.ts';
import { networkOf } from './connections.ts';

/** A client names itself with this header; the text is its choice. */
const CLIENT_HEADER = 'oriel-client';

/** Characters of a name that is kept as it is; of a longer one its digest is. A client without one has three such parts. */
const MOST_NAME = 200;

/** A client is remembered while anything of it is: a request, a kept output. Forgotten before, it would lose those. */
const clients = new Map<string, WeakRef<Caller>>();
const forgotten = new FinalizationRegistry<string>((key) => {
  // Since then the client may have come again.
  if (!clients.get(key)?.deref()) clients.delete(key);
});

/**
 * By the name that it gives itself, otherwise by its address and its program. Not by its connection: many clients open one
 * for each request that they have under way, and would have as many turns.
 */
export function clientOf({ headers, socket }: IncomingMessage): Caller {
  const named = headers[CLIENT_HEADER];
  const isNamed = typeof named === 'string';
  // No name that a client can give itself is that of one without a name.
  const key = isNamed
    ? named.length > MOST_NAME
      ? `hashed ${hashed(named)}`
      : `named ${named}`
    : unnamedKey([socket.remoteAddress ?? 'local', behindProxy(headers), headers['user-agent'] ?? '']);
  const client = clients.get(key)?.deref() ?? made(key, isNamed);
  comesFrom(client, networkOf(socket.remoteAddress ?? 'local'));
  return client;
}

/** Programs at one address may differ in the last words of a long `User-Agent`. */
function unnamedKey(facts: readonly string[]): string {
  const key = JSON.stringify(facts);
  return key.length > 3 * MOST_NAME ? JSON.stringify(['hashed', hashed(key)]) : key;
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function made(key: string, isNamed: boolean): Caller {
  const client = {};
  // Two clients on two machines may have the same address, 127.0.0.1, and the same program.
  nameCaller(client, { name: key, isGuess: !isNamed });
  clients.set(key, new WeakRef(client));
  forgotten.register(client, key);
  return client;
}

/**
 * The addresses that proxies say. They distinguish clients that come through one, and make nobody another client: who says
 * a false one has its own address anyway. What the last proxy says is last.
 */
function behindProxy(headers: IncomingMessage['headers']): string {
  const said = headers['x-forwarded-for'] ?? headers.forwarded ?? '';
  return String(said).slice(-MOST_NAME);
}
