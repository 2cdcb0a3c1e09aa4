/**
 * Alternative forms of a path that does not exist as typed: without the quotes, escapes or positions that people, shells,
 * compilers and browsers add. They are tried only if no file has the literal name.
 */

import { otherSpelling } from './other-spellings.ts';
import { unwrapped } from './wrapped.ts';

/** Longer strings are not rewritten: a path with additions is shorter than this many characters. */
const MOST_TYPED = 16_384;

/** Maximum positions that are tried as the end of a container's name. */
const MOST_CONTAINERS = 64;

/** Without quotes, without shell escapes, with `/` instead of `\`. The most likely form is first. */
export function pathRewrites(path: string): string[] {
  if (path.length > MOST_TYPED) return [];
  const bare = unquoted(path);
  const unescaped = bare.replace(/\\([^\w./\\]|\\)/g, '$1');
  const slashed = /^([a-z]:|\\\\)/i.test(bare) ? bare : bare.replaceAll('\\', '/');
  return others(path, [bare, unescaped, slashed]);
}

/** As `pathRewrites`; also translates positions after the path, and a `/` after the name of a container. */
export function targetRewrites(target: string, holds: (name: string) => boolean): string[] {
  if (target.length > MOST_TYPED) return [];
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
    if (from === target.length || found.length === MOST_CONTAINERS) break;
    if (holds(name)) found.push(`${target.slice(0, at)}:${target.slice(from)}`);
  }
  return found;
}

function others(typed: string, forms: readonly string[]): string[] {
  return Array.from(new Set(forms)).filter((form) => form !== typed && form !== '');
}
