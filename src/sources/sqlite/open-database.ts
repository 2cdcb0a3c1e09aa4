/** Reads a database: parses the selector, asks a worker, and formats its reply or refusal. */

import { WorkerPool } from '../../access/isolate-worker.ts';
import { builtFile } from '../../access/package-files.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { queues } from '../../queues/queue-table.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { Resource, Subject } from '../../types/resource.ts';
import { parseRest } from './sqlite-ask.ts';
import { compose } from './compose.ts';
import { type ReadFiles, readConsistently } from './consistent-read.ts';
import { copyOf } from './copy.ts';
import { servingMail } from './mailbox.ts';
import type { Job, Reply } from './sqlite-protocol.ts';
import { Refusal, TOO_LONG } from './sqlite-refusal.ts';
import { showBytes } from './stored-text.ts';

/** The timeout of a query in ms, even if the call has more time, because a slow query should be replaced by a better one. */
const QUERY_MS = 4_000;

/** Milliseconds reserved for formatting the answer after a query has reached its deadline. */
const LEFT_MS = 60;

/** Worker threads for SQLite, shared by the whole process. */
const workers = new WorkerPool<Job, Reply>({
  entry: builtFile('sources/sqlite/worker/sqlite-worker.js'),
  queue: queues.sqlite,
  // Long enough for a burst of calls.
  idleMs: 1_000,
  heapMb: 96,
  youngMb: 4,
});

export async function openDatabase(subject: Subject, call: Call): Promise<Resource> {
  const { opened, typed, rest, head } = subject;
  if (opened.is !== 'file')
    throw new OrielError('IS_DIRECTORY', `${quote(typed)} is a directory, not a database.`);
  try {
    refuseUtf16(head);
    const parsed = parseRest(rest);
    const { limits } = call;
    const reply = await ask(opened, { ask: parsed.ask, room: limits.bytes }, call);
    if (reply.is === 'error') throw new Refusal(reply.code, reply.message, reply.rest);
    return compose(reply, parsed, typed, limits);
  } catch (error) {
    if (error instanceof Refusal) throw worded(error, subject, error);
    if (isOrielError(error) && error.code === 'TIMEOUT')
      throw worded(new Refusal('TIMEOUT', TOO_LONG), subject, error);
    throw error;
  }
}

/** Throws OrielError and Refusal: `BUSY`, `LIMIT`, `TIMEOUT`. */
export function ask(opened: OpenedFile, asked: Pick<Job, 'ask' | 'room'>, call: Call): Promise<Reply> {
  const lend = <T>(act: (read: ReadFiles<Reply>) => Promise<T>): Promise<T> =>
    workers.lend(call, (work) => {
      const latest = call.deadline - LEFT_MS;
      const until = Math.min(latest, performance.now() + QUERY_MS);
      const { signal } = call;
      return act((files) => work({ files, ...asked }, until, signal, latest));
    });
  if (opened.bytes.remote) return askRemote(opened, lend, call);
  if (opened.fd !== undefined) return readConsistently(opened, call, lend);
  // The archive source has already unpacked it completely, so copying does not wait for another queue.
  return lend(async (read) => read({ db: await copyOf(opened, call) }));
}

/** Reads a remote database page by page; only needed pages are requested, all of the same version. */
async function askRemote(
  { bytes, size }: OpenedFile,
  lend: <T>(act: (read: ReadFiles<Reply>) => Promise<T>) => Promise<T>,
  { signal }: Call,
): Promise<Reply> {
  const { value, failure } = await servingMail(bytes, size, signal, (mailbox) =>
    lend((read) => read({ db: { mailbox } })),
  );
  if (failure === undefined) return value;
  if (isOrielError(failure) && failure.code === 'LIMIT') throw new Refusal('LIMIT', TOO_MUCH);
  throw failure;
}

/** Throws for UTF-16 (bytes 56 to 59 of the header; 1 is UTF-8), which the library would read as UTF-8. */
function refuseUtf16(head: Uint8Array): void {
  const encoding = Buffer.from(head).subarray(56, 60);
  if (encoding.length < 4 || encoding.readUInt32BE(0) < 2 || encoding.readUInt32BE(0) > 3) return;
  throw new Refusal(
    'UNSUPPORTED',
    'The database stores its text as UTF-16, which is not read here; a copy made with `PRAGMA encoding` UTF-8 is',
  );
}

/** Converts a refusal to an error for the caller, with escaped names and a next call. */
function worded(
  { code, message, rest }: Refusal,
  { typed, rest: asked }: Subject,
  cause: unknown,
): OrielError {
  // Cut, because a message can list tables or columns with names of any length.
  const shown = oneLine(showBytes(message.slice(0, MESSAGE + 1)));
  const clipped = shown.length > MESSAGE ? `${shown.slice(0, MESSAGE).toWellFormed()}…` : shown;
  const sentence = /[.?!…]$/.test(clipped) ? clipped : `${clipped}.`;
  if (rest !== undefined) return new OrielError(code, sentence, { next: typed + rest, cause });
  if (code === 'BUSY')
    return new OrielError(code, sentence, {
      cause,
      next: asked.startsWith('?') || asked === '' ? typed + asked : `${typed}:${asked}`,
    });
  const table = asked.split('?', 1)[0];
  return new OrielError(code, sentence, {
    cause,
    next: table === '' || !asked.includes('?') ? typed : `${typed}:${table}`,
  });
}

const TOO_MUCH =
  'This takes more requests to the server of the database than one call may make; a row by its key, a smaller limit, or a where on an indexed column takes few';

/** The most characters of a message. */
const MESSAGE = 600;
