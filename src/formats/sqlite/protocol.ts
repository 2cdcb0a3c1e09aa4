/** The messages between the engine and the worker: one job, one reply, as plain data that can be cloned. */

import type { ErrorCode } from '../../errors.ts';
import type { ByteSource } from '../../types/access.ts';
import type { JsonPath } from '../data/json-scan.ts';
import type { DataFacts, DataForm } from '../data/records.ts';
import type { DataShape } from '../data/shape.ts';

/** A value as SQLite stores it. Integers are exact; bytes of a BLOB stay in the worker. */
export type SqliteCell = null | bigint | number | TextCell | BlobCell;

export const isClipped = (cell: SqliteCell): boolean =>
  typeof cell === 'object' && cell !== null && cell.kind === 'text' && cell.clipped;

interface TextCell {
  readonly kind: 'text';
  /** The text as `decodeText` gives it (invalid bytes are lone surrogates). Only the start of the value if `clipped`. */
  readonly text: string;
  readonly bytes: number;
  /** Whether `text` is only the start of the value, or empty because the value is too large to load. */
  readonly clipped: boolean;
}

interface BlobCell {
  readonly kind: 'blob';
  readonly bytes: number;
}

export interface SqliteRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqliteCell[])[];
  readonly more: boolean;
  /** Set if what follows could not be read: SQLite's message. */
  readonly damaged?: string | undefined;
}

/** Rows that cannot be read: those between two rowids (decimal), both exclusive; without one, from the first or to the last. */
export interface LostRows {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** The total number of rows. If `exact` is false, counting was stopped, and there are at least `rows`. */
export interface SqliteCount {
  readonly rows: number;
  readonly exact: boolean;
}

/** The cursor `after` for the rows that follow: behind the damage there, if there is some. */
export function cursorBehind({ rowids, lost }: Pick<RowPageReply, 'rowids' | 'lost'>): string | undefined {
  const last = rowids?.at(-1);
  const before = lost?.find(({ after }) => after !== undefined && after === last)?.before;
  return before === undefined ? last : String(BigInt(before) - 1n);
}

export type TableType = 'table' | 'view' | 'virtual table' | 'shadow table';

export interface RowKey {
  readonly name: string;
  /** The index (0-based) in the columns of `select *`; absent for a rowid that is not a column. */
  readonly column?: number | undefined;
}

export interface SqliteTable {
  readonly name: string;
  readonly type: TableType;
  readonly key?: RowKey | undefined;
  /** The columns of a composite primary key, in key order. */
  readonly composite?: readonly string[] | undefined;
}

/** Why the rows of a table cannot be read, such as a view of a missing table, an unknown module, or too much work. */
export interface TableProblem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** One reading of the words after the path, `key` as typed. The first reading that names something is used. */
export interface TableReading {
  readonly table: string;
  readonly key?: string | undefined;
}

export type SqliteRequest =
  | { readonly kind: 'list'; readonly limit: number; readonly offset: number }
  /** A table's schema with sample rows, or one row. If no reading names one, the list of tables if `orList` is set. */
  | {
      readonly kind: 'find';
      readonly readings: readonly TableReading[];
      readonly sample: number;
      readonly orList?: { readonly limit: number; readonly offset: number } | undefined;
    }
  | {
      readonly kind: 'query';
      readonly table: string;
      readonly where?: string | undefined;
      readonly order?: string | undefined;
      /** The columns to show, as typed: `a,b`. */
      readonly select?: string | undefined;
      readonly limit: number;
      readonly offset: number;
      /** The cursor: the page begins after the row with this rowid (decimal), which is row number `offset`. */
      readonly after?: string | undefined;
      /** Complete rows for a search, not counted: as many as fit into `room` bytes, at least one. */
      readonly whole?: true | undefined;
      /** Rows without this text in a value may be left out, if the table has rowids. */
      readonly containing?: string | undefined;
    }
  | { readonly kind: 'sql'; readonly sql: string; readonly limit: number; readonly offset: number }
  /** Of a data file: the value at a path, or its shape (a page of rows where those are its shape). */
  | { readonly kind: 'value'; readonly path: JsonPath }
  | { readonly kind: 'shape' };

/** A descriptor that stays open until the reply, the bytes of a database in memory, or a mailbox for a remote one. */
export type FileRef =
  | { readonly fd: number }
  | { readonly content: Uint8Array }
  | { readonly mailbox: BlockMailbox };

export interface SqliteJob {
  readonly files: {
    readonly db: FileRef;
    readonly wal?: FileRef | undefined;
    readonly journal?: FileRef | undefined;
  };
  readonly ask: SqliteRequest;
  /** Set if `db` is a data file. */
  readonly data?: DataForm | undefined;
  /** The most bytes of the answer; rows that cannot fit into it are not collected. */
  readonly room: number;
}

export type SqliteReply =
  | {
      readonly kind: 'list';
      readonly entries: readonly ListEntry[];
      /** The total number of tables, views and virtual tables. */
      readonly total: number;
    }
  | {
      readonly kind: 'schema';
      /** The index (0-based) of the reading that it answers. */
      readonly reading: number;
      readonly table: SqliteTable;
      /** The CREATE statements of the table, its indexes and triggers. */
      readonly statements: readonly string[];
      readonly sample: SqliteRows;
      readonly count?: SqliteCount | undefined;
      readonly unreadable?: TableProblem | undefined;
    }
  | {
      readonly kind: 'row';
      readonly reading: number;
      readonly table: SqliteTable;
      /** The name of the column that `key` was compared with. */
      readonly by: string;
      readonly rows: SqliteRows;
    }
  | {
      readonly kind: 'page';
      /** Absent for a data file, which is its only table. */
      readonly table?: SqliteTable | undefined;
      readonly data?: DataFacts | undefined;
      readonly rows: SqliteRows;
      /** The rowid of each of `rows` (decimal), if they are in the order of rowids. */
      readonly rowids?: readonly string[] | undefined;
      readonly count?: SqliteCount | undefined;
      /** Damage in front of `rows` and behind them, which is skipped where rows are in the order of rowids. */
      readonly lost?: readonly LostRows[] | undefined;
      /** Set if rows were left out by `containing`. */
      readonly isFiltered?: true | undefined;
      /** The rowid up to which rows were examined, if more follow. */
      readonly scannedTo?: string | undefined;
    }
  | { readonly kind: 'result'; readonly rows: SqliteRows; readonly data?: DataFacts | undefined }
  | { readonly kind: 'value'; readonly text: string; readonly data?: DataFacts | undefined }
  | { readonly kind: 'shape'; readonly shape: DataShape; readonly data?: DataFacts | undefined }
  | SqliteFailure;

export type SqliteAnswer = Exclude<SqliteReply, SqliteFailure>;

type RowPageReply = Extract<SqliteReply, { kind: 'page' }>;

export interface ListEntry {
  readonly name: string;
  readonly type: TableType;
  readonly count?: SqliteCount | undefined;
  /** Why it could not be counted: damaged pages, or (`unreadable`) an unknown module. */
  readonly damaged?: string | undefined;
  readonly unreadable?: string | undefined;
}

export interface SqliteFailure {
  readonly kind: 'error';
  readonly code: ErrorCode;
  /** One sentence; names from the database or the caller are not yet escaped. */
  readonly message: string;
  /** The part after the path in a next call. */
  readonly rest?: string | undefined;
}

// A refusal of a call, before it is converted to an error for the caller.

/** The message may contain stored names, which are escaped when it is shown. */
export class SqliteRefusal extends Error {
  readonly code: ErrorCode;
  /** The part after the database's path in a next call: `":users?limit=20"`, `""`. */
  readonly rest: string | undefined;

