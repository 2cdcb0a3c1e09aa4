/**
 * `git://`, the state of the work tree, its differences, `git://show/REV` and `git://diff/A..B`. Runs in the thread.
 */

import { resolve } from 'node:path';
import { isOrielError, OrielError } from '../../errors.ts';
import { privateFile } from '../../files/deny-rules.ts';
import { HeldDirectory, pathToLatin1 } from '../../files/held-directory.ts';
import { type GitIndex, readIndex } from '../../git/index-file.ts';
import type { OpenDescriptor } from '../../git/objects.ts';
import { UnreadableObject } from '../../git/pack.ts';
import type { FoundCommit } from '../../git/revisions.ts';
import {
  changesBetween,
  entryAtPath,
  filesBelow,
  type PathEntry,
  type TreeChange,
  type TreeEntry,
} from '../../git/trees.ts';
import { plural } from '../../render/display.ts';
import { oneLine, quote } from '../../text/visible.ts';
import {
  countsOf,
  type DiffContext,
  diffsOf,
  diffText,
  type FileChange,
  type FileDiff,
  listLine,
  type UnreadFile,
} from './diff.ts';
import type { GitContext } from './entries.ts';
import { commitsApart, dateOf } from './log.ts';
import type { ChangesQuestion, DiffQuestion, FoundText, ShowQuestion, StateQuestion } from './protocol.ts';
import {
  type MergeConflict,
  ONLY_LINE_ENDS,
  type UntrackedPath,
  WorkTree,
  type WorkTreeEntry,
  type WorkTreeState,
} from './work-tree.ts';

/** Maximum bytes of objects that are read for one diff. */
const MAX_READ_BYTES = 512 << 20;

/** Packed, from which it is told whether a file is binary. */
const HEAD_BYTES = 8_192;

function diffContext({ repository, revisions, isPrivate }: GitContext): DiffContext {
  let left = MAX_READ_BYTES;
  const bytesOf = ({ kind, id, name }: TreeEntry): Buffer | UnreadFile => {
    if (kind === 'submodule') return Buffer.from(`Subproject commit ${id.toString('hex')}\n`);
    if (left <= 0) return 'too large';
    try {
      const { bytes } = revisions.object(id, Buffer.from(name, 'latin1').toString('utf8'));
      left -= bytes.length;
      return bytes;
    } catch (error) {
      // The other files of the diff are shown.
      if (!isOrielError(error)) throw error;
      return error.code === 'LIMIT' ? 'too large' : 'missing or damaged';
    }
  };
  const headOf = ({ kind, id }: TreeEntry): Buffer | undefined => {
    try {
      return kind === 'file' ? repository.read(id, HEAD_BYTES)?.bytes : undefined;
    } catch (error) {
      if (!(error instanceof UnreadableObject)) throw error;
      return undefined;
    }
  };
  return { bytesOf, headOf, isPrivate };
}

export function showText(context: GitContext, { revision, target }: ShowQuestion): FoundText {
  const { repository, revisions } = context;
  const commit = revisions.commit(revision);
  const parents = revisions.parentsOf(commit);
  const [parent] = parents.map((id) => revisions.read(id));
  const id = commit.id.toString('hex');
  const isShallow = parents.length < commit.parents.length;
  const head = [
    `commit ${id}`,
    ...(parents.length > 1
      ? [
          `Merge: ${parents.map((one) => one.toString('hex').slice(0, 12)).join(' ')} (its diff is to the first)`,
        ]
      : []),
    `Author: ${commit.author}`,
    `Date:   ${dateOf(commit.authored)}`,
    '',
    ...commit.message
      .trimEnd()
      .split('\n')
      .map((line) => (line === '' ? '' : `    ${line}`)),
    '',
    '',
  ].join('\n');
  const from = parent?.id.toString('hex').slice(0, 12);
  const url = from === undefined ? `git://${id.slice(0, 12)}` : `git://diff/${from}..${id.slice(0, 12)}`;
  const changes = changesBetween((one) => repository.read(one), parent?.tree, commit.tree);
  const diff = isShallow
    ? Buffer.from('(no diff: the parent of this commit is not in this shallow clone)\n')
    : diffText(changes, { url, path: '' }, diffContext(context));
  return { kind: 'text', target, bytes: Buffer.concat([Buffer.from(head), diff]), notes: [] };
}

