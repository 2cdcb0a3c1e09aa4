/** A workspace on another machine, as the host provides it. */

/** What a workspace says of a file: lines as "number, tab, text", or an error in its own words. */
export interface WorkspaceLines {
  readonly success: boolean;
  /** Bytes. */
  readonly file_size: number;
  readonly total_lines: number;
  readonly lines_read: number;
  readonly content: string;
  /** Empty on success. */
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

export interface Workspace {
  /** Throws OrielError when no answer came. */
  readFileLines(query: WorkspaceQuery): Promise<WorkspaceLines>;
}
