/**
 * The thread that knows the tags of code files: by their real paths, for as long as it lives, and what the files of one
 * directory are to each other. It is asked one question at a time.
 */

import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { LOADED } from '../access/worker-loading.ts';
import { KNOWN, type PackedTags } from '../views/packed-tags.ts';
import { aroundLines, type AroundLines, type LinesAround } from './around-lines.ts';
import { type CodeQuestion, type CodeReply, answerAbout } from './questions.ts';
import type { PartsChanged } from './kept.ts';
import { KeptParts, type WrittenPart } from './kept-parts.ts';
import { type Entry, TagStore } from './tag-store.ts';
import type { Graph } from './graph.ts';
import { Tree } from './code-tree.ts';

export type { Entry } from './tag-store.ts';

/** The files of a directory, as a walk found them. */
export interface SyncJob {
  readonly ask: 'sync';
  /** They end in a slash: the real path of the directory (or of an archive with it), and what is kept together. */
  readonly base: string;
  readonly home: string;
  /** What the directory is called. */
  readonly top: string;
  /** Relative to `base`, joined by `\0`. */
  readonly paths: string;
  /** The key of each file's identity, a line each; empty for what is no code. */
  readonly keys: string;
}

/** A part of what was kept of `home`, the newest first, or none if it is missing; without a part that was all. */
export interface LoadJob {
  readonly ask: 'load';
  readonly home: string;
  readonly part?: { readonly name: string; readonly kept: Uint8Array | undefined };
}

/** What was parsed together: `entries`, relative to `base`, by their positions in `tags`. */
export interface TagsJob {
  readonly ask: 'put';
  readonly base: string;
  readonly entries: readonly Entry[];
  readonly tags: PackedTags;
  /** They took too long to parse, and are not tried again by this process. */
  readonly isSlow: boolean;
}

/** The next part of what is known below `home` and not on disk yet. */
export interface KeepJob {
  readonly ask: 'keep';
  readonly home: string;
}

export interface QuestionJob {
  readonly ask: 'question';
  /** One that was told, or the files once more where it was forgotten. */
  readonly view: number | SyncJob;
  readonly question: CodeQuestion;
}

/** The symbols around lines of files, as far as exactly these versions of them are known. */
export interface AroundJob {
  readonly ask: 'around';
  readonly files: readonly LinesAround[];
}

export type CodeJob = SyncJob | LoadJob | TagsJob | KeepJob | QuestionJob | AroundJob;

export interface CodeReplies {
  /** `kept`: whether what was kept of `home` was loaded. `wanted`: positions of files without tags of their version. */
  readonly sync: {
    readonly view: number;
    readonly loaded: boolean;
    readonly wanted: Uint32Array;
    readonly files: number;
  };
  readonly load: undefined;
  readonly put: undefined;
  /** The next part; where all is on disk, what is to change in the list of parts. Those that are gone may be removed. */
  readonly keep: { readonly part: WrittenPart } | { readonly listed: PartsChanged };
  /** By file; undefined if it is not known. */
  readonly around: readonly (AroundLines | undefined)[];
  /** `missing`: of files that came with it, those without tags of their version. Undefined for a forgotten view. */
  readonly question:
    | { readonly reply: CodeReply; readonly unknown: Unknown; readonly missing: number }
    | undefined;
}

/** Code files of which not everything is known. */
export interface Unknown {
  /** They were looked at, and have no symbols: too large, not to be read, or not to be parsed. */
  readonly whole: number;
  /** They have more symbols or names than are kept. */
  readonly parts: number;
  /** They took too long to parse. */
  readonly slow: number;
}

/** Directories whose files are known, those that were asked about last, and those of them whose tree is held. */
const MOST_VIEWS = 4;
const MOST_TREES = 2;

/** Answers of a view that are held. Each fits an answer of a tool, or is a hundred places. */
const MOST_ANSWERS = 16;

interface View {
  readonly id: number;
  readonly base: string;
  readonly top: string;
  readonly list: string;
  readonly keys: string;
  readonly paths: readonly string[];
  tree: Tree | undefined;
  /** How its files hung together before something changed. */
  before: Graph | undefined;
  unknown: Unknown | undefined;
  /** To the questions that were asked last, as long as nothing has changed; the one that was used last is the last. */
  readonly answers: Map<string, CodeReply>;
}

const store = new TagStore();
const homes = new Map<string, KeptParts>();
/** The one that was used last is the last. */
const views: View[] = [];
let ids = 0;

