/** Converts failures in the worker to data: a code, a sentence, and a next call. */

import { errno } from '../../../access/system-failure.ts';
import type { ErrorCode } from '../../../errors.ts';
import type { Ask, Failure } from '../sqlite-protocol.ts';
import { echo, Refusal, TOO_LONG } from '../sqlite-refusal.ts';
import { READ_ONLY } from './authorizer.ts';
import type { Connection } from './connection.ts';
import type { Library } from './library.ts';
import { knownNames } from './known-names.ts';
import { VALUE_LIMIT } from './connection-settings.ts';
import { SqlFailure } from './statement-limits.ts';

/** `connection` (if one was opened) is used to suggest existing names. */
export function toFailure(library: Library, error: unknown, ask: Ask, connection?: Connection): Failure {
  if (error instanceof Refusal) return fail(error.code, error.message, error.rest);
  if (error instanceof SqlFailure) return sqlFailure(library, error, ask, connection);
  if (errno(error) === 'EIO') return fail('CORRUPT', 'The database could not be read: input/output error');
  return fail('INTERNAL', error instanceof Error ? error.message : String(error));
}

function sqlFailure(
  { capi }: Library,
  error: SqlFailure,
  ask: Ask,
  connection: Connection | undefined,
): Failure {
  if (error.stopped === 'cancelled') return fail('CANCELLED', 'The query was cancelled');
  if (error.stopped === 'time') return fail('TIMEOUT', TOO_LONG);
  if (error.denial) return fail(error.denial.code, error.denial.message);
  // SQLite protects the shadow tables of virtual tables with this message.
  if (error.message.endsWith('may not be modified')) return fail('READ_ONLY', READ_ONLY);
  switch (error.result) {
    case capi.SQLITE_CORRUPT:
    case capi.SQLITE_NOTADB:
    case capi.SQLITE_IOERR:
      return fail('CORRUPT', `The database is damaged: ${error.message}`);
    case capi.SQLITE_READONLY:
      return fail('READ_ONLY', READ_ONLY);
    case capi.SQLITE_NOMEM:
      return fail('LIMIT', 'The query needs more memory than it may have');
    case capi.SQLITE_TOOBIG:
      return fail(
        'LIMIT',
        `A value or the SQL is larger than ${VALUE_LIMIT / 1024 / 1024} MiB allows: ${error.message}`,
      );
    case capi.SQLITE_CANTOPEN:
      return fail('UNSUPPORTED', 'The query needs a temporary file, which is not allowed');
    default: {
      const { known, rest } = connection ? knownNames(connection, error.message, ask) : { known: '' };
      // A condition that does not compile is a bad parameter; other SQL is an SQL error.
      const isCondition = ask.do === 'query' && ask.where !== undefined;
      return fail(isCondition ? 'BAD_QUERY' : 'SQL_ERROR', echo(error.message) + known, rest);
    }
  }
}

function fail(code: ErrorCode, message: string, rest?: string): Failure {
  return { is: 'error', code, message, ...(rest === undefined ? {} : { rest }) };
}
