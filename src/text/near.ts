/** Finds the names that are similar to a mistyped one. */

/** Maximum number of suggestions in a message. */
const MAX_SUGGESTIONS = 5;

/** Names longer than this many characters are not compared. */
const MAX_COMPARED_NAME_LENGTH = 200;

/** Maximum pairs of letters that are compared: about 40 ms. After that, only names with a common beginning are found. */
const MAX_COMPARED_PAIRS = 5_000_000;

/**
 * At most `most` names similar to `typed`, the most similar first, equal ones sorted: the same letters in another case or
 * with other separators, one name begins with the other, or at most one edit for every three letters.
 */
export function nearNames(typed: string, names: Iterable<string>, most = MAX_SUGGESTIONS): string[] {
  const wanted = fold(typed);
  if (wanted === '' || typed.length > MAX_COMPARED_NAME_LENGTH) return [];
  const found: { name: string; distance: number }[] = [];
  let pairs = 0;
  for (const name of new Set(names)) {
    if (name.length > MAX_COMPARED_NAME_LENGTH) continue;
    const folded = fold(name);
    const edits = mostEdits(wanted);
    const isComparable = Math.abs(wanted.length - folded.length) <= edits;
    if (isComparable) pairs += wanted.length * folded.length;
    const distance = distanceOf(wanted, folded, isComparable && pairs <= MAX_COMPARED_PAIRS ? edits : 0);
    if (distance !== undefined) found.push({ name, distance });
  }
  const same = found.filter(({ distance }) => distance === 0);
  if (same.length > 0)
    return same
      .map(({ name }) => name)
      .toSorted()
      .slice(0, most);
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, most).map(({ name }) => name);
}

/** ` Did you mean a or b?`, with a leading space; an empty string if there are no names. */
export function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return '';
  const last = names.at(-1) as string;
  return ` Did you mean ${names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`}?`;
}

/** Without case and separators, which are mistyped most often. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[-_ ]+/g, '');
}

/** The maximum edits for a name: one for every three letters, at least one; none for a single letter, which would match every other. */
function mostEdits({ length }: string): number {
  return length < 2 ? 0 : Math.max(1, Math.floor(length / 3));
}

/** The number of edits, or one more than the maximum if one name only begins with the other. Undefined if they are not similar. */
function distanceOf(typed: string, name: string, most: number): number | undefined {
  if (typed === name) return 0;
  const begins = name.startsWith(typed) || (typed.startsWith(name) && name.length > 2);
  const edits = most > 0 ? editDistance(typed, name, most) : undefined;
  return edits ?? (begins && typed.length > 1 ? mostEdits(typed) + 1 : undefined);
}

/**
 * The number of letters inserted, removed, replaced or swapped with their neighbour; undefined if more than `most`.
 * Source: optimal string alignment, a restricted Damerau-Levenshtein distance.
 */
export function editDistance(a: string, b: string, most: number): number | undefined {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + (same ? 0 : 1),
        swapped ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    if (Math.min(...row) > most) return undefined;
    before = above;
    above = row;
  }
  const edits = above[b.length] as number;
  return edits <= most ? edits : undefined;
}
