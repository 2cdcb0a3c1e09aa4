/** Heavy work that other machines do: what a replica asks for, and what comes back. state/ carries it there and back. */

/** One piece of work, the same for every replica that wants it. */
export interface WorkOrder {
  /** Which handler of a worker does it: `document`. */
  readonly kind: string;
  /** Of the code that does it: workers of another version are not asked. */
  readonly version: string;
  /** The key of the result in the cache: it names the bytes, and all that shapes what is made of them. */
  readonly key: string;
  /** For the handler; plain JSON. */
  readonly head: unknown;
  /** Bytes of the input. */
  readonly bytes: number;
  /** `length` bytes of it from `start` (0-based). */
  read(start: number, length: number): Promise<Uint8Array>;
  /** Hexadecimal; a worker refuses other bytes. */
  readonly sha256: string;
}

/** `here`: nobody else has done it, so it is to be done here. `failed`: a worker found that it cannot be done. */
export type WorkOutcome =
  | { readonly is: 'done'; readonly result: Buffer; readonly isCached: boolean }
  | { readonly is: 'failed'; readonly why: string }
  | { readonly is: 'here' };

export interface RemoteWork {
  /** Whether somebody does work of that kind, in that version. Never throws. */
  hasWorkers(work: Pick<WorkOrder, 'kind' | 'version'>): Promise<boolean>;
  /**
   * Has it done by a worker, and waits for that no longer than until `giveUpAt` on the clock of `performance.now()`.
   * Throws the reason of the signal, and what `read` throws.
   */
  run(
    order: WorkOrder,
    options: { readonly signal: AbortSignal; readonly giveUpAt: number },
  ): Promise<WorkOutcome>;
}

/** How one kind of work is done, by a worker. */
export interface WorkHandler {
  readonly kind: string;
  readonly version: string;
  /** The result, as it is cached. Reads all of the input. */
  run(
    head: unknown,
    input: { readonly body: AsyncIterable<Uint8Array>; readonly bytes: number },
    signal: AbortSignal,
  ): Promise<Buffer | WorkFailure>;
}

/** It cannot be done with these bytes. `isLasting`: nor at a second attempt. */
export interface WorkFailure {
  readonly why: string;
  readonly isLasting: boolean;
}

/** What a worker tells of its jobs, as they end. */
export interface WorkEvent {
  readonly event: 'job';
  readonly kind: string;
  /** `known`: the result was there already. `dropped`: not sealed by a replica, or too old. */
  readonly outcome: 'done' | 'known' | 'failed' | 'retry' | 'dropped';
  readonly ms: number;
  readonly why?: string;
}
