/**
 * The sentences below lists (matches, paths, entries). They share one pair of brackets, which is the last line of the
 * answer. The default wording names the next call; a dialect may have its own wording.
 */

import { didYouMean } from '../text/near.ts';
import { oneLine, quote } from '../text/visible.ts';
import type { PassedOver, RegexHint, SearchHint } from '../types/result.ts';
import { binarySize, bounded, plural } from './display.ts';

/** The answer of grep without matching lines, in every dialect. */
export const NO_MATCHES = 'No matches found';
/** The answer of find without matching symbols. */
export const NO_SYMBOLS = 'No symbols found';
export const NO_FILES = 'No files found matching pattern';

/** The limit that cut a list. */
export type ListCut = 'bytes' | 'tokens' | 'lines';

export type ListNotice =
  /** More follows beyond the caller's limit. `next`: the offset (0-based) of the next page. */
  | { readonly kind: 'limit'; readonly of: ListNoun; readonly limit: number; readonly next: number }
  /** The budget of the answer is used up. For matches: how many of those found are shown, and whether there are more. */
  | {
      readonly kind: 'budget';
      readonly of: ListNoun;
      readonly by: ListCut | 'characters';
      readonly budget: number;
      readonly shown: number;
      readonly found: number;
      readonly more: boolean;
      readonly next: number;
    }
  /** Long lines were clipped. `use` reads the first of them whole; absent for a path that cannot be typed in a call. */
  | { readonly kind: 'clipped'; readonly characters: number; readonly use?: string | undefined }
  | {
      readonly kind: 'beyond';
      readonly of: ListNoun;
      readonly offset: number;
      readonly total: number;
    }
  /** Symbols with less to do with the question. */
  | { readonly kind: 'more'; readonly next: number }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'rules'; readonly count: number }
  /** Files with matches whose paths cannot be typed. `use` reads the first of them. */
  | { readonly kind: 'untypable'; readonly count: number; readonly use: string }
  /** `pattern`: the glob of the search. */
  | (PassedOver & { readonly kind: 'passed'; readonly pattern: string })
  /** The call that reads the best symbols together. */
  | { readonly kind: 'best'; readonly use: string }
  | { readonly kind: 'unparsed'; readonly count: number }
  | { readonly kind: 'unknown'; readonly count: number }
  | { readonly kind: 'large'; readonly count: number }
  /** Files that are not UTF-8 and declare no encoding. `path`, `encoding`: the first of them and its guessed encoding. */
  | { readonly kind: 'guessed'; readonly count: number; readonly path: string; readonly encoding: string }
  | { readonly kind: 'cut'; readonly count: number }
  | { readonly kind: 'changed'; readonly count: number }
  /** `names`: the first of them. */
  | {
      readonly kind: 'unread';
      readonly count: number;
      readonly names: readonly string[];
      /** The disk for temporary files was full. */
      readonly full?: true | undefined;
    }
  /** Archives and databases inside archives. `names`: the calls that list the first of them. */
  | {
      readonly kind: 'nested';
      readonly count: number;
      readonly names: readonly string[];
      readonly use?: string | undefined;
    }
  | { readonly kind: 'scanned'; readonly count: number }
  /** `code`: the code of the error that is reported instead if nothing was found. */
  | { readonly kind: 'broken'; readonly code: 'LIMIT' | 'BUSY' }
  | { readonly kind: 'hint'; readonly hint: SearchHint; readonly pattern: string };

export type ListNoun = 'matches' | 'files' | 'results' | 'entries';

export type ListWording = {
  [K in ListNotice['kind']]: (notice: Extract<ListNotice, { kind: K }>) => string;
};

