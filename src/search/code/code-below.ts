/** The code of a directory or an archive: changed files are parsed, and their tags are cached for the next call. */

import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import type {
  CodeQuestionAnswer,
  CodeReplies,
  SyncJob,
  TagEntry,
  UnknownFiles,
} from '../../code/codebase/codebase-worker.ts';
import { askCode } from '../../code/codebase/codebase.ts';
import { pathWeight } from '../../code/codebase/paths.ts';
import type { CodeQuestion, CodeReply } from '../../code/codebase/questions.ts';
import { INDEX_VERSION, readPartNames } from '../../code/codebase/stored-index.ts';
import { type CodeLanguage, languageOf } from '../../code/languages.ts';
import type { TagsFound } from '../../code/outline-worker.ts';
import { endTagParsers, type TaggedFile, tagsOf } from '../../code/parsed.ts';
import { packTags } from '../../code/tags.ts';
import { callerOf, registerCaller } from '../../queues/caller.ts';
import type { Call } from '../../types/call.ts';
import type { LocalCache, Session } from '../../types/session.ts';
import { gatherUntil } from '../../walk/collect-walk.ts';
import type { GapsSeen } from '../../walk/gaps.ts';
import type { CodeFile, CodeFiles } from './code-files.ts';

export class CodeBelow {
  /** The number of code files. */
  readonly files: number;
  /** Files that the last answer does not cover. */
  unknown: UnknownFiles = { missing: 0, whole: 0, parts: 0, slow: 0, fresh: 0 };
  readonly #found: CodeFiles;
  readonly #call: Call;
  readonly #stored: StoredReplies;
  #state: CodeReplies['sync'];
  /** Whether symbols that a map shows were parsed for it: the same map in other sizes shows no others. */
  #isRefined = false;
  #known: 'nothing' | 'sketches' | 'tags' = 'nothing';
  /** Files that may declare an asked name, or answer a question, and were not parsed in time. */
  #unparsed = 0;

