/** The parts of a session that it shares with other replicas, by the package @oriel/scale. */

import { isOrielError, OrielError } from '../errors.ts';
import { requireSibling } from '../files/package-files.ts';
import { writeFailure } from '../files/system-failure.ts';
import { beforeClose, putJson, readJson } from '../state/work-values.ts';
import type { DiskCache, SnapshotStore, SpillStore } from '../types/session.ts';
import type { StateSpace } from '../types/state.ts';
import { type FileCache, lengthOf, readParts } from './disk-cache.ts';
import { LocalSnapshots, LruMap } from './snapshots.ts';
import { artifactNumber, artifactUrl, type LocalSpills, missingArtifact, missingUnlisted } from './spills.ts';

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
  return (requireSibling('scale') as SessionPackage).shareSession(sessionHost, local);
}

/** What the package @oriel/scale does for a session. */
export interface SessionPackage {
  shareSession(host: SessionHost, local: LocalParts): SharedParts;
}

export type SessionHost = typeof sessionHost;

/** All that it uses of this one. */
export const sessionHost = {
  artifactNumber,
  artifactUrl,
  beforeClose,
  isOrielError,
  lengthOf,
  LocalSnapshots,
  LruMap,
  missingArtifact,
  missingUnlisted,
  OrielError,
  putJson,
  readJson,
  readParts,
  writeFailure,
};
