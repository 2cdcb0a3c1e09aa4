/**
 * The codebase thread: caches the tags of code files by their real paths until it ends, and answers questions about the
 * files of a directory. It handles one job at a time.
 */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { LOADED } from '../../process/worker-ending.ts';
import { isCode, isManifest } from '../languages.ts';
import { KNOWN, type PackedTags } from '../tags.ts';
import { CodeTree } from './code-tree.ts';
import type { FileGraph } from './graph.ts';
import { answerAbout, type CodeQuestion, type CodeReply } from './questions.ts';
import { IndexParts, type WrittenPart } from './stored-index.ts';
import {
  aroundLines,
  type AroundLines,
  type LinesAround,
  type StoredFile,
  type TagEntry,
  TagStore,
} from './tag-store.ts';

export type { TagEntry } from './tag-store.ts';

/** The files of a directory, as a walk found them. */
export interface SyncJob {
  readonly kind: 'sync';
  /**
   * Prefixes of real paths, each with a slash at its end: of the directory (in an archive, after the archive's path), and of
   * all files whose tags are stored on disk together.
   */
  readonly base: string;
  readonly home: string;
  /** The name of the directory. */
  readonly top: string;
  /** Relative to `base`, joined by `\0`. */
  readonly paths: string;
  /** For each path a line with the key of the file's identity; empty if the file is not code. */
  readonly keys: string;
}

/** One part of the index of `home` on disk, the newest first. No `part`: all were sent. */
export interface LoadJob {
  readonly kind: 'load';
  readonly home: string;
  readonly part?: { readonly name: string; readonly bytes: Uint8Array } | undefined;
}

/** The tags of files that were parsed together. `entries`: their paths relative to `base`, in the order of `tags`. */
export interface TagsJob {
  readonly kind: 'put';
  readonly base: string;
  readonly entries: readonly TagEntry[];
  readonly tags: PackedTags;
  /** The view whose map is refined by them: it keeps its ranking. */
  readonly refined?: number | undefined;
}

/** Requests the next part of the index of `home` that is not on disk yet. */
export interface KeepJob {
  readonly kind: 'keep';
  readonly home: string;
}

export interface QuestionJob {
  readonly kind: 'question';
  /** The number of a view; or its files again, if the view was evicted. */
  readonly view: number | SyncJob;
  readonly question: CodeQuestion;
}

/** Requests the symbols around lines of files, for those whose tags of exactly this version are cached. */
export interface AroundJob {
  readonly kind: 'around';
  readonly files: readonly LinesAround[];
}

export type CodeJob = SyncJob | LoadJob | TagsJob | KeepJob | QuestionJob | AroundJob;

export interface CodeReplies {
  /**
   * `loaded`: whether the index of `home` was loaded from disk. `wanted`: 0-based positions of code files without tags of their
   * current version. `files`: the number of code files.
   */
  readonly sync: {
    readonly view: number;
    readonly loaded: boolean;
    readonly wanted: Uint32Array;
    /** Of those with a sketch only. */
    readonly sketched: Uint32Array;
    readonly files: number;
  };
  readonly load: undefined;
  readonly put: undefined;
  /** The next part to write; when all are written, the list of parts. */
  readonly keep: { readonly part: WrittenPart } | { readonly list: Uint8Array<ArrayBuffer> };
  /** For each file; undefined if its tags are not cached. */
  readonly around: readonly (AroundLines | undefined)[];
  /** Undefined if the view was evicted. */
  readonly question: CodeQuestionAnswer | undefined;
}

export interface CodeQuestionAnswer {
  readonly reply: CodeReply;
  readonly unknown: UnknownFiles;
}

/** The numbers of code files whose symbols are not all cached. */
export interface UnknownFiles {
  /** They were not parsed in time, or changed since. */
  readonly missing: number;
  /** They have no tags: too large, unreadable or not parseable. */
  readonly whole: number;
  /** They have more symbols or names than are stored. */
  readonly parts: number;
  /** They took too long to parse. `slowFile`: the first of them, relative to the directory. */
  readonly slow: number;
  readonly slowFile?: string | undefined;
  /** They were modified so recently that they may change again without a new identity. */
  readonly fresh: number;
}

