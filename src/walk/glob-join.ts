/**
 * One glob for a path with a glob and a second glob below it: `*.ts` below `packages/*`. It is for advice: where no exact
 * glob is known, there is none.
 */

/** Globs that match every name. */
const ALL = /^(?:\*+\/)*\*+$/;

/** The glob for all files at a path with the glob `path`, whose last name may be that of a file or of a directory. */
export function alone(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  // Names with an extension are usually those of files.
  return ALL.test(path) || last === '' || last.includes('.') ? path : `{${path},${path}/**}`;
}

/** The glob for the files that match `glob` at or below a path with the glob `path`, if one is known that means no others. */
export function narrowed(path: string, glob: string): string | undefined {
  if (path === glob) return glob;
  if (isExcluding(glob)) return ALL.test(path) ? glob : isOne(glob) ? `{${alone(path)},${glob}}` : undefined;
  const last = path.slice(path.lastIndexOf('/') + 1);
  // A file may have such a name, too, and would have to match both.
  const isOfFile = /[*?[{.]/.test(last) && !glob.includes('/');
  return inAllEntries(path, glob) ?? (isOfFile ? undefined : globsJoined(path, glob));
}

/** The same if `path` stands for directories, of which only what is below them counts, or for all entries of a directory. */
export function foundBelow(path: string, glob: string): string | undefined {
  return inAllEntries(path, glob) ?? globsJoined(path, glob);
}

/** What is at or below all entries of a directory is below the directory. Undefined if `path` does not mean all entries. */
function inAllEntries(path: string, glob: string): string | undefined {
  if (isExcluding(glob) || glob.includes('/')) return undefined;
  if (/^\*+$/.test(path)) return glob;
  return path.endsWith('/*') ? globsJoined(path.slice(0, -2), glob) : undefined;
}

/** The glob for the files that match `glob` below a directory that matches `directory`. */
export function globsJoined(directory: string, glob: string): string | undefined {
  if (/^\*{2,}\/*$/.test(directory) && !glob.includes('/')) return glob;
  const front = directory.replace(/\/+$/, '');
  if (isExcluding(glob)) {
    if (!isOne(glob)) return undefined;
    return `{${front}/**,!${below(front, glob.slice(1))}}`;
  }
  if (!isOne(glob)) return undefined;
  return below(front, glob);
}

/** A glob without a slash matches names at every depth. */
function below(directory: string, glob: string): string {
  return glob.includes('/') ? `${directory}/${glob.replace(/^\.?\//, '')}` : `${directory}/**/${glob}`;
}

function isExcluding(glob: string): boolean {
  return glob.startsWith('!');
}

/** Whether it is not a list of globs, each of which would have to be changed. */
function isOne(glob: string): boolean {
  return !/[,{}]|.!/.test(glob.replaceAll(/\{[^{}/!]*\}/g, ''));
}
