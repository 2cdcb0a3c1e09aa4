/** Lists the files below a directory of an archive, for questions about code. */

import { basename } from 'node:path';
import { OrielError } from '../../errors.ts';
import { isCompiled } from '../../codebase/path-classes.ts';
import type { ArchiveIndex } from '../../sources/archive/archive-index.ts';
import type { FileSubject, Member } from '../../sources/archive/container.ts';
import { memberReader } from '../../sources/archive/member-bytes.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import { isCode } from '../../views/languages.ts';
import { GapsSeen } from '../walk/gaps.ts';
import { type CodeFiles, MOST_BYTES, MOST_FILES } from './code-files.ts';

/** `directory` is `""` for the root, otherwise it ends in a slash. Throws `UNSUPPORTED` for formats without random access. */
export async function filesInArchive(
  subject: FileSubject,
  index: Extract<ArchiveIndex, { is: 'container' }>,
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
    return isCode(basename(path)) ? `${identity.key} ${at}` : '';
  };
  const inside = contents.sorted.filter(
    (path) => path.startsWith(directory) && !path.endsWith('/') && !isCompiled(path),
  );
  const paths = inside.slice(0, MOST_FILES).map((path) => path.slice(directory.length));
  const gaps = new GapsSeen();
  gaps.tooMany = inside.length > MOST_FILES;
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
      const member = at === undefined ? undefined : (contents.members[at] as Member);
      if (member?.type !== 'file') return undefined;
      return {
        key: keyOf(directory + path),
        recurs: identity.recurs,
        read: async (signal) => {
          if ((member.size ?? 0) > MOST_BYTES) return undefined;
          // The size that a member declares is not trusted.
          const bytes = await read(member, MOST_BYTES + 1, signal);
          return bytes.length > MOST_BYTES ? undefined : bytes;
        },
        close: () => Promise.resolve(),
      };
    },
  };
}
