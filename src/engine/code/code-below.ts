/** The code of a directory or an archive: changed files are parsed, and their tags are cached for the next call. */

import { readPartNames } from '../../codebase/index-format.ts';
import type { CodeReplies, SyncJob, Unknown } from '../../codebase/codebase-worker.ts';
import type { CodeQuestion, CodeReply } from '../../codebase/questions.ts';
import type { Call } from '../../types/call.ts';
import type { GapsSeen } from '../walk/gaps.ts';
import type { CodeFile, CodeFiles } from './code-files.ts';
import { keptKey, parseCode, partKey, step } from './parse-code.ts';

export class CodeBelow {
  /** The number of code files. */
  readonly files: number;
  /** Files that the last answer does not cover. */
  unknown: Unknown = { missing: 0, whole: 0, parts: 0, slow: 0 };
  readonly #found: CodeFiles;
  readonly #signal: AbortSignal;
  readonly #view: number;

  private constructor(found: CodeFiles, { view, files }: CodeReplies['sync'], signal: AbortSignal) {
    this.files = files;
    [this.#found, this.#view, this.#signal] = [found, view, signal];
  }

  /** Parses new and changed files until the time for that is over. Throws `BUSY`. */
  static async look(found: CodeFiles, call: Call): Promise<CodeBelow> {
    const job = jobOf(found);
    let state = await step(job, call.signal);
    if (!state.loaded) {
      await load(job.home, call);
      state = await step(job, call.signal);
    }
    await parseCode(found, state.wanted, state.files, call);
    return new CodeBelow(found, state, call.signal);
  }

  get gaps(): GapsSeen {
    return this.#found.gaps;
  }

  /** The real path of the directory; undefined for an archive. */
  get directory(): string | undefined {
    return this.#found.directory;
  }

  /** Throws `BUSY`. */
  async ask<Q extends CodeQuestion>(question: Q): Promise<CodeReply & { readonly is: Q['is'] }> {
    // The thread caches the files of a few directories; these may have been evicted by other calls.
    const found =
      (await step({ ask: 'question', view: this.#view, question }, this.#signal)) ??
      (await step({ ask: 'question', view: jobOf(this.#found), question }, this.#signal));
    if (found?.reply.is !== question.is)
      throw new Error(`the codebase thread gave no answer to ${question.is}`);
    this.unknown = found.unknown;
    return found.reply as CodeReply & { readonly is: Q['is'] };
  }

  /** Opens one of its files; undefined if it is gone or may no longer be read. */
  open(path: string, signal: AbortSignal): Promise<CodeFile | undefined> {
    return this.#found.open(path, signal);
  }

  /** Whether a file (`path` relative to the base, `key` of its identity) is still the version that was parsed. */
  isAsParsed(path: string, key: string): boolean {
    const known = this.#found.keys.get(path);
    return known === undefined || known === '' || known === key;
  }
}

/** Loads the cached tags from disk into the thread, one part at a time to bound the memory for large trees. */
async function load(home: string, { session: { files }, signal }: Call): Promise<void> {
  const names = await files?.get(keptKey(home));
  for (const name of names ? readPartNames(names).toReversed() : []) {
    const part = { name, bytes: await files?.get(partKey(home, name)) };
    await step({ ask: 'load', home, part }, signal);
  }
  await step({ ask: 'load', home }, signal);
}

function jobOf({ base, home, top, paths, keys }: CodeFiles): SyncJob {
  return { ask: 'sync', base, home, top, paths: paths.join('\0'), keys: [...keys.values()].join('\n') };
}
