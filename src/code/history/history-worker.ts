/** The thread that reads the last commits of a repository. It receives the `.git` directory as an open descriptor. */

import { parentPort } from 'node:worker_threads';
import { HeldDirectory } from '../../files/held-directory.ts';
import { LOADED } from '../../process/worker-ending.ts';
import { GitRepository } from './git-objects.ts';
import { type RecentChanges, recentChanges } from './recent.ts';

export interface HistoryJob {
  /** The real path of the `.git` directory, and its open descriptor. */
  readonly path: string;
  readonly fd: number;
  /** The paths (see `bytesOf`) outside which no directory is entered; empty: no roots. */
  readonly roots: readonly string[];
  /** The id of the newest commit, 40 hexadecimal digits. */
  readonly head: string;
}

function answer({ path, fd, roots, head }: HistoryJob): RecentChanges {
  const git = HeldDirectory.adopt(path, fd);
  const repository = new GitRepository(git, roots);
  try {
    return recentChanges((id) => repository.read(id), Buffer.from(head, 'hex'));
  } finally {
    repository.close();
    git.release();
  }
}

const port = parentPort;
port?.on('message', ({ job }: { job: HistoryJob }) =>
  port.postMessage({ reply: answer(job), retire: false }),
);
port?.postMessage(LOADED);
