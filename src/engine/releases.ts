/** Owns what a call has opened: all of it is given back once, also what is opened when the call is over. */

/** How long work that was cancelled may take to let go of what it reads, in ms. */
const LINGER_MS = 1_000;

type Release = () => void | Promise<void>;

export class Releases {
  readonly #kept: Release[] = [];
  #over = false;

  /** Work that was cancelled while it opened something may come late: then this is closed at once. */
  add(release: Release): void {
    if (this.#over) void run(release);
    else this.#kept.push(release);
  }

  /** Last opened, first closed. */
  async runAll(): Promise<void> {
    this.#over = true;
    for (const release of this.#kept.splice(0).toReversed()) await run(release);
  }

  /**
   * For work whose answer nobody waits for any more: it still reads until it notices, and a descriptor that is closed
   * under it may be another file's a moment later. What does not end in time loses them all the same.
   */
  runAfter(work: Promise<unknown>): void {
    const timer = setTimeout(() => void this.runAll(), LINGER_MS);
    timer.unref();
    void work.finally(() => {
      clearTimeout(timer);
      return this.runAll();
    });
  }
}

async function run(release: Release): Promise<void> {
  try {
    await release();
  } catch {
    // What cannot be given back is lost to this process only.
  }
}
