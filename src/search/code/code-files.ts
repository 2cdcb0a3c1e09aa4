/** The files that a question about code covers, independent of where they are (directory or archive). */

import { basename, join } from 'node:path';
import { isCompiled } from '../../code/codebase/paths.ts';
import { latin1ToPath } from '../../files/held-directory.ts';
import { mayStoreFiles } from '../../formats/archive/detect.ts';
import { compileLate } from '../../process/compile-budget.ts';
import { withProgress } from '../../queues/caller.ts';
import { readAt } from '../../text/bytes.ts';
import type { OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import { collectWalk, halfUntil } from '../../walk/collect-walk.ts';
import type { GapsSeen } from '../../walk/gaps.ts';

/** The most bytes of a code file that is parsed; larger ones are usually generated. */
export const MAX_CODE_FILE_BYTES = 1 << 20;

/** The most files that are considered. */
export const MAX_CODE_FILES = 100_000;

export interface CodeFiles {
  /** The prefix of the paths in the codebase thread, unique to these files. Ends in a slash. */
  readonly base: string;
  /** The prefix of everything that is cached on disk together: `base` or a prefix of it. */
  readonly home: string;
  /** The name by which importers call these files. */
  readonly top: string;
  /** Relative to `base`. */
  readonly paths: readonly string[];
  /** The identity key of each file, in the order of `paths`; empty for files that are not code. */
  readonly keys: ReadonlyMap<string, string>;
  readonly gaps: GapsSeen;
  /** The real path of the directory; absent for an archive. */
  readonly directory?: string | undefined;
  /** Reads all code files until `until` (of `performance.now()`), two pieces at a time; absent for an archive. */
  readonly readAll?:
    | ((until: number, take: (files: readonly CodeText[]) => Promise<void>) => Promise<void>)
    | undefined;
  /** Opens one of `paths`; undefined if it is gone or may no longer be read. */
  open(path: string, signal: AbortSignal): Promise<CodeFile | undefined>;
}

export interface CodeText {
  /** One of `paths`, and its identity key before it was read; empty if that does not recur. */
  readonly path: string;
  readonly key: string;
  /** In UTF-8. */
  readonly bytes: Uint8Array;
}

export interface CodeFile {
  /** The current identity key of its bytes, and whether a later call can have an equal one (`Identity.recurs`). */
  readonly key: string;
  readonly recurs: boolean;
  /** Undefined if it has more than `MAX_CODE_FILE_BYTES`. */
  read(signal: AbortSignal): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

// Lists the files below a directory with a walk, for questions about code.

/** The walk may take half of the remaining time, the rest is for parsing. Throws `BUSY` and the errors of opening. */
export async function filesBelow(
  directory: OpenedDirectory,
  call: Call,
  shown: (path: string) => string = (path) => path,
): Promise<CodeFiles> {
  // Whatever the question needs of the threads, they end or rest before optimized code pays off.
  call.onEnd(compileLate());
  const paths: string[] = [];
  const keys = new Map<string, string>();
  const wants = { kind: 'paths', keys: true, most: MAX_CODE_FILES } as const;
  const options = { wants, front: shown('x').slice(0, -1), deadline: halfUntil(call.deadline) };
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
    readAll: (until, take) => readBelow(directory, until, take, call),
    open: (path, signal) => openBelow(base + path, call, signal),
  };
}

async function readBelow(
  directory: OpenedDirectory,
  until: number,
  take: (files: readonly CodeText[]) => Promise<void>,
  call: Call,
): Promise<void> {
  const code = { most: MAX_CODE_FILE_BYTES };
  const wants = { kind: 'texts', needle: undefined, isAscii: false, asStored: true, code } as const;
  await collectWalk(directory, { wants, deadline: until }, call, async (run) => {
    let last = Promise.resolve();
    try {
      for await (const item of run.items()) {
        if (item.kind === 'texts') {
          const keys = item.keys?.split('\n') ?? [];
          const files = latin1ToPath(item.paths)
            .split('\0')
            .map((path, i): CodeText => {
              const bytes = item.bytes.subarray(item.ends[i - 1] ?? 0, item.ends[i]);
              return { path, key: keys[i] ?? '', bytes };
            });
          const before = last;
          last = take(files);
          // One that fails is found when the next is taken.
          last.catch(() => undefined);
          await before;
        }
        run.release(item);
      }
    } finally {
      await last;
    }
  });
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
  if (opened?.kind !== 'file') {
    await opened?.close();
    return undefined;
  }
  const { bytes, size } = opened;
  return {
    key: bytes.identity.key,
    recurs: bytes.identity.recurs,
    async read(reading) {
      const read = size > MAX_CODE_FILE_BYTES ? undefined : await readAt(bytes, 0, size, reading);
      return read && access.privateNames && mayStoreFiles(read, read) ? undefined : read;
    },
    close: () => opened.close(),
  };
}
