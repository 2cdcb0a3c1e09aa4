/** An HTTP server in this process that serves tools which the test defines. */

import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { addressText } from '../../src/faces/http/guard.ts';
import { serve, type ServeOptions } from '../../src/faces/http/serve.ts';
import type { ServerOffer } from '../../src/faces/offer.ts';

export interface AppUnderTest {
  readonly url: string;
  readonly logged: readonly Record<string, unknown>[];
  close(): Promise<void>;
}

export async function serveOffer(
  offer: ServerOffer,
  options: Partial<ServeOptions> = {},
): Promise<AppUnderTest> {
  const logged: Record<string, unknown>[] = [];
  const log = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().trimEnd().split('\n'))
        logged.push(JSON.parse(line) as Record<string, unknown>);
      done();
    },
  });
  const serving = await serve(offer, {
    address: { kind: 'port', host: '127.0.0.1', port: 0 },
    log,
    ...options,
  });
  onTestFinished(() => serving.close());
  return { url: addressText(serving.address), logged, close: () => serving.close() };
}
