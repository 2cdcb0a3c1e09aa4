/** Servers in this process, over HTTP and over pipes, whose tools may be those of the test. */

import { createInterface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { serveOverStdio } from '../../src/faces/mcp/serve-stdio.ts';
import type { McpOptions } from '../../src/faces/mcp/server.ts';
import { addressText } from '../../src/faces/http/guard.ts';
import { serve, type ServeOptions } from '../../src/faces/http/serve.ts';
import { createOffer, type OfferOptions, type ServerOffer } from '../../src/faces/offer.ts';
import { postTo } from './server.ts';

export interface AppUnderTest {
  readonly url: string;
  readonly logged: readonly Record<string, unknown>[];
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Sends `body` as JSON unless `init` says otherwise. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** An offer that is closed after the test. */
export function openOffer(options: OfferOptions = {}): ServerOffer {
  const offer = createOffer(options);
  onTestFinished(() => offer.close());
  return offer;
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
  const url = addressText(serving.address);
  return {
    url,
    logged,
    get: (path, init) => fetch(url + path, init),
    post: postTo(url),
    close: () => serving.close(),
  };
}

/** The transport of a client of MCP over stdio. */
export function pipeTo(offer: ServerOffer, options: McpOptions = {}): Transport {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport: Transport = {
    start() {
      createInterface({ input: output }).on('line', (line) => {
        transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
      });
      const { signal } = new AbortController();
      void serveOverStdio(offer, { input, output, signal }, options).then(() => output.end());
      return Promise.resolve();
    },
    send: (message) => Promise.resolve(void input.write(`${JSON.stringify(message)}\n`)),
    close() {
      input.end();
      transport.onclose?.();
      return Promise.resolve();
    },
  };
  return transport;
}
