/**
 * The bytes from which a derived value is computed, read through the calls that use the value. Each such call has opened
 * the bytes anyway and lends its `ByteSource`, so the value needs no descriptor of its own. A read waits while there is
 * no lender.
 */

import type { Identity } from '../identity.ts';
import type { ByteSource } from '../types/byte-source.ts';

export class LentBytes implements ByteSource {
  readonly identity: Identity;
  #size: number | undefined;
  #remote = false;
  /** Reads use the last lender, which will probably stay open longest. */
  readonly #lenders: ByteSource[] = [];
  readonly #lifetime: AbortSignal;
  /** Reads that wait for a lender. */
  readonly #waiting = new Set<() => void>();

  constructor(identity: Identity, lifetime: AbortSignal) {
    this.identity = identity;
    this.#lifetime = lifetime;
  }

  get size(): number | undefined {
    return this.#lenders.at(-1)?.size ?? this.#size;
  }

  get remote(): boolean {
    return this.#remote;
  }

  /** Reads may use `source` until the returned function is called. It must have the same bytes as all other lenders. */
  lend(source: ByteSource): () => void {
    this.#lenders.push(source);
    this.#remote = source.remote ?? false;
    for (const go of this.#waiting) go();
    return () => {
      this.#size = source.size ?? this.#size;
      this.#lenders.splice(this.#lenders.indexOf(source), 1);
    };
  }

  async readInto(target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number> {
    for (;;) {
      const source = this.#lenders.at(-1);
      if (!source) {
        await this.#lent();
        continue;
      }
      try {
        return await source.readInto(target, offset, signal);
      } catch (error) {
        signal?.throwIfAborted();
        // The lending call has ended: try the next lender.
        if (this.#lenders.includes(source)) throw error;
      }
    }
  }

  /** Resolves when there is a lender. Rejects with the abort reason when the lifetime ends. */
  #lent(): Promise<void> {
    this.#lifetime.throwIfAborted();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#waiting.delete(settle);
        this.#lifetime.removeEventListener('abort', settle);
        if (this.#lifetime.aborted) reject(this.#lifetime.reason as Error);
        else resolve();
      };
      this.#waiting.add(settle);
      this.#lifetime.addEventListener('abort', settle, { once: true });
    });
  }
}
