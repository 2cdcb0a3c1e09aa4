// Puts a new build in the place of the one that is in use.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Moves the directory `fresh` to `target`; what was there goes by way of `old`, a path on the same disk that does not
 * exist. A build that equals the present one changes nothing, so that processes that still load from it can go on.
 * Node has no call that exchanges two directories: between the two renames there is no target for some microseconds.
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

/** False where another build took the place in between. */
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

/** False where another build takes it away meanwhile. */
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
