/** Asks a client for its roots, and caches the answer until the client reports a change. */

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

/** Timeout in milliseconds for the client's answer. */
const ROOTS_MS = 2_000;

/** Maximum roots, because each is looked up before a call. */
const MOST_ROOTS = 100;

/** The key of the answer of a client with protocol 2026-07-28. */
const KEY = 'roots';

type Narrow = (declared: readonly string[]) => Promise<NarrowedRoots>;

/**
 * The declared roots that are inside those of the server; undefined if the client declares none, also if its list is empty: such
 * clients have no directory open, and ask for no boundary. In protocol 2026-07-28 a
 * server does not send requests: it replies that it needs the roots, and the client calls again with them. Throws OrielError
 * (`OUTSIDE_ROOT`) if roots are declared but cannot be determined, or none of them is inside: then nothing may be read.
 */
export function rootsOf(
  server: Server,
  narrow: Narrow,
): (context: ServerContext) => Promise<NarrowedRoots | undefined | InputRequiredResult> {
  let asked: { readonly roots: Promise<NarrowedRoots | undefined>; readonly by: AbortSignal } | undefined;
  const narrowed = (uris: readonly { readonly uri: string }[]): Promise<NarrowedRoots | undefined> =>
    uris.length === 0 ? Promise.resolve(undefined) : narrow(pathsOf(uris));
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    asked = undefined;
  });

  async function ask(context: ServerContext): Promise<NarrowedRoots | undefined> {
    const others = asked;
    // If the call that made the shared request was cancelled, the request is made again.
    if (others)
      return others.roots.catch((error) => (others.by.aborted ? ask(context) : Promise.reject(error)));
    const roots = listRoots(context).then(narrowed);
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
    return narrowed(told.roots);
  };
}

function declaresRoots(envelope: Readonly<Record<string, unknown>>): boolean {
  const capabilities = Object(envelope[CLIENT_CAPABILITIES_META_KEY]) as { roots?: unknown };
  return Boolean(capabilities.roots);
}

/** Sends the request in the stream of the call, because over HTTP there is no other. */
async function listRoots({ mcpReq }: ServerContext): Promise<readonly { readonly uri: string }[]> {
  try {
    const { roots } = await mcpReq.send(
      { method: 'roots/list' },
      { timeout: ROOTS_MS, signal: mcpReq.signal },
    );
    return roots;
  } catch (error) {
    // A client that does not implement the request has no roots, even if it declares the capability.
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

/** Paths of the roots, without those that are not local files. */
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
