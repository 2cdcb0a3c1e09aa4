/** The limits of a statement: a deadline, and amounts of work that do not depend on the speed of the machine. */

import type { Denial } from './authorizer.ts';

/** Tells when to stop; called every few microseconds. */
export interface Clock {
  /** Why the work must stop now, or undefined to continue. */
  over(): 'time' | 'cancelled' | undefined;
}

/** Steps of SQLite's virtual machine, and bytes read from files. */
export interface Work {
  readonly steps: number;
  readonly bytes: number;
}

/** A statement that failed: SQLite's code and message, or the reason why it was refused or stopped. */
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
