/** What replicas share, by the package @oriel/scale: the options of their store, and the parts of a session that are in it. */

import { requireSibling } from '../files/package-files.ts';
import type { DiskCache, SnapshotStore, SpillStore } from '../types/session.ts';
import type { SharedState, StateSpace } from '../types/state.ts';
import type { FileCache } from './disk-cache.ts';
import * as host from './shared-host.ts';
import type { LocalSpills } from './spills.ts';

export interface StateOptions {
  /** `redis://…`, `rediss://…`, `postgres://…`; `file:` shares nothing. */
  readonly url: string;
  /** The secret of all replicas, with which values are encrypted. At least 32 characters. */
  readonly key?: string | undefined;
  /** The space of calls without a separate client. @default 'common' */
  readonly space?: string | undefined;
  /** Timeout of an operation of the store, in milliseconds. @default 1000 */
  readonly timeoutMs?: number | undefined;
  /** Whether `oriel worker` processes, if there are any, do heavy work. Requires Redis or Valkey. @default false */
  readonly workers?: boolean | undefined;
}

/**
 * Undefined for `file:`. Does not connect or load a client yet. Throws `BAD_INPUT`; of the URL only the scheme is in the
 * message. Throws `UNSUPPORTED` if the package is missing.
 */
export function openState(options: StateOptions): SharedState | undefined {
  if (options.workers !== true && /^file:/i.test(options.url)) return undefined;
  return (requireSibling('scale', host) as SharedPackage).openStore(options);
}

export interface LocalParts {
  readonly files: FileCache | undefined;
  readonly spills: LocalSpills;
  /** The space of the session in the shared store. */
  readonly space: StateSpace;
  /** The owner of the outputs, if several clients without a name share the space. */
  readonly unlisted: string | undefined;
}

export interface SharedParts {
  readonly disk: (DiskCache & { close(): Promise<void> }) | undefined;
  /** Absent for clients without a name, because two such clients may look the same. */
  readonly shownTo: (SnapshotStore & { close(): Promise<void> }) | undefined;
  readonly spills: SpillStore;
}

export function shareSession(local: LocalParts): SharedParts {
  return (requireSibling('scale', host) as SharedPackage).replicateSession(local);
}

/** What the package does for that. */
export interface SharedPackage {
  openStore(options: StateOptions): SharedState | undefined;
  replicateSession(local: LocalParts): SharedParts;
}
