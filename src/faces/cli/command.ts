/** The shape of a command of the command line. Each command is one file beside this one. */

/**
 * As of ripgrep: 0 something was found, 1 nothing was found, 2 something failed. `oriel bash` ends with the code of its
 * command, and with 124 and 125 (as of timeout(1)) after a timeout and for its own failures.
 */
export type ExitCode = number;

export interface Command {
  readonly name: string;
  /** What follows the name, one word each: `PATTERN [PATH]`; `PATH…` for any number of them. */
  readonly operands: string;
  readonly help: string;
  /** The names that an operand may have, if there are only these: they are completed. */
  readonly choices?: readonly string[];
  /** All that it takes besides the global ones; any other is refused. */
  readonly options: readonly Option[];
  /** Single letters that people type by habit from a command of the same purpose. */
  readonly habits?: Habits;
  /** What it ends with when it fails by itself; 2 when absent. */
  readonly failureCode?: ExitCode;
  /** Options end at the first operand: what follows belongs to the command that is run. */
  readonly endsOptions?: true;
  /** Runs until a signal ends it, which is then not a failure. */
  readonly serves?: true;
  run(parsed: Parsed, streams: Streams): Promise<ExitCode>;
}

/** By letter: `default` for what the command does anyway, otherwise the sentence that says what to write instead. */
export type Habits = Readonly<Record<string, 'default' | (string & {})>>;

export interface Option {
  readonly name: string;
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands for the value in help; a `DIR` is completed with directories. */
  readonly value?: string;
  /** The valid values; others are refused. */
  readonly choices?: readonly string[];
  readonly help: string;
}

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface Parsed {
  readonly values: Values;
  readonly operands: readonly string[];
}

export interface Streams {
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}
