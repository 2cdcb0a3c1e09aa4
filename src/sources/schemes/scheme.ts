/** Owns the shape of a scheme: what reads `artifact://1:50-100` and its kin. One file a scheme beside this one. */

import type { Call } from '../../types/call.ts';
import type { Resource } from '../../types/resource.ts';

export interface Scheme {
  /** Without the colon: `artifact`. */
  readonly name: string;
  /** Opens what follows `name://`, selector included. Throws OrielError. */
  open(rest: string, call: Call): Promise<Resource>;
}
