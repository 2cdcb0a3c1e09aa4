/** The interface of a scheme, such as `artifact://1:50-100`. Each scheme is one file beside this one. */

import type { Call } from '../../types/call.ts';
import type { Resource } from '../../types/resource.ts';
import type { Settings } from '../../types/settings.ts';

export interface Scheme {
  /** The name without the colon: `artifact`. */
  readonly name: string;
  /** Whether the scheme is enabled by the settings; always when absent. */
  isOn?(settings: Settings): boolean;
  /** Opens the text after `name://`, including its selector. An empty text opens the list of names. */
  open(rest: string, call: Call): Promise<Resource>;
}
