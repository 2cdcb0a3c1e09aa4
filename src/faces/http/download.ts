/**
 * The file of a download. It is open while the client reads. If the client pauses and other downloads wait, it is closed
 * and opened again for the next bytes.
 */

import { readAt } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import type { Identity } from '../../identity.ts';
import type { Lease } from '../../queues/lease.ts';
import type { Claim } from '../../queues/queue.ts';
import { queues } from '../../queues/queue-table.ts';
import type { OpenedFile } from '../../types/access.ts';

export class Download {
  readonly #open: () => Promise<OpenedFile>;
  readonly #claim: Claim;
  readonly #lease: Lease;
  #file: OpenedFile | undefined;
  #identity: Identity | undefined;

  /** `open` opens the file; it is called again after a pause. */
  constructor(open: () => Promise<OpenedFile>, claim: Claim) {
    this.#open = open;
    this.#claim = claim;
    this.#lease = queues.downloads.lease(claim, () => this.#close());
  }

  /** Opens the file until `rest` or `end`. Throws `BUSY` if too many wait, `INCOMPLETE` if it is another file now. */
  async file(): Promise<OpenedFile> {
    await this.#lease.work();
    this.#file ??= await queues.calls.run(this.#open, this.#claim);
    this.#identity ??= this.#file.bytes.identity;
    if (this.#file.bytes.identity.equals(this.#identity)) return this.#file;
    throw new OrielError('INCOMPLETE', 'The file was changed while it was sent.');
  }

  /** Fewer bytes only if the file was truncated. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const file = await this.file();
    const bytes = await readAt(file.bytes, offset, length);
    this.rest();
    return bytes;
  }

  /** Pauses: the file may be closed until the next read. */
  rest(): void {
    this.#lease.rest();
  }

  end(): Promise<void> {
    return this.#lease.end();
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}
