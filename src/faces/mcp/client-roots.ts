/** Asks a client for the directories that it works in, and keeps the answer until it says that they have changed. */

import { fileURLToPath } from 'node:url';
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { NarrowedRoots } from '../../access/held-roots.ts';
import { OrielError } from '../../errors.ts';

/** Milliseconds for which a call waits for the answer. */
const ROOTS_MS = 2_000;

/** Each of them is looked up before a call. */
const MOST_ROOTS = 100;

/** Under this key a client of 2026-07-28 answers. */
const KEY = 'roots';

type Narrow = (declared: readonly string[]) => Promise<NarrowedRoots>;

/**
 * The declared roots, as far as they are inside those of the server; undefined from a client that declares none. In
 * protocol 2026-07-28 a server does not ask: it answers with what the client has to tell, and the client calls again.
 * Throws OrielError (`OUTSIDE_ROOT`) if roots are declared and cannot be known: then nothing may be read.
 */
export function rootsOf(
  server: Server,
  narrow: Narrow,
): (context: ServerContext) => Promise<NarrowedRoots | undefined | InputRequiredResult> {
  let asked: { readonly roots: Promise<NarrowedRoots>; readonly by: AbortSignal } | undefined;
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    asked = undefined;
  });

  async function ask(context: ServerContext): Promise<NarrowedRoots> {
    const others = asked;
    // The call for which the client was asked may have been cancelled: that is no answer for this one.
    if (others)
      return others.roots.catch((error) => (others.by.aborted ? ask(context) : Promise.reject(error)));
    const roots = listRoots(context).then((uris) => narrow(pathsOf(uris)));
    const mine = { roots, by: context.mcpReq.signal };
    asked = mine;
    try {
      return await roots;
    } catch (error) {
      if (asked === mine) asked = undefined;
      throw error;
    }
  }

  return async (context) => {
    const { envelope, inputResponses } = context.mcpReq;
    if (!envelope) return server.getClientCapabilities()?.roots && ask(context);
    if (!declaresRoots(envelope)) return undefined;
    if (!inputResponses) return inputRequired({ inputRequests: { [KEY]: inputRequired.listRoots() } });
    const told = inputResponse(inputResponses, KEY);
    if (told.kind !== 'roots') throw unknown();
    return narrow(pathsOf(told.roots));
  };
}

function declaresRoots(envelope: Readonly<Record<string, unknown>>): boolean {
  const capabilities = Object(envelope[CLIENT_CAPABILITIES_META_KEY]) as { roots?: unknown };
  return Boolean(capabilities.roots);
}

/** Asked in the stream of the call: over HTTP there is no other. */
async function listRoots({ mcpReq }: ServerContext): Promise<readonly { readonly uri: string }[]> {
  try {
    const { roots } = await mcpReq.send(
      { method: 'roots/list' },
      { timeout: ROOTS_MS, signal: mcpReq.signal },
    );
    return roots;
  } catch (error) {
    // A client that does not know the request has no roots, whatever it declares.
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return [];
    throw unknown(error);
  }
}

function unknown(cause?: unknown): OrielError {
  return new OrielError(
    'OUTSIDE_ROOT',
    'The client declared roots but did not list them, so nothing is read. Make the same call again.',
    { cause },
  );
}

/** What is no file of this machine is elsewhere. */
function pathsOf(roots: readonly { readonly uri: string }[]): string[] {
  if (roots.length > MOST_ROOTS) {
    const message = `The client declares ${roots.length} roots: at most ${MOST_ROOTS} are looked up. Declare a directory that holds them.`;
    throw new OrielError('OUTSIDE_ROOT', message);
  }
  return roots.flatMap(({ uri }) => {
    try {
      return [fileURLToPath(uri)];
    } catch {
      return [];
    }
  });
}
