/** Owns the shape of a command of the command line. One file a command beside this one. */

import type { Option, Parsed } from './options.ts';

/** ripgrep's: something was found, nothing was found, something failed. */
export type ExitCode = 0 | 1 | 2;

export interface Command {
  readonly name: string;
  /** What follows the name: `PATH…`. */
  readonly operands: string;
  readonly help: string;
  /** Besides the global ones. */
  readonly options: readonly Option[];
  /** Runs until it is told to end: a signal is its ordinary end and no failure. */
  readonly serves?: true;
  run(parsed: Parsed, streams: Streams): Promise<ExitCode>;
}

export interface Streams {
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}
