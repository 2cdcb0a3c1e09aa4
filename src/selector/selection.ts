/** Owns the generic tail of a path: what `:50-100`, `:raw`, `:@65536+64K` or `:outline` mean, and how they are written. */

import type { Window } from '../window/types.ts';

export interface Selection {
  /** Absent: the whole text (or its summary). */
  readonly window?: Window;
  /** `raw`: the decoded text as it is. The others are views that a source or the engine derives. */
  readonly mode?: 'raw' | 'conflicts' | 'outline' | 'outputs' | 'meta';
  /** `:#Server.start`. */
  readonly symbol?: string;
}

/** The whole text in the default display. */
export const everything: Selection = {};
