/** Owns the threads that SQLite runs in: few, shared by the whole process, gone when nobody asks. */

import type { Job, Reply } from '../sources/sqlite/protocol.ts';
import { WorkerPool } from './isolate-worker.ts';
import { builtFile } from './package-files.ts';

/** Two, so that one runaway query does not hold up every other. */
export const sqliteWorkers = new WorkerPool<Job, Reply>({
  entry: builtFile('sources/sqlite/worker/sqlite-worker.js'),
  size: 2,
  // A burst of questions finds them warm; a process that is done with databases keeps nothing open for them.
  idleMs: 1_000,
  heapMb: 96,
});
