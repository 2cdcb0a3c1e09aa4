/** Owns the log: one JSON object a line. Nothing that a caller typed goes into it but a path, and no secret ever. */

import type { Writable } from 'node:stream';
import { quote } from '../../text/visible.ts';

export type Log = (event: string, facts?: Readonly<Record<string, unknown>>) => void;

export function createLog(out: Writable, now: () => number = Date.now): Log {
  return (event, facts = {}) => {
    const safe = Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' ? quote(value) : value,
    ]);
    out.write(
      `${JSON.stringify({ time: new Date(now()).toISOString(), event, ...Object.fromEntries(safe) })}\n`,
    );
  };
}
