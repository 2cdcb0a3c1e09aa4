/** Keeps a text that does not fit into one answer as an artifact: once for the same bytes, whoever asks for it. */

import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { memoryBytes } from '../access/bytes.ts';
import type { Identity } from '../identity.ts';
import type { Call } from '../types/call.ts';
import type { Spill } from '../types/session.ts';
import type { Kind } from '../types/store.ts';

const keptOutputs: Kind<Spill> = {
  name: 'kept-output',
  weigh: () => ({ memory: 256 }),
  // The oldest make room for others, and a person may remove them.
  lasts: ({ path }) => existsSync(path),
};

/** Bytes that are written before others have their turn. */
const AT_ONCE = 256 << 10;

/** The URL of the artifact. `identity` is that of `bytes`. Throws OrielError (`LIMIT`, `BUSY`) where it cannot be kept. */
export async function keepOutput(bytes: Uint8Array, identity: Identity, call: Call): Promise<string> {
  const { spills, store } = call.session;
  const make = async (): Promise<Spill> => {
    const spill = spills.create();
    for (let at = 0; at < bytes.length; at += AT_ONCE) {
      await spill.write(bytes.subarray(at, at + AT_ONCE));
      await setImmediate();
    }
    return spill.finish();
  };
  const of = memoryBytes(bytes, identity);
  const { url } = await store.get(
    keptOutputs,
    of,
    {},
    async () => ({ value: await make(), keep: true }),
    call,
  );
  return url;
}
