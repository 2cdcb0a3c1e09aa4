/** Texts as they are, over an adapter of Keyv that has its own expiry. */

import type { Keyv } from 'keyv';

type Options = NonNullable<ConstructorParameters<typeof Keyv<string>>[0]>;

/** Given the library, which is loaded late. Failures are thrown by the operation, and end nothing. */
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
  // Keys are whole already.
  keyv.namespace = undefined;
  return keyv;
}
