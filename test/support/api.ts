/** A stand-in for a provider's API on loopback: sends scripted replies in order and records the requests. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ScriptedApi {
  readonly url: string;
  /** Bodies of the requests, in order. */
  readonly asked: readonly Record<string, unknown>[];
}

export async function scriptedApi(...replies: readonly object[]): Promise<ScriptedApi> {
  const asked: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(JSON.parse(body) as Record<string, unknown>);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(replies[asked.length - 1] ?? {}));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
