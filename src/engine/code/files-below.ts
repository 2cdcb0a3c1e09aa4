/** Lists the files below a directory with a walk, for questions about code. */

import { basename, join } from 'node:path';
import { readAt } from '../../access/bytes.ts';
import { withProgress } from '../../access/progress-timer.ts';
import { isCompiled } from '../../codebase/path-classes.ts';
import type { OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import { collectWalk } from '../walk/collect-walk.ts';
import { halfUntil } from '../walk/step-deadlines.ts';
import { type CodeFile, type CodeFiles, MOST_BYTES, MOST_FILES } from './code-files.ts';

/** The walk may take half of the remaining time, the rest is for parsing. Throws `BUSY` and the errors of opening. */
export async function filesBelow(directory: OpenedDirectory, call: Call): Promise<CodeFiles> {
  const paths: string[] = [];
  const keys = new Map<string, string>();
  const wants = { is: 'versions', most: MOST_FILES } as const;
  const options = { wants, deadline: halfUntil(call.deadline) };
  const gaps = await withProgress(call, 'walking', () =>
    collectWalk(directory, options, call, async (run) => {
      for await (const batch of run.versions()) {
        batch.paths.forEach((path, i) => {
          if (isCompiled(path)) return;
          paths.push(path);
          keys.set(path, batch.keys[i] ?? '');
        });
      }
    }),
  );
  const base = join(directory.path, '/');
  return {
    base,
    home: homeOf(base, call),
    top: basename(directory.path),
    paths,
    keys,
    gaps,
    directory: directory.path,
    open: (path, signal) => openBelow(base + path, call, signal),
  };
}

/** The outermost root or working directory that contains `base`: tags are cached for all of it, whichever part is asked. */
function homeOf(base: string, { access }: Call): string {
  const homes = [...access.roots, access.cwd].map((path) => join(path, '/'));
  return (
    homes.filter((home) => home !== '/' && base.startsWith(home)).sort((a, b) => a.length - b.length)[0] ??
    base
  );
}

async function openBelow(path: string, { access }: Call, signal: AbortSignal): Promise<CodeFile | undefined> {
  const opened = await access.open(path, signal).catch(() => undefined);
  if (opened?.is !== 'file') {
    await opened?.close();
    return undefined;
  }
  const { bytes, size } = opened;
  return {
    key: bytes.identity.key,
    recurs: bytes.identity.recurs,
    read: async (reading) => (size > MOST_BYTES ? undefined : readAt(bytes, 0, size, reading)),
    close: () => opened.close(),
  };
}
