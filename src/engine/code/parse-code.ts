/** Parses the code files whose tags are not known, and hands them to the thread that knows them. */

import { askCode } from '../../codebase/codebase.ts';
import type { CodeReplies, Entry } from '../../codebase/codebase-worker.ts';
import type { Call } from '../../types/call.ts';
import { languageOf } from '../../views/languages.ts';
import { lasts, tagsOf } from '../../views/parsed.ts';
import { lookUntil } from '../walk/time.ts';
import type { CodeFiles } from './code-files.ts';

/** Files that are opened and parsed at a time, and handed on together. */
const AT_ONCE = 4;
const BATCH = 64;

/** Parsed files after which what is known is kept on disk, whatever happens to the call. */
const KEEP_AFTER = 2_000;

/**
 * All tags are written at once. Where less than this part of the code files was parsed, the next process parses them
 * again, which costs less, and writes them when there are more.
 */
const KEEP_PART = 1 / 50;

/** Milliseconds that the thread may take for one step. */
const STEP_MS = 20_000;

/** Steps of the thread are short, and what it knows must survive a cancelled call. */
const never = new AbortController().signal;

export function step<J extends Parameters<typeof askCode>[0]>(job: J): Promise<CodeReplies[J['ask']]> {
  return askCode(job, performance.now() + STEP_MS, never) as Promise<CodeReplies[J['ask']]>;
}

export function keptKey(home: string): string {
  return `code below ${home}`;
}

/** `known`: how many code files there are. Returns how many of `wanted` (positions) were parsed, or took too long twice (`slow`). */
export async function parseCode(
  files: CodeFiles,
  wanted: Uint32Array,
  known: number,
  call: Call,
): Promise<{ readonly done: number; readonly slow: number }> {
  if (wanted.length === 0) return { done: 0, slow: 0 };
  const run = new ParseRun(files, wanted, call);
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, () => run.parse()));
    await run.parseLate();
  } finally {
    await run.finish(known * KEEP_PART);
  }
  return { done: run.done, slow: run.slow };
}

class ParseRun {
  done = 0;
  slow = 0;
  readonly #files: CodeFiles;
  readonly #wanted: Uint32Array;
  readonly #call: Call;
  readonly #until: number;
  readonly #late: string[] = [];
  #next = 0;
  #batch: Entry[] = [];
  #unkept = 0;

  constructor(files: CodeFiles, wanted: Uint32Array, call: Call) {
    this.#files = files;
    this.#wanted = wanted;
    this.#call = call;
    this.#until = lookUntil(call.deadline);
  }

  /** Takes files until there are none, or no time. */
  async parse(): Promise<void> {
    const { signal } = this.#call;
    while (this.#next < this.#wanted.length && performance.now() < this.#until) {
      signal.throwIfAborted();
      const path = this.#files.paths[this.#wanted[this.#next++] as number] as string;
      const { entry, isLate } = await entryOf(this.#files, path, signal);
      if (isLate) this.#late.push(path);
      else await this.#add(entry);
    }
  }

  /** Others may have kept them from the cores: once more, one by one. */
  async parseLate(): Promise<void> {
    const { signal } = this.#call;
    for (const path of this.#late) {
      if (performance.now() >= this.#until) return;
      signal.throwIfAborted();
      const { entry, isLate } = await entryOf(this.#files, path, signal);
      if (isLate) this.slow += 1;
      await this.#add(entry);
    }
  }

  /** Keeps what is known where so many files have been parsed since it was kept. */
  async finish(enough: number): Promise<void> {
    await this.#hand();
    if (this.#unkept > 0 && this.#unkept >= enough) await this.#keep();
  }

  async #add(entry: Entry): Promise<void> {
    this.#batch.push(entry);
    this.done += 1;
    if (this.#batch.length < BATCH) return;
    this.#call.progress({ message: `parsed ${this.done} of ${this.#wanted.length} files` });
    await this.#hand();
    if (this.#unkept >= KEEP_AFTER) await this.#keep();
  }

  async #hand(): Promise<void> {
    const entries = this.#batch;
    this.#batch = [];
    this.#unkept += entries.length;
    if (entries.length > 0) await step({ ask: 'put', base: this.#files.base, entries });
  }

  async #keep(): Promise<void> {
    this.#unkept = 0;
    const { home } = this.#files;
    const { disk } = this.#call.session;
    if (disk) disk.put(keptKey(home), [await step({ ask: 'keep', home })]);
  }
}

/**
 * Without tags where the file cannot be opened or parsed; without a key where its next version may look the same.
 * `isLate`: the parser ran out of time or memory, and may have more of them next time.
 */
async function entryOf(
  files: CodeFiles,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly entry: Entry; readonly isLate: boolean }> {
  const without = (key = ''): { entry: Entry; isLate: boolean } => ({
    entry: { path, key, tags: '' },
    isLate: false,
  });
  const file = await files.open(path, signal);
  if (!file) return without();
  const key = file.recurs ? file.key : '';
  try {
    const language = languageOf(path.slice(path.lastIndexOf('/') + 1), '');
    const bytes = language && (await file.read(signal));
    if (!language || !bytes) return without(key);
    const found = await tagsOf(bytes, language, signal);
    if (!('none' in found)) return { entry: { path, key, tags: found.text }, isLate: false };
    return lasts(found) ? without(key) : { ...without(), isLate: true };
  } finally {
    await file.close();
  }
}
