/** A compiled statement: binds parameters, steps, and reads the exact stored values. */

import type { SqliteCell } from '../protocol.ts';
import { decodeText, encodeText } from '../../../text/encoding.ts';
import type { SqliteLibrary } from './library.ts';

interface StatementCompiler {
  readonly library: SqliteLibrary;
  failure(result: number): SqlFailure;
}

export class SqliteStatement {
  readonly columns: readonly string[];
  readonly #compiler: StatementCompiler;
  readonly #pointer: number;

  constructor(compiler: StatementCompiler, pointer: number) {
    this.#compiler = compiler;
    this.#pointer = pointer;
    const { capi } = compiler.library;
    const count = capi.sqlite3_column_count(pointer);
    this.columns = Array.from({ length: count }, (_, at) => capi.sqlite3_column_name(pointer, at) ?? '');
  }

  get parameters(): number {
    return this.#compiler.library.capi.sqlite3_bind_parameter_count(this.#pointer);
  }

  bind(values: readonly (string | number | bigint | Uint8Array)[]): void {
    const { capi, wasm } = this.#compiler.library;
    for (const [at, value] of values.entries()) {
      if (typeof value === 'bigint') capi.sqlite3_bind_int64(this.#pointer, at + 1, value);
      else if (typeof value === 'number') capi.sqlite3_bind_double(this.#pointer, at + 1, value);
      else {
        // Bound with an explicit length, because text can contain NUL.
        const bytes = typeof value === 'string' ? encodeText(value) : value;
        const place = wasm.alloc(Math.max(1, bytes.length));
        wasm.heap8u().set(bytes, place);
        const bind = typeof value === 'string' ? capi.sqlite3_bind_text : capi.sqlite3_bind_blob;
        bind(this.#pointer, at + 1, place, bytes.length, capi.SQLITE_WASM_DEALLOC);
      }
    }
  }

  /** Moves to the next row; returns false after the last one. Throws SqlFailure. */
  step(): boolean {
    const { capi } = this.#compiler.library;
    const result = capi.sqlite3_step(this.#pointer);
    if (result === capi.SQLITE_ROW) return true;
    if (result === capi.SQLITE_DONE) return false;
    throw this.#compiler.failure(result);
  }

  /** The value in column `at` (0-based); of a text at most `most` bytes. */
  cell(at: number, most: number): SqliteCell {
    const { capi, wasm } = this.#compiler.library;
    switch (capi.sqlite3_column_type(this.#pointer, at)) {
      case capi.SQLITE_INTEGER:
        return capi.sqlite3_column_int64(this.#pointer, at);
      case capi.SQLITE_FLOAT:
        return capi.sqlite3_column_double(this.#pointer, at);
      case capi.SQLITE_TEXT: {
        const place = capi.sqlite3_column_blob(this.#pointer, at);
        const bytes = capi.sqlite3_column_bytes(this.#pointer, at);
        const shown = Math.min(bytes, most);
        const text = decodeText(wasm.heap8u().subarray(place, place + shown), shown < bytes);
        return { kind: 'text', text, bytes, clipped: shown < bytes };
      }
      case capi.SQLITE_BLOB:
        return { kind: 'blob', bytes: capi.sqlite3_column_bytes(this.#pointer, at) };
      default:
        return null;
    }
  }

  /** Moves back before the first row; bound values are kept. */
  reset(): void {
    this.#compiler.library.capi.sqlite3_reset(this.#pointer);
  }

  finalize(): void {
    this.#compiler.library.capi.sqlite3_finalize(this.#pointer);
  }
}

// The limits of a statement: a deadline, and amounts of work that are independent of the machine.

/** Checked every few microseconds to see whether to stop. */
export interface StatementClock {
  /** The reason to stop now; undefined to continue. */
  over(): 'time' | 'cancelled' | undefined;
}

/** An amount of work: steps of SQLite's virtual machine, and bytes read from files. */
export interface StatementWork {
  readonly steps: number;
  readonly bytes: number;
}

const SQLITE_CORRUPT = 11;

/** The failure of a statement: SQLite's code and message, or the reason why it was refused or stopped. */
export class SqlFailure extends Error {
  readonly result: number;
  readonly denial: SqlDenial | undefined;
  readonly stopped: 'time' | 'cancelled' | 'work' | undefined;

  get isDamage(): boolean {
    return this.result === SQLITE_CORRUPT;
  }

  constructor(result: number, message: string, denial?: SqlDenial, stopped?: SqlFailure['stopped']) {
    super(message);
    this.name = 'SqlFailure';
    this.result = result;
    this.denial = denial;
    this.stopped = stopped;
  }
}

// Allows statements only to read this one database. SQLite asks about every action while compiling, so no keywords need to
// be parsed. The file layer cannot write either; the authorizer gives refusals a reason.

interface SqlDenial {
  readonly code: 'READ_ONLY' | 'DENIED';
  readonly message: string;
}

/** Pragmas that only read, with or without an argument such as a table name. */
const TELLING = new Set(
  `application_id auto_vacuum cell_size_check collation_list compile_options data_version database_list encoding
   foreign_key_check foreign_key_list freelist_count function_list index_info index_list index_xinfo integrity_check
   mmap_size module_list page_count page_size pragma_list query_only quick_check schema_version table_info table_list
   table_xinfo trusted_schema user_version`.split(/\s+/),
);

/** Those pragmas whose argument does not set anything. */
const ASKING = new Set(
  `foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check quick_check table_info
   table_list table_xinfo`.split(/\s+/),
);

const FORBIDDEN_FUNCTION = /^(load_extension|readfile|writefile|edit|fts3_tokenizer)$/i;

/** Opening an R-tree for reading compiles writes to these tables. Statements are checked again when they run. */
const RTREE_SHADOW = /_(node|rowid|parent)$/i;

export class SqliteAuthorizer {
  /** Why the authorizer refused the last statement, if it did. */
  denial: SqlDenial | undefined;
  /** Whether SQLite asked about the last statement at all; for VACUUM it asks only when it runs. */
  wasAsked = false;
  readonly #capi: SqliteLibrary['capi'];

  constructor(library: SqliteLibrary) {
    this.#capi = library.capi;
  }

  /** SQLite's callback: 0 allows the action. */
  readonly decide = (action: number, first: string, second: string): number => {
    const capi = this.#capi;
    this.wasAsked = true;
    switch (action) {
      case capi.SQLITE_SELECT:
      case capi.SQLITE_READ:
      case capi.SQLITE_RECURSIVE:
        return 0;
      case capi.SQLITE_FUNCTION:
        return FORBIDDEN_FUNCTION.test(second)
          ? this.#refuse('DENIED', `The function ${second} is not allowed`)
          : 0;
      case capi.SQLITE_PRAGMA:
        return this.#pragma(first.toLowerCase(), second);
      case capi.SQLITE_INSERT:
      case capi.SQLITE_UPDATE:
      case capi.SQLITE_DELETE:
        return RTREE_SHADOW.test(first) ? 0 : this.#refuse('READ_ONLY', READ_ONLY);
      case capi.SQLITE_ATTACH:
      case capi.SQLITE_DETACH:
        return this.#refuse('DENIED', ONE_DATABASE);
      default:
        return this.#refuse('READ_ONLY', READ_ONLY);
    }
  };

  reset(): void {
    this.denial = undefined;
    this.wasAsked = false;
  }

  /** Why a compiled statement may not run. A statement that writes but was not asked about is VACUUM. */
  refusal(writes: boolean): SqlDenial {
    return writes && !this.wasAsked
      ? { code: 'DENIED', message: ONE_DATABASE }
      : { code: 'READ_ONLY', message: READ_ONLY };
  }

  #pragma(name: string, value: string): number {
    if (TELLING.has(name) && (value === '' || ASKING.has(name))) return 0;
    if (value !== '') return this.#refuse('READ_ONLY', READ_ONLY);
    return this.#refuse('DENIED', `PRAGMA ${name} is not allowed`);
  }

  #refuse(code: SqlDenial['code'], message: string): number {
    this.denial = { code, message };
    return this.#capi.SQLITE_DENY;
  }
}

const ONE_DATABASE = 'Only this database can be read: ATTACH, DETACH and VACUUM are not allowed';
export const READ_ONLY = 'The database is read-only here: only statements that read are allowed';
