/**
 * The queues of this process and their concurrency limits, in one table.
 *
 * The order prevents deadlocks: work that holds a slot of one queue waits only for queues further down.
 */

import { Queue, type QueueSlot } from './queue.ts';

export const queues = {
  /** Raw file downloads over HTTP. Each holds a descriptor until its client has received all bytes. */
  downloads: new Queue('downloads', 'files are sent', { limit: 32, waiting: 512, share: 0.75 }),
  /** Shell commands. They mostly wait, some of them for hours. */
  commands: new Queue('commands', 'commands run', { limit: 32, waiting: 512, share: 0.75 }),
  /** Calls with possibly large answers, in addition to their slot in `calls`: such an answer takes several times its size. */
  answers: new Queue('answers', 'large answers are made', { limit: 4, waiting: 8192, share: 0.75 }),
  /** All other calls: enough slots that a few hanging calls do not block the rest, few enough for buffers and descriptors. */
  calls: new Queue('calls', 'calls run', { limit: 64, waiting: 8192, share: 0.75 }),
  /** Searches and walks: up to two threads with 80 MiB of texts, and processes with up to 256 MiB. */
  ripgrep: new Queue('ripgrep', 'searches run', { limit: 4, waiting: 1024, share: 0.75 }),
  /** Sorting of directories with more than 20,000 entries: up to 130 MiB each. */
  listings: new Queue('listings', 'large directories are listed', { limit: 2, waiting: 1024, share: 0.5 }),
  /** Building the index of an archive with many members: up to 64 MiB each, and twice that until it is sorted. */
  indexes: new Queue('indexes', 'archives are indexed', { limit: 4, waiting: 1024, share: 0.5 }),
  /** Child processes that convert a document: 100 MB each, and up to a gigabyte for a large workbook. */
  documents: new Queue('documents', 'documents are converted', { limit: 2, waiting: 256 }),
  /** Child processes that convert a web page: 100 MB each, and up to half a gigabyte. */
  pages: new Queue('pages', 'pages are converted', { limit: 2, waiting: 256, share: 0.5 }),
  /** The same for small pages, which never wait for large ones: up to 256 MiB each. */
  pagesSmall: new Queue('pages-small', 'small pages are converted', { limit: 2, waiting: 256, share: 0.5 }),
  /** Threads of SQLite. Two, so that one runaway query does not block every other. */
  sqlite: new Queue('sqlite', 'databases are read', { limit: 2, waiting: 1024 }),
  /** Images in notebooks, from base64 to the decoded image; each is in memory during that time. */
  notebookImages: new Queue('notebook-images', 'images of notebooks are decoded', { limit: 2, waiting: 256 }),
  /** Child processes that decode an image: 80 MB each, and up to 400 MiB. */
  images: new Queue('images', 'images are decoded', { limit: 2, waiting: 256 }),
  /** Threads that parse code for outlines, with up to 512 MiB of heap. */
  outlines: new Queue('outlines', 'texts are parsed', { limit: 2, waiting: 1024 }),
  /** The thread with the symbols of directories: up to 96 MiB of packed tags, plus the tags and reference graph in use. */
  codebase: new Queue('codebase', 'questions about code are answered', { limit: 1, waiting: 1024 }),
  /** The thread that reads the last commits of a repository: up to 64 descriptors, and 24 MiB of objects. */
  histories: new Queue('histories', 'histories are read', { limit: 1, waiting: 1024 }),
  /** Threads that read a repository for `git://`: up to 64 descriptors, and 120 MiB for an object of 32 MiB. */
  repositories: new Queue('repositories', 'repositories are read', { limit: 2, waiting: 1024, share: 0.5 }),
  /** Threads that unpack bzip2, xz, zstd, 7z and rar: up to 176 MiB each. */
  unpack: new Queue('unpack', 'archives are unpacked', { limit: 4, waiting: 1024 }),
  /** The same for small archives, which never wait for large ones. */
  unpackSmall: new Queue('unpack-small', 'small archives are unpacked', { limit: 2, waiting: 1024 }),
  /** Pairs of buffers in which newlines are counted, 4 MiB each. Two scans saturate memory. */
  scans: new Queue('scans', 'texts are scanned', { limit: 2, waiting: 8192 }),
  /** HTTP requests to sites and object stores. A slot is one connection, from the request to the end of the last response. */
  requests: new Queue('requests', 'requests to sites are made', { limit: 32, waiting: 1024, share: 0.5 }),
  /** Bodies over 1 MiB while they arrive from the web or an object store: up to 64 MiB each, and twice that at their end. */
  bodies: new Queue('bodies', 'large bodies are received', { limit: 4, waiting: 1024, share: 0.5 }),
} as const;

/** Descriptors that the process needs besides those of calls: sockets, pipes, threads, cached values. */
const OWN_DESCRIPTORS = 40;

/** The most descriptors that one call holds at a time: a database with its log, journal and index, opened twice. */
const DESCRIPTORS_PER_CALL = 8;

/** Lowers the limits to fit the number of descriptors that this process may open. */
export function fitTo(descriptors: number): void {
  const room = Math.max(1, Math.floor((descriptors - OWN_DESCRIPTORS) / DESCRIPTORS_PER_CALL));
  queues.calls.limit = Math.min(queues.calls.limit, room);
  for (const queue of [queues.commands, queues.downloads])
    queue.limit = Math.min(queue.limit, Math.ceil(room / 2));
}

// One slot per call in a queue. Parts of a call that use the same queue share it: if one part waited for a slot that
// another part of the same call holds, they would deadlock.

interface Shared {
  readonly slot: QueueSlot | Promise<QueueSlot>;
  users: number;
}

export class SharedSlots {
  readonly #queue: Queue;
  readonly #shared = new WeakMap<AbortSignal, Shared>();

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /**
   * Acquires a slot, or shares the one that the call of `signal` already holds. The slot is released when all its users
   * have released it. Rejects as `Queue.acquire` does.
   */
  async take(signal?: AbortSignal): Promise<QueueSlot> {
    if (!signal) return this.#queue.acquire();
    const shared = this.#shared.get(signal) ?? { slot: this.#queue.acquire({ signal }), users: 0 };
    this.#shared.set(signal, shared);
    shared.users += 1;
    let slot: QueueSlot | undefined;
    const release = (): void => {
      shared.users -= 1;
      if (shared.users > 0) return;
      this.#shared.delete(signal);
      slot?.release();
    };
    try {
      slot = await shared.slot;
    } catch (error) {
      release();
      throw error;
    }
    let held = true;
    return {
      release() {
        if (held) release();
        held = false;
      },
    };
  }
}
