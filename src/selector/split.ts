/** Splits a string into a path and a selector: there may be several ways. */

export interface Candidate {
  readonly path: string;
  /** The text after the path, without its leading colon but with a leading question mark. */
  readonly rest: string;
}

/** Maximum number of candidates. */
const MOST_CANDIDATES = 256;

/**
 * All ways to split `target` into a path and a rest, the longest path first: a file that is really called `notes:1-2`
 * wins over lines 1 to 2 of `notes`.
 * "a.zip:dir/x.ts:5-9" → [a.zip:dir/x.ts:5-9], [a.zip:dir/x.ts | 5-9], [a.zip | dir/x.ts:5-9]
 */
export function candidates(target: string): Candidate[] {
  const isUrl = /^file:\/\//i.test(target);
  const found: Candidate[] = isUrl && target.includes('?') ? [] : [{ path: target, rest: '' }];
  for (const at of marks(target, isUrl ? 'file://'.length : 0)) {
    const path = target.slice(0, at);
    // In a file URL a question mark that belongs to the name is written %3F.
    if (isUrl && path.includes('?')) continue;
    found.push({ path, rest: target[at] === ':' ? target.slice(at + 1) : target.slice(at) });
  }
  return found.filter(({ path }) => !climbsOut(path));
}

/**
 * The positions after `after` at which a path may end, the last first. If there are too many, the first ones are kept: in
 * a query with many colons, the database comes first.
 */
function marks(target: string, after: number): number[] {
  const found: number[] = [];
  for (let at = after + 1; at < target.length && found.length < MOST_CANDIDATES - 1; at += 1) {
    if (target[at] === ':' || target[at] === '?') found.push(at);
  }
  return found.reverse();
}

/**
 * Whether `..` follows a colon or a question mark. `a.zip:../../etc/passwd`, as a hostile archive may list it, names a
 * member of the archive. As a path it would name a file on the disk, because `..` removes the component `a.zip:..`.
 */
function climbsOut(path: string): boolean {
  const bare = path.replace(/^(?:file:\/\/|[a-z]:[/\\])/i, '');
  const mark = bare.search(/[:?]/);
  return mark !== -1 && /\/\.\.(?:\/|$)/.test(bare.slice(mark + 1));
}
