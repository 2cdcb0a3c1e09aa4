/** A stand-in for a provider's API on loopback: sends scripted replies in order and records the requests. */

import { answering } from './web.ts';

export interface ScriptedApi {
  readonly url: string;
  /** Bodies of the requests, in order. */
  readonly asked: readonly Record<string, unknown>[];
}

export async function scriptedApi(...replies: readonly object[]): Promise<ScriptedApi> {
  const asked: Record<string, unknown>[] = [];
  const url = await answering((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(JSON.parse(body) as Record<string, unknown>);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(replies[asked.length - 1] ?? {}));
    });
  });
  return { url, asked };
}
