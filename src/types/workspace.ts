/** A workspace on another machine, as the host provides it. */

/** How `content` differs from the file; each field is present only if it applies. */
export interface Changed {
  /** Control and invisible characters that are shown as escapes. */
  readonly escaped_characters?: number;
  /** Invalid sequences that are shown as U+FFFD. */
  readonly invalid_sequences?: number;
  /** A byte order mark was removed. */
  readonly byte_order_mark?: true;
  /** The encoding of the stored text, if it is not UTF-8. */
  readonly encoding?: string;
  /** The encoding is a guess. */
  readonly encoding_guessed?: true;
}

/** A window over a file, or an error. All fields except those of `Changed` are always present. */
export interface FileLines extends Changed {
  readonly success: boolean;
  /** Bytes as stored. */
  readonly file_size: number;
  readonly total_lines: number;
  readonly lines_read: number;
  /** Lines as number, tab, text (`1\tcontent`), joined by newlines, without a newline at the end. */
  readonly content: string;
  /** The error of the file system; empty on success. */
  readonly error: string;
}

export interface WorkspaceQuery {
  /** Absolute. */
  readonly path: string;
  /** First line, 1-based. */
  readonly offset: number;
  /** Number of lines; when absent, as many as fit into an answer. */
  readonly limit?: number;
  readonly signal: AbortSignal;
}

export interface WorkspaceBytesQuery {
  /** Relative to the working directory of the workspace, or absolute. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum bytes of the body to read. */
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
  /** Number of entries to skip. */
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface WorkspaceList {
  /** Directories first, then by name; as the workspace reports them, without invalid names. */
  readonly entries: readonly { readonly name: string; readonly type: string }[];
  readonly total: number;
  /** The offset of the next page, if there is one. */
  readonly next?: number;
}

/** Reads `ws://NAME/path`. Its methods throw OrielError. */
export interface WorkspaceFiles {
  /**
   * Scheme, host, port and base path of the server, which distinguish its files from those of other
   * workspaces.
   */
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
