/** The interface of a scheme, such as `artifact://1:50-100`. Each scheme is one file beside this one. */

import type { Call } from '../../types/call.ts';
import type { Resource } from '../../types/resource.ts';
import type { Settings } from '../../types/settings.ts';

export interface Scheme {
  /** Without the colon: `artifact`. */
  readonly name: string;
  /** Whether what it needs is switched on; always when absent. */
  isOn?(settings: Settings): boolean;
  /** Opens what follows `name://`, selector included; nothing there means the list of what can be named. */
  open(rest: string, call: Call): Promise<Resource>;
}
