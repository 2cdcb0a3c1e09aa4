/** Validates `where=`: a single condition, without anything that ends it, comments it out or starts another clause. */

import { Refusal } from './sqlite-refusal.ts';

/** A token of SQL: a string, a quoted name, a comment, a word or a single character. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--|\/\*|[?:@$#][\p{L}\p{N}_]*|[\p{L}_][\p{L}\p{N}_$]*|\s+|[^]/gu;

/** Keywords that are not allowed in a condition. In quotes they are ordinary names. */
const CLAUSE = new Set(
  `ALTER ANALYZE ATTACH BEGIN COMMIT CREATE DELETE DETACH DROP EXCEPT GROUP HAVING INSERT INTERSECT LIMIT OFFSET ORDER
   PRAGMA REINDEX RELEASE RETURNING ROLLBACK SAVEPOINT UNION UPDATE VACUUM VALUES WINDOW`.split(/\s+/),
);

/** Throws `BAD_QUERY` unless `where` has the form of a condition. SQLite checks the rest when compiling. */
export function checkWhere(where: string): void {
  if (where.trim() === '') throw bad('where is empty');
  let depth = 0;
  for (const [token] of where.matchAll(TOKEN)) {
    if (token === '--' || token === '/*') throw bad('where may not hold comments');
    if (token === ';') throw bad('where is one condition and may not hold ";"');
    if (token === '\0') throw bad('where may not hold NUL');
    if ('\'"`['.includes(token)) throw bad(`where has a ${token} that is not closed`);
    if (/^[?:@$#]/.test(token)) throw bad(`where has a parameter ${token} that nothing is bound to`);
    if (CLAUSE.has(token.toUpperCase())) {
      const word = token.toUpperCase();
      throw bad(
        `where is one condition and may not hold ${word}; ask with ?q=, or quote it if it is a column`,
      );
    }
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth < 0) break;
  }
  if (depth !== 0) throw bad('where has parentheses that do not match');
}

function bad(why: string): Refusal {
  return new Refusal('BAD_QUERY', why);
}
