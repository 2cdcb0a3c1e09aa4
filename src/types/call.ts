/** What every layer below the gate receives: cancellation, limits, access to files, progress. */

import type { Access } from './access.ts';
import type { Limits } from './limits.ts';
import type { Progress } from './progress.ts';
import type { Resource, Subject } from './resource.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';

export interface Call {
  /** Aborted by the caller, by the deadline, or when the gate has answered. Pass it to every wait. */
  readonly signal: AbortSignal;
  /** `performance.now()` at which the work must be over. */
  readonly deadline: number;
  readonly limits: Limits;
  readonly settings: Settings;
  readonly access: Access;
  readonly session: Session;
  /** Milliseconds since the epoch: the only clock that answers may depend on. */
  now(): number;
  progress(progress: Progress): void;
  /** Takes the output of a command as it comes, for a person who watches. A promise asks for backpressure. */
  watchOutput?(chunk: Uint8Array): Promise<void> | undefined;
  /** Hands something found inside a container back to the sources: an image in a zip, a tar in a tar. */
  open(subject: Subject): Promise<Resource>;
  /** Runs when the answer is complete, however it ended: closes descriptors, ends workers. */
  onEnd(release: () => void | Promise<void>): void;
}