function sync({ base, home, top, paths: list, keys }: SyncJob): CodeReplies['sync'] {
  const same = views.findIndex((view) => view.base === base && view.list === list && view.keys === keys);
  const before = views.findLast((view) => view.base === base && view.list === list);
  const [
    view = {
      id: (ids += 1),
      base,
      top,
      // One text for both.
      list: before?.list ?? list,
      keys,
      paths: before?.paths ?? (list === '' ? [] : list.split('\0')),
      tree: undefined,
      before: before?.tree?.graph ?? before?.before,
      unknown: undefined,
      answers: new Map(),
    },
  ] = same === -1 ? [] : views.splice(same, 1);
  views.push(view);
  if (views.length > MOST_VIEWS) views.shift();
  const wanted: number[] = [];
  let code = 0;
  keys.split('\n').forEach((key, i) => {
    if (key === '') return;
    code += 1;
    if (store.keyOf(base + (view.paths[i] as string)) !== key) wanted.push(i);
  });
  return { view: view.id, loaded: partsOf(home).isLoaded, wanted: Uint32Array.from(wanted), files: code };
}

function partsOf(home: string): KeptParts {
  const known = homes.get(home) ?? new KeptParts(store, home);
  homes.set(home, known);
  return known;
}

function load({ home, part }: LoadJob): undefined {
  const parts = partsOf(home);
  if (!part) parts.isLoaded = true;
  else if (!part.kept) parts.miss(part.name);
  else if (!parts.isLoaded) parts.load(part.name, part.kept);
  forgetAnswers();
}

/** What is known of files has changed. */
function forgetAnswers(): void {
  for (const [i, view] of views.entries()) {
    // What is no longer known may be held by it.
    view.before = i === views.length - 1 ? (view.tree?.graph ?? view.before) : undefined;
    [view.tree, view.unknown] = [undefined, undefined];
    view.answers.clear();
  }
}

function put({ base, entries, tags, isSlow }: TagsJob): undefined {
  store.put({ entries, tags }, base, { isSlow });
  forgetAnswers();
  store.makeRoom(() => {
    const last = views.at(-1);
    return new Set(last?.paths.map((path) => last.base + path));
  });
}

function keep({ home }: KeepJob): CodeReplies['keep'] {
  const parts = partsOf(home);
  parts.sweep();
  const part = parts.next();
  return part ? { part } : { listed: parts.takeChanges() };
}

function ask({ view: asked, question }: QuestionJob): CodeReplies['question'] {
  const synced = typeof asked === 'number' ? undefined : sync(asked);
  const at = views.findIndex(({ id }) => id === (synced?.view ?? asked));
  const [view] = at === -1 ? [] : views.splice(at, 1);
  if (!view) return undefined;
  views.push(view);
  for (const other of views.slice(0, -MOST_TREES)) [other.tree, other.before] = [undefined, undefined];
  view.unknown ??= unknownOf(view);
  return { reply: answered(view, question), unknown: view.unknown, missing: synced?.wanted.length ?? 0 };
}

function answered(view: View, question: CodeQuestion): CodeReply {
  const key = createHash('sha256').update(serialize(question)).digest('hex');
  let known = view.answers.get(key);
  if (!known) {
    view.tree ??= new Tree(view.paths, view.top, (path) => store.fileOf(view.base + path), view.before);
    view.before = undefined;
    known = answerAbout(view.tree, question);
  }
  view.answers.delete(key);
  view.answers.set(key, known);
  for (const [oldest] of view.answers) {
    if (view.answers.size <= MOST_ANSWERS) break;
    view.answers.delete(oldest);
  }
  return known;
}

function unknownOf({ base, paths, keys }: View): Unknown {
  let [whole, parts, slow] = [0, 0, 0];
  keys.split('\n').forEach((key, i) => {
    if (key === '') return;
    const known = store.knownOf(base + (paths[i] as string));
    if (known === 'slow') slow += 1;
    else if (known === KNOWN.nothing) whole += 1;
    else if (known === KNOWN.part) parts += 1;
  });
  return { whole, parts, slow };
}

function answer(job: CodeJob): CodeReplies[CodeJob['ask']] {
  switch (job.ask) {
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
port?.on('message', ({ job }: { job: CodeJob }) => port.postMessage({ reply: answer(job), retire: false }));
port?.postMessage(LOADED);
