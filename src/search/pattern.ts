/** Converts ripgrep's message about an invalid pattern into an error. */

import { OrielError } from '../errors.ts';
import { oneLine, quote } from '../text/visible.ts';
import type { RegexHint } from '../types/result.ts';

/** The most characters of a pattern. A longer one is a mistake, and Linux limits one argument to 128 KiB. */
const MAX_PATTERN_CHARACTERS = 10_000;

/** The most characters of a pattern that is repeated in a suggested call. */
const MAX_SUGGESTED_CHARACTERS = 200;

/** Throws `BAD_REGEX` for patterns that can be rejected without a regex engine. */
export function checkPattern(pattern: string, multiline?: boolean): void {
  if (pattern.length > MAX_PATTERN_CHARACTERS) {
    throw bad(
      `The pattern is ${pattern.length} characters long; at most ${MAX_PATTERN_CHARACTERS} are allowed.`,
    );
  }
  const line = (multiline ? /\0/ : /[\n\0]/).exec(pattern);
  if (line) {
    const what = line[0] === '\n' ? 'a line break' : 'a NUL character';
    throw overLines(
      `holds ${what} at character ${line.index + 1}`,
      pattern,
      line[0] === '\n' ? multiline : true,
      pattern.length > MAX_SUGGESTED_CHARACTERS || isRegex(pattern) ? undefined : true,
    );
  }
}

/** The error for ripgrep's `stderr`; undefined if it does not report a problem of the pattern. */
export function badRegex(
  stderr: string,
  pattern: string,
  {
    multiline,
    lead = 0,
  }: { readonly multiline?: boolean | undefined; readonly lead?: number | undefined } = {},
): OrielError | undefined {
  if (stderr.includes('regex parse error:')) {
    const missing = /^error: .*(look-around|backreferences)/m.exec(stderr)?.[1];
    if (missing) return unsupported(missing, pattern);
    const isOpenEscape = (/\\*$/.exec(pattern)?.[0].length ?? 0) % 2 === 1;
    // ripgrep speaks of the group in which it wraps the pattern.
    const why = isOpenEscape
      ? 'the backslash escapes nothing'
      : (/^error: (.+)$/m.exec(stderr)?.[1] ?? 'it cannot be parsed');
    const at =
      (isOpenEscape && pattern.length) ||
      (/\bun(?:closed|opened) group/.test(why) && unbalancedGroup(pattern)) ||
      position(stderr, lead);
    const where = at === undefined ? '' : ` at character ${at}`;
    const escape = 'Escape special characters with a backslash';
    // A line has no line break.
    const isLine = !/[\r\n]/.test(pattern);
    const use = isLine ? `${escape}, or search for plain text with literal=true.` : `${escape}.`;
    return bad(
      `${quote(pattern)} is not a valid regular expression: ${why}${where}. ${use}`,
      isLine ? pattern : undefined,
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

/**
 * `multiline`: false if the tool has this parameter and it is off; undefined if the tool does not have it. `literal`: whether
 * the pattern is surely no regular expression.
 */
function overLines(
  what: string,
  pattern: string,
  multiline: boolean | undefined,
  literal?: true,
): OrielError {
  const offered = multiline === false;
  const use = `Use multiline=true${literal ? ' with literal=true' : ''}, or search`;
  const message = `The pattern ${what}: lines are searched one by one. ${offered ? use : 'Search'} for a part of one line.`;
  const short = offered && pattern.length <= MAX_SUGGESTED_CHARACTERS;
  const next = short ? JSON.stringify({ pattern, multiline: true, literal }) : undefined;
  return new OrielError('BAD_REGEX', message, { next });
}

/** What is in most regular expressions, and seldom in text with a line break, which is pasted code as a rule. */
const REGEX_SIGN = /\\[aftnrvAzbBdDsSwWpPxuU]|[.\])][*+?]/;

/** Whether the pattern is meant as a regular expression, and parses as one but for ripgrep's own flags and names of groups. */
function isRegex(pattern: string): boolean {
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern)) return true;
  if (!REGEX_SIGN.test(pattern)) return false;
  return isSuggestable(pattern.replaceAll(/\(\?[a-zA-Z-]+\)|(?<=\()\?(?:P?<\w+>|[a-zA-Z-]+:)/g, ''));
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
  const short = pattern !== undefined && pattern.length <= MAX_SUGGESTED_CHARACTERS;
  const next = short ? JSON.stringify({ pattern, literal: true }) : undefined;
  return new OrielError('BAD_REGEX', message, { next });
}

