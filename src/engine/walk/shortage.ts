/** Retries an open in a worker thread while descriptors have run out (EMFILE, ENFILE), up to a timeout. */

import { refusalOf } from '../../access/held-directory.ts';
import type { WalkControl } from './walk-control.ts';
import { now } from './walk-messages.ts';

/** Descriptors are waited for so long, in ms. */
const SHORTAGE_MS = 2_000;

/** Descriptors did not come back. */
export class Shortage extends Error {}

/** What `open` gives; while there are no descriptors it is asked again. Throws `Shortage` in the end. */
export function whenThereAre<T>(control: WalkControl, open: () => T): T {
  for (const end = now() + SHORTAGE_MS; ; control.pause(20)) {
    try {
      return open();
    } catch (error) {
      if (refusalOf(error) !== 'shortage') throw error;
      if (now() > end) throw new Shortage();
    }
  }
}
