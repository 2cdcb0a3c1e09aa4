/** Translates the line fields of other read tools to a selector or to the fields of the tool. */

import { OrielError, type Place } from '../errors.ts';
import { parseSelection } from '../selector/selection.ts';
import { quote, use } from '../text/visible.ts';
import { type Fields, isTexts } from './lenient.ts';
import { isFields, type Lines, linesIn } from './line-names.ts';
import { selectorOf, windowOf } from './line-windows.ts';
import { fieldNamed } from './other-names.ts';

/** Maximum files in a list, which is the maximum of a call. */
const MOST_FILES = 20;

/**
 * `{ path, offset: 10, limit: 5 }` → `{ path: "…:10..14" }`. `view_range` is `[first, last]`, with -1 for the end; a
 * negative offset is a tail. Several paths become a list, each with its own lines. Throws `BAD_INPUT` for invalid values.
 */
export function linesToSelector(input: Fields): Fields {
  const { path: typed, ...rest } = input;
  const paths = pathsOf(typed);
  if (!paths) return input;
  const { lines, others } = linesIn(rest);
  const selector = selectorBehind(paths[0] as string, lines);
  if (selector !== '') paths.forEach(refuseTwo);
  const written = paths.map((path) => path + selector);
  return { ...others, path: written.join(written.some((path) => path.includes(',')) ? '\n' : ',') };
}

/** Throws `BAD_INPUT` with a call for `path`. */
function selectorBehind(path: string, lines: Lines): string {
  try {
    return selectorOf(lines);
  } catch (error) {
    if (!(error instanceof OrielError)) throw error;
    const next = path + (error.next ?? '');
    throw new OrielError(error.code, `${error.message} ${use(next)}`, { next, cause: error });
  }
}

/**
 * Translates the line fields of other tools to the line fields of this tool, which `write` makes from the first and last
 * line (1-based, inclusive). Bytes, tails and symbols are left unchanged, and the schema refuses them.
 */
export function linesAsFields(
  input: Fields,
  own: readonly string[],
  write: (first: number, last: number | undefined) => Fields,
): Fields {
  const kept = Object.entries(input).filter(([name]) => own.includes(name));
  const foreign = Object.fromEntries(Object.entries(input).filter(([name]) => !own.includes(name)));
  if (Object.keys(foreign).length === 0 || kept.some(([name]) => name !== 'path')) return input;
  const { lines, others } = linesIn(foreign);
  const [, first, last] = /^:(\d+)\.\.(\d*)$/.exec(windowIn(lines)) ?? [];
  if (first === undefined) return input;
  return { ...Object.fromEntries(kept), ...others, ...write(Number(first), last ? Number(last) : undefined) };
}

/** Empty for invalid values, which the schema then refuses. */
function windowIn(lines: Lines): string {
  try {
    return windowOf(lines);
  } catch (error) {
    if (error instanceof OrielError) return '';
    throw error;
  }
}

/** `linesAsFields` for `offset` and `limit`. */
export function linesToOffset(input: Fields): Fields {
  return linesAsFields(
    input,
    ['path', 'offset', 'limit', 'max_line_length', 'keep', 'workspace'],
    (first, last) => ({
      offset: first,
      ...(last !== undefined && { limit: last - first + 1 }),
    }),
  );
}

/** Moves the lines that followed a path to `offset` and `limit`; undefined if these are given already. */
export function placeAsOffset<
  Input extends { readonly offset?: number | undefined; readonly limit?: number | undefined },
>(input: Input, { path, from, to }: Place): Input | undefined {
  if (input.offset !== undefined || input.limit !== undefined) return undefined;
  return { ...input, path, offset: from, ...(to !== undefined && { limit: to - from + 1 }) };
}

/** `linesAsFields` for `start_line` and `end_line`. */
export function linesToEnds(input: Fields): Fields {
  return linesAsFields(
    input,
    ['path', 'start_line', 'end_line', 'start_byte', 'max_bytes'],
    (first, last) => ({
      start_line: first,
      ...(last !== undefined && { end_line: last }),
    }),
  );
}

/** One path, several paths, or objects with a path and its lines: `[{ path, start_line: 5 }]`. */
function pathsOf(typed: unknown): readonly string[] | undefined {
  if (typeof typed === 'string') return [typed];
  if (isTexts(typed)) return typed.length > 1 ? typed : undefined;
  const files: readonly unknown[] = Array.isArray(typed) ? typed : [typed];
  if (files.length === 0 || files.length > MOST_FILES) return undefined;
  const paths = files.map((file) => (isFields(file) ? linesToSelector(withPath(file))['path'] : undefined));
  return isTexts(paths) ? paths : undefined;
}

function withPath(file: Fields): Fields {
  return Object.fromEntries(
    Object.entries(file).map(([name, value]) => [fieldNamed(name, ['path']) ?? name, value]),
  );
}

/** Maximum colons of a path that are tried as the beginning of a selector. */
const MOST_COLONS = 64;

/** Throws `BAD_INPUT` if the path already has a selector. `log-12:30` may be a name, and `http://h:8080` is a host. */
function refuseTwo(path: string): void {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(path)) return;
  let colons = 0;
  for (let at = path.indexOf(':'); at !== -1 && colons < MOST_COLONS; at = path.indexOf(':', at + 1)) {
    colons += 1;
    const rest = path.slice(at + 1);
    if (/^\d+(?:-\d+)?$/.test(rest) && !/\.\w{1,16}$/.test(path.slice(Math.max(0, at - 20), at))) continue;
    let selection;
    try {
      selection = parseSelection(rest);
    } catch {
      return;
    }
    if (selection?.window === undefined && selection?.symbol === undefined) continue;
    const why = `The path has the selector ${quote(path.slice(at))} already, and fields for lines beside it`;
    throw new OrielError('BAD_INPUT', `${why}. Use ${quote(path)} alone.`, { next: path });
  }
}
