/** Owns wording what ripgrep says about a pattern that it does not take. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';

/** Characters; a longer one is a mistake, and the system's limit on one argument lies at 128 KiB. */
const MOST_CHARACTERS = 10_000;

/** Characters of a pattern that come back in a suggested call. */
const MOST_ECHOED = 200;

/** Throws `BAD_REGEX` for what needs no regex engine to be refused. */
export function checkPattern(pattern: string): void {
  if (pattern.length > MOST_CHARACTERS) {
    throw bad(`The pattern is ${pattern.length} characters long; at most ${MOST_CHARACTERS} are allowed.`);
  }
  const line = /[\n\0]/.exec(pattern);
  if (line) {
    const what = line[0] === '\n' ? 'a line break' : 'a NUL character';
    throw bad(
      `The pattern holds ${what} at character ${line.index + 1}: lines are searched one by one. Search for a part of one line.`,
    );
  }
}

/** The error that `stderr` stands for, or undefined when it says nothing about the pattern. */
export function badRegex(stderr: string, pattern: string): OrielError | undefined {
  if (stderr.includes('regex parse error:')) {
    const why = /^error: (.+)$/m.exec(stderr)?.[1] ?? 'it cannot be parsed';
    const at = position(stderr);
    const where = at === undefined ? '' : ` at character ${at}`;
    return bad(
      `${quote(pattern)} is not a valid regular expression: ${why}${where}. Escape special characters with a backslash, or search for plain text with literal.`,
      pattern,
    );
  }
  if (/exceeds size limit/.test(stderr)) {
    return bad(`The regular expression ${quote(pattern)} is too large. Use smaller repetition counts.`);
  }
  if (/is not allowed in a regex/.test(stderr)) {
    return bad(
      'The pattern matches a line break: lines are searched one by one. Search for a part of one line.',
    );
  }
  return undefined;
}

/** 1-based: ripgrep repeats the pattern as `    (?:PATTERN)` and puts carets under the fault. */
function position(stderr: string): number | undefined {
  const carets = /^( *)\^/m.exec(stderr)?.[1];
  return carets === undefined ? undefined : Math.max(1, carets.length - '    (?:'.length + 1);
}

function bad(message: string, pattern?: string): OrielError {
  const short = pattern !== undefined && pattern.length <= MOST_ECHOED;
  const next = short ? JSON.stringify({ pattern, literal: true }) : undefined;
  return new OrielError('BAD_REGEX', message, { next });
}
