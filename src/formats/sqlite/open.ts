/** Reads a database: parses the selector, asks a worker, and formats its reply or refusal. */

import { isOrielError, OrielError } from '../../errors.ts';
import { builtFile } from '../../files/package-files.ts';
import { WorkerPool } from '../../process/worker-threads.ts';
import { queues } from '../../queues/queue-table.ts';
import { chunksOf } from '../../text/bytes.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { ByteSource, OpenedFile } from '../../types/access.ts';
import type { Call, Resource, SourceSubject } from '../../types/call.ts';
import type { Limits } from '../../types/excerpt.ts';
import type {
  ComputedValue,
  DerivedKind,
  Session,
  ValueComputation,
  ValueWeight,
} from '../../types/session.ts';
import { fitRowPage, wholeRow } from './layout.ts';
import { keyOf } from './notices.ts';
import {
  cursorBehind,
  type FileRef,
  isClipped,
  servingMail,
  type SqliteAnswer,
  type SqliteCell,
  type SqliteJob,
  SqliteRefusal,
  type SqliteReply,
  type SqliteRequest,
  type SqliteTable,
  TOO_LONG,
} from './protocol.ts';
import { compose } from './render.ts';
import { parseSqliteSelector } from './select.ts';
import { readConsistently, type ReadFiles } from './snapshot.ts';
import { writeSegment } from './stored-text.ts';

/** The timeout of a query in ms, even if the call has more time, because a slow query should be replaced by a better one. */
const QUERY_MS = 4_000;

/** Milliseconds reserved for formatting the answer after a query has reached its deadline. */
const LEFT_MS = 60;

const workers = new WorkerPool<SqliteJob, SqliteReply>({
  entry: builtFile('formats/sqlite/worker/sqlite-worker.js'),
  queue: queues.sqlite,
  // Long enough for a burst of calls.
  idleMs: 1_000,
  heapMb: 96,
  youngMb: 4,
});

export async function openDatabase(subject: SourceSubject, call: Call): Promise<Resource> {
  const { opened, typed, rest, head } = subject;
  if (opened.kind !== 'file')
    throw new OrielError('IS_DIRECTORY', `${quote(typed)} is a directory, not a database.`);
  try {
    refuseUtf16(head);
    const parsed = parseSqliteSelector(rest);
    const { limits } = call;
    const reply = await ask(opened, { ask: parsed.ask, room: limits.bytes }, call);
    return compose(reply, parsed, typed, limits);
  } catch (error) {
    throw wordedFailure(error, subject, TOO_LONG);
  }
}

type SqliteQuestion = Pick<SqliteJob, 'ask' | 'room' | 'data'>;

/** A data file may be examined for as long as the call has time. */
function lendFor(asked: SqliteQuestion, call: Call): LendWorker {
  return (act) =>
    workers.lend(call, (work) => {
      const latest = call.deadline - LEFT_MS;
      const until = asked.data ? latest : Math.min(latest, performance.now() + QUERY_MS);
      return act((files) => work({ files, ...asked }, until, call.signal, latest));
    });
}

/** Throws OrielError and Refusal: `BUSY`, `LIMIT`, `TIMEOUT`. */
export async function ask(opened: OpenedFile, asked: SqliteQuestion, call: Call): Promise<SqliteAnswer> {
  const lend = lendFor(asked, call);
  if (opened.bytes.remote) return askByMail(opened.bytes, opened.size, lend, call);
  const { fd } = opened;
  if (fd !== undefined && !asked.data) return answered(await readConsistently(opened, call, lend));
  // The archive source has already unpacked it completely, so copying does not wait for another queue.
  const db = async (): Promise<FileRef> => (fd === undefined ? copyOf(opened, call) : { fd });
  return answered(await lend(async (read) => read({ db: await db() })));
}

function answered(reply: SqliteReply): SqliteAnswer {
  if (reply.kind === 'error') throw new SqliteRefusal(reply.code, reply.message, reply.rest);
  return reply;
}

/** As `ask` for a data file of which only a part is needed, whatever holds its bytes. */
export function askInPlace(bytes: ByteSource, asked: SqliteQuestion, call: Call): Promise<SqliteAnswer> {
  return askByMail(bytes, bytes.size ?? 0, lendFor(asked, call), call);
}

