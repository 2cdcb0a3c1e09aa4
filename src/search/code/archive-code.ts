/** Answers questions about the code in an archive: `pkg.tgz:package:outline`, `pkg.tgz:#name`. */

import { basename } from 'node:path';
import { isCompiled } from '../../code/codebase/paths.ts';
import { isTagged } from '../../code/languages.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { archiveIndex, type ArchiveIndex, memberReader } from '../../formats/archive/container.ts';
import { type ArchiveMember, type FileSubject, isFile } from '../../formats/archive/members.ts';
import { locate, type MemberLocation } from '../../formats/archive/select.ts';
import { parseCodeQuestion } from '../../selector/selection.ts';
import { quote } from '../../text/visible.ts';
import type { Call, SourceSubject } from '../../types/call.ts';
import { GapsSeen } from '../../walk/gaps.ts';
import { answerAt, type CodeReadResult } from './answer-code.ts';
import { type CodeFiles, MAX_CODE_FILE_BYTES, MAX_CODE_FILES } from './code-files.ts';

/** Undefined for other selectors, and if the archive cannot be read: then reading it gives the reason. */
export async function answerInArchive(
  subject: SourceSubject,
  call: Call,
): Promise<CodeReadResult | undefined> {
  if (!isFile(subject)) return undefined;
  const { typed, rest } = subject;
  const index = await archiveIndex(subject, call).catch(unlessUnexpected);
  if (index?.kind !== 'container') return undefined;
  const { contents } = index;
  // `:outline?from=9` at the root does not select a member.
  const located = locatedIn(() => locate(contents, rest)) ?? {
    found: { kind: 'directory', path: '' } as const,
    tail: rest,
  };
  const { found, tail } = located;
  if (found.kind === 'link') return undefined;
  const isMember = found.kind === 'member';
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
    file: isMember ? found.path : undefined,
  };
  return answerAt(place, asked, call);
}

function locatedIn(find: () => MemberLocation | undefined): MemberLocation | undefined {
  try {
    return find();
  } catch (error) {
    return unlessUnexpected(error);
  }
}

function unlessUnexpected(error: unknown): undefined {
  if (!isOrielError(error)) throw error;
}

// Lists the files below a directory of an archive, for questions about code.

/** `directory` is `""` for the root, otherwise it ends in a slash. Throws `UNSUPPORTED` for formats without random access. */
async function filesInArchive(
  subject: FileSubject,
  index: Extract<ArchiveIndex, { kind: 'container' }>,
  directory: string,
  call: Call,
): Promise<CodeFiles> {
  const { contents } = index;
  const read = await memberReader(subject, index, call);
  if (!read) {
    const { typed } = subject;
    const message = `The code of a ${contents.format} archive is not mapped: only that of zip and tar. Use ${quote(typed)} to list it.`;
    throw new OrielError('UNSUPPORTED', message, { next: typed });
  }
  const { identity } = subject.opened.bytes;
  const keyOf = (path: string): string => {
    const at = contents.byPath.get(path);
    return isTagged(basename(path)) ? `${identity.key} ${at}` : '';
  };
  const { sorted, byPath, members } = contents;
  const isPrivate = (path: string): boolean => members[byPath.get(path) as number]?.denied !== undefined;
  const inside = sorted.filter(
    (path) => path.startsWith(directory) && !path.endsWith('/') && !isCompiled(path) && !isPrivate(path),
  );
  const paths = inside.slice(0, MAX_CODE_FILES).map((path) => path.slice(directory.length));
  const gaps = new GapsSeen();
  gaps.tooMany = inside.length > MAX_CODE_FILES;
  gaps.broken = contents.damage !== undefined;
  const base = `archive ${subject.path}:${directory === '' ? '/' : directory}`;
  return {
    base,
    home: base,
    top: directory === '' ? '' : basename(directory),
    paths,
    keys: new Map(paths.map((path) => [path, keyOf(directory + path)])),
    gaps,
    open: async (path) => {
      const at = contents.byPath.get(directory + path);
      const member = at === undefined ? undefined : (contents.members[at] as ArchiveMember);
      if (member?.type !== 'file' || member.denied) return undefined;
      return {
        key: keyOf(directory + path),
        recurs: identity.recurs,
        read: async (signal) => {
          if ((member.size ?? 0) > MAX_CODE_FILE_BYTES) return undefined;
          // The size that a member declares is not trusted.
          const bytes = await read(member, MAX_CODE_FILE_BYTES + 1, signal);
          return bytes.length > MAX_CODE_FILE_BYTES ? undefined : bytes;
        },
        close: () => Promise.resolve(),
      };
    },
  };
}
