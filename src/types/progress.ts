/** Progress of a long operation, for a person who waits for it. */

export interface Progress {
  /** What is being done: "scanning 412 MiB of 1 GiB". */
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
  /** The last lines of a running command's output. */
  readonly tail?: string;
}
