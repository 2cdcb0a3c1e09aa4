/**
 * Alternative forms of a path that does not exist as typed: without the quotes, escapes or positions that people, shells,
 * compilers and browsers add. They are tried only if no file has the literal name.
 */

import { expandBraces } from '../files/glob-text.ts';
import { otherSpelling } from './parse-window.ts';
import { isSelector } from './selection.ts';

/** Longer strings are not rewritten: a path with additions is shorter than this many characters. */
const MAX_REWRITTEN_CHARACTERS = 16_384;

/** Maximum positions that are tried as the end of a container's name. */
const MAX_CONTAINER_POSITIONS = 64;

/** Without quotes, without shell escapes, with `/` instead of `\`. The most likely form is first. */
export function pathRewrites(path: string): string[] {
  if (path.length > MAX_REWRITTEN_CHARACTERS) return [];
  const bare = unquoted(path);
  const unescaped = bare.replace(/\\([^\w./\\]|\\)/g, '$1');
  const slashed = /^([a-z]:|\\\\)/i.test(bare) ? bare : bare.replaceAll('\\', '/');
  return others(path, [bare, unescaped, slashed]);
}

/** As `pathRewrites`; also translates positions after the path, and a `/` after the name of a container. */
export function targetRewrites(target: string, holds: (name: string) => boolean): string[] {
  if (target.length > MAX_REWRITTEN_CHARACTERS) return [];
  // A symbol without a path is searched below the working directory.
  if (/^#[\p{L}_$]/u.test(target)) return [`.:${target}`];
  const paths = [target, ...pathRewrites(target), tidied(target), ...unwrapped(target)];
  const located = paths.map((path) => withSelector(path) ?? path);
  return others(target, [...paths, ...located, ...located.flatMap((path) => containers(path, holds))]);
}

/**
 * Translates positions to selectors: `file.ts#L10-L20` and `file.ts#L10` of browsers, `file.ts(12,5)` and
 * `File "x.py", line 12` of compilers, `file.ts (lines 5-10)` of people; undefined for anything else. A single position
 * becomes `file.ts:12:1`.
 */
export function withSelector(target: string): string | undefined {
  const hash = /^(.+)#L?(\d+)(?:C\d+|,\d+)?(?:(?:-|\.\.|:)L?(\d+)(?:C\d+|,\d+)?)?$/i.exec(target);
  if (hash) return `${hash[1]}:${hash[2]}${hash[3] === undefined ? ':1' : `-${hash[3]}`}`;
  const place =
    /^(.+)\((\d+)(?:,\s*\d+)?\):?$/.exec(target) ??
    /^(?:File )?"?([^"]+)"?, line (\d+)(?:, in .*)?$/.exec(target);
  if (place) return `${place[1]}:${place[2]}:1`;
  const range =
    /^(.+?) ?(?:\(|\[|\{)L?(\d+)(?:-|\.\.|, ?)L?(\d+)[)\]}]$/i.exec(target) ??
    /^(.+)@L?(\d+)(?:-L?(\d+))?$/i.exec(target) ??
    /^(.*\.\w{1,16}),? L?(\d+)(?:(?:-| )L?(\d+))?$/i.exec(target);
  if (range) return `${range[1]}:${range[2]}${range[3] === undefined ? '' : `-${range[3]}`}`;
  const words = /^([^"]*[^",( ]),? \(?((?:lines?|ln) [^()"]{1,60})\)?$/i.exec(target);
  const lines = words && otherSpelling(words[2] as string);
  return lines ? `${words[1]}:${lines}` : undefined;
}

/** Translates `file.ts#Server.start`, the notation of several documentation tools, to `file.ts:#Server.start`. */
export function withSymbol(target: string): string | undefined {
  const match = /^([^#]+)#([\p{L}_$][^#:/]*)$/u.exec(target);
  return match ? `${match[1]}:#${match[2]}` : undefined;
}

/** Translates the fragment of a file URL to a selector. Other targets, and `:#name` after a URL, are returned unchanged. */
export function withFragment(target: string): string {
  if (!/^file:\/\/[^#]*[^#:]#/i.test(target)) return target;
  return withSelector(target) ?? withSymbol(target) ?? target;
}

/**
 * Removes leading spaces, spaces before the colon (which may be full-width) and after a selector, and trailing newlines;
 * completes `file:/path`. Spaces after a name are kept: on Windows, where they are ignored, two names would be one file.
 */
function tidied(target: string): string {
  const front = target.trimStart();
  const colon = Math.max(front.lastIndexOf(':'), front.lastIndexOf('\uff1a'));
  const typed = colon > front.lastIndexOf('/') ? front.trimEnd() : front.replace(/(?<![\r\n])[\r\n]+$/, '');
  return typed.replace(/^file:(?=\/[^/])/i, '').replace(/(?<! ) *[:\uff1a](?=[^:\uff1a]*$)/, ':');
}

/** `"src/a b.ts":5-9` → `src/a b.ts:5-9`; also with spaces around it and a leading `@`. */
function unquoted(typed: string): string {
  const match = /^@?(["'`])(.+)\1([:#?].*)?$/s.exec(typed.trim());
  return match ? `${match[2]}${match[3] ?? ''}` : typed;
}

/** `a.zip/dir/x.ts` → `a.zip:dir/x.ts`, for every position at which the name of a container ends. */
function containers(target: string, holds: (name: string) => boolean): string[] {
  const found: string[] = [];
  let from = target.startsWith('/') ? 1 : 0;
  for (let at = target.indexOf('/', 1); at !== -1; at = target.indexOf('/', from)) {
    const name = target.slice(from, at);
    from = at + 1;
    if (from === target.length || found.length === MAX_CONTAINER_POSITIONS) break;
    if (holds(name)) found.push(`${target.slice(0, at)}:${target.slice(from)}`);
  }
  return found;
}

function others(typed: string, forms: readonly string[]): string[] {
  return Array.from(new Set(forms)).filter((form) => form !== typed && form !== '');
}

// Removes irrelevant text around a target: a command, a bullet, a link, a place in a message.

/** Commands that show a file, with options that do not select lines. */
const SHOWS = /^(?:\$ )?(?:cat|less|more|bat|nl|view|open|read|oriel read)(?: -[a-z]{1,3})* (.+)$/i;

/** Forms of `target` without the text around it, the most likely first. They are tried only if no file has the literal name. */
export function unwrapped(target: string): string[] {
  const text = target.trim();
  const command = ofCommand(text);
  const inner = command ?? placeInMessage(text) ?? ofMarks(text);
  const forms = inner === undefined ? [] : [inner, ofMarks(inner) ?? inner];
  return [...forms, ...[text, ...forms].flatMap((form) => ofPlace(form) ?? [])];
}

/** `sed -n '10,20p' FILE` → `FILE:10..20`, `head -n 5 FILE`, `tail -5 FILE`, `cat FILE`. */
function ofCommand(text: string): string | undefined {
  const sed = /^sed -n ["']?(\d+)(?:,(\d+))?p["']? (.+)$/.exec(text);
  if (sed) return `${sed[3]}:${sed[1]}..${sed[2] ?? sed[1]}`;
  const ends = /^(head|tail)(?: (?:-n ?|-|--lines=)(\d+))? ([^-].*)$/.exec(text);
  if (ends) return `${ends[3]}:${ends[1] === 'head' ? '1..' : '-'}${ends[2] ?? 10}`;
  return SHOWS.exec(text)?.[1];
}

/** `at run (FILE:10:5)` of a stack trace, `--> FILE:10:5` of a compiler, `lines 5-10 of FILE`, `+10 FILE` of an editor. */
function placeInMessage(text: string): string | undefined {
  const frame = /^at [^()]+ \((.+)\)$/.exec(text) ?? /^(?:at|in|-->) (.+)$/.exec(text);
  if (frame) return frame[1];
  const lines = /^lines? (\d+(?: ?(?:-|to) ?\d+)?) (?:of|in) (.+)$/i.exec(text);
  if (lines) return `${lines[2]}:${lines[1]}`;
  const plus = /^(?:(?:vim?|code|emacs|nano|less) )?\+(\d+) (.+)$/.exec(text);
  return plus ? `${plus[2]}:${plus[1]}` : undefined;
}

/** A link or emphasis in Markdown, brackets, a bullet, the name of a field, a code fence, the JSON of a call. */
function ofMarks(text: string): string | undefined {
  const found =
    /^\[[^\]]*\]\((.+)\)$/.exec(text) ??
    /^<(.+)>$/.exec(text) ??
    /^\((.+)\)$/.exec(text) ??
    /^\*\*(.+)\*\*$/.exec(text) ??
    /^(?:[-*•]|\d{1,3}[.)]) (.+)$/.exec(text) ??
    /^(?:---|\+\+\+) (?![ab]\/)(.+)$/.exec(text) ??
    /^(?:path|file|filename|file_path)\s*[:=]\s*(?!\/\/)(.+)$/i.exec(text) ??
    /^\{\s*["'](?:path|file_path|file)["']\s*:\s*["']([^"']+)["']\s*\}$/.exec(text) ??
    /^\[\s*["']([^"']+)["']\s*\]$/.exec(text) ??
    /^(.*[^.;)])[;)]$/.exec(text) ??
    /^(.+:[\d-]+)\.$/.exec(text);
  return found?.[1];
}

/** Path notations: a variable for the working directory, a URL of an editor, a side of a diff, `!` after an archive. */
function ofPlace(text: string): string[] | undefined {
  const rewritten = [
    text.replace(/^(?:\$\{?(?:PWD|workspaceFolder|workspaceRoot|cwd)\}?|\$\(pwd\)|%CD%)[/\\]/i, ''),
    text.replace(/^(?:vscode|vscode-insiders|cursor):\/\/file\/*(?=\/)/i, ''),
    text.replace(/^(?:vscode|vscode-insiders|cursor):\/\/file\/+(?!\/)/i, '/'),
    text.replace(/^file:(?:\/\/)?(?=[^/])/i, ''),
    text.replace(/^(?:---|\+\+\+) [ab]\//, ''),
    text.replace(/^(?:jar:)?(?:file:|zip:\/\/)?([^!]+)!\/?/i, '$1:'),
    text.replace(/^(?:zip|sqlite3?):(?:\/\/)?(?=[^/])/i, ''),
  ];
  const others = rewritten.filter((form) => form !== text && form !== '');
  return others.length > 0 ? others.map((form) => form.replaceAll('\\', '/')) : undefined;
}

// Splits a string with several paths, such as `a.ts,b.ts:5-9`.

/** Maximum paths in a list. An interpretation with one more is too long; what follows is not in it. */
export const MAX_LISTED_PATHS = 20;

/** Paths in braces, up to which a list that is too long is recognised as one. */
const MAX_EXPANDED_PATHS = 256;

/**
 * All interpretations of `target` as a list of paths, the most likely first: separated by commas; alternatives in braces;
 * brackets and quotes; separated by semicolons, newlines, `and`, bars, or spaces.
 */
export function* pathLists(target: string): Generator<string[]> {
  yield pathsIn(target);
  if (target.includes('{'))
    yield (expandBraces(target, MAX_EXPANDED_PATHS) ?? []).slice(0, MAX_LISTED_PATHS + 1);
  const bare = withoutBrackets(target);
  const pieces = piecesOf(bare, ',').map(unquotePiece);
  if (bare !== target && pieces.every((piece) => piece !== '')) yield pieces;
  yield piecesOf(bare, ';');
  yield piecesOf(bare, '\n');
  yield piecesOf(bare, /,? and /);
  yield piecesOf(bare, '|');
  yield bare.split(/(?<!\\)\s+/, MAX_LISTED_PATHS + 1);
}

/** One interpretation of a string as a list, with its separator. */
export interface SeparatedList {
  readonly separator: ',' | ';' | '\n';
  readonly paths: readonly string[];
}

/** `target` split at commas, at semicolons and at newlines, without brackets and quotes. */
export function separatedLists(target: string): SeparatedList[] {
  const bare = withoutBrackets(target);
  return [
    { separator: ',', paths: pathsIn(bare).map(unquotePiece) },
    { separator: ';', paths: piecesOf(bare, ';').map(unquotePiece) },
    { separator: '\n', paths: piecesOf(bare, '\n').map(unquotePiece) },
  ];
}

/**
 * `paths` as one string that is read back as exactly these; undefined if a path contains the separators. Without newlines,
 * because a message shows a newline as an escape, which cannot be copied into a call.
 */
export function joinedPaths(
  paths: readonly string[],
  separators: readonly (',' | ';')[],
): string | undefined {
  return separators
    .map((separator) => ({ separator, text: paths.join(separator) }))
    .find(({ separator, text }) => {
      const read = separatedLists(text).find((list) => list.separator === separator)?.paths ?? [];
      return paths.length === 1 || read.join('\n') === paths.join('\n');
    })?.text;
}

function withoutBrackets(target: string): string {
  return target.trim().replace(/^\[(.*)\]$/s, '$1');
}

function unquotePiece(piece: string): string {
  return piece.replace(/^(["'])(.*)\1$/s, '$2');
}

function piecesOf(text: string, separator: string | RegExp): string[] {
  return text.split(separator, MAX_LISTED_PATHS + 1).map((piece) => piece.trim());
}

/** `a.ts:1-5,9,b.ts` → `a.ts:1-5,9` and `b.ts`: a piece that can be part of the preceding selector is part of it. */
function pathsIn(target: string): string[] {
  const paths: string[][] = [];
  let hasSelector = false;
  for (const piece of target.split(',').map((part) => part.trim())) {
    if (hasSelector && isSelector(piece)) paths.at(-1)?.push(piece);
    else {
      if (paths.length > MAX_LISTED_PATHS) break;
      if (piece === '') return [];
      paths.push([piece]);
      hasSelector = /:(?!\/\/)/.test(piece);
    }
  }
  return paths.map((pieces) => pieces.join(','));
}
