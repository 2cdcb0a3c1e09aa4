/** Finds one value of a JSON text in its original spelling, because a parser would round its numbers. */

import { setImmediate } from 'node:timers/promises';
import { type JsonPath, JsonScanner } from '../notebook/json-scan.ts';

/** Bytes that are scanned before the event loop gets control again. */
const AT_ONCE = 64 << 10;

/** Undefined if it is not found, for example below a key that is written with escapes, or nested too deep. */
export async function jsonPart(
  text: string,
  steps: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const bytes = Buffer.from(text);
  let found: string | undefined;
  // Only containers on the path are entered, so checking the last step of a path is enough.
  const isOnTheWay = (path: JsonPath): boolean =>
    path.length === 0 || String(path.at(-1)) === steps[path.length - 1];
  const scanner = new JsonScanner({
    want: (path) => (path.length < steps.length && isOnTheWay(path) ? 'enter' : 'skip'),
    // Of duplicate keys the last one wins, as in parsers.
    value(path, _, { start, end }) {
      if (path.length === steps.length && isOnTheWay(path)) found = bytes.toString('utf8', start, end);
    },
  });
  try {
    for (let at = 0; at < bytes.length; at += AT_ONCE) {
      scanner.push(bytes.subarray(at, at + AT_ONCE));
      await setImmediate();
      signal.throwIfAborted();
    }
    scanner.end();
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  return found;
}
