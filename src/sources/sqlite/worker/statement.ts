/** A compiled statement: binds parameters, steps, and reads the exact stored values. */

import type { Cell } from '../sqlite-protocol.ts';
import { decodeText, encodeText } from '../stored-text.ts';
import type { Library } from './library.ts';
import type { SqlFailure } from './statement-limits.ts';

/** The part of a connection that a statement needs. */
export interface Compiler {
  readonly library: Library;
  /** The failure for a result code. */
  failure(result: number): SqlFailure;
}

export class Statement {
  /** The names of the result columns, in order. */
  readonly columns: readonly string[];
  readonly #compiler: Compiler;
  readonly #pointer: number;

  constructor(compiler: Compiler, pointer: number) {
    this.#compiler = compiler;
    this.#pointer = pointer;
    const { capi } = compiler.library;
    const count = capi.sqlite3_column_count(pointer);
    this.columns = Array.from({ length: count }, (_, at) => capi.sqlite3_column_name(pointer, at) ?? '');
  }

  /** The number of parameters. */
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
  cell(at: number, most: number): Cell {
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
        return { is: 'text', text, bytes, clipped: shown < bytes };
      }
      case capi.SQLITE_BLOB:
        return { is: 'blob', bytes: capi.sqlite3_column_bytes(this.#pointer, at) };
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
