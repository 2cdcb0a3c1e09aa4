/** Reads a consistent state of a database without locks: if it changed meanwhile, reads again, until a deadline. */

import { setTimeout as sleep } from 'node:timers/promises';
import { OrielError } from '../../errors.ts';
import type { Access, OpenedFile } from '../../types/access.ts';
import { isUnchanged, readState } from './database-state.ts';
import type { FileRef, Job } from './sqlite-protocol.ts';
import { Refusal } from './sqlite-refusal.ts';

/** Milliseconds after which it gives up if the database changed during every attempt. */
const RETRY_MS = 3_000;

export interface Attempt {
  readonly access: Access;
  readonly signal: AbortSignal;
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
}

/** Runs one attempt on the open files. */
export type ReadFiles<T> = (files: Job['files']) => Promise<T>;

/**
 * The result of an attempt during which the files did not change. `lend` runs one attempt with a worker; between attempts
 * the worker is free for other calls. Throws `BUSY`, and the errors of reading.
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
      // Counted from the start of the first attempt, without its wait for a worker.
      until ??= Math.min(deadline, performance.now() + RETRY_MS);
      const db = isFirst ? opened : await reopen();
      try {
        return await readOnce(db, reopen, read);
      } finally {
        if (db !== opened) await db.close();
      }
    });
    if (answer) return answer.value;
    // A random pause, so that readers do not retry in step with a writer.
    const pause = wait * (0.5 + Math.random());
    if (performance.now() + pause > (until ?? 0)) {
      throw new Refusal('BUSY', 'The database changed during every attempt to read it; call again');
    }
    await sleep(pause, undefined, { signal });
  }
}

/** Undefined if the database changed meanwhile. */
async function readOnce<T>(
  db: OpenedFile,
  reopen: () => Promise<OpenedFile>,
  read: ReadFiles<T>,
): Promise<{ value: T } | undefined> {
  const state = await readState(db, reopen);
  try {
    const value = await read({
      db: refTo(state.db),
      ...(state.wal && { wal: refTo(state.wal) }),
      ...(state.journal && { journal: refTo(state.journal) }),
    });
    return (await isUnchanged(state)) ? { value } : undefined;
  } finally {
    await state.close();
  }
}

function refTo({ fd }: OpenedFile): FileRef {
  if (fd === undefined) throw new OrielError('INTERNAL', 'A file beside the database has no descriptor.');
  return { fd };
}
