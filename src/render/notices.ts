/**
 * Owns every sentence a model can see. A notice is data until it is worded here; dialects may word some of
 * them differently.
 */

import type { Limits, Next } from '../window/types.ts';

export type Notice =
  | {
      readonly kind: 'cut';
      readonly lines?: readonly [number, number];
      readonly bytes?: readonly [number, number];
      readonly totals: { readonly lines?: number; readonly bytes?: number };
      readonly by: 'lines' | 'bytes' | 'line' | 'tokens' | 'window';
      readonly limits: Limits;
      readonly next?: Next;
      /** The exact `path` of the next call. */
      readonly use: string;
    }
  /** A sentence that a source words itself from its own facts, without brackets: "20 of 1000 rows shown. Use db:t?offset=20 to continue". */
  | { readonly kind: 'said'; readonly text: string; readonly next?: string };