  /** `message` is a sentence without its full stop. */
  constructor(code: ErrorCode, message: string, rest?: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.rest = rest;
  }
}

export const TOO_LONG =
  'The query took too long and was stopped; a smaller limit, or a where on an indexed column, is quicker';

/** The most characters of the caller's text that a message repeats. */
const ECHO = 200;

export function echo(typed: string): string {
  return typed.length > ECHO ? `${typed.slice(0, ECHO)}…` : typed;
}

// Synchronous reads of a worker through the main thread, for a remote database: the worker writes a request into shared
// memory and blocks until the reply is there.

export const MAIL_BYTES = 64 << 10;

export const MAIL = { idle: 0, asked: 1, answered: 2, failed: 3, closed: 4 } as const;

export interface BlockMailbox {
  /** Of the database, in bytes. */
  readonly size: number;
  /** `state[0]` is one of `MAIL`, `state[1]` the number of bytes in the reply. */
  readonly state: Int32Array;
  readonly offset: Float64Array;
  readonly data: Uint8Array;
}

/** Serves read requests of a worker from `source` while `act` runs. `failure` is the error of a failed read. */
export async function servingMail<T>(
  source: ByteSource,
  size: number,
  signal: AbortSignal,
  act: (mailbox: BlockMailbox) => Promise<T>,
): Promise<{ readonly value: T; readonly failure: unknown }> {
  const mailbox: BlockMailbox = {
    size,
    state: new Int32Array(new SharedArrayBuffer(8)),
    offset: new Float64Array(new SharedArrayBuffer(8)),
    data: new Uint8Array(new SharedArrayBuffer(MAIL_BYTES)),
  };
  let failure: unknown;
  const serving = serve(mailbox, source, signal, (error) => void (failure = error));
  try {
    return { value: await act(mailbox), failure };
  } finally {
    Atomics.store(mailbox.state, 0, MAIL.closed);
    Atomics.notify(mailbox.state, 0);
    await serving;
  }
}

async function serve(
  mailbox: BlockMailbox,
  source: ByteSource,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const { state, offset, data } = mailbox;
  const part = new Uint8Array(MAIL_BYTES);
  for (let seen = Atomics.load(state, 0); seen !== MAIL.closed; seen = Atomics.load(state, 0)) {
    if (seen !== MAIL.asked) {
      await Atomics.waitAsync(state, 0, seen).value;
      continue;
    }
    try {
      const got = await source.readInto(part, offset[0] as number, signal);
      data.set(part.subarray(0, got));
      Atomics.store(state, 1, got);
      answer(mailbox, MAIL.answered);
    } catch (error) {
      onFailure(error);
      answer(mailbox, MAIL.failed);
    }
  }
}

/** Sets the state to `how`, unless the mailbox was closed meanwhile. */
function answer({ state }: BlockMailbox, how: number): void {
  Atomics.compareExchange(state, 0, MAIL.asked, how);
  Atomics.notify(state, 0);
}