  private constructor(found: CodeFiles, job: SyncJob, state: CodeReplies['sync'], call: Call) {
    this.files = state.files;
    [this.#found, this.#state, this.#call] = [found, state, call];
    this.#stored = new StoredReplies(job, call.session);
  }

  /** Throws `BUSY`. */
  static async look(found: CodeFiles, call: Call): Promise<CodeBelow> {
    const job = jobOf(found);
    // The first question decides which tags are needed.
    return new CodeBelow(found, job, await step(job, call.signal), call);
  }

  /** Loads the tags, and parses or sketches new and changed files until the time for that is over. Throws `BUSY`. */
  async #makeReady(question: CodeQuestion): Promise<void> {
    const job = jobOf(this.#found);
    if (!this.#state.loaded) await load(job.home, this.#call);
    // Of few files tags are made as fast as sketches.
    if (!this.#state.loaded || this.#known === 'sketches') this.#state = await step(job, this.#call.signal);
    const { wanted, sketched } = this.#state;
    const isSketchy = isRefinable(question) && wanted.length + sketched.length > BATCH_FILES;
    if (isSketchy && wanted.length > BATCH_FILES) await this.#parse(wanted, 'sketches');
    else if (isSketchy) await this.#parse(wanted, 'tags');
    else await this.#parse(Uint32Array.from([...wanted, ...sketched]).sort(), 'tags');
    this.#known = isSketchy ? 'sketches' : 'tags';
    const words = isSketchy ? wordsOf(question) : undefined;
    if (!words) return;
    const untagged =
      wanted.length > BATCH_FILES ? Uint32Array.from([...wanted, ...sketched]).sort() : sketched;
    const naming = await filesNaming(words, untagged, this.#found, this.#call);
    this.#unparsed = naming.length - (await this.#parse(naming, 'tags', this.#state.view));
  }

  /** Returns how many were parsed in time. */
  #parse(files: Uint32Array, as: 'sketches' | 'tags', refined?: number): Promise<number> {
    return parseCode(
      this.#found,
      files,
      { known: this.#state.files, sketched: as === 'sketches', refined },
      this.#call,
    );
  }

  get gaps(): GapsSeen {
    return this.#found.gaps;
  }

  /** The real path of the directory; undefined for an archive. */
  get directory(): string | undefined {
    return this.#found.directory;
  }

  /** Throws `BUSY`. */
  async ask<Q extends CodeQuestion>(question: Q): Promise<CodeReply & { readonly kind: Q['kind'] }> {
    const found =
      (this.#known === 'tags' ? undefined : await this.#stored.get(question)) ??
      (await this.#answer(question));
    if (found?.reply.kind !== question.kind)
      throw new Error(`the codebase thread gave no answer to ${question.kind}`);
    this.unknown = found.unknown;
    return found.reply as CodeReply & { readonly kind: Q['kind'] };
  }

  async #answer(question: CodeQuestion): Promise<CodeQuestionAnswer | undefined> {
    if (this.#known !== 'tags') await this.#makeReady(question);
    let found = await this.#asked(
      this.#isRefined && question.kind === 'map' ? { ...question, isParsed: true } : question,
    );
    const most = question.kind === 'uses' ? MAX_STEPS_OF_USES : MAX_REFINEMENTS;
    for (let i = 0; i < most; i += 1) {
      const sketched = sketchedIn(found?.reply);
      if (sketched.length === 0 || !isRefinable(question)) break;
      const refined = sketched.length < MANY ? this.#state.view : undefined;
      const parsed = await this.#parse(Uint32Array.from(sketched), 'tags', refined);
      this.#isRefined = question.kind === 'map';
      if (question.kind === 'relevant') this.#unparsed += sketched.length - parsed;
      else if (parsed === 0) break;
      found = await this.#asked({ ...question, isParsed: true });
    }
    if (!found) return undefined;
    const missing = found.unknown.missing + Math.max(this.#unparsed, sketchedIn(found.reply).length);
    const reply = { ...found, unknown: { ...found.unknown, missing } };
    this.#stored.put(question, reply);
    return reply;
  }

  async #asked(question: CodeQuestion): Promise<CodeQuestionAnswer | undefined> {
    const { signal } = this.#call;
    // The thread caches the files of a few directories; these may have been evicted by other calls.
    return (
      (await step({ kind: 'question', view: this.#state.view, question }, signal)) ??
      (await step({ kind: 'question', view: jobOf(this.#found), question }, signal))
    );
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

/** A question needs the files that may answer it, and then those that call what was found. */
const MAX_REFINEMENTS = 2;

/** Uses also need what is imported on the way, and the files of base classes and derived ones, one level at a time. */
const MAX_STEPS_OF_USES = 12;

type RefinedQuestion = Extract<CodeQuestion, { readonly isParsed?: boolean | undefined }>;

/** Whether sketches, and the tags of few files, are enough for the reply. */
function isRefinable(question: CodeQuestion): question is RefinedQuestion {
  return question.kind !== 'words' && (question.kind !== 'map' || question.query === '');
}

/** Files to be parsed for an exact reply. */
function sketchedIn(reply: CodeReply | undefined): readonly number[] {
  if (reply?.kind === 'map') return reply.map.sketched ?? [];
  return reply && 'sketched' in reply ? reply.sketched : [];
}

/** Words of which a file has at least one if it can be part of the reply: without any, every file can. Undefined: not known yet. */
function wordsOf(question: CodeQuestion): readonly string[] | undefined {
  const last = (name: string): string[] => name.match(/[\p{L}\p{N}_$]+/gu)?.slice(-1) ?? [''];
  if (question.kind === 'definitions') return question.names.flatMap(last);
  if (question.kind === 'uses') return last(question.name);
  if (question.kind !== 'importers') return undefined;
  // A module is imported by its own name or that of its directory; by dots alone, `crate` or another name if it stands for that.
  const [file = '', directory] = question.path.split('/').toReversed();
  const stem = file.replace(/\..*$/, '');
  return STANDS_FOR_DIRECTORY.test(stem) ? [] : [stem, ...(directory === undefined ? [] : [directory])];
}

const STANDS_FOR_DIRECTORY = /^(?:index|__init__|mod|main|lib|init|)$/;

/** Of `files` (0-based positions) those whose text has one of `words`. */
async function filesNaming(
  words: readonly string[],
  files: Uint32Array,
  { readAll, paths }: CodeFiles,
  { deadline }: Call,
): Promise<Uint32Array> {
  if (!readAll || files.length === 0 || words.length === 0 || words.includes('')) return files;
  const left = new Map(Array.from(files, (position) => [paths[position] as string, position]));
  await readAll(gatherUntil(deadline, files.length), async (texts) => {
    for (const { path, bytes } of texts) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      // A text with NUL bytes may be UTF-16.
      if (!text.includes(0) && !words.some((word) => text.includes(word))) left.delete(path);
    }
  });
  return Uint32Array.from(left.values());
}

/** Loads the cached tags from disk into the thread, one part at a time to bound the memory for large trees. */
async function load(home: string, { session: { files }, signal }: Call): Promise<void> {
  const names = await files?.get(keptKey(home));
  for (const name of names ? readPartNames(names).toReversed() : []) {
    const bytes = await files?.get(partKey(home, name));
    if (bytes) await step({ kind: 'load', home, part: { name, bytes } }, signal);
  }
  await step({ kind: 'load', home }, signal);
}

function jobOf({ base, home, top, paths, keys }: CodeFiles): SyncJob {
  return { kind: 'sync', base, home, top, paths: paths.join('\0'), keys: [...keys.values()].join('\n') };
}

// Parses the code files whose tags are not cached, and sends the tags to the codebase thread.

/** Concurrent batches: one for each of two parsers, and two that are read or handed on, so that no parser waits for files. */
const AT_ONCE = 4;

/** The most files and bytes of one batch, which takes a few hundred milliseconds. */
const BATCH_FILES = 64;
const BATCH_BYTES = 192 << 10;

/** The same of a batch that is sketched. */
const SKETCHED_FILES = 256;
const SKETCHED_BYTES = 1 << 20;

/** The share of the time for sketches, and then of the rest for the files that are shown. */
const SHARED_PART = 0.45;

/** The first batch has only so many: on a busy machine, the best files have symbols before the time is over. */
const BEST_FILES = 8;

/** The tags are written to disk after this many parsed files, whatever happens to the call later. */
const KEEP_AFTER = 2_000;

/** After this many parsed files the parser threads are ended at once, because ranking so many tags needs the memory. */
const MANY = 1_000;
/** The same of sketched files, of which others are parsed after the ranking: a new thread starts in a twentieth of a second. */
const VERY_MANY = 8_000;

/**
 * If less than this share of the code files was parsed, the tags are not written to disk: each write adds a file that
 * every later process must read. The next process parses these files again and writes them when there are more.
 */
const KEEP_PART = 1 / 50;

/**
 * The share of the remaining time that a batch, or a file that is parsed alone, may take, so that one that never ends
 * leaves time for the others. The `MIN_` values are milliseconds: a batch gets at least so many; a file that failed with
 * fewer is tried again in the next call.
 */
const BATCH_PART = 1 / 4;
const ALONE_PART = 3 / 4;
const MIN_BATCH_MS = 2_000;
const MIN_ALONE_MS = 4_000;

/** The share of that time after which the parser itself gives up, if it had the CPU: then the file is slow on any machine. */
const CPU_PART = 0.8;

/** The timeout of one request to the codebase thread, in ms. */
const STEP_MS = 20_000;

/** Sends a request to the codebase thread, which serves its callers in turn. Throws `BUSY`, and the reason of the signal. */
export function step<J extends Parameters<typeof askCode>[0]>(
  job: J,
  signal: AbortSignal,
): Promise<CodeReplies[J['kind']]> {
  return askCode(job, STEP_MS, signal) as Promise<CodeReplies[J['kind']]>;
}

/** A signal of the same caller that never aborts, because parsed tags must be stored even if the call is cancelled. */
function lasting(signal: AbortSignal): AbortSignal {
  const own = new AbortController().signal;
  registerCaller(callerOf(signal), own);
  return own;
}

/** The cache key of the list of parts in which the tags are stored. */
function keptKey(home: string): string {
  return `code below ${home}`;
}

function partKey(home: string, part: string): string {
  return `code below ${home} part ${part}`;
}

interface ParseOptions {
  /** The number of code files. */
  readonly known: number;
  /** Whether sketches are enough. */
  readonly sketched: boolean;
  /** See `TagsJob`. */
  readonly refined: number | undefined;
}

/** Parses, or sketches, the files of `wanted` (0-based indices into the paths) until the time is over; returns how many. */
async function parseCode(
  files: CodeFiles,
  wanted: Uint32Array,
  options: ParseOptions,
  call: Call,
): Promise<number> {
  if (wanted.length === 0) return 0;
  const { known, sketched } = options;
  const run = new ParseRun(files, wanted, options, call);
  // What a map shows is one batch: to load its grammars in two threads takes longer than to parse it in one.
  const atOnce = options.refined !== undefined && wanted.length <= BATCH_FILES ? 1 : AT_ONCE;
  try {
    if (sketched) await run.sketchAll();
    await Promise.all(Array.from({ length: atOnce }, () => run.parse()));
    await run.parseLate();
  } finally {
    if (run.done >= (sketched ? VERY_MANY : MANY)) await endTagParsers();
    await run.finish(known * KEEP_PART);
  }
  return run.done;
}

/** A file that was read and is to be parsed. */
interface ReadFile extends TaggedFile {
  readonly entry: TagEntry;
}

class ParseRun {
  done = 0;
  readonly #files: CodeFiles;
  #wanted: Uint32Array;
  readonly #call: Call;
  readonly #sketched: boolean;
  readonly #refined: number | undefined;
  readonly #until: number;
  /** Files whose parser timed out or crashed. */
  readonly #late: string[] = [];
  readonly #lasting: AbortSignal;
  readonly #count: number;
  #next = 0;
  #unkept = 0;

  constructor(files: CodeFiles, wanted: Uint32Array, { known, sketched, refined }: ParseOptions, call: Call) {
    this.#files = files;
    this.#wanted = byLanguage(files.paths, wanted);
    [this.#call, this.#sketched, this.#refined, this.#count] = [call, sketched, refined, wanted.length];
    this.#lasting = lasting(call.signal);
    const [now, until] = [performance.now(), gatherUntil(call.deadline, known)];
    // What is shown is parsed after the sketches, and ranked again after that.
    const part = sketched || refined !== undefined ? SHARED_PART : 1;
    this.#until = now + part * (until - now);
  }

  /** Sketches the files as a walk reads them, which is faster than opening each; some may be left. */
  async sketchAll(): Promise<void> {
    const { readAll, paths } = this.#files;
    if (!readAll || this.#wanted.length < paths.length / 4) return;
    const left = new Map(Array.from(this.#wanted, (position) => [paths[position] as string, position]));
    await readAll(this.#until, async (texts) => {
      const batch = texts
        .filter(({ path }) => left.delete(path))
        .map(({ path, key, bytes }) => ({ entry: { path, key }, bytes, language: languageOfFile(path) }));
      const moved = texts.slice(0, 1).map(({ bytes }) => bytes.buffer as ArrayBuffer);
      if (batch.length > 0 && this.#hasTime()) await this.#tag(batch, moved);
    });
    this.#wanted = this.#wanted.filter((position) => left.has(paths[position] as string));
  }

  /** Parses batches until no files or no time is left. */
  async parse(): Promise<void> {
    while (this.#next < this.#wanted.length && this.#hasTime()) {
      await this.#tag(await this.#read());
    }
  }

  async #tag(batch: readonly ReadFile[], moved: readonly ArrayBuffer[] = []): Promise<void> {
    const { signal } = this.#call;
    const within = Math.max(MIN_BATCH_MS, this.#left() * BATCH_PART);
    const found = await tagsOf(batch, this.#until, signal, { within, sketched: this.#sketched, moved });
    const paths = batch.map(({ entry }) => entry.path);
    if ('none' in found) {
      // One of the files crashed the thread or never ends. They are parsed one by one, so that the others get their tags.
      if (!found.isUnasked) this.#late.push(...paths);
      return;
    }
    this.#late.push(...found.late.map((i) => paths[i] as string), ...paths.slice(found.tags.known.length));
    await this.#hand(batch, found);
    const done = this.#sketched ? 'scanned' : 'parsed';
    this.#call.progress({ message: `${done} ${this.done} of ${this.#count} files` });
    signal.throwIfAborted();
    if (this.#unkept >= KEEP_AFTER) await this.#keep();
  }

  /** Parses the late files again, one by one: they may have been late only because the machine was busy. */
  async parseLate(): Promise<void> {
    for (const path of this.#late.splice(0)) {
      if (!this.#hasTime()) return;
      const file = await readFile(this.#files, path, this.#call.signal);
      const within = this.#left() * ALONE_PART;
      const cpuMs = within * CPU_PART;
      const found = await tagsOf([file], this.#until, this.#call.signal, { alone: true, within, cpuMs });
      if (!('none' in found) && found.tags.known.length > 0) {
        const isSlow = found.late.length > 0 && within >= MIN_ALONE_MS;
        await this.#hand([file], found, isSlow ? 'always' : undefined);
        continue;
      }
      // If the parser could not start, nothing is known about the file.
      if (('none' in found && found.isUnasked) || !this.#hasTime()) return;
      const isCrash = 'none' in found && found.none === 'crash';
      // Made for each, because they move to the codebase thread.
      const none = { tags: packTags(['']), late: [] };
      if (isCrash || within >= MIN_ALONE_MS) await this.#hand([file], none, isCrash ? 'always' : 'here');
    }
  }

  /** Writes the tags to disk if at least `enough` files have been parsed since the last write. */
  async finish(enough: number): Promise<void> {
    if (this.#unkept > 0 && this.#unkept >= enough) await this.#keep();
  }

  #hasTime(): boolean {
    this.#call.signal.throwIfAborted();
    return this.#left() > 0;
  }

  /** The remaining time in ms. */
  #left(): number {
    return this.#until - performance.now();
  }

  /** Reads the next batch. */
  async #read(): Promise<ReadFile[]> {
    const batch: ReadFile[] = [];
    let bytes = 0;
    const most = this.#sketched ? SKETCHED_FILES : this.#next === 0 ? BEST_FILES : BATCH_FILES;
    const mostBytes = this.#sketched ? SKETCHED_BYTES : BATCH_BYTES;
    while (this.#next < this.#wanted.length && batch.length < most && bytes < mostBytes) {
      const path = this.#files.paths[this.#wanted[this.#next++] as number] as string;
      const file = await readFile(this.#files, path, this.#call.signal);
      bytes += file.bytes?.length ?? 0;
      batch.push(file);
    }
    return batch;
  }

  /** Sends the tags to the codebase thread. If the parser had to stop, `tags` covers only the first files of the batch. */
  async #hand(batch: readonly ReadFile[], { tags, late }: TagsFound, slow?: TagEntry['slow']): Promise<void> {
    const looked = batch.slice(0, tags.known.length);
    const again = new Set(slow ? [] : late);
    const entries = looked.map(({ entry }, i) => {
      if (again.has(i)) return { ...entry, key: '', slow: 'again' as const };
      return slow ? { ...entry, slow } : entry;
    });
    this.done += entries.length - again.size;
    this.#unkept += entries.length;
    await step({ kind: 'put', base: this.#files.base, entries, tags, refined: this.#refined }, this.#lasting);
  }

  async #keep(): Promise<void> {
    this.#unkept = 0;
    const { home } = this.#files;
    const { files } = this.#call.session;
    if (!files) return;
    for (;;) {
      const kept = await step({ kind: 'keep', home }, this.#lasting);
      if ('part' in kept) {
        // Awaited one by one: a busy cache refuses more writes, and a part is returned only once.
        await files.put(partKey(home, kept.part.name), [kept.part.bytes]);
        continue;
      }
      await files.put(keptKey(home), [kept.list]);
      return;
    }
  }
}

/** No bytes if the file cannot be opened or is too large; no key if its identity does not recur. */
async function readFile(files: CodeFiles, path: string, signal: AbortSignal): Promise<ReadFile> {
  const language = languageOfFile(path);
  const file = await files.open(path, signal);
  if (!file) return { entry: { path, key: '' }, language };
  try {
    const bytes = await file.read(signal);
    return { entry: { path, key: file.recurs ? file.key : '' }, language, bytes };
  } finally {
    await file.close();
  }
}

function languageOfFile(path: string): CodeLanguage {
  return languageOf(path.slice(path.lastIndexOf('/') + 1), '') ?? NO_LANGUAGE;
}

const NO_LANGUAGE: CodeLanguage = { name: '', extensions: [] };

// Sorts files for parsing by their language.

/**
 * Groups `wanted` (0-based indices into `paths`) by language: languages in order of first occurrence, of one language the
 * source code before its tests and what was generated, otherwise in the given order. A restarted parser then loads one
 * grammar at a time, not those of all languages.
 */
export function byLanguage(paths: readonly string[], wanted: Uint32Array): Uint32Array {
  const groups = new Map<string, number[]>();
  for (const position of wanted) {
    const path = paths[position] ?? '';
    const name = languageOf(path.slice(path.lastIndexOf('/') + 1), '')?.name ?? '';
    const group = groups.get(name);
    if (group) group.push(position);
    else groups.set(name, [position]);
  }
  const weigh = (position: number): number => pathWeight(paths[position] ?? '');
  const sorted = [...groups.values()].map((group) => group.toSorted((a, b) => weigh(b) - weigh(a)));
  return Uint32Array.from(sorted.flat());
}

// The maps of unchanged code, on disk: a new process answers with them before it has loaded any tags. A reply is stored
// under the hash of its question and of the paths and identities of all files.

/** Incremented when a map is made in another way. */
const VERSION = `${INDEX_VERSION}, maps 4`;

/** Minimum code files: fewer are loaded as fast. */
const MIN_STORED_FILES = 200;

/** Maximum keys of replies that this process knows to be in a cache. */
const MAX_KNOWN_REPLIES = 256;

const knownIn = new WeakMap<LocalCache, Set<string>>();

export class StoredReplies {
  readonly #cache: LocalCache | undefined;
  /** Of the files; undefined if they are too few. */
  readonly #digest: Buffer | undefined;

  constructor(
    { base, top, paths, keys }: SyncJob,
    { files }: Pick<Session, 'files'>,
    least = MIN_STORED_FILES,
  ) {
    this.#cache = files;
    const isLarge = files && keys.split('\n', least).length === least;
    this.#digest = isLarge ? hashOf([VERSION, base, top, paths, keys]) : undefined;
  }

  async get(question: CodeQuestion): Promise<CodeQuestionAnswer | undefined> {
    const key = this.#keyOf(question);
    const bytes = key === undefined ? undefined : await this.#cache?.get(key);
    return bytes && (JSON.parse(bytes.toString()) as CodeQuestionAnswer);
  }

  /** Stores the reply in the background, unless some files were not parsed, or may change without a new identity. */
  put(question: CodeQuestion, answer: CodeQuestionAnswer): void {
    const { missing, slow, fresh } = answer.unknown;
    const key = this.#keyOf(question);
    if (!this.#cache || key === undefined || missing + slow + fresh > 0) return;
    const known = knownIn.get(this.#cache) ?? new Set<string>();
    knownIn.set(this.#cache, known);
    if (known.has(key)) return;
    for (const oldest of known) {
      if (known.size < MAX_KNOWN_REPLIES) break;
      known.delete(oldest);
    }
    known.add(key);
    void this.#cache.put(key, [Buffer.from(JSON.stringify(answer))]);
  }

  /** Undefined if replies to this question are not stored. */
  #keyOf(question: CodeQuestion): string | undefined {
    if (!this.#digest || question.kind !== 'map') return undefined;
    return `code map ${hashOf([this.#digest, serialize(question)]).toString('hex')}`;
  }
}

/** Of the lengths and bytes of all parts. */
function hashOf(parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest();
}
