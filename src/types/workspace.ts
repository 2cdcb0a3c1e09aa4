/** A workspace on another machine, as the host provides it. */

/** What is in `content` otherwise than in the file: each fact only where it is so. */
export interface Changed {
  /** Control and invisible characters that are shown as escapes. */
  readonly escaped_characters?: number;
  /** Invalid sequences that are shown as U+FFFD. */
  readonly invalid_sequences?: number;
  /** A byte order mark was taken off. */
  readonly byte_order_mark?: true;
  /** How the text is stored, where that is not UTF-8. */
  readonly encoding?: string;
  /** The text does not say how it is stored: that is a guess. */
  readonly encoding_guessed?: true;
}

/** A window over a file, or why there is none. All fields but those of `Changed` are always present. */
export interface FileLines extends Changed {
  readonly success: boolean;
  /** Bytes as stored. */
  readonly file_size: number;
  readonly total_lines: number;
  readonly lines_read: number;
  /** Lines as number, tab, text (`1\tcontent`), joined by newlines; none at the end. */
  readonly content: string;
  /** What the file system says; empty on success. */
  readonly error: string;
}

export interface WorkspaceQuery {
  /** Absolute. */
  readonly path: string;
  /** First line, 1-based. */
  readonly offset: number;
  /** Lines; absent for as many as an answer may have. */
  readonly limit?: number;
  readonly signal: AbortSignal;
}

export interface WorkspaceBytesQuery {
  /** From the working directory of the workspace, or absolute. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the body that are read. */
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

/** Bytes of a file: an HTTP answer with status 200, 206, 412 or 416. */
export interface WorkspaceBytes {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body is longer than `mostBytes`: this is its beginning. */
  readonly cut: boolean;
}

export interface WorkspaceListQuery {
  readonly path: string;
  /** Entries to leave out first. */
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface WorkspaceList {
  /** Directories first, then by name; as the workspace says, with what cannot be a name left out. */
  readonly entries: readonly { readonly name: string; readonly type: string }[];
  readonly total: number;
  /** The offset of what follows, where something does. */
  readonly next?: number;
}

/** What `ws://NAME/path` is read through. Its methods throw OrielError. */
export interface WorkspaceFiles {
  /** Scheme, host and port of the server, and the path below which it is: what tells its files from those of others. */
  readonly origin: string;
  readFile(query: WorkspaceBytesQuery): Promise<WorkspaceBytes>;
  listDirectory(query: WorkspaceListQuery): Promise<WorkspaceList>;
  /** Whether it answers. */
  check(signal: AbortSignal): Promise<void>;
}

export interface Workspace {
  /** Throws OrielError when no answer came. */
  readFileLines(query: WorkspaceQuery): Promise<FileLines>;
  /** Absent if `ws://` does not read it. */
  readonly files?: WorkspaceFiles;
}
