/** `oriel serve` with a token, for both ways in over HTTP. */

import { chownSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { cli } from '../../support/cli.ts';
import { ended, logOf, optionsOf, startNode } from './program.ts';
import type { Settings } from './way.ts';

export const TOKEN = 'a-token-of-the-hostile-cases';

export interface Served {
  readonly pid: number;
  readonly url: string;
  readonly port: number;
  log(): string;
  /** A JSON body, with the token. */
  post(path: string, body: object, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  get(path: string): Promise<Response>;
  raw(bytes: string | readonly (string | Uint8Array)[]): Promise<string>;
  close(): Promise<number | null>;
}

export async function startServer(settings: Settings): Promise<Served> {
  const tokenFile = join(settings.home, 'token');
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
  if (settings.uid !== undefined) chownSync(tokenFile, settings.uid, settings.uid);
  const args = [cli, 'serve', '--listen', '127.0.0.1:0', '--token-file', tokenFile, '--allow-bash'];
  const child = startNode([...args, ...optionsOf(settings)], settings);
  const log = logOf(child);
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${log()}`)));
    child.stderr?.on('data', () => {
      const address = /"address":"(http:[^"]+)"/.exec(log())?.[1];
      if (address !== undefined) resolve(address);
    });
  });
  const port = Number(new URL(url).port);
  const authorization = `Bearer ${TOKEN}`;
  return {
    pid: child.pid as number,
    url,
    port,
    log,
    post: (path, body, headers = {}, signal) =>
      fetch(url + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', authorization, ...headers },
        ...(signal && { signal }),
      }),
    get: (path) => fetch(url + path, { headers: { authorization } }),
    raw: (bytes) => rawly(port, bytes),
    close: () => ended(child),
  };
}

function rawly(port: number, bytes: string | readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    const timer = setTimeout(() => socket.destroy(), 60_000);
    socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(said);
    });
    for (const piece of typeof bytes === 'string' ? [bytes] : bytes) socket.write(piece);
  });
}

/** Undefined where the caller has given up. */
export async function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (signal?.aborted) return undefined;
    throw error;
  }
}