/** Maximum numbers of cached views, and of views with a tree; the least recently used ones are evicted. */
const MAX_CACHED_VIEWS = 4;
const MAX_CACHED_TREES = 2;

/** Maximum maps of which is known that their files were parsed. */
const MAX_CACHED_REFINED_MAPS = 256;

/** Maximum cached replies of a view. Each is bounded by the size of an answer of a tool, or by a hundred places. */
const MAX_CACHED_ANSWERS = 16;

/** A directory whose files were sent by a `sync` job. */
interface View {
  readonly id: number;
  readonly base: string;
  readonly top: string;
  readonly list: string;
  readonly keys: string;
  readonly paths: readonly string[];
  /** Tags of other versions of its files at the last `sync`. Until somebody replaces them, the files have none. */
  outdated: WeakSet<StoredFile>;
  tree: CodeTree | undefined;
  /** The graph of the same paths before tags changed, from which the next one is updated. */
  before: FileGraph | undefined;
  unknown: UnknownFiles | undefined;
  /** Replies by the hash of the question, the most recently used last. Cleared when tags change. */
  readonly answers: Map<string, CodeReply>;
}

const store = new TagStore();
const homes = new Map<string, IndexParts>();
/** The most recently used last. */
const views: View[] = [];
let ids = 0;
/** Maps of which the files that they show were parsed: the directory and the hash of the question. */
const refinedMaps = new Set<string>();

function sync({ base, home, top, paths: list, keys }: SyncJob): CodeReplies['sync'] {
  const same = views.findIndex((view) => view.base === base && view.list === list && view.keys === keys);
  const before = views.findLast((view) => view.base === base && view.list === list);
  const [
    view = {
      id: (ids += 1),
      base,
      top,
      // Shares the string with the earlier view.
      list: before?.list ?? list,
      keys,
      paths: before?.paths ?? (list === '' ? [] : list.split('\0')),
      outdated: new WeakSet<StoredFile>(),
      tree: undefined,
      before: before?.tree?.graph ?? before?.before,
      unknown: undefined,
      answers: new Map(),
    },
  ] = same === -1 ? [] : views.splice(same, 1);
  views.push(view);
  if (views.length > MAX_CACHED_VIEWS) views.shift();
  const wanted: number[] = [];
  const sketched: number[] = [];
  const outdated: StoredFile[] = [];
  let code = 0;
  keys.split('\n').forEach((key, i) => {
    if (key === '') return;
    if (isCode(basename(view.paths[i] as string))) code += 1;
    const stored = store.get(base + (view.paths[i] as string));
    if (stored?.key === key) {
      if (stored.known === KNOWN.sketch) sketched.push(i);
      return;
    }
    wanted.push(i);
    if (stored) outdated.push(stored);
  });
  if (outdated.length > 0) {
    view.before = view.tree?.graph ?? view.before;
    forget(view);
  }
  view.outdated = new WeakSet(outdated);
  return {
    view: view.id,
    loaded: partsOf(home).isLoaded,
    wanted: Uint32Array.from(wanted),
    sketched: Uint32Array.from(sketched),
    files: code,
  };
}

function partsOf(home: string): IndexParts {
  const known = homes.get(home) ?? new IndexParts(store, home);
  homes.set(home, known);
  return known;
}

function load({ home, part }: LoadJob): undefined {
  const parts = partsOf(home);
  if (!part) parts.isLoaded = true;
  else if (!parts.isLoaded) parts.load(part.name, part.bytes);
  clearAnswers();
}

/** Drops all replies and trees, because tags have changed. */
function clearAnswers(): void {
  for (const [i, view] of views.entries()) {
    // Only the last view keeps its graph: a graph holds tags, even those that the store has evicted.
    view.before = i === views.length - 1 ? (view.tree?.graph ?? view.before) : undefined;
    forget(view);
  }
}

function forget(view: View): void {
  [view.tree, view.unknown] = [undefined, undefined];
  view.answers.clear();
}

/** The tags of a file in a view; undefined if it has none, or only those of another version. */
function fileIn({ base, outdated }: View, path: string): StoredFile | undefined {
  const stored = store.fileOf(base + path);
  return stored && outdated.has(stored) ? undefined : stored;
}

