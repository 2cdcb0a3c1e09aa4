/** Owns how long a statement may run: by the clock, and in measures that do not depend on the machine's speed. */

import type { Denial } from './authorizer.ts';

/** When to stop: asked every few microseconds. */
export interface Clock {
  /** Why the work must stop now, or undefined to go on. */
  over(): 'time' | 'cancelled' | undefined;
}

/** Steps of SQLite's virtual machine, and bytes read from files. */
export interface Work {
  readonly steps: number;
  readonly bytes: number;
}

/** A statement that did not work: SQLite's code and words, or the reason it was refused or stopped. */
export class SqlFailure extends Error {
  /** SQLite's primary result code. */
  readonly result: number;
  readonly denial: Denial | undefined;
  readonly stopped: 'time' | 'cancelled' | 'work' | undefined;

  constructor(result: number, message: string, denial?: Denial, stopped?: SqlFailure['stopped']) {
    super(message);
    this.name = 'SqlFailure';
    this.result = result;
    this.denial = denial;
    this.stopped = stopped;
  }
}
