/** Parses the code files whose tags are not known, and hands them to the thread that knows them. */

import { askCode } from '../../codebase/codebase.ts';
import type { CodeReplies, Entry } from '../../codebase/codebase-worker.ts';
import { changePartNames } from '../../codebase/kept.ts';
import { callerOf, waitAs } from '../../queues/caller.ts';
import type { Call } from '../../types/call.ts';
import { type Language, languageOf } from '../../views/languages.ts';
import type { TagsFound } from '../../views/outline-worker.ts';
import { packTags } from '../../views/packed-tags.ts';
import { endTagParsers, type TaggedFile, tagsOf } from '../../views/parsed.ts';
import { gatherUntil } from '../walk/time.ts';
import { byLanguage } from './by-language.ts';
import type { CodeFiles } from './code-files.ts';

/** Batches at a time: one for each of two parsers, and as many that are being read or handed on. */
const AT_ONCE = 4;

/** Files and bytes that are parsed by one question and handed on together: a few hundred milliseconds. */
const BATCH_FILES = 64;
const BATCH_BYTES = 192 << 10;

/** Parsed files after which what is known is kept on disk, whatever happens to the call. */
const KEEP_AFTER = 2_000;

/** Parsed files after which the threads that parsed them are ended at once: those of so many take much to be ranked. */
const MANY = 1_000;

/**
 * Where less than this part of the code files was parsed, the next process parses them again, and writes them when
 * there are more: each time a file is written, and read by every process after.
 */
const KEEP_PART = 1 / 50;

/**
 * Parts of the time that is left which a batch, and a file that is parsed alone, may take: one that never ends leaves some
 * to the others. A batch has so many milliseconds in any case; a file that had fewer may have more in the next call.
 */
const BATCH_PART = 1 / 4;
const ALONE_PART = 3 / 4;
const LEAST_BATCH_MS = 2_000;
const LEAST_ALONE_MS = 4_000;

/** Milliseconds that the thread may take for one step. */
const STEP_MS = 20_000;

/** A step of the thread, which serves those who wait in turn. Throws `BUSY`, and the reason of the signal. */
export function step<J extends Parameters<typeof askCode>[0]>(
  job: J,
  signal: AbortSignal,
): Promise<CodeReplies[J['ask']]> {
  return askCode(job, STEP_MS, signal) as Promise<CodeReplies[J['ask']]>;
}

/** A signal of the same caller that never aborts: what was parsed must survive a cancelled call. */
function lasting(signal: AbortSignal): AbortSignal {
  const own = new AbortController().signal;
  waitAs(callerOf(signal), own);
  return own;
}

/** Has the names of the parts in which the tags are kept. */
export function keptKey(home: string): string {
  return `code below ${home}`;
}

export function partKey(home: string, part: string): string {
  return `code below ${home} part ${part}`;
}

/** `known`: how many code files there are. Returns how many of `wanted` (positions) were parsed. */
export async function parseCode(
  files: CodeFiles,
  wanted: Uint32Array,
  known: number,
  call: Call,
): Promise<number> {
  if (wanted.length === 0) return 0;
  const run = new ParseRun(files, wanted, known, call);
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, () => run.parse()));
    await run.parseLate();
  } finally {
    if (run.done >= MANY) await endTagParsers();
    await run.finish(known * KEEP_PART);
  }
  return run.done;
}

/** A file that is to be parsed, as it was read. */
interface ReadFile extends TaggedFile {
  readonly entry: Entry;
}

class ParseRun {
  done = 0;
  readonly #files: CodeFiles;
  readonly #wanted: Uint32Array;
  readonly #call: Call;
  readonly #until: number;
  /** Files whose parser took too long, or died. */
  readonly #late: string[] = [];
  readonly #lasting: AbortSignal;
  #next = 0;
  #unkept = 0;

  constructor(files: CodeFiles, wanted: Uint32Array, known: number, call: Call) {
    this.#files = files;
    this.#wanted = byLanguage(files.paths, wanted);
    this.#call = call;
    this.#lasting = lasting(call.signal);
    this.#until = gatherUntil(call.deadline, known);
  }

