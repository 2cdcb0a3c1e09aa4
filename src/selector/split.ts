/** Where a path may end and a selector begin, when both are one string. */

export interface Candidate {
  readonly path: string;
  /** What follows: without the colon, with the question mark. */
  readonly rest: string;
}

/** More places than this are no path with a selector. */
const MOST_CANDIDATES = 256;

/**
 * Every way to read `target` as a path and a rest, the longest path first, so that a file that is really called
 * `notes:1-2` wins over lines 1 to 2 of `notes`.
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
 * Where a path may end, the last place first, each after `after`. Of too many, the first ones are kept: a query with
 * many colons still has its database in front.
 */
function marks(target: string, after: number): number[] {
  const found: number[] = [];
  for (let at = after + 1; at < target.length && found.length < MOST_CANDIDATES - 1; at += 1) {
    if (target[at] === ':' || target[at] === '?') found.push(at);
  }
  return found.reverse();
}

/**
 * Whether `..` follows a colon or a question mark. `a.zip:../../etc/passwd`, as a hostile archive would list it,
 * names something in the archive; taken for a path it would name a file on the disk, where `..` cancels `a.zip:..`.
 */
function climbsOut(path: string): boolean {
  const bare = path.replace(/^(?:file:\/\/|[a-z]:[/\\])/i, '');
  const mark = bare.search(/[:?]/);
  return mark !== -1 && /\/\.\.(?:\/|$)/.test(bare.slice(mark + 1));
}
