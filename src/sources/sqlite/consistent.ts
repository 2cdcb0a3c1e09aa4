/** Owns reading a database as it was at one moment, however long it takes to find one: else it is busy. */

import { setTimeout as sleep } from 'node:timers/promises';
import { OrielError } from '../../errors.ts';
import type { Access, OpenedFile } from '../../types/access.ts';
import { stillHolds, takeMoment } from './moment.ts';
import type { FileRef, Job } from './protocol.ts';
import { Refusal } from './refusal.ts';

/** How long a database may be changing under every attempt. */
const PATIENCE_MS = 3_000;

export interface Attempt {
  readonly access: Access;
  readonly signal: AbortSignal;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
}

/** What `read` gave for files that did not change while it read. Throws `BUSY`, and what `read` throws. */
export async function readConsistently<T>(
  opened: OpenedFile,
  { access, signal, deadline }: Attempt,
  read: (files: Job['files']) => Promise<T>,
): Promise<T> {
  const until = Math.min(deadline, performance.now() + PATIENCE_MS);
  const reopen = async (): Promise<OpenedFile> => {
    const again = await access.open(opened.path, signal);
    if (again.is === 'file') return again;
    await again.close();
    throw new OrielError('NOT_REGULAR', 'The database was replaced by a directory.');
  };
  for (let wait = 2; ; wait = Math.min(wait * 2, 100)) {
    const db = wait === 2 ? opened : await reopen();
    try {
      const answer = await readOnce(db, reopen, read);
      if (answer) return answer.value;
    } finally {
      if (db !== opened) await db.close();
    }
    // Different readers should not meet the same writer in step.
    const pause = wait * (0.5 + Math.random());
    if (performance.now() + pause > until) {
      throw new Refusal('BUSY', 'The database was written to all the time; call again');
    }
    await sleep(pause, undefined, { signal });
  }
}

/** Undefined where the database changed meanwhile. */
async function readOnce<T>(
  db: OpenedFile,
  reopen: () => Promise<OpenedFile>,
  read: (files: Job['files']) => Promise<T>,
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
