/** `git://show/REV`, a commit with its diff, and `git://diff/A..B`. Runs in the thread. */

import { isOrielError, OrielError } from '../../errors.ts';
import { privateFile } from '../../files/deny-rules.ts';
import { changesBetween, entryAtPath, type TreeEntry } from '../../git/trees.ts';
import { quote } from '../../text/visible.ts';
import { type DiffContext, diffText, type UnreadFile } from './diff.ts';
import type { GitContext } from './entries.ts';
import { dateOf } from './log.ts';
import type { DiffQuestion, FoundText, ShowQuestion } from './protocol.ts';

/** Maximum bytes of objects that are read for one diff. */
const MAX_READ_BYTES = 512 << 20;

export function diffContext({
  revisions,
  isPrivate,
}: Pick<GitContext, 'revisions' | 'isPrivate'>): DiffContext {
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
  return { bytesOf, isPrivate };
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
  return {
    kind: 'text',
    target,
    bytes: diffText(changes, { url, path }, diffContext(context)),
    notes: [],
  };
}
