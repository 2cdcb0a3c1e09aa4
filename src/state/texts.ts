/** A Keyv for plain texts, over an adapter that handles expiry itself. */

import type { Keyv } from 'keyv';

type Options = NonNullable<ConstructorParameters<typeof Keyv<string>>[0]>;

/** `library` is passed in, because it is loaded lazily. Errors are thrown by the operations. */
export function textsIn(
  library: typeof Keyv,
  store: NonNullable<Extract<Options, { store?: unknown }>['store']>,
): Keyv<string> {
  const keyv = new library<string>({
    store,
    useKeyPrefix: false,
    throwOnErrors: true,
    emitErrors: false,
    serialize: ({ value }) => value as string,
    deserialize: (text) => ({ value: text as never }),
  });
  keyv.on('error', () => undefined);
  // Keys are complete.
  keyv.namespace = undefined;
  return keyv;
}
