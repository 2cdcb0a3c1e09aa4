/** Guesses what a path that does not exist may mean: the files below the working directory that end in it. */

import { listFiles } from '../access/ripgrep.ts';
import type { Call } from '../types/call.ts';

const DEADLINE_MS = 5_000;
const MOST_FILES = 500_000;
/** One more than are ever listed: enough to know that there are more. */
const MOST_MATCHES = 6;

/**
 * Paths relative to the working directory whose last components are those of `typed`, sorted; at most six. Ignored
 * files do not count. Nothing is guessed for absolute paths, and nothing when the walk could not be finished: what
 * it did not reach might have matched too.
 */
export async function findBySuffix(typed: string, call: Call): Promise<string[]> {
  const suffix = typed.replace(/^@/, '').replace(/^(\.\/)+/, '');
  if (suffix === '' || /^([/~]|file:)/i.test(suffix) || suffix.split('/').includes('..')) return [];
  const deadlineMs = Math.min(DEADLINE_MS, call.deadline - performance.now());
  const until = performance.now() + deadlineMs;
  const ending = `/${suffix}`;
  const matches: string[] = [];
  let seen = 0;
  const files = listFiles(call.access.cwd, { most: MOST_FILES, deadlineMs, signal: call.signal });
  try {
    for await (const file of files) {
      seen += 1;
      if (file.endsWith(ending)) matches.push(file);
    }
  } catch {
    call.signal.throwIfAborted();
    // Without ripgrep there is no guess, and the path still does not exist.
    return [];
  }
  if (seen >= MOST_FILES || performance.now() >= until) return [];
  return matches.toSorted().slice(0, MOST_MATCHES);
}
