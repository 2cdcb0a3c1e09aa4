/** The code of a directory or an archive: its files, parsed where they have changed, and kept for the next call. */

import { readPartNames } from '../../codebase/kept.ts';
import type { CodeReplies, SyncJob, Unknown } from '../../codebase/codebase-worker.ts';
import type { CodeQuestion, CodeReply } from '../../codebase/questions.ts';
import { OrielError } from '../../errors.ts';
import type { Call } from '../../types/call.ts';
import type { GapsSeen } from '../walk/gaps.ts';
import type { CodeFile, CodeFiles } from './code-files.ts';
import { keptKey, parseCode, partKey, step } from './parse-code.ts';

export class CodeBelow {
  /** Code files, and those that were not parsed for want of time. */
  readonly files: number;
  readonly missing: number;
  /** As far as the last question told. */
  unknown: Unknown = { whole: 0, parts: 0, slow: 0 };
  readonly #found: CodeFiles;
  readonly #signal: AbortSignal;
  readonly #view: number;

  private constructor(
    found: CodeFiles,
    { view, files }: CodeReplies['sync'],
    missing: number,
    signal: AbortSignal,
  ) {
    [this.files, this.missing] = [files, missing];
    [this.#found, this.#view, this.#signal] = [found, view, signal];
  }

  /** Parses what is new, for as long as the call has time. Throws `BUSY`. */
  static async look(found: CodeFiles, call: Call): Promise<CodeBelow> {
    const job = jobOf(found);
    let state = await step(job, call.signal);
    if (!state.loaded) {
      await load(job.home, call);
      state = await step(job, call.signal);
    }
    const done = await parseCode(found, state.wanted, state.files, call);
    return new CodeBelow(found, state, state.wanted.length - done, call.signal);
  }

  get gaps(): GapsSeen {
    return this.#found.gaps;
  }

  /** The directory, where it is one of the file system: its real path. */
  get directory(): string | undefined {
    return this.#found.directory;
  }

  /** Throws `BUSY` if the thread has forgotten tags of the files before it can answer. */
  async ask<Q extends CodeQuestion>(question: Q): Promise<CodeReply & { readonly is: Q['is'] }> {
    // The thread holds the files of a few directories, and others may have been asked about meanwhile.
    const found =
      (await step({ ask: 'question', view: this.#view, question }, this.#signal)) ??
      (await step({ ask: 'question', view: jobOf(this.#found), question }, this.#signal));
    if (found?.reply.is !== question.is || found.missing > this.missing) {
      throw new OrielError('BUSY', 'Too many directories were asked about at once. Call again.');
    }
    this.unknown = found.unknown;
    return found.reply as CodeReply & { readonly is: Q['is'] };
  }

  /** Opens one of its files; undefined if it is no file that may be read any more. */
  open(path: string, signal: AbortSignal): Promise<CodeFile | undefined> {
    return this.#found.open(path, signal);
  }

  /** Whether a file that was opened later (its path relative to the base) is still the one that was parsed. */
  isAsParsed(path: string, key: string): boolean {
    const known = this.#found.keys.get(path);
    return known === undefined || known === '' || known === key;
  }
}

/** Hands what is kept on disk to the thread, part by part: of a large tree all of it at once would be much. */
async function load(home: string, { session: { files }, signal }: Call): Promise<void> {
  const names = await files?.get(keptKey(home));
  for (const name of names ? readPartNames(names).toReversed() : []) {
    const part = { name, kept: await files?.get(partKey(home, name)) };
    await step({ ask: 'load', home, part }, signal);
  }
  await step({ ask: 'load', home }, signal);
}

function jobOf({ base, home, top, paths, keys }: CodeFiles): SyncJob {
  return { ask: 'sync', base, home, top, paths: paths.join('\0'), keys: [...keys.values()].join('\n') };
}
