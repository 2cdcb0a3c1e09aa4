/** One value of a JSON text as it was written: a parser would round its numbers. */

import { JsonScanner } from '../notebook/json-scan.ts';

/** Undefined where it is not found: below a key that is written with escapes, or inside too many levels. */
export function jsonPart(text: string, steps: readonly string[]): string | undefined {
  const bytes = Buffer.from(text);
  let found: string | undefined;
  const scanner = new JsonScanner({
    want: (path) =>
      path.length < steps.length && path.every((step, i) => String(step) === steps[i]) ? 'enter' : 'skip',
    // Of a key that is there twice the last one counts, as for parsers.
    value(path, _, { start, end }) {
      if (path.length === steps.length && path.every((step, i) => String(step) === steps[i]))
        found = bytes.toString('utf8', start, end);
    },
  });
  try {
    scanner.push(bytes);
    scanner.end();
  } catch {
    return undefined;
  }
  return found;
}