type LendWorker = <T>(act: (read: ReadFiles<SqliteReply>) => Promise<T>) => Promise<T>;

/** Reads page by page, such as a remote database; only needed pages are requested, all of the same version. */
async function askByMail(
  bytes: ByteSource,
  size: number,
  lend: LendWorker,
  { signal }: Call,
): Promise<SqliteAnswer> {
  const { value, failure } = await servingMail(bytes, size, signal, (mailbox) =>
    lend((read) => read({ db: { mailbox } })),
  );
  if (failure === undefined) return answered(value);
  if (isOrielError(failure) && failure.code === 'LIMIT') throw new SqliteRefusal('LIMIT', TOO_MUCH);
  throw failure;
}

/** Throws for UTF-16 (bytes 56 to 59 of the header; 1 is UTF-8), which the library would read as UTF-8. */
function refuseUtf16(head: Uint8Array): void {
  const encoding = Buffer.from(head).subarray(56, 60);
  if (encoding.length < 4 || encoding.readUInt32BE(0) < 2 || encoding.readUInt32BE(0) > 3) return;
  throw new SqliteRefusal(
    'UNSUPPORTED',
    'The database stores its text as UTF-16, which is not read here; a copy made with `PRAGMA encoding` UTF-8 is',
  );
}

/** The error for the caller, with escaped names and a next call. `tooLong`: what to say if the time of the call is over. */
export function wordedFailure(
  cause: unknown,
  { typed, rest: asked }: Pick<SourceSubject, 'typed' | 'rest'>,
  tooLong: string,
): unknown {
  const isLate = isOrielError(cause) && cause.code === 'TIMEOUT';
  const refusal = isLate ? new SqliteRefusal('TIMEOUT', tooLong) : cause;
  if (!(refusal instanceof SqliteRefusal)) return cause;
  const { code, message, rest } = refusal;
  // Cut, because a message can list tables or columns with names of any length.
  const shown = oneLine(message.slice(0, MESSAGE + 1));
  const clipped = shown.length > MESSAGE ? `${shown.slice(0, MESSAGE).toWellFormed()}…` : shown;
  const sentence = /[.?!…]$/.test(clipped) ? clipped : `${clipped}.`;
  const table = asked.includes('?') ? (asked.split('?', 1)[0] ?? '') : '';
  const part = code === 'BUSY' ? asked : table;
  const place = part === '' || part.startsWith('?') ? part : `:${part}`;
  return new OrielError(code, sentence, { next: typed + (rest ?? place), cause });
}

const TOO_MUCH =
  'This takes more requests to the server of the database than one call may make; a row by its key, a smaller limit, or a where on an indexed column takes few';

const MESSAGE = 600;

// Copies a database that is not a local file (such as a member of an archive), so that a worker can read it.

/** The most bytes of a copy in memory (shared with the worker); larger copies are on disk. */
const IN_MEMORY = 8 * 1024 * 1024;

const CHUNK = 1024 * 1024;

interface Copy {
  readonly file: FileRef;
  readonly weight: ValueWeight;
  close(): Promise<void>;
}

const copies: DerivedKind<Copy, { size: number }> = {
  name: 'database copy',
  weigh: ({ weight }) => weight,
  mostMemory: 2 * IN_MEMORY,
  dispose: (copy) => copy.close(),
};

/** The copy, valid until the end of the call. It is cached for later calls about the same bytes. */
async function copyOf({ bytes, size }: OpenedFile, call: Call): Promise<FileRef> {
  const { store } = call.session;
  const make = async ({ source, signal }: ValueComputation): Promise<ComputedValue<Copy>> => {
    const chunks = chunksOf(source, 0, size, CHUNK, signal);
    return {
      value: await (size <= IN_MEMORY ? inMemory(chunks, size) : onDisk(chunks, call.session)),
      keep: true,
    };
  };
  return (await store.get(copies, bytes, { size }, make, call)).file;
}

async function inMemory(chunks: AsyncIterable<Uint8Array>, size: number): Promise<Copy> {
  const content = new Uint8Array(new SharedArrayBuffer(size));
  let at = 0;
  for await (const chunk of chunks) {
    content.set(chunk, at);
    at += chunk.length;
  }
  return { file: { content }, weight: { memory: size }, close: () => Promise.resolve() };
}

