/** Interprets typed paths without touching the disk: expansions, alternative spellings, and names of other systems. */

import { homedir } from 'node:os';
import { isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { advised, OrielError } from '../errors.ts';
import { decodeText, encodeText } from '../text/encoding.ts';
import { percentDecode, quote } from '../text/visible.ts';

/**
 * A path for the functions of `node:fs`. Names need not be UTF-8: other bytes of a path are lone surrogates, as `decodeText` makes
 * them.
 */
export function systemPath(path: string): string {
  // The types of some functions leave out buffers, which all of them take.
  return path.isWellFormed() ? path : (Buffer.from(encodeText(path)) as unknown as string);
}

/** The result of `read`, which is called again for bytes if its text may not be exact. */
export function exactPath(read: (encoding: 'utf8' | 'latin1') => string): string {
  const path = read('utf8');
  return path.includes('\ufffd') ? decodeText(Buffer.from(read('latin1'), 'latin1')) : path;
}

/**
 * Resolves a path given by the host against the working directory of this process. `~` is the home directory, because programs
 * that start servers expand nothing. Throws `NOT_FOUND` if the working directory is gone.
 */
export function fromWorkingDirectory(given = '.'): string {
  const path = withHome(given);
  if (isAbsolute(path)) return resolve(path);
  try {
    return resolve(process.cwd(), path);
  } catch (cause) {
    throw new OrielError(
      'NOT_FOUND',
      'The working directory of this process no longer exists. Start it in one that does, or name one as cwd.',
      { cause },
    );
  }
}

/** Whether `path` is `directory` or is below it; both absolute. */
export function isPathWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Source: PATH_MAX in linux/limits.h. */
const PATH_MAX = 4096;

/**
 * The absolute paths that `typed` may mean, the most literal first: as written, then without a leading `@`, which editors
 * add, then with the Unicode spellings that file systems and screenshots use. Throws `BAD_PATH` and `NAME_TOO_LONG`.
 */
export function* pathSpellings(typed: string, cwd: string): Generator<string, void> {
  const absolute = absolutePath(typed, cwd);
  // This one usually exists, and then the others are not computed.
  yield absolute;
  const found = new Set([absolute]);
  if (typed.startsWith('@')) found.add(absolutePath(typed.slice(1) || '.', cwd));
  for (const path of Array.from(found)) for (const respelled of respell(path)) found.add(respelled);
  found.delete(absolute);
  yield* found;
}

/** Whether a typed path is absolute, also as a file URL. */
export function isTypedAbsolute(typed: string): boolean {
  return isAbsolute(typed) || /^file:\/\/\//i.test(typed);
}

/** A path with `~` and `file://` expanded; a relative one as it is. Throws `BAD_PATH`. */
export function expandedPath(typed: string): string {
  return withHome(/^file:\/\//i.test(typed) ? fromFileUrl(typed) : typed);
}

/** Turns `~`, `file://` and relative forms into an absolute path; a bare `/` is the working directory. */
export function absolutePath(typed: string, cwd: string): string {
  if (typed === '')
    throw new OrielError('BAD_PATH', 'The path is empty. Use . for the working directory.', { next: '.' });
  if (Buffer.byteLength(typed) > PATH_MAX * 3) throw tooLong(typed);
  const path = /^file:\/\//i.test(typed) ? fromFileUrl(typed) : typed;
  if (path.includes('\0')) throw new OrielError('BAD_PATH', `The path ${quote(typed)} holds a NUL byte.`);
  if (path === '/') return cwd;
  // Of several spellings in surrogates only one is used, so that rules for a name hold for all of them.
  const expanded = withHome(path.isWellFormed() ? path : decodeText(encodeText(path)));
  const absolute = isAbsolute(expanded) ? resolve(expanded) : resolve(cwd, expanded);
  if (Buffer.byteLength(absolute) > PATH_MAX && encodeText(absolute).length > PATH_MAX) throw tooLong(typed);
  return absolute;
}

/** The path with the home directory in place of a leading `~`. */
export function withHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? homedir() + path.slice(1) : path;
}

function tooLong(typed: string): OrielError {
  return new OrielError('NAME_TOO_LONG', `The path ${quote(typed)} is longer than ${PATH_MAX} bytes.`);
}

function fromFileUrl(typed: string): string {
  try {
    return fileURLToPath(typed);
  } catch (cause) {
    const other = relativeUrl(typed) ?? exactUrl(typed);
    if (other !== undefined) return other;
    throw new OrielError(
      'BAD_PATH',
      `${quote(typed)} is not a file URL of this machine. Use . for the working directory.`,
      { next: '.', cause },
    );
  }
}

/** `file://src/app.ts` → `src/app.ts`: the first directory is in the place of the host. */
function relativeUrl(typed: string): string | undefined {
  const path = typed.slice('file://'.length);
  if (path.startsWith('/') || /%2f/i.test(path)) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** The path of a URL with bytes that are not UTF-8: `file:///tmp/%FF`. */
function exactUrl(typed: string): string | undefined {
  const path = /^file:\/\/(?:localhost)?(\/[^?#]*)$/i.exec(typed)?.[1];
  if (path === undefined || /%(?:2f|00)/i.test(path)) return undefined;
  return decodeText(percentDecode(path, encodeText));
}

/** Spaces that look like U+0020. macOS has U+202F before AM and PM in the names of screenshots. */
const SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

function respell(path: string): string[] {
  const spaced = path.replace(SPACES, ' ');
  return [
    spaced,
    path.replace(/ (AM|PM)\b/g, '\u202f$1'),
    path.normalize('NFC'),
    path.normalize('NFD'),
    path.replaceAll("'", '\u2019'),
    path.replaceAll('\u2019', "'"),
    path.normalize('NFD').replaceAll("'", '\u2019'),
    spaced.normalize('NFC'),
    spaced.normalize('NFD'),
  ];
}

/**
 * The error for a name that another system would take for a device, a stream or a drive; undefined for ordinary names.
 * Call it only if the file does not exist: a file that is really called `CON` is readable.
 */
export function foreignName(typed: string, walled: boolean): OrielError | undefined {
  const shown = quote(typed);
  if (walled && /^[^/\\]{1,8}~\d[^/\\]*\\/.test(typed)) {
    const why = `${shown} is a short name that cannot be placed inside the roots.`;
    return advised('OUTSIDE_ROOT', why, 'Use the long path.');
  }
  const name = typed.split(/[/\\]/).at(-1) ?? typed;
  const why = typed.startsWith('\\\\')
    ? 'is a network or device path'
    : /^[A-Za-z]:/.test(typed)
      ? 'names a drive'
      : /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name)
        ? 'is the name of a Windows device'
        : /::?\$DATA$/i.test(name)
          ? 'names an alternate data stream'
          : /[^. ][. ]$/.test(name)
            ? 'ends with a dot or a space, and no such file exists'
            : undefined;
  return why && advised('BAD_PATH', `${shown} ${why}.`, 'Use a path like src/app.ts.');
}

/** Removes dots and blanks at the end. A regular expression would take quadratic time on a long run of dots. */
export function withoutTrailingDots(path: string): string {
  let end = path.length;
  while (end > 0 && (path[end - 1] === '.' || path[end - 1] === ' ')) end -= 1;
  return path.slice(0, end);
}

/** Whether the directory above `path` is inside the roots, if there are any. */
export function mayRise(path: string, roots: readonly string[]): boolean {
  return roots.length === 0 || roots.some((root) => path !== root && isPathWithin(path, root));
}
