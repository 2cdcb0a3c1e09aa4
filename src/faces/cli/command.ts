/** The shape of a command of the command line. Each command is one file beside this one. */

import type { Option, Parsed } from './options.ts';

/** As of ripgrep: something was found, nothing was found, something failed. */
export type ExitCode = 0 | 1 | 2;

export interface Command {
  readonly name: string;
  /** What follows the name, one word each: `PATTERN [PATH]`; `PATH…` for any number of them. */
  readonly operands: string;
  readonly help: string;
  /** All that it takes besides the global ones; any other is refused. */
  readonly options: readonly Option[];
  /** Runs until a signal ends it, which is then not a failure. */
  readonly serves?: true;
  run(parsed: Parsed, streams: Streams): Promise<ExitCode>;
}

export interface Streams {
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}
