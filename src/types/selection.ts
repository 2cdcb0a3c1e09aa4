/** What the selector after a path asks for. */

import type { Window } from './excerpt.ts';

export type Mode = 'raw' | 'conflicts' | 'outline' | 'outputs' | 'meta';

export interface Selection {
  /** Absent: the whole text (or its summary). */
  readonly window?: Window;
  /** `raw`: the decoded text as it is. The others are views that a source or the engine derives. */
  readonly mode?: Mode;
  /** `:#Server.start`. */
  readonly symbol?: string;
  /** As typed, for messages. */
  readonly typed?: string;
}
