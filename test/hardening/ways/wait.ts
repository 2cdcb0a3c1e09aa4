/** Waits for what others do. */

import { setTimeout as sleep } from 'node:timers/promises';

/** Throws after twenty seconds. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 10) {
    if (waited > 20_000) throw new Error(`not within twenty seconds: ${what}`);
    await sleep(10);
  }
}
