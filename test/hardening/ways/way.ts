/** The shape of a way in to oriel: what a hostile case is run through. Each is one file beside this one. */

export const wayNames = ['library', 'cli', 'mcp-stdio', 'mcp-http', 'workspace-http'] as const;

export type WayName = (typeof wayNames)[number];

export interface Settings {
  /** The working directory. */
  readonly cwd: string;
  readonly roots: readonly string[];
  /** Directories in which files of the kernel may be read. */
  readonly allow?: readonly string[];
  /** Private files, in addition to those of servers. */
  readonly deny?: readonly string[];
  /** What may be reached although it is not public. */
  readonly net?: readonly string[];
  /** In place of the environment that a way gets otherwise. */
  readonly env?: NodeJS.ProcessEnv;
  /** Words before the command: `['prlimit', '--nofile=64']`. */
  readonly before?: readonly string[];
  /** The user id, other than that of the tests. */
  readonly uid?: number;
  /** A directory of this way alone, for what it keeps. */
  readonly home: string;
}

/** An answer as it came through a way in. */
export interface Reply {
  readonly text: string;
  /** `OK`, or the code of the error. */
  readonly code: string;
  readonly isError: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  readonly images: number;
  /** Everything that was received, as it came. */
  readonly bytes: string;
}

/** A way in that is open: a process that serves, or the command that is run for each call. */
export interface Door {
  readonly way: WayName;
  /** Of the process that serves; undefined where each call has one of its own. */
  readonly pid?: number;
  /** Undefined where `signal` has ended the call and the way gives no answer then. */
  call(tool: string, input: object, signal?: AbortSignal): Promise<Reply | undefined>;
  /** The tools as a client sees them. */
  tools(): Promise<readonly { name: string; description?: string }[]>;
  /** What was written on stderr so far. */
  log(): string;
  /** A door over HTTP: for requests that no client would send. */
  readonly http?: HttpDoor;
  /** A door over stdio. */
  readonly stdio?: StdioDoor;
  /** Ends it as its operator would. Resolves with the exit code; null after a signal. */
  close(): Promise<number | null>;
}

export interface HttpDoor {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Where calls go: `/mcp`, or the route of a tool. */
  readonly path: string;
  /** A body that reads `path`. */
  body(path: string): object;
  /** Sends bytes as they are, and resolves with all that came back until the server closed or two seconds passed. */
  raw(bytes: string | readonly (string | Uint8Array)[]): Promise<string>;
}

export interface StdioDoor {
  write(bytes: string | Uint8Array): Promise<void>;
  /** The first line from now on that `wanted` accepts. */
  next(wanted: (line: string) => boolean): Promise<string>;
  /** Every line so far. */
  readonly lines: readonly string[];
}

export interface Way {
  readonly name: WayName;
  open(settings: Settings): Promise<Door>;
}
