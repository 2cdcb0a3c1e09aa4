/** The code below a directory: what a walk finds, parsed where it has changed, and kept for the next call. */

import { join } from 'node:path';
import { readAt } from '../../access/bytes.ts';
import { askCode } from '../../codebase/codebase.ts';
import type { CodeReplies, Entry, SyncJob, Unknown } from '../../codebase/codebase-worker.ts';
import type { CodeQuestion, CodeReply } from '../../codebase/questions.ts';
import { OrielError } from '../../errors.ts';
import type { OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import { languageOf } from '../../views/languages.ts';
import { lasts, tagsOf } from '../../views/parsed.ts';
import { GapsSeen } from '../walk/gaps.ts';
import { lookUntil, withProgress } from '../walk/time.ts';
import { WalkBroken, WalkRun } from '../walk/walk-run.ts';

/** Files of a directory that are looked at. */
const MOST_FILES = 100_000;

/** Bytes of a code file that is parsed: what is larger was made by a program. */
export const MOST_BYTES = 1 << 20;

/** What compilers write beside the code that it was made from. */
const COMPILED = /\.(?:py[co]|class|o|obj|a|lib|so|dylib|dll|exe|wasm|beam|elc)$/;

/** Files that are opened, parsed and handed on at a time. */
const AT_ONCE = 4;
const BATCH = 64;

/** Parsed files after which what is known is kept on disk, whatever happens to the call. */
const KEEP_AFTER = 2_000;

/** Milliseconds that the thread may take for one step. */
const STEP_MS = 20_000;

/** Steps of the thread are short, and what it knows must survive a cancelled call. */
const never = new AbortController().signal;

export class CodeBelow {
  /** Real path, ends in a slash. */
  readonly base: string;
  readonly gaps: GapsSeen;
  /** Code files, those that were not parsed for want of time, and those that take too long to parse. */
  readonly files: number;
  readonly missing: number;
  readonly slow: number;
  /** As far as the last question told. */
  unknown: Unknown = { whole: 0, parts: 0 };
  readonly #view: number;
  readonly #keys: ReadonlyMap<string, string>;

  private constructor(found: Walked, view: number, files: number, missing: number, slow: number) {
    this.base = found.base;
    this.gaps = found.gaps;
    this.files = files;
    this.missing = missing;
    this.slow = slow;
    this.#view = view;
    this.#keys = found.keys;
  }

  /** Walks, and parses what is new, for as long as the call has time. Throws what opening throws, and `BUSY`. */
  static async look(directory: OpenedDirectory, call: Call): Promise<CodeBelow> {
    const found = await withProgress(call, 'walking', () => walk(directory, call));
    const job = jobOf(found, homeOf(found.base, call));
    let state = await step(job);
    if (!state.loaded) {
      const kept = await call.session.disk?.get(keptKey(job.home));
      await step({ ask: 'load', home: job.home, kept });
      state = await step(job);
    }
    const parsed = await parseAll(found, state.wanted, job.home, call);
    const { done, slow } = parsed;
    return new CodeBelow(found, state.view, state.files, state.wanted.length - done, slow);
  }

  /** Throws `BUSY` where the thread has forgotten the directory meanwhile. */
  async ask<Q extends CodeQuestion>(question: Q): Promise<CodeReply & { readonly is: Q['is'] }> {
    const found = await step({ ask: 'question', view: this.#view, question });
    if (found?.reply.is === question.is) {
      this.unknown = found.unknown;
      return found.reply as CodeReply & { readonly is: Q['is'] };
    }
    throw new OrielError('BUSY', 'Too many directories were asked about at once. Call again.');
  }

  /** Whether a file that was opened later (its path relative to the base) is still the one that was parsed. */
  isAsParsed(path: string, key: string): boolean {
    const known = this.#keys.get(path);
    return known === undefined || known === '' || known === key;
  }
}

interface Walked {
  readonly base: string;
  readonly paths: string[];
  /** Key of the identity by path, in the order of `paths`; empty for what is no code. */
  readonly keys: ReadonlyMap<string, string>;
  readonly gaps: GapsSeen;
}

async function walk(directory: OpenedDirectory, call: Call): Promise<Walked> {
  const gaps = new GapsSeen();
  const paths: string[] = [];
  const keys = new Map<string, string>();
  const wants = { is: 'versions', most: MOST_FILES } as const;
  const run = await WalkRun.start(directory, { wants, deadline: lookUntil(call.deadline) }, call);
  try {
    for await (const batch of run.versions()) {
      batch.paths.forEach((path, i) => {
        if (COMPILED.test(path)) return;
        paths.push(path);
        keys.set(path, batch.keys[i] ?? '');
      });
    }
  } catch (error) {
    if (!(error instanceof WalkBroken)) throw error;
    gaps.broken = true;
  } finally {
    await run.close();
  }
  gaps.add(run.gaps);
  return { base: join(directory.path, '/'), paths, keys, gaps };
}

function jobOf({ base, paths, keys }: Walked, home: string): SyncJob {
  return { ask: 'sync', base, home, paths: paths.join('\0'), keys: [...keys.values()].join('\n') };
}

/** Tags are kept for a whole root, or working directory, whichever part of it is asked about. */
function homeOf(base: string, { access }: Call): string {
  const homes = [...access.roots, access.cwd].map((path) => join(path, '/'));
  return (
    homes.filter((home) => home !== '/' && base.startsWith(home)).sort((a, b) => a.length - b.length)[0] ??
    base
  );
}

function keptKey(home: string): string {
  return `code below ${home}`;
}

/** Returns how many of `wanted` (positions) were parsed, or took too long twice (`slow`). */
async function parseAll(
  { base, paths }: Walked,
  wanted: Uint32Array,
  home: string,
  call: Call,
): Promise<{ readonly done: number; readonly slow: number }> {
  if (wanted.length === 0) return { done: 0, slow: 0 };
  const until = lookUntil(call.deadline);
  let [next, done, slow, unkept] = [0, 0, 0, 0];
  const late: string[] = [];
  let batch: Entry[] = [];
  const hand = async (): Promise<void> => {
    const entries = batch;
    batch = [];
    if (entries.length > 0) await step({ ask: 'put', base, entries });
    unkept += entries.length;
    if (unkept < KEEP_AFTER) return;
    unkept = 0;
    await keep(home, call);
  };
  const work = async (): Promise<void> => {
    while (next < wanted.length && performance.now() < until) {
      call.signal.throwIfAborted();
      const path = paths[wanted[next++] as number] as string;
      const { entry, isLate } = await entryOf(base, path, call);
      if (isLate) {
        late.push(path);
        continue;
      }
      batch.push(entry);
      done += 1;
      if (batch.length >= BATCH) {
        call.progress({ message: `parsed ${done} of ${wanted.length} files` });
        await hand();
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    // Others may have kept them from the cores: once more, one by one.
    for (const path of late) {
      if (performance.now() >= until) break;
      call.signal.throwIfAborted();
      const { entry, isLate } = await entryOf(base, path, call);
      batch.push(entry);
      done += 1;
      if (isLate) slow += 1;
    }
  } finally {
    await hand();
    if (unkept > 0) await keep(home, call);
  }
  return { done, slow };
}

async function keep(home: string, { session }: Call): Promise<void> {
  if (session.disk) session.disk.put(keptKey(home), [await step({ ask: 'keep', home })]);
}

/**
 * Without tags where the file cannot be opened or parsed; without a key where its next version may look the same.
 * `isLate`: the parser ran out of time or memory, and may have more of them next time.
 */
async function entryOf(
  base: string,
  path: string,
  call: Call,
): Promise<{ readonly entry: Entry; readonly isLate: boolean }> {
  const without = (key = ''): { entry: Entry; isLate: boolean } => ({
    entry: { path, key, tags: '' },
    isLate: false,
  });
  const opened = await call.access.open(base + path, call.signal).catch(() => undefined);
  if (!opened) return without();
  try {
    const language = languageOf(path.slice(path.lastIndexOf('/') + 1), '');
    if (opened.is !== 'file' || !language) return without();
    const { identity } = opened.bytes;
    const key = identity.recurs ? identity.key : '';
    if (opened.size > MOST_BYTES) return without(key);
    const bytes = await readAt(opened.bytes, 0, opened.size, call.signal);
    const found = await tagsOf(bytes, language, call.signal);
    if (!('none' in found)) return { entry: { path, key, tags: found.text }, isLate: false };
    return lasts(found) ? without(key) : { ...without(), isLate: true };
  } finally {
    await opened.close();
  }
}

function step<J extends Parameters<typeof askCode>[0]>(job: J): Promise<CodeReplies[J['ask']]> {
  return askCode(job, performance.now() + STEP_MS, never) as Promise<CodeReplies[J['ask']]>;
}