// Recognises patterns in the regex syntax of other tools, and gives the equivalent pattern here, or the nearest one that
// the engine supports.

/** An escape, as a whole. */
const ESCAPE = /\\(.)/gs;

/** Signs of POSIX basic regular expressions, of `pattern` without its escaped backslashes: `\|`, `a\+`, `\{2,3\}`, `\(…\)*`. */
const BASIC = /\\\||.\\[+?]|\\\{\d+(?:,\d*)?\\\}|\\\((?!\\\)).*?\\\)\*/s;

/**
 * The other syntax in which a pattern that finds nothing is probably written; undefined if there is no sign of one.
 */
export function foreignRegex(pattern: string): RegexHint | undefined {
  const slashed = /^\/(.+)\/([dgimsuy]*)$/.exec(pattern);
  if (slashed) {
    const [, inner = '', flags = ''] = slashed;
    return { kind: 'slashes', ...echoed(inner), ignoreCase: flags.includes('i') };
  }
  const called = pattern.replaceAll(/(?<!\\)\(\)/g, String.raw`\(\)`);
  if (called !== pattern) return { kind: 'empty-group', ...echoed(called) };
  if (!BASIC.test(pattern.replaceAll('\\\\', ''))) return undefined;
  // With groups in our syntax, only `\|` is from the other one.
  const operators = /(?<!\\)[()]/.test(pattern) ? '|' : '|(){}+?';
  const here = pattern.replaceAll(ESCAPE, (whole, escaped: string) =>
    operators.includes(escaped) ? escaped : whole,
  );
  return { kind: 'escaped-operators', ...echoed(here) };
}

/** Whether `pattern` has `\|` between words: it matches a literal bar although an alternative was meant. */
export function hasEscapedBar(pattern: string): boolean {
  return /\w\\\|\w/.test(pattern);
}

function echoed(pattern: string): { readonly pattern?: string | undefined } {
  return pattern.length <= MAX_SUGGESTED_CHARACTERS && isSuggestable(pattern) ? { pattern } : {};
}

/** What JavaScript takes as plain text, and ripgrep refuses: `\x` without digits, a brace that is no count. */
const REFUSED = /\\x(?![\da-f]{2}|\{)|\\u(?![\da-f]{4}|\{)|(?<!\\[pxu]?)\{(?!\d+(?:,\d*)?\})/i;

function isSuggestable(pattern: string): boolean {
  return isValid(pattern) && !REFUSED.test(pattern.replaceAll('\\\\', ''));
}

/** Checks with the JavaScript engine, which is close enough: both syntaxes agree on brackets and counts. */
function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern).source !== '(?:)';
  } catch {
    return false;
  }
}

/**
 * A pattern whose line breaks (`\n`, or the character) match CRLF too; plain text becomes a regular expression. Unchanged if it
 * is not valid, so that positions in errors are right, and with the flag `x`, by which a line break is only layout.
 */
