/** Reads the events of a file and of its rotated parts, the oldest first; lines that are no events are counted. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errno } from '../../access/failure.ts';
import { OrielError } from '../../errors.ts';
import { parseEvent } from '../../telemetry/parse-event.ts';
import { quote } from '../../text/visible.ts';
import type { TelemetryEvent } from '../../types/telemetry.ts';
import { ROTATED } from './telemetry-file.ts';

export interface ReadEvents {
  readonly events: number;
  /** Lines that are no events: torn ones, and what others have written. */
  readonly skipped: number;
}

/** Bytes of a line: no event has more. */
const MOST_LINE = 64 << 10;

const PIECE = 256 << 10;

/** Throws OrielError (`NOT_FOUND`, `BAD_INPUT`, …) where `path` cannot be read; rotated parts need not be there. */
export async function readEvents(
  path: string,
  take: (event: TelemetryEvent) => void,
  signal?: AbortSignal,
): Promise<ReadEvents> {
  let [events, skipped] = [0, 0];
  const takeLine = (line: Buffer): void => {
    const event = line.length > MOST_LINE ? undefined : parseEvent(line.toString('utf8'));
    if (event) {
      events += 1;
      take(event);
    } else if (line.length > 0) skipped += 1;
  };
  for (let n = ROTATED; n >= 0; n -= 1) await readLines(path, n, takeLine, signal);
  return { events, skipped };
}

async function readLines(
  path: string,
  n: number,
  take: (line: Buffer) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const handle = await open(n === 0 ? path : `${path}.${n}`, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (cause: unknown) => {
      if (n > 0) return undefined;
      throw unreadable(
        path,
        errno(cause) === 'ENOENT' ? 'does not exist' : `cannot be read (${errno(cause)})`,
        cause,
      );
    },
  );
  if (!handle) return;
  try {
    if (!(await handle.stat()).isFile()) throw unreadable(path, 'is no file of telemetry');
    const piece = Buffer.alloc(PIECE);
    let rest = Buffer.alloc(0);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(piece, 0, PIECE, null);
      if (bytesRead === 0) break;
      let from = 0;
      for (let at = piece.indexOf(10); at !== -1 && at < bytesRead; at = piece.indexOf(10, from)) {
        take(Buffer.concat([rest, piece.subarray(from, at)]));
        rest = Buffer.alloc(0);
        from = at + 1;
      }
      // Of an overlong line only that it is one matters.
      if (rest.length <= MOST_LINE) rest = Buffer.concat([rest, piece.subarray(from, bytesRead)]);
    }
    take(rest);
  } finally {
    await handle.close();
  }
}

function unreadable(path: string, why: string, cause?: unknown): OrielError {
  const code = why === 'does not exist' ? 'NOT_FOUND' : 'BAD_INPUT';
  return new OrielError(
    code,
    `${quote(path)} ${why}. Use oriel report FILE with a file that --telemetry FILE wrote.`,
    {
      cause,
    },
  );
}