  /** Takes files until there are none, or no time. */
  async parse(): Promise<void> {
    const { signal } = this.#call;
    while (this.#next < this.#wanted.length && this.#hasTime()) {
      const batch = await this.#read();
      const within = Math.max(LEAST_BATCH_MS, this.#left() * BATCH_PART);
      const found = await tagsOf(batch, this.#until, signal, { within });
      const paths = batch.map(({ entry }) => entry.path);
      if ('none' in found) {
        // One of them ended the thread, or never ends: each alone, so that the others have their tags.
        if (!found.isUnasked) this.#late.push(...paths);
        continue;
      }
      this.#late.push(...found.late.map((i) => paths[i] as string), ...paths.slice(found.tags.known.length));
      await this.#hand(batch, found);
      this.#call.progress({ message: `parsed ${this.done} of ${this.#wanted.length} files` });
      signal.throwIfAborted();
      if (this.#unkept >= KEEP_AFTER) await this.#keep();
    }
  }

  /** Others may have kept them from the cores: once more, one by one. */
  async parseLate(): Promise<void> {
    for (const path of this.#late.splice(0)) {
      if (!this.#hasTime()) return;
      const file = await readFile(this.#files, path, this.#call.signal);
      const within = this.#left() * ALONE_PART;
      const found = await tagsOf([file], this.#until, this.#call.signal, { alone: true, within });
      if (!('none' in found) && found.tags.known.length > 0) {
        await this.#hand([file], found, found.late.length > 0);
        continue;
      }
      // A parser that could not begin says nothing about the file.
      if (('none' in found && found.isUnasked) || !this.#hasTime()) return;
      const isCrash = 'none' in found && found.none === 'crash';
      if (isCrash || within >= LEAST_ALONE_MS) await this.#hand([file], NO_TAGS, true);
    }
  }

  /** Keeps what is known where so many files have been parsed since it was kept. */
  async finish(enough: number): Promise<void> {
    if (this.#unkept > 0 && this.#unkept >= enough) await this.#keep();
  }

  #hasTime(): boolean {
    this.#call.signal.throwIfAborted();
    return this.#left() > 0;
  }

  /** Milliseconds. */
  #left(): number {
    return this.#until - performance.now();
  }

  /** The next files. */
  async #read(): Promise<ReadFile[]> {
    const batch: ReadFile[] = [];
    let bytes = 0;
    while (this.#next < this.#wanted.length && batch.length < BATCH_FILES && bytes < BATCH_BYTES) {
      const path = this.#files.paths[this.#wanted[this.#next++] as number] as string;
      const file = await readFile(this.#files, path, this.#call.signal);
      bytes += file.bytes?.length ?? 0;
      batch.push(file);
    }
    return batch;
  }

  /** Hands on what was found: where the parser was told to stop, of the first files only. */
  async #hand(batch: readonly ReadFile[], { tags, late }: TagsFound, isSlow = false): Promise<void> {
    const looked = batch.slice(0, tags.known.length);
    const again = new Set(isSlow ? [] : late);
    const entries = looked.map(({ entry }, i) => (again.has(i) ? { ...entry, key: '' } : entry));
    this.done += entries.length - again.size;
    this.#unkept += entries.length;
    await step({ ask: 'put', base: this.#files.base, entries, tags, isSlow }, this.#lasting);
  }

  async #keep(): Promise<void> {
    this.#unkept = 0;
    const { home } = this.#files;
    const { files } = this.#call.session;
    if (!files) return;
    for (;;) {
      const kept = await step({ ask: 'keep', home }, this.#lasting);
      if ('part' in kept) {
        // Each in its turn: a cache that is busy with many takes no more, and a part is handed out once.
        await files.put(partKey(home, kept.part.name), [kept.part.bytes]);
        continue;
      }
      const { listed } = kept;
      await files.change(keptKey(home), (list) => changePartNames(list, listed));
      for (const name of listed.gone) files.remove(partKey(home, name));
      return;
    }
  }
}

/** Without bytes where the file cannot be opened or parsed; without a key where its next version may look the same. */
async function readFile(files: CodeFiles, path: string, signal: AbortSignal): Promise<ReadFile> {
  const language = languageOf(path.slice(path.lastIndexOf('/') + 1), '') ?? NO_LANGUAGE;
  const file = await files.open(path, signal);
  if (!file) return { entry: { path, key: '' }, language };
  try {
    const bytes = await file.read(signal);
    return { entry: { path, key: file.recurs ? file.key : '' }, language, ...(bytes && { bytes }) };
  } finally {
    await file.close();
  }
}

/** Of one file. */
const NO_TAGS: TagsFound = { tags: packTags(['']), late: [] };

const NO_LANGUAGE: Language = { name: '', extensions: [], summary: false };