export function overLineBreaks(pattern: string, literal: boolean): string {
  if (literal)
    return pattern
      .split(/\r?\n/)
      .map((line) => line.replaceAll(/[\\^$.*+?()[\]{}|#&~-]/g, String.raw`\$&`))
      .join(String.raw`\r?\n`);
  const plain = pattern.replaceAll(/\(\?[a-zA-Z-]+(:|\))/g, (_, end) => (end === ':' ? '(?:' : ''));
  if (!isValid(plain) || /\(\?[a-zA-Z]*x/.test(pattern)) return pattern;
  // An escape, the start of a class, or a character.
  let classes = 0;
  return pattern.replaceAll(/\\.|\[\^?\]?|[\]\n]/gsu, (found) => {
    if (found.startsWith('[')) classes += 1;
    else if (found === ']') classes = Math.max(0, classes - 1);
    else if (classes === 0 && (found === '\n' || found === String.raw`\n`)) return String.raw`(?:\r?\n)`;
    return found;
  });
}

/**
 * The pattern without look-around and with `.*` for backreferences, which matches all lines that the given one matches, and
 * perhaps more. Undefined if the pattern has neither, or if no word character would be left.
 */
export function relaxed(pattern: string): string | undefined {
  if (pattern.length > MAX_SUGGESTED_CHARACTERS) return undefined;
  const known = pattern
    .replaceAll(/\(\?<?[=!][^()]*\)/g, '')
    .replaceAll(/\\(?:k<\w+>|(.))/gs, (whole, escaped = '1') =>
      /[1-9]/.test(String(escaped)) ? '.*' : whole,
    );
  const isNearest = known !== pattern && /\w/.test(known) && !/\(\?<?[=!]/.test(known);
  return isNearest && isSuggestable(known) ? known : undefined;
}

// Finds a literal that every match of a pattern must contain: files without it need not be searched by ripgrep.

/** Escapes that match a kind of character or a position, so they end a literal. */
const KIND = /^[bBdDsSwW<>]$/;

const CONTROL = /\p{Cc}/u;

/**
 * The longest required literal of a pattern. Undefined if there is none, and for patterns that would need more analysis:
 * alternatives, counts, ignored case. Groups and classes are skipped.
 */
export function needleOf(
  pattern: string,
  how: { literal?: boolean | undefined; ignoreCase?: boolean | undefined },
): string | undefined {
  if (how.ignoreCase || !pattern.isWellFormed() || CONTROL.test(pattern)) return undefined;
  return (how.literal ? pattern : plainestOf(pattern)) || undefined;
}

function plainestOf(pattern: string): string {
  let [longest, piece] = ['', [] as string[]];
  const cut = (): void => {
    if (piece.length > longest.length) longest = piece.join('');
    piece = [];
  };
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] as string;
    if (character === '(' || character === '[') {
      const end = character === '(' ? groupEnd(characters, i) : classEnd(characters, i);
      if (end === undefined) return '';
      i = end;
      cut();
    } else if (')]{}|'.includes(character)) return '';
    else if (character === '\\') {
      i += 1;
      const escaped = characters[i] ?? '';
      if (KIND.test(escaped)) cut();
      else if (/^[!-/:-@[-`{-~]$/.test(escaped)) piece.push(escaped);
      else return '';
    } else if (
      character === '*' ||
      character === '?' ||
      /^\+[*+?]$/.test(characters.slice(i, i + 2).join(''))
    ) {
      // The character before the quantifier may be absent.
      piece.pop();
      cut();
    } else if ('+.^$'.includes(character)) cut();
    else piece.push(character);
  }
  cut();
  return longest;
}

/** The index of the parenthesis that closes a group; undefined for groups with flags or with classes in them. */
function groupEnd(characters: readonly string[], start: number): number | undefined {
  let depth = 0;
  for (let i = start; i < characters.length; i += 1) {
    const character = characters[i];
    if (character === '\\') i += 1;
    else if (character === '[') return undefined;
    else if (character === '(') {
      if (characters[i + 1] === '?' && characters[i + 2] !== ':') return undefined;
      depth += 1;
    } else if (character === ')') {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  return undefined;
}

/** The index of the bracket that closes a class; undefined unless it contains only characters that need no parsing. */
function classEnd(characters: readonly string[], start: number): number | undefined {
  const end = characters.indexOf(']', start);
  return end !== -1 && /^\^?[\w '"-]+$/.test(characters.slice(start + 1, end).join('')) ? end : undefined;
}
