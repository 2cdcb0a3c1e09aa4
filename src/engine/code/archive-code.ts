/** Answers questions about the code in an archive: `pkg.tgz:package:outline`, `pkg.tgz:#name`. */

import { isOrielError } from '../../errors.ts';
import { parseCodeQuestion } from '../../selector/code-question.ts';
import { archiveIndex } from '../../sources/archive/archive-index.ts';
import { isFile } from '../../sources/archive/container.ts';
import { locate, type Located } from '../../sources/archive/locate-member.ts';
import type { Call } from '../../types/call.ts';
import type { Subject } from '../../types/resource.ts';
import { filesInArchive } from './archive-files.ts';
import { answerAt, type CodeAnswer } from './read-code.ts';

/** Undefined for other selectors, and if the archive cannot be read: then reading it gives the reason. */
export async function answerInArchive(subject: Subject, call: Call): Promise<CodeAnswer | undefined> {
  if (!isFile(subject)) return undefined;
  const { typed, rest } = subject;
  const index = await archiveIndex(subject, call).catch(unlessUnexpected);
  if (index?.is !== 'container') return undefined;
  const { contents } = index;
  // `:outline?from=9` at the root does not select a member.
  const located = locatedIn(() => locate(contents, rest)) ?? {
    found: { is: 'directory', path: '' } as const,
    tail: rest,
  };
  const { found, tail } = located;
  if (found.is === 'link') return undefined;
  const isMember = found.is === 'member';
  const target = found.path === '' ? typed : `${typed}:${found.path}`;
  const asked = parseCodeQuestion(target.replace(/\/$/, ''), tail, isMember ? 'file' : 'directory');
  if (!asked) return undefined;
  // Importers of a member may be anywhere in the archive.
  const directory = isMember ? '' : found.path;
  const called = directory === '' ? typed : `${typed}:${directory.replace(/\/$/, '')}`;
  const place = {
    files: await filesInArchive(subject, index, directory, call),
    typed: called,
    shown: (path: string) => (path === '' ? called : `${typed}:${directory}${path}`),
    ...(isMember && { file: found.path }),
  };
  return answerAt(place, asked, call);
}

function locatedIn(find: () => Located | undefined): Located | undefined {
  try {
    return find();
  } catch (error) {
    return unlessUnexpected(error);
  }
}

function unlessUnexpected(error: unknown): undefined {
  if (!isOrielError(error)) throw error;
}
