/** Converts ripgrep's message about an invalid pattern into an error. */

import { OrielError } from '../../errors.ts';
import { oneLine, quote } from '../../text/visible.ts';
import { relaxed } from './foreign-regex.ts';

/** The most characters of a pattern. A longer one is a mistake, and Linux limits one argument to 128 KiB. */
const MOST_CHARACTERS = 10_000;

/** The most characters of a pattern that is repeated in a suggested call. */
const MOST_ECHOED = 200;

/** Throws `BAD_REGEX` for patterns that can be rejected without a regex engine. */
export function checkPattern(pattern: string, multiline?: boolean): void {
  if (pattern.length > MOST_CHARACTERS) {
    throw bad(`The pattern is ${pattern.length} characters long; at most ${MOST_CHARACTERS} are allowed.`);
  }
  const line = (multiline ? /\0/ : /[\n\0]/).exec(pattern);
  if (line) {
    const what = line[0] === '\n' ? 'a line break' : 'a NUL character';
    throw overLines(
      `holds ${what} at character ${line.index + 1}`,
      pattern,
      line[0] === '\n' ? multiline : true,
    );
  }
}

/** The error for ripgrep's `stderr`; undefined if it does not report a problem of the pattern. */
export function badRegex(
  stderr: string,
  pattern: string,
  { multiline, lead = 0 }: { readonly multiline?: boolean | undefined; readonly lead?: number } = {},
): OrielError | undefined {
  if (stderr.includes('regex parse error:')) {
    const missing = /^error: .*(look-around|backreferences)/m.exec(stderr)?.[1];
    if (missing) return unsupported(missing, pattern);
    const why = /^error: (.+)$/m.exec(stderr)?.[1] ?? 'it cannot be parsed';
    const at =
      (/\bun(?:closed|opened) group/.test(why) && unbalancedGroup(pattern)) || position(stderr, lead);
    const where = at === undefined ? '' : ` at character ${at}`;
    return bad(
      `${quote(pattern)} is not a valid regular expression: ${why}${where}. Escape special characters with a backslash, or search for plain text with literal=true.`,
      pattern,
    );
  }
  if (/exceeds size limit/.test(stderr)) {
    return bad(`The regular expression ${quote(pattern)} is too large. Use smaller repetition counts.`);
  }
  if (/is not allowed in a regex/.test(stderr)) {
    return overLines('matches a line break', pattern, multiline);
  }
  return undefined;
}

/** `multiline`: false if the tool has this parameter and it is off; undefined if the tool does not have it. */
function overLines(what: string, pattern: string, multiline: boolean | undefined): OrielError {
  const offered = multiline === false;
  const instead = offered ? 'Use multiline=true, or search' : 'Search';
  const message = `The pattern ${what}: lines are searched one by one. ${instead} for a part of one line.`;
  const short = offered && pattern.length <= MOST_ECHOED;
  const next = short ? JSON.stringify({ pattern, multiline: true }) : undefined;
  return new OrielError('BAD_REGEX', message, { next });
}

/** The error for features that a linear-time engine does not support, such as look-around. */
function unsupported(what: string, pattern: string): OrielError {
  const nearest = relaxed(pattern);
  const instead =
    nearest === undefined
      ? 'Search for a plain part of it and read the lines around.'
      : `Use pattern ${oneLine(nearest)}, which finds these lines and perhaps more.`;
  const next = nearest === undefined ? undefined : JSON.stringify({ pattern: nearest });
  const message = `${quote(pattern)} uses ${what}, which this engine does not have (its time is linear). ${instead}`;
  return new OrielError('BAD_REGEX', message, { next });
}

/**
 * The position (1-based) of an unbalanced parenthesis: the last unclosed one, or the first without an opening one; undefined
 * if all match. ripgrep wraps the pattern in its own group, so for this error its carets point to the wrong place.
 */
function unbalancedGroup(pattern: string): number | undefined {
  const open: number[] = [];
  let classes = 0;
  // An escape, the start of a class (in which a first `]` is literal), or one character that matters here.
  for (const { 0: found, index } of pattern.matchAll(/\\.|\[\^?\]?|[()\]]/gsu)) {
    if (found.startsWith('[')) classes += 1;
    else if (found === ']') classes = Math.max(0, classes - 1);
    else if (classes > 0 || found.startsWith('\\')) continue;
    else if (found === '(') open.push(index + 1);
    else if (open.pop() === undefined) return index + 1;
  }
  return open.at(-1);
}

/** The position (1-based) of the error: ripgrep prints `    (?:PATTERN)` and puts carets below it. */
function position(stderr: string, lead: number): number | undefined {
  const carets = /^( *)\^/m.exec(stderr)?.[1];
  return carets === undefined ? undefined : Math.max(1, carets.length - '    (?:'.length - lead + 1);
}

function bad(message: string, pattern?: string): OrielError {
  const short = pattern !== undefined && pattern.length <= MOST_ECHOED;
  const next = short ? JSON.stringify({ pattern, literal: true }) : undefined;
  return new OrielError('BAD_REGEX', message, { next });
}
