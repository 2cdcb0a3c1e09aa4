/** Detects tables that cannot be read in a readable database: a view of a missing table, an unknown module. */

import type { TableType, Unreadable } from '../sqlite-protocol.ts';
import type { Connection } from './connection.ts';
import { SqlFailure, type Work } from './statement-limits.ts';

/** The limit on work for describing a view or virtual table with its sample rows; about a second. */
const LOOK_WORK: Work = { steps: 20_000_000, bytes: 256 * 1024 * 1024 };

const TOO_MUCH_WORK: Unreadable = { code: 'LIMIT', message: 'it takes too much work to find them' };
const TOO_MUCH_MEMORY: Unreadable = { code: 'LIMIT', message: 'it takes too much memory to find them' };

/** The result of `look` on one table, or the reason of its failure. */
export function lookAt<T>(connection: Connection, type: TableType, look: () => T): T | Unreadable {
  if (type === 'table' || type === 'shadow table') return look();
  try {
    return connection.within(LOOK_WORK, look)?.value ?? TOO_MUCH_WORK;
  } catch (error) {
    if (isUnreadable(connection, error)) return { code: 'SQL_ERROR', message: error.message };
    if (isOutOfMemory(connection, error)) return TOO_MUCH_MEMORY;
    throw error;
  }
}

function isOutOfMemory(connection: Connection, error: unknown): boolean {
  return error instanceof SqlFailure && error.result === connection.library.capi.SQLITE_NOMEM;
}

/** Whether a failure concerns only this table, and not the file or a limit. */
export function isUnreadable(connection: Connection, error: unknown): error is SqlFailure {
  return (
    error instanceof SqlFailure && !error.stopped && error.result === connection.library.capi.SQLITE_ERROR
  );
}
