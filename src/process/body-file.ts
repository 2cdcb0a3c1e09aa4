/** Streams a large reply of a child process into a private file, with backpressure on the pipe. */

import type { ScratchFile } from '../types/session.ts';

interface PausablePipe {
  pause(): unknown;
  resume(): unknown;
}

export class BodyFile {
  readonly #open: () => Promise<ScratchFile>;
  readonly #pipe: PausablePipe;
  readonly #fail: (error: unknown) => void;
  #file: Promise<ScratchFile> | undefined;
  #written: Promise<void> = Promise.resolve();
  #failed = false;

  /** `fail` is called immediately when a write fails. */
  constructor(open: () => Promise<ScratchFile>, pipe: PausablePipe, fail: (error: unknown) => void) {
    this.#open = open;
    this.#pipe = pipe;
    this.#fail = fail;
  }

  write(piece: Buffer): void {
    this.#pipe.pause();
    this.#written = this.#written.then(() => this.#append(piece));
  }

  /** The complete file, which the caller must close. */
  async finish(): Promise<ScratchFile> {
    await this.#written;
    return (this.#file ??= this.#open());
  }

  async discard(): Promise<void> {
    await this.#written;
    await this.#file?.then((file) => file.close()).catch(() => undefined);
  }

  async #append(piece: Buffer): Promise<void> {
    if (this.#failed) return;
    try {
      const file = await (this.#file ??= this.#open());
      await file.append(piece);
      this.#pipe.resume();
    } catch (error) {
      this.#failed = true;
      this.#fail(error);
    }
  }
}