export const listWording: ListWording = {
  limit: ({ of, limit, next }) => {
    const refine = of === 'entries' ? '' : ', or refine pattern';
    return `${counted(limit, of)} limit reached. Use offset=${next} to continue, limit=${limit * 2} for more${refine}`;
  },
  budget: ({ of, by, budget, shown, found, more, next }) => {
    const size = by === 'bytes' ? binarySize(budget) : `${budget} ${by.slice(0, -1)}`;
    const part = of === 'matches' ? ` (${shown} of ${found}${more ? '+' : ''} matches shown)` : '';
    return `${size} limit reached${part}. Use offset=${next} to continue`;
  },
  more: ({ next }) => `Use offset=${next} for the symbols that match less`,
  clipped: ({ characters, use }) =>
    `Some lines truncated to ${characters} chars. Use read ${
      use === undefined ? 'to see full lines' : `${use} to see the first of them in full`
    }`,
  beyond: ({ of, offset, total }) =>
    `offset=${offset} is beyond the last of ${counted(total, of)}. Use offset=0 to begin again`,
  'timed-out': () => 'The time limit was reached: more may follow. Narrow the path or the pattern',
  denied: () => 'Some files or directories could not be read (permission denied)',
  failed: () => 'Some files or directories could not be read (input/output error)',
  'too-deep': () => 'Directories whose paths are longer than 4096 bytes were left out',
  'too-many': () => 'The directory has more entries than are read: some were left out',
  untypable: ({ count, use }) =>
    `${plural(count, 'name')} cannot be typed. Use read ${use} for ${count === 1 ? 'it' : 'the first of them'}`,
  rules: ({ count }) =>
    `${plural(count, 'ignore file')} not used: unreadable, larger than 1 MiB, or not a regular file`,
  passed: (notice) => PASSED[notice.reason](notice) + usePassed(notice),
  best: ({ use }) => `Use read ${oneLine(use)} for the best ones`,
  unparsed: ({ count }) =>
    `${plural(count, 'code file')} not parsed before the time limit. Make the same call again to parse them: the answer and its order may change`,
  unknown: ({ count }) =>
    `Of ${plural(count, 'code file')} not all symbols are known: too large, too many symbols, or unreadable. Use grep to search them too`,
  cut: ({ count }) =>
    `${plural(count, 'text')} searched in part: too large, damaged, cut off, or a BLOB. Read the document, its pages, cells or rows, or the member for the rest`,
  changed: ({ count }) =>
    `${plural(count, 'file')} changed during the search: lines may be missing, or from two versions. Call again`,
  unread: ({ count, names, full }) =>
    `${count === 1 ? '1 document, archive, member or table was' : `${count} documents, archives, members or tables were`} not searched${named(names, count)}: ${reasons(count, full)}`,
  nested: ({ count, names, use }) =>
    `${count === 1 ? '1 archive or database inside an archive was' : `${count} archives or databases inside archives were`} not searched${named(names, count)}${use === undefined ? '' : `. Use read ${oneLine(use)} to list ${count === 1 ? 'it' : 'the first of them'}, then read what it holds`}`,
  scanned: ({ count }) =>
    `${plural(count, 'page')} without text not searched: empty, or scanned. Read a page as :p1:image to see it`,
  large: ({ count }) =>
    `${plural(count, 'text')} over 16 MiB not searched over several lines. Use multiline=false for those`,
  guessed: ({ count, path, encoding }) =>
    count === 1
      ? `${oneLine(path)} was decoded from ${encoding}, which is a guess`
      : `${count} files were decoded with a guessed encoding (${oneLine(path)} from ${encoding})`,
  broken: ({ code }) =>
    `${code}: the search ended before it was complete, so these results are partial. ${code === 'BUSY' ? 'Make the same call again' : 'Narrow the path or the pattern'}`,
  hint: ({ hint, pattern }) => {
    if (typeof hint === 'string') return HINTS[hint](quote(pattern));
    if (hint.kind === 'elsewhere')
      return `The ${hint.field} leads out of the searched directory. Use path=${quote(hint.path)} with ${hint.field} ${quote(hint.glob)}`;
    if (hint.kind !== 'near') return regexHint(hint);
    return didYouMean([hint.pattern, ...hint.others].map(quote)).trim();
  },
};

/** Maximum characters of a name after a count. */
const MAX_NOTICE_NAME_CHARACTERS = 100;

function reasons(count: number, full = false): string {
  if (!full) return 'damaged, encrypted, or over a limit';
  const disk = 'the disk for temporary files is full';
  return count === 1 ? disk : `damaged, encrypted, over a limit, or ${disk}`;
}

/** ` ("a.zip", "b.docx", …)`. Long paths are cut at the start, because their end is more specific. */
function named(names: readonly string[], count: number): string {
  if (names.length === 0) return '';
  const short = names.map((name) => {
    const characters = Array.from(oneLine(name.toWellFormed()));
    const end =
      characters.length > MAX_NOTICE_NAME_CHARACTERS
        ? `…${characters.slice(1 - MAX_NOTICE_NAME_CHARACTERS).join('')}`
        : characters.join('');
    return `"${end}"`;
  });
  return ` (${short.join(', ')}${count > names.length ? ', …' : ''})`;
}

const ONE = { matches: 'match', files: 'file', results: 'result', entries: 'entry' } as const;

function counted(count: number, of: ListNoun): string {
  return `${count} ${count === 1 ? ONE[of] : of}`;
}

const HINTS: Readonly<Record<Extract<SearchHint, string>, (pattern: string) => string>> = {
  'extended-glob': () => 'Extended globs like +(a|b) are read as plain text. Use {a,b}',
  'brace-range': () => 'Ranges like {1..9} are read as plain text. Use [1-9] or {1,2}',
  backslash: (pattern) =>
    isRegex(pattern)
      ? `find takes a glob, not a regular expression. Use pattern ${withoutEscapes(pattern)}`
      : `A character after a backslash is plain text. Use pattern ${withoutEscapes(pattern)} for names in a directory`,
  words: (pattern) =>
    `Code is found by words with symbol. Use symbol "${pattern}" for code about these words`,
};

type PassedNotice = Extract<ListNotice, { kind: 'passed' }>;

