/** Writes suggested calls in the syntax of each dialect. */

type Range = readonly [number, number];

/** What the call should show. Lines are 1-based and inclusive; ranges are sorted and disjoint. */
export type Wanted =
  | { readonly source: string; readonly lines: readonly Range[] }
  | { readonly source: string; readonly fromByte: number }
  /** The symbols of all files in a directory, instead of a map for each file. */
  | { readonly symbolsIn: string };

type Wording = (wanted: Wanted) => string | undefined;

const paged: Wording = (wanted) => {
  const range = onlyRange(wanted);
  return range && `${range.source} offset=${range.from} limit=${range.to - range.from + 1}`;
};

const DIALECTS: Readonly<Record<string, Wording>> = {
  oriel: pathFor,
  zed(wanted) {
    if ('fromByte' in wanted) return `${wanted.source} start_byte=${wanted.fromByte} max_bytes=262144`;
    const range = onlyRange(wanted);
    return range && `${range.source} start_line=${range.from} end_line=${range.to}`;
  },
  pi: paged,
  'pi@0.74': paged,
  zdx: paged,
  // It accepts only absolute paths, but files of the workspace are recorded with relative ones.
  coder: (wanted) => ('source' in wanted && wanted.source.startsWith('/') ? paged(wanted) : undefined),
};

/** A call in the syntax of its dialect, and as a path with a selector, which the lens accepts for every dialect. */
export interface SuggestedCall {
  readonly instead: string;
  readonly path: string;
}

/** Undefined if the dialect has no such call, or if the recorded path is truncated. */
export function callFor(dialect: string, wanted: Wanted): SuggestedCall | undefined {
  if (!isWhole('source' in wanted ? wanted.source : wanted.symbolsIn)) return undefined;
  const instead = Object.hasOwn(DIALECTS, dialect) ? DIALECTS[dialect]?.(wanted) : undefined;
  return instead === undefined ? undefined : { instead, path: pathFor(wanted) };
}

/** Whether the recorded name of a source is its complete path, so that it can be used in a call. */
export function isWhole(name: string): boolean {
  return !name.includes('…');
}

/** The directory of a source; `.` if its path has none. */
export function directoryOf(source: string): string {
  const slash = source.lastIndexOf('/');
  return slash <= 0 ? '.' : source.slice(0, slash);
}

/** The directories that contain a source, the innermost first. */
export function* directoriesOf(source: string): Iterable<string> {
  for (let inner = source; inner !== '.';) yield (inner = directoryOf(inner));
}

function pathFor(wanted: Wanted): string {
  if ('symbolsIn' in wanted) return `${wanted.symbolsIn}:outline`;
  if ('fromByte' in wanted) return `${wanted.source}:@${wanted.fromByte}+256K`;
  return `${wanted.source}:${wanted.lines.map(([from, to]) => `${from}..${to}`).join(',')}`;
}

function onlyRange(wanted: Wanted): { source: string; from: number; to: number } | undefined {
  if (!('lines' in wanted) || wanted.lines.length !== 1) return undefined;
  const [[from, to]] = wanted.lines as [Range];
  return { source: wanted.source, from, to };
}
