/**
 * Allows statements only to read this one database. SQLite asks about every action while compiling, so no keywords need to
 * be parsed. The file layer cannot write either; the authorizer gives refusals a reason.
 */

import type { Library } from './library.ts';

export interface Denial {
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

export class Authorizer {
  /** Why the authorizer refused the last statement, if it did. */
  denial: Denial | undefined;
  /** Whether SQLite asked about the last statement at all; for VACUUM it asks only when it runs. */
  wasAsked = false;
  readonly #capi: Library['capi'];

  constructor(library: Library) {
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

  /** Resets the state of the last statement. */
  reset(): void {
    this.denial = undefined;
    this.wasAsked = false;
  }

  /** Why a compiled statement may not run. A statement that writes but was not asked about is VACUUM. */
  refusal(writes: boolean): Denial {
    return writes && !this.wasAsked
      ? { code: 'DENIED', message: ONE_DATABASE }
      : { code: 'READ_ONLY', message: READ_ONLY };
  }

  #pragma(name: string, value: string): number {
    if (TELLING.has(name) && (value === '' || ASKING.has(name))) return 0;
    if (value !== '') return this.#refuse('READ_ONLY', READ_ONLY);
    return this.#refuse('DENIED', `PRAGMA ${name} is not allowed`);
  }

  #refuse(code: Denial['code'], message: string): number {
    this.denial = { code, message };
    return this.#capi.SQLITE_DENY;
  }
}

const ONE_DATABASE = 'Only this database can be read: ATTACH, DETACH and VACUUM are not allowed';
export const READ_ONLY = 'The database is read-only here: only statements that read are allowed';
