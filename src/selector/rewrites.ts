/**
 * Alternative forms of a path that does not exist as typed: without the quotes, escapes or positions that people, shells,
 * compilers and browsers add. They are tried only if no file has the literal name.
 */

import { expandBraces } from '../files/glob-text.ts';
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

/** The places that browsers, compilers and people write after a path or around it, and what they are here. */
const PLACES: readonly (readonly [form: RegExp, canonical: string])[] = [
  [/^(.+)#L?(\d+)(?:C\d+)?(?:-|\.\.|:)L?(\d+)(?:C\d+)?$/i, '$1:$2-$3'],
  [/^(.+)#L?(\d+)(?:C\d+)?$/i, '$1:$2:1'],
  [/^(.+)\((\d+)(?:, ?\d+)?\):?$/, '$1:$2:1'],
  [/^(?:File )?"?([^"]+)"?, line (\d+)(?:, in .*)?$/, '$1:$2:1'],
  [/^at [^()]+ \((.+)\)$/, '$1'],
  [/^--> (.+)$/, '$1'],
  [/^([^"]*[^",( ]),? \(?(lines? [^()"]{1,60})\)?$/i, '$1:$2'],
  // `file.ts#Server.start` of documentation tools.
  [/^([^#]+)#([\p{L}_$][^#:/]*)$/u, '$1:#$2'],
];

/** As `pathRewrites`; also translates places after the path, and a `/` after the name of a container. */
export function targetRewrites(target: string, holds: (name: string) => boolean): string[] {
  if (target.length > MAX_REWRITTEN_CHARACTERS) return [];
  // A symbol without a path is searched below the working directory.
  if (/^#[\p{L}_$]/u.test(target)) return [`.:${target}`];
  const paths = [target, ...pathRewrites(target), tidied(target)];
  const located = paths.flatMap((path) => [path, ...placesIn(path)]);
  return others(target, [...located, ...located.flatMap((path) => containers(path, holds))]);
}

function placesIn(path: string): string[] {
  return PLACES.flatMap(([form, canonical]) => (form.test(path) ? [path.replace(form, canonical)] : []));
}

/** Translates the fragment of a file URL to a selector. Other targets, and `:#name` after a URL, are returned unchanged. */
export function withFragment(target: string): string {
  if (!/^file:\/\/[^#]*[^#:]#/i.test(target)) return target;
  return placesIn(target)[0] ?? target;
}

/**
 * Removes leading blanks and trailing newlines, and completes `file:/path`. Blanks after a name are kept: on Windows, where
 * they are ignored, two names would be one file.
 */
function tidied(target: string): string {
  return target
    .trimStart()
    .replace(/(?<![\r\n])[\r\n]+$/, '')
    .replace(/^file:(?=\/[^/])/i, '');
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

// Splits a string with several paths, such as `a.ts,b.ts:5-9`.

/** Maximum paths in a list. An interpretation with one more is too long; what follows is not in it. */
export const MAX_LISTED_PATHS = 20;

/** Paths in braces, up to which a list that is too long is recognised as one. */
const MAX_EXPANDED_PATHS = 256;

/** Whether `target` has a separator of lists. */
export const mayBeList = (target: string): boolean => /[,;|\s]/.test(target.trim());

/** All interpretations of `target` as a list of paths: separated by commas, alternatives in braces, newlines, semicolons, blanks. */
export function* pathLists(target: string): Generator<string[]> {
  yield pathsIn(target);
  if (target.includes('{'))
    yield (expandBraces(target, MAX_EXPANDED_PATHS) ?? []).slice(0, MAX_LISTED_PATHS + 1);
  for (const separator of ['\n', ';', '|', /(?<!\\)\s+/])
    yield target
      .trim()
      .split(separator, MAX_LISTED_PATHS + 1)
      .map((piece) => piece.trim());
}

/** `a.ts:1-5,9,b.ts` → `a.ts:1-5,9` and `b.ts`: a piece that can be part of the preceding selector is part of it. */
export function pathsIn(target: string): string[] {
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

/** Whether it may be `REV:path`. It is looked for only if there is no such file. */
export function mayBeRevisionPath(target: string): boolean {
  return /^(?![a-z]:[\\/])[^\s:?*[\\/.~^-][^\s:?*[\\]*:(?!\/\/)/i.test(target);
}
