/** Identifies the client of a request, for the fairness of queues and for its kept outputs (`artifact://N`). */

import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { comesFrom, type Caller, callerName, nameCaller } from '../../queues/caller.ts';
import { networkOf } from './connections.ts';

/** The header with the name of the client, which it chooses itself. */
const CLIENT_HEADER = 'oriel-client';

/** Longer names are replaced by a digest. The key of an unnamed client has three parts of this length. */
const MOST_NAME = 200;

/** The clients by key. An entry lives as long as anything refers to the client: a request, a kept output. */
const clients = new Map<string, WeakRef<Caller>>();
const forgotten = new FinalizationRegistry<string>((key) => {
  // The client may have come again meanwhile.
  if (!clients.get(key)?.deref()) clients.delete(key);
});

/**
 * Identified by its name, otherwise by its address and `User-Agent`. Not by its connection: many clients open a connection
 * for each concurrent request, and would get more than their fair share.
 */
export function clientOf({ headers, socket }: IncomingMessage): Caller {
  const named = headers[CLIENT_HEADER];
  const isNamed = typeof named === 'string';
  // The prefixes separate named from unnamed clients, so that no name can collide with an unnamed client.
  const key = isNamed
    ? named.length > MOST_NAME
      ? `hashed ${hashed(named)}`
      : `named ${named}`
    : unnamedKey([socket.remoteAddress ?? 'local', behindProxy(headers), headers['user-agent'] ?? '']);
  const client = clients.get(key)?.deref() ?? made(key, isNamed);
  comesFrom(client, networkOf(socket.remoteAddress ?? 'local'));
  return client;
}

/** Hexadecimal digits that tell the clients of a log apart. */
const LABEL_DIGITS = 8;

const labelKey = randomBytes(16);
const labels = new WeakMap<Caller, string>();

/**
 * The label of a client in the log: the same as long as the process runs. Not its name, with which everybody could read its
 * kept outputs, and not a plain digest of it, by which a name can be guessed.
 */
export function labelOf(client: Caller): string {
  const known = labels.get(client);
  if (known !== undefined) return known;
  const name = callerName(client)?.name ?? '';
  const label = createHmac('sha256', labelKey).update(name).digest('hex').slice(0, LABEL_DIGITS);
  labels.set(client, label);
  return label;
}

/** A long key is hashed whole, because programs at one address may differ at the end of a long `User-Agent`. */
function unnamedKey(facts: readonly string[]): string {
  const key = JSON.stringify(facts);
  return key.length > 3 * MOST_NAME ? JSON.stringify(['hashed', hashed(key)]) : key;
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function made(key: string, isNamed: boolean): Caller {
  const client = {};
  // Unnamed clients on different machines may have the same key (127.0.0.1 and the same program), so it is a guess.
  nameCaller(client, { name: key, isGuess: !isNamed });
  clients.set(key, new WeakRef(client));
  forgotten.register(client, key);
  return client;
}

/**
 * The addresses that proxies report. They distinguish clients behind a proxy. A false one does not impersonate another
 * client, because the real address is part of the key too. The last proxy's entry is at the end.
 */
function behindProxy(headers: IncomingMessage['headers']): string {
  const said = headers['x-forwarded-for'] ?? headers.forwarded ?? '';
  return String(said).slice(-MOST_NAME);
}
