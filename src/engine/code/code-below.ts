/** The code of a directory or an archive: changed files are parsed, and their tags are cached for the next call. */

import { readPartNames } from '../../codebase/index-format.ts';
import type { CodeAnswer, CodeReplies, SyncJob, Unknown } from '../../codebase/codebase-worker.ts';
import type { CodeQuestion, CodeReply } from '../../codebase/questions.ts';
import type { Call } from '../../types/call.ts';
import type { GapsSeen } from '../walk/gaps.ts';
import type { CodeFile, CodeFiles } from './code-files.ts';
import { keptKey, parseCode, partKey, step } from './parse-code.ts';
import { StoredReplies } from './stored-replies.ts';

export class CodeBelow {
  /** The number of code files. */
  readonly files: number;
  /** Files that the last answer does not cover. */
  unknown: Unknown = { missing: 0, whole: 0, parts: 0, slow: 0, fresh: 0 };
  readonly #found: CodeFiles;
  readonly #call: Call;
  readonly #stored: StoredReplies;
  #state: CodeReplies['sync'];
  #isReady = false;

  private constructor(found: CodeFiles, job: SyncJob, state: CodeReplies['sync'], call: Call) {
    this.files = state.files;
    [this.#found, this.#state, this.#call] = [found, state, call];
    this.#stored = new StoredReplies(job, call.session);
  }

  /** Throws `BUSY`. */
  static async look(found: CodeFiles, call: Call): Promise<CodeBelow> {
    const job = jobOf(found);
    const below = new CodeBelow(found, job, await step(job, call.signal), call);
    // The first question decides whether the tags are needed.
    if (below.#state.loaded) await below.#makeReady();
    return below;
  }

  /** Loads the tags, and parses new and changed files until the time for that is over. Throws `BUSY`. */
  async #makeReady(): Promise<void> {
    const job = jobOf(this.#found);
    if (!this.#state.loaded) {
      await load(job.home, this.#call);
      this.#state = await step(job, this.#call.signal);
    }
    await parseCode(this.#found, this.#state.wanted, this.#state.files, this.#call);
    this.#isReady = true;
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
    const found =
      (this.#isReady ? undefined : await this.#stored.get(question)) ?? (await this.#answer(question));
    if (found?.reply.is !== question.is)
      throw new Error(`the codebase thread gave no answer to ${question.is}`);
    this.unknown = found.unknown;
    return found.reply as CodeReply & { readonly is: Q['is'] };
  }

  async #answer(question: CodeQuestion): Promise<CodeAnswer | undefined> {
    if (!this.#isReady) await this.#makeReady();
    const { signal } = this.#call;
    // The thread caches the files of a few directories; these may have been evicted by other calls.
    const found =
      (await step({ ask: 'question', view: this.#state.view, question }, signal)) ??
      (await step({ ask: 'question', view: jobOf(this.#found), question }, signal));
    if (found) this.#stored.put(question, found);
    return found;
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
