/** Heavy work on other machines: the orders of a replica, and their results. state/ transports them. */

/** One piece of work, equal for all replicas that request it. */
export interface WorkOrder {
  /** Which handler of a worker does it: `document`. */
  readonly kind: string;
  /** Version of the code that does it: workers of another version are not used. */
  readonly version: string;
  /** The cache key of the result: the bytes and all options that affect the result. */
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

/** `here`: no worker did it, so do it in this process. `failed`: a worker found that it cannot be done. */
export type WorkOutcome =
  | { readonly is: 'done'; readonly result: Buffer; readonly isCached: boolean }
  | { readonly is: 'failed'; readonly why: string }
  | { readonly is: 'here' };

export interface RemoteWork {
  /** Whether there are workers for that kind and version. Never throws. */
  hasWorkers(work: Pick<WorkOrder, 'kind' | 'version'>): Promise<boolean>;
  /**
   * Lets a worker do it, and waits until `giveUpAt` at most, on the clock of `performance.now()`. Throws the
   * reason of the signal, and what `read` throws.
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

/** It cannot be done with these bytes. `isLasting`: another attempt would fail too. */
export interface WorkFailure {
  readonly why: string;
  readonly isLasting: boolean;
}

/** An event of a worker when a job ends. */
export interface WorkEvent {
  readonly event: 'job';
  readonly kind: string;
  /** `known`: the result existed already. `dropped`: not sealed by a replica, or too old. */
  readonly outcome: 'done' | 'known' | 'failed' | 'retry' | 'dropped';
  readonly ms: number;
  readonly why?: string;
}
