/** The interface of a command of the command line. Each command is one file in this directory. */

/**
 * As in ripgrep: 0 something was found, 1 nothing was found, 2 an error. `oriel bash` exits with the code of its command,
 * or as timeout(1): with 124 after a timeout, with 125 for its own failures.
 */
export type ExitCode = number;

export interface Command {
  readonly name: string;
  /** The operands, one word each: `PATTERN [PATH]`; `PATH…` for any number of them. */
  readonly operands: string;
  readonly help: string;
  /** The valid values of an operand, if they are limited; for completion. */
  readonly choices?: readonly string[];
  /** All options besides the global ones; any other is refused. */
  readonly options: readonly Option[];
  /** Options of similar commands that people type by habit. */
  readonly habits?: Habits;
  /** The exit code of its own failures; 2 when absent. */
  readonly failureCode?: ExitCode;
  /** Options end at the first operand: the rest belongs to the command that is run. */
  readonly endsOptions?: true;
  /** It runs until a signal ends it, which is not a failure. */
  readonly serves?: true;
  run(parsed: Parsed, streams: Streams): Promise<ExitCode>;
}

/** By option: `default` if it is the default behaviour, otherwise the message that says what to use instead. */
export type Habits = Readonly<Record<string, 'default' | (string & {})>>;

export interface Option {
  readonly name: string;
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder of the value in help; `DIR` is completed with directories. */
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
  /** The variables `ORIEL_TOKEN…`, which were taken out of the environment. */
  readonly tokens: NodeJS.ProcessEnv;
}
