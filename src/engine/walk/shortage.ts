/** Retries an open in a worker thread while there are no free descriptors (EMFILE, ENFILE), up to a timeout. */

import { refusalOf } from '../../access/held-directory.ts';
import type { WalkControl } from './walk-control.ts';
import { now } from './walk-messages.ts';

/** Milliseconds to wait for descriptors. */
const SHORTAGE_MS = 2_000;

/** Thrown if no descriptor became free in time. */
export class Shortage extends Error {}

/** Retries `open` while there are no descriptors. Throws `Shortage` after the timeout. */
export function retryOnShortage<T>(control: WalkControl, open: () => T): T {
  for (const end = now() + SHORTAGE_MS; ; control.pause(20)) {
    try {
      return open();
    } catch (error) {
      if (refusalOf(error) !== 'shortage') throw error;
      if (now() > end) throw new Shortage();
    }
  }
}