async function onDisk(chunks: AsyncIterable<Uint8Array>, session: Session): Promise<Copy> {
  const scratch = await session.scratch();
  let disk = 0;
  try {
    for await (const chunk of chunks) {
      await scratch.append(chunk);
      disk += chunk.length;
    }
    return {
      file: { fd: scratch.fd },
      weight: { memory: 0, disk, descriptors: 1 },
      close: () => scratch.close(),
    };
  } catch (error) {
    await scratch.close();
    throw error;
  }
}

// Reads many rows of a table as texts for a search, each as the call for this row shows it.

/** The most bytes of text, and rows, per request. */
const ROOM = 512 << 10;
const MAX_SEARCHED_ROWS = 20_000;

/** The start of a range of rows, and a text that they must contain. */
export type RowRangeStart = Pick<
  Extract<SqliteRequest, { kind: 'query' }>,
  'offset' | 'after' | 'containing'
>;

export interface RowTexts {
  /** The texts in the order of the table's pages. */
  readonly texts: readonly string[];
  /** The selector of row `index` (0-based), after the path of the database: "users:42", "best?limit=1&offset=3". */
  call(index: number): string;
  /** Whether a value is too large to be loaded, rows are damaged, or a BLOB contains what was looked for. */
  readonly isPart: boolean;
  /** The start of the next rows; absent after the last ones. */
  readonly next?: RowRangeStart | undefined;
}

/** `table` is encoded as in calls. Throws OrielError. */
export async function rowTexts(
  opened: OpenedFile,
  table: string,
  from: RowRangeStart,
  call: Call,
): Promise<RowTexts> {
  const rows = { kind: 'query', table, limit: MAX_SEARCHED_ROWS, whole: true, ...from } as const;
  const reply = await ask(opened, { ask: rows, room: ROOM }, call).catch((error: unknown) => {
    if (!(error instanceof SqliteRefusal)) throw error;
    throw new OrielError(error.code, error.message, { cause: error });
  });
  if (reply.kind !== 'page' || !reply.table) throw new TypeError('rows of a table were asked for');
  return textsOf({ ...reply, table: reply.table }, from, call.limits);
}

type SearchedRows = Extract<SqliteReply, { kind: 'page' }> & { readonly table: SqliteTable };

function textsOf(reply: SearchedRows, from: RowRangeStart, limits: Limits): RowTexts {
  const { table, rows: found, rowids, lost, isFiltered, scannedTo } = reply;
  const { columns, rows, more } = found;
  const name = writeSegment(table.name);
  const { key } = table;
  // Undefined if the row has no key that can be used in a path.
  const keys = rows.map((row, i) => key && (key.column === undefined ? rowids?.[i] : keyOf(row[key.column])));
  const text = (row: readonly SqliteCell[], i: number): string =>
    keys[i] === undefined
      ? fitRowPage({ columns, rows: [row], more: true }, from.offset + i, limits).text
      : wholeRow(columns, row);
  const behind = (count: number): RowRangeStart => {
    const after = (count === rows.length ? cursorBehind(reply) : rowids?.[count - 1]) ?? from.after;
    return { ...from, offset: from.offset + count, ...(after !== undefined && { after }) };
  };
  /** A position that is correct even if rows were left out. */
  const before = (index: number): RowRangeStart => ({
    offset: from.offset + index,
    after: String(BigInt(rowids?.[index] ?? 0) - 1n),
  });
  const next =
    more && rows.length > 0
      ? behind(rows.length)
      : scannedTo !== undefined && { ...behind(rows.length), after: scannedTo };
  const texts = rows.map(text);
  // SQLite compares BLOBs as texts, and a row shows only their size.
  const isInBlob = isFiltered && texts.some((shown) => !shown.includes(from.containing ?? ''));
  return {
    texts,
    call: (i) => {
      const key = keys[i];
      if (key !== undefined) return `${name}:${key}`;
      const { offset, after } = isFiltered ? before(i) : i === 0 ? from : behind(i);
      return `${name}?limit=1&offset=${offset}${after === undefined ? '' : `&after=${after}`}`;
    },
    isPart:
      isInBlob ||
      lost !== undefined ||
      found.damaged !== undefined ||
      rows.some((row) => row.some(isClipped)),
    next: next || undefined,
  };
}
