/** Finds the names that a mistyped one probably means. */

/** A message has room for this many. */
const MOST_NEAR = 5;

/** Longer names are not compared letter by letter. */
const LONGEST = 200;

/** Pairs of letters that are compared: some 40 ms. Of the names beyond, only those that begin alike are found. */
const MOST_PAIRS = 5_000_000;

/**
 * The names nearest to `typed`, the nearest first, equally near ones sorted: the same letters in another case or with
 * other separators, one that begins with the other, or a few letters apart (one for every three, at most).
 */
export function nearNames(typed: string, names: Iterable<string>, most = MOST_NEAR): string[] {
  const wanted = fold(typed);
  if (wanted === '' || typed.length > LONGEST) return [];
  const found: { name: string; far: number }[] = [];
  let pairs = 0;
  for (const name of new Set(names)) {
    if (name.length > LONGEST) continue;
    const folded = fold(name);
    const mayDiffer = mostEdits(wanted);
    const isComparable = Math.abs(wanted.length - folded.length) <= mayDiffer;
    if (isComparable) pairs += wanted.length * folded.length;
    const far = distance(wanted, folded, isComparable && pairs <= MOST_PAIRS ? mayDiffer : 0);
    if (far !== undefined) found.push({ name, far });
  }
  const same = found.filter(({ far }) => far === 0);
  if (same.length > 0)
    return same
      .map(({ name }) => name)
      .toSorted()
      .slice(0, most);
  found.sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1));
  return found.slice(0, most).map(({ name }) => name);
}

/** `Did you mean a or b?`, with a blank in front; nothing if there is none. */
export function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return '';
  const last = names.at(-1) as string;
  return ` Did you mean ${names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`}?`;
}

/** Case and separators are what is mistyped most. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[-_ ]+/g, '');
}

/** Of one letter every other is near. */
function mostEdits({ length }: string): number {
  return length < 2 ? 0 : Math.max(1, Math.floor(length / 3));
}

/** Names with more edits than `most` are far, unless one begins with the other. */
function distance(typed: string, name: string, most: number): number | undefined {
  if (typed === name) return 0;
  const begins = name.startsWith(typed) || (typed.startsWith(name) && name.length > 2);
  const edits = most > 0 ? editDistance(typed, name, most) : undefined;
  return edits ?? (begins && typed.length > 1 ? mostEdits(typed) + 1 : undefined);
}

/**
 * Letters inserted, left out, replaced or swapped with their neighbour; undefined beyond `most`. Source: optimal string
 * alignment, a restricted Damerau-Levenshtein distance.
 */
function editDistance(a: string, b: string, most: number): number | undefined {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
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
