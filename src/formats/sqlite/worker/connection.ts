/** A read-only connection: compiles statements, stops them at their limits, and explains their failures. */

import type { DataFile } from '../../data/record-bytes.ts';
import type { DataTable } from '../../data/records.ts';
import type { TableProblem, TableType } from '../protocol.ts';
import { decodeText, encodeText } from '../../../text/encoding.ts';
import { type DataModule, writtenName } from './data-table.ts';
import { applySettings, type SqliteLibrary } from './library.ts';
import {
  SqlFailure,
  SqliteAuthorizer,
  SqliteStatement,
  type StatementClock,
  type StatementWork,
} from './statement.ts';
import { DATABASE, type DatabaseFiles, type ReadableFile, type ReadOnlyVfs, VFS_NAME } from './vfs.ts';

/** Virtual machine steps between two checks of the clock, about 10 µs. */
const STEPS = 1000;

/** A data file in the place of a database: how it becomes a table. */
export interface DataInput {
  readonly module: DataModule;
  table(file: DataFile): DataTable;
}

export class SqliteConnection {
  readonly library: SqliteLibrary;
  /** The only table, if a data file is read instead of a database. */
  readonly data: DataTable | undefined;
  /** The size of the database in bytes, without its log. */
  readonly size: number;
  readonly remote: boolean;
  readonly #db: number;
  readonly #vfs: ReadOnlyVfs;
  readonly #clock: StatementClock;
  readonly #authorizer: SqliteAuthorizer;
  /** The limit for `worked`, while `within` runs. */
  #bound: StatementWork | undefined;
  #steps = 0;
  #overWork = false;

