/** Descriptors that this process has open, read from Linux's /proc. */

import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';

/** What is open below `folder`, and the folder itself. */
export function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path === folder || path.startsWith(folder + sep) ? [path] : [];
    } catch {
      return []; // closed meanwhile, as the descriptor of this list is
    }
  });
}

/**
 * How much of this test's temporary folders is open. What other tests in this process close late, sockets too, does not
 * count: their folders are gone.
 */
export function openCount(): number {
  return openBelow(tmpdir()).filter((path) => {
    const [first = ''] = path.slice(tmpdir().length + 1).split(sep);
    return existsSync(join(tmpdir(), first));
  }).length;
}
