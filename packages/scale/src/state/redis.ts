/** Redis and Valkey as the shared store: `redis://HOST:PORT/DB`, or `rediss://` with TLS. */

import type KeyvRedis from '@keyv/redis';
import type { BackendOptions, StateBackend } from '../../../../src/types/state.ts';
import { MAX_SEALED_VALUE_CHARACTERS, textsIn } from './values.ts';

export async function openRedis(options: BackendOptions): Promise<StateBackend> {
  const [{ Keyv }, { default: Adapter }] = await Promise.all([import('keyv'), import('@keyv/redis')]);
  const adapter = bounded(Adapter, options);
  const keyv = textsIn(Keyv, adapter);
  const client = adapter.client as unknown as RedisClient;
  // An idle connection does not keep the process alive. The timer of a pending operation does.
  client.unref();
  const connected = connector(adapter);
  const end = (): Promise<void> => adapter.disconnect(true).catch(() => undefined);
  /** Each operation waits for the connection. */
  const using = async <T>(use: () => Promise<T>): Promise<T> => {
    await connected();
    return use();
  };
  return {
    ping: () => using(async () => void (await client.ping())),
    get: (key) => using(() => keyv.get<string>(key)),
    set: (key, value, ttl) => using(async () => void (await keyv.set(key, value, ttl))),
    remove: (key) => using(async () => void (await keyv.delete(key))),
    add: (key, ...numbers) =>
      using(async () => Number(await client.eval(ADD, { keys: [key], arguments: numbers.map(String) }))),
    isRefusal,
    reset: end,
    close: end,
  };
}

/** Keyv's adapter that does not fetch too long values whole: someone who can write to the store could fill the memory of replicas. */
function bounded(Adapter: typeof KeyvRedis, { url, timeoutMs }: BackendOptions): KeyvRedis<string> {
  class BoundedRedis extends Adapter<string> {
    override async get<U>(key: string): Promise<U | undefined> {
      const text = await (this.client as unknown as RedisClient).getRange(
        key,
        0,
        MAX_SEALED_VALUE_CHARACTERS,
      );
      return text === '' ? undefined : (text as U);
    }
  }
  return new BoundedRedis(
    {
      url,
      // Without a connection operations fail immediately instead of waiting for a reconnection.
      disableOfflineQueue: true,
      socket: { connectTimeout: timeoutMs, reconnectStrategy: false },
    },
    { throwOnConnectError: true, throwOnErrors: true, useUnlink: true },
  );
}

/** Connects on demand. Operations wait while a connection is made, because the client would refuse them. */
function connector(adapter: KeyvRedis<string>): () => Promise<void> {
  let last: unknown;
  // Without a listener an error would end the process. It is more specific than the adapter's own error.
  adapter.on('error', (error: unknown) => void (last = error));
  let connecting: Promise<unknown> | undefined;
  return async () => {
    if ((adapter.client as unknown as RedisClient).isReady) return;
    last = undefined;
    connecting ??= adapter
      .getClient()
      .catch((error: unknown) => {
        throw last ?? error;
      })
      .finally(() => (connecting = undefined));
    await connecting;
  };
}

/** Begins at the start if there is no value, or one that is not a valid counter. */
const ADD = `
  redis.call('SET', KEYS[1], ARGV[2], 'NX', 'PX', ARGV[3])
  local sum = redis.pcall('INCRBY', KEYS[1], ARGV[1])
  if type(sum) == 'table' or math.abs(sum) > ${Number.MAX_SAFE_INTEGER} then
    redis.call('SET', KEYS[1], ARGV[2])
    sum = redis.call('INCRBY', KEYS[1], ARGV[1])
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return sum`;

/**
 * Whether it is an error reply of Redis to one operation. Some replies are about the server: it is loading its data, needs
 * a password, or has become a replica; in that case a new connection leads to the primary.
 */
function isRefusal(error: unknown): boolean {
  const { message = '' } = Object(error) as { message?: string | undefined };
  const [, word = ''] = /^([A-Z]{2,20})\b/.exec(message) ?? [];
  return word !== '' && !ABOUT_THE_SERVER.has(word);
}

const ABOUT_THE_SERVER: ReadonlySet<string> = new Set(
  'LOADING MASTERDOWN CLUSTERDOWN TRYAGAIN BUSY READONLY NOAUTH WRONGPASS NOPERM DENIED'.split(' '),
);

/** The functions of the client that are used directly. */
interface RedisClient {
  readonly isReady: boolean;
  unref(): void;
  ping(): Promise<string>;
  getRange(key: string, start: number, end: number): Promise<string>;
  eval(script: string, values: { keys: string[]; arguments: string[] }): Promise<unknown>;
}