  /** Opens the file `database` of `files`, which is one of data if `input` is given. Throws SqlFailure. */
  constructor(
    library: SqliteLibrary,
    vfs: ReadOnlyVfs,
    files: DatabaseFiles,
    clock: StatementClock,
    input?: DataInput,
  ) {
    this.library = library;
    this.#vfs = vfs;
    this.#clock = clock;
    this.#authorizer = new SqliteAuthorizer(library);
    vfs.serve(files);
    vfs.bytesRead = 0;
    this.size = files.get(DATABASE)?.size() ?? 0;
    this.remote = files.get(DATABASE)?.remote ?? false;
    vfs.beforeRead = this.#beforeRead;
    const { capi, wasm } = library;
    const scope = wasm.scopedAllocPush();
    try {
      const dbAt = wasm.scopedAlloc(8);
      const [name, flags] = input
        ? [':memory:', capi.SQLITE_OPEN_READWRITE]
        : [DATABASE, capi.SQLITE_OPEN_READONLY];
      const result = capi.sqlite3_open_v2(name, dbAt, flags, VFS_NAME);
      this.#db = wasm.peekPtr(dbAt);
      if (result !== 0) throw this.failure(result);
    } finally {
      wasm.scopedAllocPop(scope);
    }
    try {
      const file = files.get(DATABASE);
      this.data = input && file && this.#attach(input, file);
      this.#configure();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Compiles the single statement of `sql` and binds `values` to its parameters. The caller must finalize it. */
  prepare(sql: string, values: readonly (string | number | bigint | Uint8Array)[] = []): SqliteStatement {
    const { statement, rest } = this.compile(sql);
    if (!statement || rest.trim() !== '') {
      statement?.finalize();
      throw new SqlFailure(this.library.capi.SQLITE_MISUSE, 'not one statement');
    }
    statement.bind(values);
    return statement;
  }

  /** Compiles the first statement of `sql`; `rest` is the SQL after it. No statement for blanks and comments. */
  compile(sql: string): { statement: SqliteStatement | undefined; rest: string } {
    const { capi, wasm } = this.library;
    this.#authorizer.reset();
    const scope = wasm.scopedAllocPush();
    try {
      const bytes = encodeText(sql);
      const sqlAt = wasm.scopedAlloc(bytes.length + 1);
      wasm.heap8u().set(bytes, sqlAt);
      wasm.poke8(sqlAt + bytes.length, 0);
      const [statementAt, tailAt] = [wasm.scopedAlloc(8), wasm.scopedAlloc(8)];
      wasm.poke32(statementAt, 0);
      const result = capi.sqlite3_prepare_v2(this.#db, sqlAt, bytes.length + 1, statementAt, tailAt);
      if (result !== 0) throw this.failure(result);
      const pointer = wasm.peekPtr(statementAt);
      const rest = decodeText(bytes.subarray(wasm.peekPtr(tailAt) - sqlAt));
      if (pointer === 0) return { statement: undefined, rest };
      const statement = new SqliteStatement(this, pointer);
      const writes = capi.sqlite3_stmt_readonly(pointer) === 0;
      // A statement without result columns is meant to change something, even if it would not here.
      if (writes || statement.columns.length === 0) {
        statement.finalize();
        const denial = this.#authorizer.refusal(writes);
        throw new SqlFailure(capi.SQLITE_READONLY, denial.message, denial);
      }
      return { statement, rest };
    } finally {
      wasm.scopedAllocPop(scope);
    }
  }

  /** Whether `sql` contains a statement and not only blanks and comments. */
  holdsStatement(sql: string): boolean {
    if (/^[\s;]*$/.test(sql)) return false;
    try {
      const { statement, rest } = this.compile(sql);
      statement?.finalize();
      return statement !== undefined || (rest !== sql && this.holdsStatement(rest));
    } catch {
      // SQL that does not compile or is refused counts as a statement too.
      return true;
    }
  }

  /**
   * Runs `act` with a limit on its work, and returns also the used share (0 to 1) of the limit. Undefined if the limit stopped
   * it.
   */
  within<T>(work: StatementWork, act: () => T): { readonly value: T; readonly share: number } | undefined {
    const { steps, bytes } = this.worked;
    this.#bound = { steps: steps + work.steps, bytes: bytes + work.bytes };
    this.#overWork = false;
    try {
      const value = act();
      const now = this.worked;
      return { value, share: Math.max((now.steps - steps) / work.steps, (now.bytes - bytes) / work.bytes) };
    } catch (error) {
      if (error instanceof SqlFailure && error.stopped === 'work') return undefined;
      throw error;
    } finally {
      this.#bound = undefined;
      this.#overWork = false;
    }
  }

  get worked(): StatementWork {
    return { steps: this.#steps, bytes: this.#vfs.bytesRead };
  }

  /**
   * Sets whether `"word"` can also be a string, as in most builds of SQLite, because existing views rely on it. Not allowed in
   * SQL of a caller, where a misspelt column would become a string that matches nothing.
   */
  quotedStrings(allowed: boolean): void {
    const { capi } = this.library;
    capi.sqlite3_db_config(this.#db, capi.SQLITE_DBCONFIG_DQS_DML, allowed ? 1 : 0, 0);
  }

  failure(result: number): SqlFailure {
    const { capi } = this.library;
    const message = this.#db === 0 ? capi.sqlite3_errstr(result) : capi.sqlite3_errmsg(this.#db);
    const { denial } = this.#authorizer;
    const stopped = this.#overWork ? 'work' : this.#clock.over();
    return new SqlFailure(result & 0xff, message, denial, stopped);
  }

  close(): void {
    this.library.capi.sqlite3_close_v2(this.#db);
    this.#vfs.serve(new Map());
    this.#vfs.beforeRead = () => {};
  }

  #attach({ module, table }: DataInput, file: ReadableFile): DataTable {
    const { capi } = this.library;
    module.onError = () => (this.#clock.over() === undefined ? capi.SQLITE_IOERR : capi.SQLITE_INTERRUPT);
    const read = (target: Uint8Array, offset: number): number => {
      this.#vfs.beforeRead();
      this.#vfs.bytesRead += target.length;
      return file.read(target, offset);
    };
    try {
      const records = table({ size: this.size, read, remote: file.remote });
      const result = module.create(this.#db, records);
      if (result !== 0) throw this.failure(result);
      return records;
    } catch (error) {
      throw this.#clock.over() === undefined ? error : this.failure(capi.SQLITE_INTERRUPT);
    }
  }

  /** The column to select to show `column`: of a data file its text as written. */
  shownColumn(column: string): string {
    return this.data?.columns.some(({ name }) => name === column) ? writtenName(column) : column;
  }

  #configure(): void {
    const { capi } = this.library;
    const db = this.#db;
    // A statement can be stopped only here, between its steps, and before every read.
    capi.sqlite3_progress_handler(db, STEPS, this.#afterSteps, 0);
    const result = applySettings(this.library, db);
    if (result !== 0) throw this.failure(result);
    const { decide } = this.#authorizer;
    capi.sqlite3_set_authorizer(
      db,
      (_user, action, first, second) => decide(action, first || '', second || ''),
      0,
    );
  }

  readonly #afterSteps = (): number => {
    this.#steps += STEPS;
    this.#measure();
    return this.#overWork || this.#clock.over() !== undefined ? 1 : 0;
  };

  readonly #beforeRead = (): void => {
    this.#measure();
    // Counting a plain table takes no steps, so it can only be stopped at its reads.
    if (this.#overWork) this.library.capi.sqlite3_interrupt(this.#db);
    if (this.#clock.over() !== undefined) throw new Error('time is over');
  };

  #measure(): void {
    if (!this.#bound) return;
    if (this.#steps > this.#bound.steps || this.#vfs.bytesRead > this.#bound.bytes) this.#overWork = true;
  }
}

// Detects tables that cannot be read in a readable database: a view of a missing table, an unknown module.

/** The limit on work for describing a view or virtual table with its sample rows; about a second. */
const LOOK_WORK: StatementWork = { steps: 20_000_000, bytes: 256 * 1024 * 1024 };

const TOO_MUCH_WORK: TableProblem = { code: 'LIMIT', message: 'it takes too much work to find them' };
const TOO_MUCH_MEMORY: TableProblem = { code: 'LIMIT', message: 'it takes too much memory to find them' };

/** The result of `look` on one table, or the reason of its failure. */
export function lookAt<T>(connection: SqliteConnection, type: TableType, look: () => T): T | TableProblem {
  if (type === 'table' || type === 'shadow table') return look();
  try {
    return connection.within(LOOK_WORK, look)?.value ?? TOO_MUCH_WORK;
  } catch (error) {
    if (isUnreadable(connection, error)) return { code: 'SQL_ERROR', message: error.message };
    const { SQLITE_NOMEM } = connection.library.capi;
    if (error instanceof SqlFailure && error.result === SQLITE_NOMEM) return TOO_MUCH_MEMORY;
    throw error;
  }
}

/** Whether a failure concerns only this table, and not the file or a limit. */
export function isUnreadable(connection: SqliteConnection, error: unknown): error is SqlFailure {
  return (
    error instanceof SqlFailure && !error.stopped && error.result === connection.library.capi.SQLITE_ERROR
  );
}
