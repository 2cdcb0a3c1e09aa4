/** A read-only connection: compiles statements, stops them at their limits, and explains their failures. */

import { decodeText, encodeText } from '../stored-text.ts';
import { Authorizer } from './authorizer.ts';
import type { Library } from './library.ts';
import { applySettings } from './connection-settings.ts';
import { Statement } from './statement.ts';
import { DATABASE, type Files, type ReadOnlyVfs, VFS_NAME } from './vfs.ts';
import { type Clock, SqlFailure, type Work } from './statement-limits.ts';

/** Virtual machine steps between two checks of the clock, about 10 µs. */
const STEPS = 1000;

export class Connection {
  readonly library: Library;
  /** The size of the database in bytes, without its log. */
  readonly size: number;
  /** Whether reading needs requests to a server. */
  readonly remote: boolean;
  readonly #db: number;
  readonly #vfs: ReadOnlyVfs;
  readonly #clock: Clock;
  readonly #authorizer: Authorizer;
  /** The limit for `worked`, while `within` runs. */
  #bound: Work | undefined;
  #steps = 0;
  #overWork = false;

  /** Opens the file `database` of `files`. Throws SqlFailure. */
  constructor(library: Library, vfs: ReadOnlyVfs, files: Files, clock: Clock) {
    this.library = library;
    this.#vfs = vfs;
    this.#clock = clock;
    this.#authorizer = new Authorizer(library);
    vfs.serve(files);
    vfs.bytesRead = 0;
    this.size = files.get(DATABASE)?.size() ?? 0;
    this.remote = files.get(DATABASE)?.remote ?? false;
    vfs.beforeRead = this.#beforeRead;
    const { capi, wasm } = library;
    const scope = wasm.scopedAllocPush();
    try {
      const dbAt = wasm.scopedAlloc(8);
      const result = capi.sqlite3_open_v2(`${DATABASE}`, dbAt, capi.SQLITE_OPEN_READONLY, VFS_NAME);
      this.#db = wasm.peekPtr(dbAt);
      if (result !== 0) throw this.failure(result);
    } finally {
      wasm.scopedAllocPop(scope);
    }
    try {
      this.#configure();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Compiles the single statement of `sql` and binds `values` to its parameters. The caller must finalize it. */
  prepare(sql: string, values: readonly (string | number | bigint | Uint8Array)[] = []): Statement {
    const { statement, rest } = this.compile(sql);
    if (!statement || rest.trim() !== '') {
      statement?.finalize();
      throw new SqlFailure(this.library.capi.SQLITE_MISUSE, 'not one statement');
    }
    statement.bind(values);
    return statement;
  }

  /** Compiles the first statement of `sql`; `rest` is the SQL after it. No statement for blanks and comments. */
  compile(sql: string): { statement: Statement | undefined; rest: string } {
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
      const statement = new Statement(this, pointer);
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
  within<T>(work: Work, act: () => T): { readonly value: T; readonly share: number } | undefined {
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

  /** The work done since the connection was opened. */
  get worked(): Work {
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

  /** The failure for a result code, with SQLite's message. */
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
