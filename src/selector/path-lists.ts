/** Splits a string with several paths, such as `a.ts,b.ts:5-9`. */

import { expandBraces } from '../walk/braces.ts';
import { isSelector } from './selection.ts';

/** Maximum paths in a list. An interpretation with one more is too long; what follows is not in it. */
export const MOST_PATHS = 20;

/** Paths in braces, up to which a list that is too long is recognised as one. */
const MOST_EXPANDED = 256;

/**
 * All interpretations of `target` as a list of paths, the most likely first: separated by commas; alternatives in braces;
 * brackets and quotes; separated by semicolons, newlines, `and`, bars, or spaces.
 */
export function* pathLists(target: string): Generator<string[]> {
  yield pathsIn(target);
  if (target.includes('{')) yield (expandBraces(target, MOST_EXPANDED) ?? []).slice(0, MOST_PATHS + 1);
  const bare = withoutBrackets(target);
  const pieces = piecesOf(bare, ',').map(unquoted);
  if (bare !== target && pieces.every((piece) => piece !== '')) yield pieces;
  yield piecesOf(bare, ';');
  yield piecesOf(bare, '\n');
  yield piecesOf(bare, /,? and /);
  yield piecesOf(bare, '|');
  yield bare.split(/(?<!\\)\s+/, MOST_PATHS + 1);
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
    { separator: ',', paths: pathsIn(bare).map(unquoted) },
    { separator: ';', paths: piecesOf(bare, ';').map(unquoted) },
    { separator: '\n', paths: piecesOf(bare, '\n').map(unquoted) },
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

function unquoted(piece: string): string {
  return piece.replace(/^(["'])(.*)\1$/s, '$2');
}

function piecesOf(text: string, separator: string | RegExp): string[] {
  return text.split(separator, MOST_PATHS + 1).map((piece) => piece.trim());
}

/** `a.ts:1-5,9,b.ts` → `a.ts:1-5,9` and `b.ts`: a piece that can be part of the preceding selector is part of it. */
function pathsIn(target: string): string[] {
  const paths: string[][] = [];
  let hasSelector = false;
  for (const piece of target.split(',').map((part) => part.trim())) {
    if (hasSelector && isSelector(piece)) paths.at(-1)?.push(piece);
    else {
      if (paths.length > MOST_PATHS) break;
      if (piece === '') return [];
      paths.push([piece]);
      hasSelector = /:(?!\/\/)/.test(piece);
    }
  }
  return paths.map((pieces) => pieces.join(','));
}
