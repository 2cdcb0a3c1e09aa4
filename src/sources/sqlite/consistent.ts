/** Reads a database as it was at one moment: again and again while others write to it, until it is busy for good. */

import { setTimeout as sleep } from 'node:timers/promises';
import { OrielError } from '../../errors.ts';
import type { Access, OpenedFile } from '../../types/access.ts';
import { stillHolds, takeMoment } from './moment.ts';
import type { FileRef, Job } from './protocol.ts';
import { Refusal } from './refusal.ts';

/** How long a database may be changing under every attempt. */
const RETRY_MS = 3_000;

export interface Attempt {
  readonly access: Access;
  readonly signal: AbortSignal;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
}

/** Reads what is in the files. */
export type ReadFiles<T> = (files: Job['files']) => Promise<T>;

/**
 * What the files hold that did not change while they were read. `lend` runs one attempt with a worker, which others
 * have between two attempts. Throws `BUSY`, and what reading throws.
 */
export async function readConsistently<T>(
  opened: OpenedFile,
  { access, signal, deadline }: Attempt,
  lend: <A>(attempt: (read: ReadFiles<T>) => Promise<A>) => Promise<A>,
): Promise<T> {
  let until: number | undefined;
  const reopen = async (): Promise<OpenedFile> => {
    const again = await access.open(opened.path, signal);
    if (again.is === 'file') return again;
    await again.close();
    throw new OrielError('NOT_REGULAR', 'The database was replaced by a directory.');
  };
  for (let wait = 2; ; wait = Math.min(wait * 2, 100)) {
    const isFirst = wait === 2;
    const answer = await lend(async (read) => {
      // From the first attempt on: it may have waited for its worker.
      until ??= Math.min(deadline, performance.now() + RETRY_MS);
      const db = isFirst ? opened : await reopen();
      try {
        return await readOnce(db, reopen, read);
      } finally {
        if (db !== opened) await db.close();
      }
    });
    if (answer) return answer.value;
    // Different readers should not meet the same writer in step.
    const pause = wait * (0.5 + Math.random());
    if (performance.now() + pause > (until ?? 0)) {
      throw new Refusal('BUSY', 'The database was written to all the time; call again');
    }
    await sleep(pause, undefined, { signal });
  }
}

/** Undefined where the database changed meanwhile. */
async function readOnce<T>(
  db: OpenedFile,
  reopen: () => Promise<OpenedFile>,
  read: ReadFiles<T>,
): Promise<{ value: T } | undefined> {
  const moment = await takeMoment(db, reopen);
  try {
    const value = await read({
      db: refTo(moment.db),
      ...(moment.wal && { wal: refTo(moment.wal) }),
      ...(moment.journal && { journal: refTo(moment.journal) }),
    });
    return (await stillHolds(moment)) ? { value } : undefined;
  } finally {
    await moment.close();
  }
}

function refTo({ fd }: OpenedFile): FileRef {
  if (fd === undefined) throw new OrielError('INTERNAL', 'A file beside the database has no descriptor.');
  return { fd };
}
