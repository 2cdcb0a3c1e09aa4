/**
 * What oriel hands over when it loads this package, so that none of its classes and none of its state exist twice. From the
 * sources of oriel this package takes only types.
 */

import type { CheckHost } from '../../../src/faces/cli/check-command.ts';

export let oriel: CheckHost;

/** Before anything else of this package is called. */
export function useOriel(host: CheckHost): void {
  oriel = host;
}