const left = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several} left out`;

const PASSED: Readonly<Record<PassedOver['reason'], (notice: PassedNotice) => string>> = {
  ignored: ({ count }) => left(count, 'ignored file or directory', 'ignored files or directories'),
  private: ({ count }) => left(count, 'private file or directory', 'private files or directories'),
  link: ({ count }) => left(count, 'link'),
  special: ({ count }) => left(count, 'pipe, socket or device', 'pipes, sockets or devices'),
  binary: ({ count }) => left(count, 'binary file'),
  garbled: ({ count }) => `${left(count, 'text', 'texts')}: NUL bytes, as in binary files`,
  undecoded: ({ count }) =>
    `${count} ${count === 1 ? 'text is' : 'texts are'} not UTF-8, in an encoding that is not known`,
  directory: ({ call = {} }) => {
    const [glob = ''] = Object.values(call);
    return `${quote(String(glob).slice(0, -'/**'.length))} is a directory`;
  },
  glob: ({ pattern, call }) =>
    call ? 'Alternatives are written as {a,b}' : `No file matches the glob ${quote(pattern)}`,
  type: ({ count }) =>
    count === 1 ? 'The only file is not of the type' : `None of ${count} files is of the type`,
  container: ({ count }) =>
    `${count === 1 ? '1 document, notebook, archive or database was' : `${count} documents, notebooks, archives or databases were`} not searched`,
};

function usePassed({ reason, call, use, count }: PassedNotice): string {
  if (use !== undefined)
    return `. Use read ${oneLine(use)} to see ${count === 1 ? 'it' : 'the first of them'}`;
  const [field, value] = Object.entries(call ?? {})[0] ?? [];
  if (field === undefined) return '';
  if (reason === 'container') return '. Use inside=true to search inside';
  if (reason === 'directory') return `. Use ${quote(String(value))} for the files below it`;
  const named = `. Use ${field}=${quote(String(value))}`;
  if (reason === 'glob') return named;
  const all = count === 1 ? 'it' : 'them';
  return `${named} to include ${String(value).split(',').length < count ? 'the first of them' : all}`;
}

const isRegex = (pattern: string): boolean => /\.[*+]|\\\.|^\^|\$$/.test(pattern);

/** A glob for `.*\.tsx$`, and `src/a.ts` for `src\a.ts`. */
export const withoutEscapes = (pattern: string): string =>
  isRegex(pattern)
    ? pattern
        .replaceAll(/^\^|\$$/g, '')
        .replaceAll(/\.[*+]/g, '*')
        .replaceAll(/\\(?=.)/g, '')
    : pattern.replaceAll(/\\+/g, '/');

/** The fields that change in the call that a notice suggests, if it suggests one instead of this search. */
export function fieldsOf(notice: ListNotice): Readonly<Record<string, unknown>> | undefined {
  if (notice.kind === 'passed') return notice.call;
  return notice.kind === 'hint' ? fieldsOfHint(notice.hint, notice.pattern) : undefined;
}

function fieldsOfHint(hint: SearchHint, pattern: string): Readonly<Record<string, unknown>> | undefined {
  if (hint === 'backslash') return { pattern: withoutEscapes(pattern) };
  if (hint === 'words') return { symbol: pattern };
  if (typeof hint === 'string') return undefined;
  if (hint.kind === 'elsewhere') return { path: hint.path, [hint.field]: hint.glob };
  if (hint.pattern === undefined) return undefined;
  if (hint.kind === 'near') return { pattern: hint.pattern };
  return {
    pattern: hint.pattern,
    ignoreCase: (hint.kind === 'slashes' && hint.ignoreCase) || undefined,
  };
}

function regexHint(hint: RegexHint): string {
  const use = hint.pattern === undefined ? '' : ` Use pattern ${oneLine(hint.pattern)}`;
  if (hint.kind === 'escaped-operators') {
    return String.raw`After a backslash | ( ) { } + ? are plain characters here; without it they are operators.${use}`;
  }
  if (hint.kind === 'empty-group') return `() is a group of nothing.${use}`;
  const flag = hint.ignoreCase ? ' with ignoreCase=true' : '';
  return `Slashes around a pattern are part of it.${use}${use === '' ? '' : flag}`;
}

/** `One. Two? Three`, or an empty string without notices. */
export function sayTogether(notices: readonly ListNotice[], words: ListWording): string {
  const say = (notice: ListNotice): string => {
    const use = 'use' in notice && typeof notice.use === 'string' ? notice.use : undefined;
    return bounded((words[notice.kind] as (notice: ListNotice) => string)(notice), [use]);
  };
  const parts = notices.map(say);
  return parts.map((part, i) => (i === parts.length - 1 ? part : part.replace(/[^?]$/, '$&.'))).join(' ');
}

/**
 * A name on a line of its own: hidden characters are escaped, and it is quoted if it looks like a notice (a file may be
 * called "[500 entries limit reached. Use limit=1000 for more]").
 */
export function shownName(name: string): string {
  const line = oneLine(name);
  return /^\[.* .*\]$/.test(line) ? JSON.stringify(line) : line;
}
