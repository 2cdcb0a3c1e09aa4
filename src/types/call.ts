/** What every layer of the engine receives: cancellation, limits, access to files, progress. */

import type { Access } from './access.ts';
import type { Limits } from './limits.ts';
import type { Progress } from './progress.ts';
import type { Resource, Subject } from './resource.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';

/** When a call, or a part of it, ends. */
export interface Bounds {
  /** Aborted by the caller, at the deadline, and when the call has ended. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** The work must be over by then, on the clock of `performance.now()`. */
  readonly deadline: number;
}

export interface Call extends Bounds {
  readonly limits: Limits;
  /** The limits are those of one part of the answer: a call for the rest of the part has larger ones. */
  readonly isPart?: true;
  readonly settings: Settings;
  readonly access: Access;
  readonly session: Session;
  /** Milliseconds for which the call waited until it had its slot; none when absent. */
  readonly waitedMs?: number;
  /** Milliseconds since the epoch: the only clock that answers may depend on. */
  now(): number;
  progress(progress: Progress): void;
  /**
   * Receives the output of a command while it runs. Reading pauses until a returned promise resolves:
   * backpressure.
   */
  watchOutput?(chunk: Uint8Array): Promise<void> | undefined;
  /** Opens something found inside a container with the matching source: an image in a zip, a tar in a tar. */
  open(subject: Subject): Promise<Resource>;
  /** Runs when the answer is complete, however it ended: closes descriptors, ends workers. */
  onEnd(cleanup: () => void | Promise<void>): void;
  /**
   * A `Call` for one of many pieces of work: what the piece opens is closed when it ends. It may have an
   * earlier deadline than the call.
   */
  part(bounds?: Bounds): Part;
}

export interface Part {
  readonly call: Call;
  /** Closes what was opened through its call. Otherwise this happens when the whole call ends. */
  end(): Promise<void>;
}
