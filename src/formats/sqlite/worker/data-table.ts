/**
 * A data file as the virtual table `data`: SQLite evaluates the query, and rows are read from the file as it steps. Beside
 * each column there is a hidden one with its text as written, and `json` with the text of a JSON record.
 */

import type { DataRow, DataTable, DataValue } from '../../data/records.ts';
import { encodeText } from '../../../text/encoding.ts';
import { identifier, sameName } from '../stored-text.ts';
import type { SqliteLibrary } from './library.ts';

export const DATA_TABLE = 'data';
/** The name of the module, which no other table can have. */
export const DATA_MODULE = 'oriel_data';
const JSON_COLUMN = 'json';

/** The part of `sqlite3_index_info` that is used; the types of the library lack its accessors. */
interface IndexInfo {
  readonly $nOrderBy: number;
  $orderByConsumed: number;
  nthOrderBy(n: number): { readonly $iColumn: number; readonly $desc: number };
  dispose(): void;
}

/** The most cursors of a statement, each of which holds a part of the file. */
const MAX_CURSORS = 4;

type Table = Pick<DataTable, 'columns' | 'cursor' | 'form'>;

/** The hidden column with the text of the column `name` as written. */
export function writtenName(name: string): string {
  return `${name} as written`;
}

function declarationOf({ columns, form }: Table): string {
  const isJson = form.kind !== 'separated';
  const shown = columns.map(
    ({ name, isNumeric }) => `${identifier(name)}${isJson ? '' : isNumeric ? ' numeric' : ' text'}`,
  );
  const hidden = columns.map(({ name }) => `${identifier(writtenName(name))} hidden`);
  const hasText = isJson && !columns.some(({ name }) => sameName(name, JSON_COLUMN));
  return `create table x(${[...shown, ...hidden, ...(hasText ? [`${JSON_COLUMN} text hidden`] : [])].join(', ')})`;
}

type DataModuleMaker = (db: number, name: string, module: number, data: number) => number;

interface OpenCursor {
  records: DataRow;
  atEnd: boolean;
}

/** The module of such tables; made once for a thread, because its functions stay in the memory of the library. */
export class DataModule {
  /** The code of SQLite for a failed read: interrupted, or an error of the file. */
  onError: (error: unknown) => number = () => 1;
  readonly #library: SqliteLibrary;
  readonly #module: number;
  readonly #cursors = new Map<number, OpenCursor>();
  #table: Table | undefined;
  /** Memory of the library for texts on their way to SQLite. */
  #room = { at: 0, bytes: 0 };

  constructor(library: SqliteLibrary) {
    this.#library = library;
    const { capi, vtab, wasm } = library;
    const guarded = (act: () => void): number => {
      try {
        act();
        return 0;
      } catch (error) {
        return this.onError(error);
      }
    };
    const connect = (db: number, _aux: number, _count: number, _args: number, at: number): number => {
      if (!this.#table) return capi.SQLITE_ERROR;
      const result = capi.sqlite3_declare_vtab(db, declarationOf(this.#table));
      if (result === 0) vtab.xVtab.create(at);
      return result;
    };
    const disconnect = (table: number): number => {
      vtab.xVtab.dispose(table);
      return 0;
    };
    const module = new capi.sqlite3_module();
    (vtab.setupModule as unknown as (setup: object) => void)({
      struct: module,
      methods: {
        xCreate: connect,
        xConnect: connect,
        xDisconnect: disconnect,
        xDestroy: disconnect,
        xBestIndex: (_table: number, index: number) => this.#choose(index),
        xOpen: (_table: number, at: number) => {
          if (!this.#table || this.#cursors.size >= MAX_CURSORS) return capi.SQLITE_NOMEM;
          const { pointer } = vtab.xCursor.create(at);
          return guarded(() => {
            this.#cursors.set(pointer, { records: (this.#table as Table).cursor(), atEnd: true });
          });
        },
        xClose: (cursor: number) => {
          this.#cursors.delete(cursor);
          vtab.xCursor.dispose(cursor);
          return 0;
        },
        xFilter: (cursor: number) =>
          guarded(() => {
            const open = this.#cursor(cursor);
            open.records = (this.#table as Table).cursor();
            open.atEnd = !open.records.next();
          }),
        xNext: (cursor: number) =>
          guarded(() => {
            const open = this.#cursor(cursor);
            open.atEnd = !open.records.next();
          }),
        xEof: (cursor: number) => (this.#cursor(cursor).atEnd ? 1 : 0),
        xColumn: (cursor: number, context: number, at: number) =>
          guarded(() => {
            this.#give(context, this.#valueOf(this.#cursor(cursor).records, at));
          }),
        xRowid: (cursor: number, at: number) => {
          wasm.poke64(at, BigInt(this.#cursor(cursor).records.at));
          return 0;
        },
      },
    });
    this.#module = module.pointer as number;
  }

  /** Makes `table` the table `data` of the database. Returns SQLite's code, 0 if it went well. */
  create(db: number, table: Table): number {
    const { capi } = this.#library;
    this.#table = table;
    this.#cursors.clear();
    const result = (capi.sqlite3_create_module as DataModuleMaker)(db, DATA_MODULE, this.#module, 0);
    if (result !== 0) return result;
    const sql = `create virtual table ${DATA_TABLE} using ${DATA_MODULE}`;
    return capi.sqlite3_exec(db, sql, 0, 0, 0);
  }

  #cursor(pointer: number): OpenCursor {
    const cursor = this.#cursors.get(pointer);
    if (!cursor) throw new TypeError('not an open cursor');
    return cursor;
  }

  #valueOf(records: DataRow, at: number): DataValue {
    const { columns = [] } = this.#table ?? {};
    if (at >= 2 * columns.length) return records.text;
    return at < columns.length ? records.value(at, false) : records.value(at - columns.length, true);
  }

  /** Rows are in the order of their rowids. */
  #choose(at: number): number {
    const { vtab } = this.#library;
    const index = vtab.xIndexInfo(at) as unknown as IndexInfo;
    try {
      if (index.$nOrderBy === 1) {
        const order = index.nthOrderBy(0);
        if (order.$iColumn === -1 && !order.$desc) index.$orderByConsumed = 1;
      }
      return 0;
    } finally {
      index.dispose();
    }
  }

  #give(context: number, value: DataValue): void {
    const { wasm } = this.#library;
    const give = wasm.exports as unknown as Record<string, (...values: (number | bigint)[]) => void>;
    if (value === null) give['sqlite3_result_null']?.(context);
    else if (typeof value === 'bigint') give['sqlite3_result_int64']?.(context, value);
    else if (typeof value === 'number') give['sqlite3_result_double']?.(context, value);
    else {
      // At least one byte: a text without an address is NULL.
      const most = value.length * 3 + 1;
      if (most > this.#room.bytes) {
        if (this.#room.at !== 0) wasm.dealloc(this.#room.at);
        this.#room = { at: wasm.alloc(most * 2), bytes: most * 2 };
      }
      const { at, bytes } = this.#room;
      const place = wasm.heap8u().subarray(at, at + bytes);
      const encoded = value.isWellFormed() ? undefined : encodeText(value);
      if (encoded) place.set(encoded);
      const length = encoded ? encoded.length : utf8.encodeInto(value, place).written;
      // -1: SQLite copies the text.
      give['sqlite3_result_text']?.(context, at, length, -1);
    }
  }
}

const utf8 = new TextEncoder();
