/**
 * Other ways to write a path that does not exist as typed: what people, shells, compilers and browsers put around a path
 * or after it. Nothing here is tried while a file of the literal name exists.
 */

import { otherSpelling } from './other-spellings.ts';
import { unwrapped } from './wrapped.ts';

/** Characters of what may be written in another way: a path is shorter, and what is put around it is not long. */
const MOST_TYPED = 16_384;

/** Places where a container may end that are tried; a path has few. */
const MOST_CONTAINERS = 64;

/** Without quotes around it, without the escapes of a shell, with `/` for `\`. The likelier first. */
export function pathRewrites(path: string): string[] {
  if (path.length > MOST_TYPED) return [];
  const bare = unquoted(path);
  const unescaped = bare.replace(/\\([^\w./\\]|\\)/g, '$1');
  const slashed = /^([a-z]:|\\\\)/i.test(bare) ? bare : bare.replaceAll('\\', '/');
  return others(path, [bare, unescaped, slashed]);
}

/** As `pathRewrites`, also with a place in the text after the path, or with a `/` where a container ends. */
export function targetRewrites(target: string, holds: (name: string) => boolean): string[] {
  if (target.length > MOST_TYPED) return [];
  // A name alone is looked for below the working directory.
  if (/^#[\p{L}_$]/u.test(target)) return [`.:${target}`];
  const paths = [target, ...pathRewrites(target), tidied(target), ...unwrapped(target)];
  const located = paths.map((path) => withSelector(path) ?? path);
  return others(target, [...paths, ...located, ...located.flatMap((path) => containers(path, holds))]);
}

/**
 * `file.ts#L10-L20` and `file.ts#L10` of browsers, `file.ts(12,5)` and `File "x.py", line 12` of compilers,
 * `file.ts (lines 5-10)` of people, with the selector that means the same; undefined for anything else. One place is
 * written as of a compiler, `file.ts:12:1`, which is a selector.
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

/** `file.ts#Server.start`, of the documentation of several languages: the symbol of that name. */
export function withSymbol(target: string): string | undefined {
  const match = /^([^#]+)#([\p{L}_$][^#:/]*)$/u.exec(target);
  return match ? `${match[1]}:#${match[2]}` : undefined;
}

/** Of a file URL, in which `#` is no part of the name, what follows it as a selector; other targets as they are. */
export function withFragment(target: string): string {
  if (!/^file:\/\//i.test(target) || !target.includes('#')) return target;
  return withSelector(target) ?? withSymbol(target) ?? target;
}

/**
 * Without blanks in front, before the colon (which may be a full-width one) and after a selector, and without line ends
 * after; a file URL with one slash. A blank after a name stays: Windows drops it, so that two names would be one file.
 */
function tidied(target: string): string {
  const front = target.trimStart();
  const colon = Math.max(front.lastIndexOf(':'), front.lastIndexOf('\uff1a'));
  const typed = colon > front.lastIndexOf('/') ? front.trimEnd() : front.replace(/(?<![\r\n])[\r\n]+$/, '');
  return typed.replace(/^file:(?=\/[^/])/i, '').replace(/(?<! ) *[:\uff1a](?=[^:\uff1a]*$)/, ':');
}

/** `"src/a b.ts":5-9` → `src/a b.ts:5-9`; also with blanks around it and with an `@` in front. */
function unquoted(typed: string): string {
  const match = /^@?(["'`])(.+)\1([:#?].*)?$/s.exec(typed.trim());
  return match ? `${match[2]}${match[3] ?? ''}` : typed;
}

/** `a.zip/dir/x.ts` → `a.zip:dir/x.ts`, at every place where a container's name ends. */
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
