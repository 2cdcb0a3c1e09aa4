/** Asks a client for the directories that it works in, and keeps the answer until it says that they have changed. */

import { fileURLToPath } from 'node:url';
import type { Server } from '@modelcontextprotocol/server';

/** Milliseconds for which a first call waits for the answer: a client that gives none gets the server's roots. */
const ROOTS_MS = 2_000;

/** Times that a client is asked which does not answer, or with an error: each of them delays a call. */
const MOST_ASKED = 3;

/** The declared roots as absolute paths; none from a client that declares none. Never throws. */
export function rootsOf(server: Server): () => Promise<readonly string[]> {
  let asked: Promise<readonly string[]> | undefined;
  let failures = 0;
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    asked = undefined;
  });
  return () => {
    // The capabilities are known after the first message: until then there is nobody to ask.
    if (!server.getClientCapabilities()?.roots) return Promise.resolve([]);
    return (asked ??= listRoots(server).catch(() => {
      failures += 1;
      if (failures < MOST_ASKED) asked = undefined;
      return [];
    }));
  };
}

async function listRoots(server: Server): Promise<readonly string[]> {
  const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS });
  return roots.flatMap(({ uri }) => pathOf(uri));
}

function pathOf(uri: string): string[] {
  try {
    return [fileURLToPath(uri)];
  } catch {
    return [];
  }
}
