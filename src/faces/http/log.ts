/** The log: a JSON object on each line, or plain text on a terminal. It contains paths of callers, but no secrets. */

import type { Writable } from 'node:stream';
import { quote } from '../../text/visible.ts';

export interface Log {
  (event: string, facts?: Readonly<Record<string, unknown>>): void;
  /** Writes pending lines. */
  flush(): void;
}

/** Maximum unwritten bytes; above that, lines are dropped and counted. */
const UNREAD_BYTES = 1 << 20;

/** Lines are written in batches, because a write for each would cost as much as a small read. */
export function createLog(out: Writable & { readonly isTTY?: boolean }, now: () => number = Date.now): Log {
  const write = out.isTTY ? asText : asJson;
  let lines = '';
  /** Whether a line was just written: following lines are collected. */
  let wrote = false;
  let dropped = 0;
  const line = (event: string, facts: Readonly<Record<string, unknown>>): string => {
    const safe: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(facts))
      safe[name] = typeof value === 'string' ? quote(value) : value;
    return `${write(new Date(now()).toISOString(), event, safe)}\n`;
  };
  const flush = (): void => {
    wrote = false;
    if (lines !== '') out.write(lines);
    lines = '';
  };
  const log = (event: string, facts: Readonly<Record<string, unknown>> = {}): void => {
    if (out.writableLength > UNREAD_BYTES) {
      dropped += 1;
      return;
    }
    if (dropped > 0) lines += line('dropped', { lines: dropped });
    dropped = 0;
    lines += line(event, facts);
    if (wrote) return;
    flush();
    wrote = true;
    setImmediate(flush);
  };
  return Object.assign(log, { flush });
}

type Facts = Readonly<Record<string, unknown>>;

function asJson(time: string, event: string, facts: Facts): string {
  return JSON.stringify({ time, event, ...facts });
}

/** `12:34:56 listening address=127.0.0.1:7345` */
function asText(time: string, event: string, facts: Facts): string {
  const pairs = Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`);
  return [time.slice(11, 19), event, ...pairs].join(' ');
}