/** `A..B/path`: of the ways to divide what follows `..` the longest revision first. */
export function diffBetween(context: GitContext, { from, ways, target }: DiffQuestion): FoundText {
  const { repository, revisions, isPrivate } = context;
  const read = (id: Buffer): ReturnType<typeof repository.read> => repository.read(id);
  const older = revisions.commit(from);
  const way = ways.find(({ revision }) => revisions.find(revision)) ?? ways.at(-1);
  const { revision = 'HEAD', path = '' } = way ?? {};
  const newer = revisions.commit(revision);
  const url = `git://diff/${from}..${revision}`;
  const latin1 = Buffer.from(path).toString('latin1');
  const entries = [older, newer].map(({ tree }) => entryAtPath(read, tree, latin1));
  const rule = isPrivate(
    path,
    entries.some((entry) => entry?.kind === 'directory'),
  );
  if (path !== '' && rule) throw privateFile(target, rule);
  if (entries.every((entry) => entry === undefined)) {
    const why = `${quote(path)} exists neither at ${quote(from)} nor at ${quote(revision)}.`;
    throw new OrielError('NOT_FOUND', `${why} Use ${quote(url)} for all files.`, { next: url });
  }
  const changes = changesBetween(read, older.tree, newer.tree);
  return textOf(target, diffText(changes, { url, path }, diffContext(context)), []);
}

/** By the stages of a conflict. */
const CONFLICTS = [
  '',
  'both deleted',
  'added by us',
  'deleted by them',
  'added by them',
  'deleted by us',
  'both added',
  'both modified',
];

export function stateText(context: GitContext, { target }: StateQuestion): FoundText {
  const { lines: head, commit } = headLines(context);
  const index = readIndex(context.repository);
  return inWorkTree(context, index, (tree, files) => {
    const state = tree.scan(true);
    const staged = diffsOf(stagedChanges(context, index, commit), '', files).diffs;
    const changed = diffsOf(
      state.changed.filter(({ path }) => !state.conflicts.some((one) => one.path === path)),
      '',
      files,
    ).diffs;
    const parts = [
      ...head,
      ...listed(staged, 'staged', 'git://diff/staged'),
      ...listed(changed, 'changed and not staged', 'git://diff'),
      ...(state.conflicts.length > 0 ? [`${plural(state.conflicts.length, 'file')} in conflict:\n`] : []),
      ...state.conflicts.map(conflictLine),
      ...(state.untracked.length > 0 ? [`${state.untracked.length} untracked:\n`] : []),
      ...state.untracked.map((one) => untrackedLine(one, context)),
    ];
    if (parts.length === head.length) parts.push('Nothing is staged, changed or untracked.\n');
    const said = [
      ...gapNotes(state),
      ...(state.untracked.length > 0
        ? [
            'What the user ignores for all repositories (core.excludesFile) is not read: it is among the untracked',
          ]
        : []),
      ...conversionNotes(context, [...staged, ...changed]),
    ];
    return textOf(target, Buffer.from(parts.join('')), said);
  });
}

export function changesText(context: GitContext, question: ChangesQuestion): FoundText {
  const { target, of, path, ways } = question;
  const { isPrivate, repository, revisions } = context;
  const refusePrivate = (path: string): void => {
    const rule = path === '' ? undefined : (isPrivate(path, true) ?? isPrivate(path, false));
    if (rule) throw privateFile(target, rule);
  };
  refusePrivate(path);
  const url = of === 'staged' ? 'git://diff/staged' : 'git://diff';
  const index = readIndex(repository);
  const has = (path: string, changes: readonly TreeChange[]): boolean => {
    const latin1 = pathToLatin1(path);
    const isHere = (one: TreeChange): boolean => one.path === latin1 || one.path.startsWith(`${latin1}/`);
    return path === '' || index.entries.some(isHere) || changes.some(isHere);
  };
  const missing = (why: string, url: string, more = ''): OrielError =>
    new OrielError('NOT_FOUND', `${quote(path)} is ${why}. Use ${url} for all files${more}.`, { next: url });
  const noPath = (): OrielError => {
    const why = ways.length > 0 ? 'neither a path in the index nor a revision' : 'no path in the index';
    return missing(why, url, ', or git://diff/A..B for two revisions');
  };
  if (of === 'staged') {
    workTreeOf(context);
    const { commit } = headLines(context);
    const changes = [...stagedChanges(context, index, commit)];
    if (!has(path, changes)) throw noPath();
    return textOf(target, diffText(changes, { url, path }, diffContext(context)), []);
  }
  return inWorkTree(context, index, (tree, files) => {
    const state = tree.scan(false);
    const answer = (changes: readonly FileChange[], url: string, path: string): FoundText => {
      const bytes = diffText(changes.filter(isOther), { url, path }, files);
      return textOf(target, bytes, [...gapNotes(state), ...conversionNotes(context, [])]);
    };
    if (has(path, state.changed)) return answer(state.changed, url, path);
    const way = ways.find(({ revision }) => revisions.find(revision));
    if (!way) throw noPath();
    refusePrivate(way.path);
    const since = `git://diff/${way.revision}`;
    const changes = changesSince(context, index, revisions.commit(way.revision), state.changed);
    if (!has(way.path, changes)) throw missing('neither there nor here', since);
    return answer(changes, since, way.path);
  });
}

