/** Calls as each dialect writes them: what a reader could have asked for instead. */

/** What the call is to show. Lines are 1-based and inclusive. */
export type Wanted =
  | { readonly source: string; readonly lines: readonly [number, number] }
  | { readonly source: string; readonly fromByte: number }
  /** The symbols in the directory of a file, instead of a map of the file alone. */
  | { readonly symbolsOf: string };

type Wording = (wanted: Wanted) => string | undefined;

const paged: Wording = (wanted) => {
  if ('symbolsOf' in wanted) return undefined;
  if (!('lines' in wanted)) return undefined;
  const [from, to] = wanted.lines;
  return `${wanted.source} offset=${from} limit=${to - from + 1}`;
};

const DIALECTS: Readonly<Record<string, Wording>> = {
  oriel(wanted) {
    if ('symbolsOf' in wanted) return `${directoryOf(wanted.symbolsOf)}:outline`;
    if ('lines' in wanted) return `${wanted.source}:${wanted.lines[0]}..${wanted.lines[1]}`;
    return `${wanted.source}:@${wanted.fromByte}+256K`;
  },
  zed(wanted) {
    if ('symbolsOf' in wanted) return undefined;
    if ('lines' in wanted)
      return `${wanted.source} start_line=${wanted.lines[0]} end_line=${wanted.lines[1]}`;
    return `${wanted.source} start_byte=${wanted.fromByte} max_bytes=262144`;
  },
  pi: paged,
  'pi@0.74': paged,
  zdx: paged,
  coder: paged,
};

/** Undefined where the dialect has no such call, or where only a part of the path is known. */
export function callFor(dialect: string, wanted: Wanted): string | undefined {
  if (!isWhole('source' in wanted ? wanted.source : wanted.symbolsOf)) return undefined;
  return Object.hasOwn(DIALECTS, dialect) ? DIALECTS[dialect]?.(wanted) : undefined;
}

/** Whether the recorded name of a source says all of its path: a call can be made with it. */
export function isWhole(name: string): boolean {
  return !name.includes('…');
}

function directoryOf(source: string): string {
  const slash = source.lastIndexOf('/');
  return slash <= 0 ? '.' : source.slice(0, slash);
}
