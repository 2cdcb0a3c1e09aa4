/** What the selector after a path asks for. */

import type { Window } from './excerpt.ts';

export type Mode = 'raw' | 'conflicts' | 'outline' | 'outputs' | 'meta';

export interface Selection {
  /** Absent: the whole text (or its summary). */
  readonly window?: Window;
  /** `raw`: the decoded text unchanged. The others are views that a source or the engine derives. */
  readonly mode?: Mode;
  /** What follows the first `#`: `Server.start`, or a list as `a,#Server.start,120..140`. */
  readonly symbol?: string;
  /** `:encoding=shift_jis`: the encoding of the text, by its WHATWG name. */
  readonly encoding?: string;
  /** As typed, for messages. */
  readonly typed?: string;
}
