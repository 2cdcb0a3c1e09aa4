/** `--debug`: unexpected errors on stderr, each with its stack and its causes. */

import { inspect } from 'node:util';
import type { ErrorContext } from '../../engine/unexpected.ts';

/** Prints on stderr, because stdout is for answers and protocols. */
export function printUnexpected(error: unknown, { code, tool }: Pick<ErrorContext, 'code' | 'tool'>): void {
  process.stderr.write(`oriel: ${tool === undefined ? code : `${code} in ${tool}`}: ${inspect(error)}\n`);
}
