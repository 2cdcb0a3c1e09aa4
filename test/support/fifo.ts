/** FIFOs in tests: a program makes the first one, and the others are links to it, because starting a program is slow. */

import { execFileSync } from 'node:child_process';
import { linkSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let first: string | undefined;

/** `path`: below the directory for temporary files. */
export function makeFifo(path: string): void {
  if (first === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'oriel-fifo-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    first = join(folder, 'fifo');
    execFileSync('mkfifo', [first]);
  }
  linkSync(first, path);
}
