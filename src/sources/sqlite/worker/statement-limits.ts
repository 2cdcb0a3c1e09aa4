/** The limits of a statement: a deadline, and amounts of work that are independent of the machine. */

import type { Denial } from './authorizer.ts';

/** Checked every few microseconds to see whether to stop. */
export interface Clock {
  /** The reason to stop now; undefined to continue. */
  over(): 'time' | 'cancelled' | undefined;
}

/** An amount of work: steps of SQLite's virtual machine, and bytes read from files. */
export interface Work {
  readonly steps: number;
  readonly bytes: number;
}

/** The failure of a statement: SQLite's code and message, or the reason why it was refused or stopped. */
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
