/** Finds a file or a directory at a revision: the part of `git://REV/path` that runs in the thread. */

import { OrielError } from '../../errors.ts';
import { privateFile } from '../../files/deny-rules.ts';
import type { GitRepository, OpenDescriptor, RepositoryHandles } from '../../git/objects.ts';
import type { FoundCommit, GitRevisions } from '../../git/revisions.ts';
import { entriesOf, entryAtPath, type TreeEntry } from '../../git/trees.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { DenyRule } from '../../types/access.ts';
import type { EntryQuestion, FoundEntry, RevisionPath } from './protocol.ts';
import { revisionUrl } from './select.ts';

/** What the parts of the thread work with. */
export interface GitContext {
  readonly repository: GitRepository;
  readonly revisions: GitRevisions;
  /** The rule that makes a path of the repository (UTF-8) private. */
  isPrivate(path: string, isDirectory: boolean): DenyRule | undefined;
  /** The real path of the directory that has the `.git`, and the directory for questions about the work tree. */
  readonly top: string;
  readonly tree: OpenDescriptor | undefined;
  readonly handles: RepositoryHandles;
}

export function findEntry(context: GitContext, { ways, isGuess }: EntryQuestion): FoundEntry | undefined {
  const { revisions, repository } = context;
  const known = new Map<string, FoundCommit | undefined>();
  for (const { revision } of ways) if (!known.get(revision)) known.set(revision, revisions.find(revision));
  const shortest = ways.at(-1)?.revision ?? 'HEAD';
  const revision = ways.find((way) => known.get(way.revision))?.revision;
  if (revision === undefined && isGuess) return undefined;
  const commit = known.get(revision ?? '') ?? revisions.commit(shortest);
  const possible = ways.filter((way) => way.revision === (revision ?? shortest));
  for (const way of possible) {
    const latin1 = Buffer.from(way.path).toString('latin1');
    const entry = entryAtPath((id) => repository.read(id), commit.tree, latin1);
    if (entry) return foundAt(context, way, entry, commit);
  }
  for (const way of possible) {
    const rule = context.isPrivate(way.path, false);
    if (rule) throw privateFile(revisionUrl(way), rule);
  }
  throw missing(context, possible, commit);
}

function foundAt(context: GitContext, way: RevisionPath, entry: TreeEntry, commit: FoundCommit): FoundEntry {
  const { repository, revisions, isPrivate } = context;
  const shown = revisionUrl(way);
  const at = { ...way, commit: commit.id.toString('hex') };
  const rule = isPrivate(way.path, entry.kind === 'directory');
  if (rule) throw privateFile(shown, rule);
  if (entry.kind === 'submodule') {
    const id = entry.id.toString('hex');
    const next = revisionUrl({ ...way, path: way.path.replace(/\/?[^/]*$/, '') });
    const why = `${quote(shown)} is a submodule at its commit ${id}: what is in it is not in this repository.`;
    throw new OrielError('UNSUPPORTED', `${why} Use ${quote(next)}.`, { next });
  }
  const object = revisions.object(entry.id, shown);
  if (entry.kind === 'directory') {
    if (object.kind !== 'tree') throw notIntact(shown, entry.id);
    return { ...at, kind: 'directory', ...listed(context, way.path, object.bytes) };
  }
  if (object.kind !== 'blob' || !repository.isIntact(entry.id, object)) throw notIntact(shown, entry.id);
  // A copy with a buffer of its own, which moves to the other thread.
  const bytes = new Uint8Array(object.bytes);
  return { ...at, kind: 'file', id: entry.id.toString('hex'), isLink: entry.kind === 'link', bytes };
}

function notIntact(shown: string, id: Buffer): OrielError {
  const message = `Cannot read ${quote(shown)}: the object ${id.toString('hex')} is damaged, its bytes are those of another.`;
  return new OrielError('CORRUPT', message);
}

const MARKS = { file: '', directory: '/', link: '@', submodule: '' };

function listed(
  { isPrivate, repository }: GitContext,
  path: string,
  tree: Buffer,
): { readonly lines: string[]; readonly unnamed: number } {
  const lines: string[] = [];
  let unnamed = 0;
  for (const { name, kind, id } of entriesOf(tree, repository.idBytes)) {
    const text = Buffer.from(name, 'latin1').toString('utf8');
    if (text.includes('\uFFFD')) {
      unnamed += 1;
      continue;
    }
    const inside = path === '' ? text : `${path}/${text}`;
    const facts = [
      kind === 'submodule' && `submodule ${id.toString('hex').slice(0, 12)}`,
      isPrivate(inside, kind === 'directory') && 'private',
    ].filter(Boolean);
    lines.push(`${oneLine(text)}${MARKS[kind]}${facts.length > 0 ? `  (${facts.join(', ')})` : ''}`);
  }
  return { lines, unnamed };
}

/** `NOT_FOUND`, with similar names in the same directory. */
function missing({ repository }: GitContext, ways: readonly RevisionPath[], commit: FoundCommit): OrielError {
  const [way] = ways.filter(({ rest }) => rest !== '').concat(ways) as [RevisionPath];
  const read = (id: Buffer): ReturnType<GitRepository['read']> => repository.read(id);
  let parent = way.path;
  let directory: TreeEntry | undefined;
  while (parent !== '' && directory?.kind !== 'directory') {
    parent = parent.replace(/\/?[^/]*$/, '');
    directory = entryAtPath(read, commit.tree, Buffer.from(parent).toString('latin1'));
  }
  const tree = read(directory?.id ?? commit.tree)?.bytes ?? Buffer.alloc(0);
  const names = [...entriesOf(tree, commit.id.length)].map(({ name }) =>
    Buffer.from(name, 'latin1').toString('utf8'),
  );
  const wanted = way.path.slice(parent === '' ? 0 : parent.length + 1).split('/')[0] ?? '';
  const [near] = nearNames(wanted, names, 1);
  const list = revisionUrl({ ...way, path: parent });
  const next =
    near === undefined ? list : revisionUrl({ ...way, path: parent === '' ? near : `${parent}/${near}` });
  const hint = near === undefined ? '' : didYouMean([quote(next)]);
  const why = `${quote(way.path)} does not exist at ${quote(way.revision)}.`;
  return new OrielError('NOT_FOUND', `${why}${hint} Use ${quote(list)} for the list.`, { next });
}