function isOther({ before, after }: TreeChange): boolean {
  return before && after ? before.mode !== after.mode || !before.id.equals(after.id) : before !== after;
}

/** From a commit to the work tree, by way of the index. */
function changesSince(
  context: GitContext,
  index: GitIndex,
  commit: FoundCommit,
  changed: readonly FileChange[],
): FileChange[] {
  const { repository } = context;
  const all = new Map<string, FileChange>();
  for (const one of stagedChanges(context, index, commit)) all.set(one.path, one);
  for (const { path, after, uncompared } of changed) {
    const found = entryAtPath((id) => repository.read(id), commit.tree, path);
    const before = found?.kind === 'directory' ? undefined : found;
    all.set(path, { path, before, after, ...(uncompared !== undefined && { uncompared }) });
  }
  return [...all.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function textOf(target: string, bytes: Buffer, said: readonly string[]): FoundText {
  return { kind: 'text', target, bytes, notes: said.map((text) => ({ text })) };
}

/** Throws OrielError if there is no work tree, or it is not where `.git` is. */
function workTreeOf(context: GitContext): OpenDescriptor {
  const { repository, handles, top, tree } = context;
  const { config } = repository;
  const isOwn = handles.git.path === handles.common.path;
  if (!tree || handles.git.path === top || (isOwn && config.isTrue('core.bare'))) {
    const why = 'This repository is bare: it has no work tree. Use git://HEAD or git://log.';
    throw new OrielError('UNSUPPORTED', why, { next: 'git://log' });
  }
  const elsewhere = isOwn ? config.get('core.worktree') : undefined;
  if (elsewhere !== undefined && resolve(handles.git.path, elsewhere) !== top) {
    const why = `The work tree of this repository is ${quote(elsewhere)} (core.worktree), which is not read from here.`;
    throw new OrielError('UNSUPPORTED', `${why} Use git://HEAD or git://log.`, { next: 'git://log' });
  }
  return tree;
}

function inWorkTree(
  context: GitContext,
  index: GitIndex,
  act: (tree: WorkTree, files: DiffContext) => FoundText,
): FoundText {
  const { repository, handles } = context;
  const tree = workTreeOf(context);
  const directory = HeldDirectory.adopt(tree.path, tree.fd);
  try {
    const work = new WorkTree(repository, index, directory, {
      roots: handles.roots.map(pathToLatin1),
      kept: new Set(handles.kept.places.map(pathToLatin1)),
    });
    const stored = diffContext(context);
    const bytesOf: DiffContext['bytesOf'] = (entry, other) =>
      'workPath' in entry ? work.bytesOf(entry as WorkTreeEntry, other) : stored.bytesOf(entry);
    const headOf: DiffContext['headOf'] = (entry) => ('workPath' in entry ? undefined : stored.headOf(entry));
    return act(work, { ...stored, bytesOf, headOf });
  } finally {
    directory.release();
  }
}

/** The branch with its upstream, and the commit that is checked out. */
function headLines(context: GitContext): {
  readonly lines: readonly string[];
  readonly commit: FoundCommit | undefined;
} {
  const { revisions, repository } = context;
  const { name, id } = revisions.ref('HEAD');
  const commit = id === undefined ? undefined : revisions.read(Buffer.from(id, 'hex'), 'HEAD');
  const at = commit ? ` at ${commit.id.toString('hex').slice(0, 12)}` : ', no commit yet';
  if (name === 'HEAD') return { lines: [`No branch (HEAD is detached)${at}\n`], commit };
  const branch = name.replace(/^refs\/heads\//, '');
  const key = `branch.${Buffer.from(branch).toString('latin1')}`;
  const [remote, merge] = [repository.config.get(`${key}.remote`), repository.config.get(`${key}.merge`)];
  const upstream =
    remote === undefined || merge === undefined ? undefined : trackingRef(context, remote, merge);
  if (upstream === undefined) return { lines: [`On ${oneLine(branch)}${at}\n`], commit };
  const shown = oneLine(upstream.replace(/^refs\/(?:heads|remotes)\//, ''));
  const other = revisions.ref(upstream).id;
  const apart =
    commit && other !== undefined
      ? commitsApart(context, commit, revisions.read(Buffer.from(other, 'hex'), upstream))
      : undefined;
  const said = apart
    ? apart.one + apart.other === 0
      ? `up to date with ${shown}`
      : `${apart.one} ahead of ${shown} and ${apart.other} behind`
    : other === undefined
      ? `its upstream ${shown} is gone`
      : `its upstream is ${shown}`;
  return { lines: [`On ${oneLine(branch)}${at}, ${said}\n`], commit };
}

/** The ref here that follows the branch `merge` of the remote: `refs/remotes/origin/main`. UTF-8. */
function trackingRef({ repository }: GitContext, remote: string, merge: string): string | undefined {
  const named = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');
  if (remote === '.') return named(merge);
  for (const rule of repository.config.all(`remote.${remote}.fetch`)) {
    const [, from = '', to = ''] = /^\+?([^:]*):(.*)$/.exec(rule) ?? [];
    const [front = '', end] = from.split('*');
    if (end === undefined ? from === merge : merge.startsWith(front) && merge.endsWith(end)) {
      const inside = end === undefined ? '' : merge.slice(front.length, merge.length - end.length);
      return named(to.split('*').join(inside));
    }
  }
  return undefined;
}

/** From `HEAD` to the index; neither has directories. Files in conflict are left out. */
function* stagedChanges(
  { repository }: GitContext,
  { entries }: GitIndex,
  commit: FoundCommit | undefined,
): Generator<TreeChange> {
  const files = commit ? filesBelow((id) => repository.read(id), commit.tree) : [].values();
  let old: IteratorResult<PathEntry, unknown> = files.next();
  for (const one of entries) {
    while (!old.done && (old.value as PathEntry).path < one.path) {
      yield { path: old.value.path, before: old.value };
      old = files.next();
    }
    const before: PathEntry | undefined = !old.done && old.value.path === one.path ? old.value : undefined;
    if (before) old = files.next();
    if (one.stage !== 0) continue;
    const after = one.isIntended ? undefined : one.entry(repository.idBytes);
    const isSame = before && after && before.mode === after.mode && before.id.equals(after.id);
    if (!isSame && (before || after)) yield { path: one.path, before, after };
  }
  for (; !old.done; old = files.next()) yield { path: old.value.path, before: old.value };
}

function listed(diffs: readonly FileDiff[], what: string, url: string): string[] {
  if (diffs.length === 0) return [];
  const head = `${plural(diffs.length, 'file')} ${what}, ${countsOf(diffs)}. Read ${url}, or with /path behind it:\n`;
  return [head, ...diffs.map((one) => listLine(one))];
}

function conflictLine({ path, stages }: MergeConflict): string {
  return `${shownPath(path)}  (${CONFLICTS[stages]})\n`;
}

function untrackedLine(
  { path, files, lines, uncounted, isPrivate }: UntrackedPath,
  context: GitContext,
): string {
  const isDirectory = path.endsWith('/');
  const shown = shownPath(path);
  const text = Buffer.from(path, 'latin1').toString('utf8').replace(/\/$/, '');
  if (isPrivate || context.isPrivate(text, isDirectory)) return `${shown}  (private)\n`;
  const facts = [
    isDirectory && files > 0 ? plural(files, 'file') : '',
    isDirectory && files === 0 ? 'a repository' : '',
    uncounted > 0 && files > 0 ? (isDirectory ? `${uncounted} not counted` : 'not counted') : '',
  ].filter((fact) => fact !== '');
  return `+${lines}  ${shown}${facts.length > 0 ? `  (${facts.join(', ')})` : ''}\n`;
}

function shownPath(path: string): string {
  return oneLine(Buffer.from(path, 'latin1').toString('utf8'));
}

function gapNotes({ gaps }: WorkTreeState): string[] {
  const all = [...gaps].map(([what, count]) => `${what} (${count})`);
  return all.length === 0 ? [] : [`Not looked at: ${all.join(', ')}`];
}

/** `shown`: the diffs of the answer. */
function conversionNotes({ repository }: GitContext, shown: readonly FileDiff[]): string[] {
  const includes = repository.config.has(/^include(?:if\..*)?\.path$/s);
  const isUndone = shown.some(({ about }) => about.includes('is not run'));
  const isAlike = shown.some(({ about }) => about.includes(ONLY_LINE_ENDS));
  return [
    ...(includes ? ['Files that .git/config includes are not read'] : []),
    ...(isUndone ? ['Filters and encodings are not run: a file that has one may be unchanged for git'] : []),
    ...(isAlike
      ? ["The user's core.autocrlf is not read: a file whose line ends differ may be unchanged for git"]
      : []),
  ];
}
