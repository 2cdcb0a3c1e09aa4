/** ripgrep's file types: names for sets of globs. */

import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { OrielError } from '../errors.ts';
import { searchSlots } from './ripgrep.ts';
import { start } from './start.ts';
import { ripgrepPath } from './ripgrep-path.ts';
import { isStartShortage } from './system-failure.ts';

const TIMEOUT_MS = 10_000;

let known: ReadonlyMap<string, readonly string[]> | undefined;

/** The globs of each type of the installed ripgrep, read once per process. Throws `UNSUPPORTED`, and the system's error if it lacks what a process needs. */
export async function fileTypes(signal: AbortSignal): Promise<ReadonlyMap<string, readonly string[]>> {
  known ??= parse(await typeList(signal));
  return known;
}

async function typeList(signal: AbortSignal): Promise<string> {
  const slot = await searchSlots.take(signal);
  try {
    const env = process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {};
    const child = start(ripgrepPath(), ['--no-config', '--type-list'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
      windowsHide: true,
    });
    // Without descriptors there is no stream, and then an error.
    const list = child.stdout ? text(child.stdout) : '';
    const [[code], said] = await Promise.all([once(child, 'close'), list]);
    if (code !== 0) throw new Error(`ripgrep ended with ${String(code)}`);
    return said;
  } catch (error) {
    if (isStartShortage(error)) throw error;
    throw new OrielError('UNSUPPORTED', 'ripgrep could not be asked for its file types. Use glob instead.', {
      cause: error,
    });
  } finally {
    slot.release();
  }
}

/** Parses lines like `make: *.mak, *.mk, Makefile`. */
function parse(list: string): Map<string, readonly string[]> {
  const lines = list.split('\n').filter((line) => line.includes(': '));
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(': ');
      return [
        line.slice(0, colon),
        line
          .slice(colon + 2)
          .trim()
          .split(', '),
      ];
    }),
  );
}
