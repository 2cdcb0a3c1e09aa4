// Replaces the build that is in use by a new one.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Moves the directory `fresh` to `target`. The previous `target` is moved to `old`, a path on the same disk that does not
 * exist, and removed. An identical build changes nothing, so that running processes can still load from it. Node cannot
 * exchange two directories: between the two renames there is no target for some microseconds.
 */
export function swap(fresh, target, old) {
  if (sameFiles(fresh, target)) return rmSync(fresh, { recursive: true });
  for (let done = false; !done;) {
    moveAway(target, old);
    done = moveTo(fresh, target);
    rmSync(old, { recursive: true, force: true });
  }
}

function moveAway(target, old) {
  try {
    renameSync(target, old);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

/** False if another build was moved there in between. */
function moveTo(fresh, target) {
  try {
    renameSync(fresh, target);
    return true;
  } catch (error) {
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

function sameFiles(one, other) {
  if (!existsSync(other)) return false;
  const [mine, theirs] = [one, other].map(filesOf);
  return (
    mine.join('\n') === theirs.join('\n') &&
    mine.every((path) => sameBytes(join(one, path), join(other, path)))
  );
}

/** False if another build removes it meanwhile. */
function sameBytes(one, other) {
  try {
    return readFileSync(one).equals(readFileSync(other));
  } catch {
    return false;
  }
}

function filesOf(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .toSorted();
}
