/** The thread that reads the last commits of a repository. It receives the repository as open descriptors. */

import { parentPort } from 'node:worker_threads';
import { GitRepository, type RepositoryHandles } from '../../git/objects.ts';
import { LOADED } from '../../process/worker-ending.ts';
import { type RecentChanges, recentChanges } from './recent.ts';

export interface HistoryJob {
  readonly repository: RepositoryHandles;
  /** The id of the newest commit in hexadecimal digits. */
  readonly head: string;
}

function answer({ repository: handles, head }: HistoryJob): RecentChanges {
  const repository = new GitRepository(handles);
  try {
    return recentChanges((id) => repository.read(id), Buffer.from(head, 'hex'));
  } finally {
    repository.close();
  }
}

const port = parentPort;
port?.on('message', ({ job }: { job: HistoryJob }) =>
  port.postMessage({ reply: answer(job), retire: false }),
);
port?.postMessage(LOADED);
