/**
 * The thread that knows the tags of code files: by their real paths, for as long as it lives, and what the files of one
 * directory are to each other. It is asked one question at a time.
 */

import { parentPort } from 'node:worker_threads';
import { LOADED } from '../access/worker-loading.ts';
import { isCut } from '../views/tags.ts';
import { type CodeQuestion, type CodeReply, answerAbout } from './questions.ts';
import { readKept, writeKept } from './kept.ts';
import { Tree } from './tree.ts';

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

/** What was kept of `home`, or undefined where nothing was. */
export interface LoadJob {
  readonly ask: 'load';
  readonly home: string;
  readonly kept: Uint8Array | undefined;
}

export interface TagsJob {
  readonly ask: 'put';
  readonly base: string;
  readonly entries: readonly Entry[];
}

/** What was parsed: the path relative to `base`, the key of the bytes that were parsed, and their tags. */
export interface Entry {
  readonly path: string;
  readonly key: string;
  readonly tags: string;
}

/** Everything below `home`, to be kept. */
export interface KeepJob {
  readonly ask: 'keep';
  readonly home: string;
}

export interface QuestionJob {
  readonly ask: 'question';
  readonly view: number;
  readonly question: CodeQuestion;
}

export type CodeJob = SyncJob | LoadJob | TagsJob | KeepJob | QuestionJob;

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
  readonly keep: Uint8Array<ArrayBuffer>;
  /** Undefined where the view is not known any more. */
  readonly question: { readonly reply: CodeReply; readonly unknown: Unknown } | undefined;
}

/** Code files of which not everything is known. */
export interface Unknown {
  /** They were looked at, and have no symbols: too large, not to be read, or not to be parsed. */
  readonly whole: number;
  /** They have more symbols or names than are kept. */
  readonly parts: number;
}

/** Characters of tags that are held. Those of views that were not asked for lately go first. */
const MOST_HELD = 120 << 20;
const MOST_VIEWS = 4;

interface File {
  readonly key: string;
  readonly tags: string;
}

interface View {
  readonly id: number;
  readonly base: string;
  readonly top: string;
  readonly list: string;
  readonly keys: string;
  readonly paths: readonly string[];
  tree: Tree | undefined;
  unknown: Unknown | undefined;
}

const files = new Map<string, File>();
let held = 0;
const loaded = new Set<string>();
/** The one that was used last is the last. */
const views: View[] = [];
let ids = 0;

function remember(path: string, file: File): void {
  held += file.tags.length - (files.get(path)?.tags.length ?? 0);
  files.set(path, file);
}

function makeRoom(): void {
  for (let i = 0; held > MOST_HELD && i < views.length - 1; i += 1) (views[i] as View).tree = undefined;
  if (held <= MOST_HELD) return;
  const last = views.at(-1);
  const used = new Set(last?.paths.map((path) => last.base + path));
  for (const [path, { tags }] of files) {
    if (used.has(path)) continue;
    files.delete(path);
    held -= tags.length;
    if (held <= MOST_HELD) return;
  }
}

function sync({ base, home, top, paths: list, keys }: SyncJob): CodeReplies['sync'] {
  const same = views.findIndex((view) => view.base === base && view.list === list && view.keys === keys);
  const paths = list === '' ? [] : list.split('\0');
  const [view = { id: (ids += 1), base, top, list, keys, paths, tree: undefined, unknown: undefined }] =
    same === -1 ? [] : views.splice(same, 1);
  views.push(view);
  if (views.length > MOST_VIEWS) views.shift();
  const wanted: number[] = [];
  let code = 0;
  keys.split('\n').forEach((key, i) => {
    if (key === '') return;
    code += 1;
    if (files.get(base + (paths[i] as string))?.key !== key) wanted.push(i);
  });
  return { view: view.id, loaded: loaded.has(home), wanted: Uint32Array.from(wanted), files: code };
}

function load({ home, kept }: LoadJob): undefined {
  loaded.add(home);
  if (kept)
    for (const { path, key, tags } of readKept(kept))
      if (!files.has(home + path)) remember(home + path, { key, tags });
}

function put({ base, entries }: TagsJob): undefined {
  for (const { path, key, tags } of entries) remember(base + path, { key, tags });
  for (const view of views) [view.tree, view.unknown] = [undefined, undefined];
  makeRoom();
}

function keep({ home }: KeepJob): Uint8Array<ArrayBuffer> {
  const below = [...files].filter(([path, { key }]) => path.startsWith(home) && key !== '');
  return writeKept(below.map(([path, { key, tags }]) => ({ path: path.slice(home.length), key, tags })));
}

function ask({ view: id, question }: QuestionJob): CodeReplies['question'] {
  const view = views.find((one) => one.id === id);
  if (!view) return undefined;
  view.tree ??= new Tree(
    view.paths.map((path) => ({ path, tags: files.get(view.base + path)?.tags ?? '' })),
    view.top,
  );
  view.unknown ??= unknownOf(view);
  return { reply: answerAbout(view.tree, question), unknown: view.unknown };
}

function unknownOf({ base, paths, keys }: View): Unknown {
  let [whole, parts] = [0, 0];
  keys.split('\n').forEach((key, i) => {
    const known = key === '' ? undefined : files.get(base + (paths[i] as string));
    if (known?.tags === '') whole += 1;
    else if (known && isCut(known.tags)) parts += 1;
  });
  return { whole, parts };
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
  }
}

const port = parentPort;
port?.on('message', ({ job }: { job: CodeJob }) => port.postMessage({ reply: answer(job), retire: false }));
port?.postMessage(LOADED);