function put({ base, entries, tags, refined }: TagsJob): undefined {
  store.put({ entries, tags }, base);
  // Other files may be shown now.
  if (tags.known.includes(KNOWN.sketch)) refinedMaps.clear();
  const view = views.at(-1);
  const graph = view?.id === refined ? view?.tree?.graph : undefined;
  if (view && graph) {
    for (const { path } of entries) graph.refine(view.paths.indexOf(path), fileIn(view, path));
    view.unknown = undefined;
    view.answers.clear();
  } else clearAnswers();
  store.makeRoom(() => {
    const last = views.at(-1);
    return new Set(last?.paths.map((path) => last.base + path));
  });
}

function keep({ home }: KeepJob): CodeReplies['keep'] {
  const parts = partsOf(home);
  parts.compact();
  const part = parts.next();
  return part ? { part } : { list: parts.list };
}

function ask({ view: asked, question }: QuestionJob): CodeReplies['question'] {
  const synced = typeof asked === 'number' ? undefined : sync(asked);
  const at = views.findIndex(({ id }) => id === (synced?.view ?? asked));
  const [view] = at === -1 ? [] : views.splice(at, 1);
  if (!view) return undefined;
  views.push(view);
  for (const other of views.slice(0, -MAX_CACHED_TREES)) [other.tree, other.before] = [undefined, undefined];
  view.unknown ??= unknownOf(view);
  return { reply: answered(view, question), unknown: view.unknown };
}

function answered(view: View, question: CodeQuestion): CodeReply {
  const isMap = question.kind === 'map';
  // The map of parsed files is the answer to the same question about sketched ones, also when files have changed.
  const asked = { ...question, isParsed: undefined };
  const key = createHash('sha256').update(serialize(asked)).digest('hex');
  const isRefined = isMap && (question.isParsed === true || refinedMaps.has(view.base + key));
  if (isRefined) refinedMaps.add(view.base + key);
  if (refinedMaps.size > MAX_CACHED_REFINED_MAPS) refinedMaps.clear();
  const isRefining = question.kind !== 'words';
  let known = isRefining && question.isParsed ? undefined : view.answers.get(key);
  if (!known) {
    if (!isRefining && view.tree?.graph.isRough) view.tree = undefined;
    const before = isRefining || !view.before?.isRough ? view.before : undefined;
    view.tree ??= new CodeTree(view.paths, view.top, (path) => fileIn(view, path), before);
    view.before = undefined;
    known = answerAbout(view.tree, isRefined ? { ...question, isParsed: true } : question);
  }
  view.answers.delete(key);
  view.answers.set(key, known);
  for (const [oldest] of view.answers) {
    if (view.answers.size <= MAX_CACHED_ANSWERS) break;
    view.answers.delete(oldest);
  }
  return known;
}

function unknownOf({ base, paths, keys, outdated }: View): UnknownFiles {
  let [missing, whole, parts, slow, fresh] = [0, 0, 0, 0, 0];
  let slowFile: string | undefined;
  keys.split('\n').forEach((key, i) => {
    if (key === '') return;
    const stored = store.get(base + (paths[i] as string));
    if (stored && stored.key !== key) fresh += 1;
    if (!stored || stored.slow === 'again' || outdated.has(stored)) missing += 1;
    else if (isManifest(paths[i] as string)) return;
    else if (stored.slow) {
      slow += 1;
      slowFile ??= paths[i];
    } else if (stored.known === KNOWN.nothing) whole += 1;
    else if (stored.known === KNOWN.part) parts += 1;
  });
  return { missing, whole, parts, slow, fresh, slowFile };
}

function answer(job: CodeJob): CodeReplies[CodeJob['kind']] {
  switch (job.kind) {
    case 'sync':
      return sync(job);
    case 'load':
      return load(job);
    case 'put':
      return put(job);
    case 'keep':
      return keep(job);
    case 'question':
      return ask(job);
    case 'around':
      return job.files.map((file) => aroundLines(store, file));
  }
}

const port = parentPort;
port?.on('message', ({ job }: { job: CodeJob }) => {
  const reply = answer(job);
  const moved = job.kind === 'keep' && reply && 'part' in reply ? [reply.part.bytes.buffer] : [];
  port.postMessage({ reply, retire: false }, moved);
});
port?.postMessage(LOADED);
