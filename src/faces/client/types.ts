/** What the routes of a workspace server answer, as types for callers. The OpenAPI document declares the same. */

import type { TaskTotals, TelemetryEvent } from '../../types/telemetry.ts';
import type { TaskReport } from '../../types/task-report.ts';

export type { TaskReport, TaskTotals, TelemetryEvent };
export type { FileLines } from '../../types/workspace.ts';

export interface Cancel {
  readonly signal?: AbortSignal;
}

export interface ReadFileLinesOptions extends Cancel {
  /** First line, 1-based. */
  readonly offset?: number;
  /** Lines; 2,000 when absent. */
  readonly limit?: number;
  /** Bytes of a file that is read without offset and limit; 1 MiB when absent. */
  readonly maxFileSize?: number;
  /** Bytes shown of one line; 1,024 when absent. */
  readonly maxLineBytes?: number;
  /** Lines of the answer; 2,000 when absent. */
  readonly maxResponseLines?: number;
  /** Bytes of the answer; 32,768 when absent. */
  readonly maxResponseBytes?: number;
  /** The task that the call belongs to. */
  readonly task?: string;
}

export interface ReadFileOptions extends Cancel {
  /** What a path that is not absolute begins at; none may be relative when absent. */
  readonly relativity?: 'root' | 'home' | 'cwd';
  /** First byte, 0-based. */
  readonly offset?: number;
  /** Bytes; to the end when absent. */
  readonly limit?: number;
}

export interface ShownLinesOptions extends Cancel {
  /** First line, 1-based. */
  readonly offset?: number;
  /** Lines; 1,000 when absent, and at most. */
  readonly limit?: number;
}

export interface ShownLine {
  /** 1-based. */
  readonly no: number;
  /** With its terminator. */
  readonly text: string;
}

export interface FileBytes {
  /** Bytes that follow. */
  readonly size: number;
  readonly type: string;
  /** Changes when the file may have changed. */
  readonly etag: string;
  readonly body: ReadableStream<Uint8Array>;
}

export interface ListDirectoryOptions extends Cancel {
  /** What a path that is not absolute begins at; the server's working directory when absent. */
  readonly relativity?: 'root' | 'home' | 'cwd';
  /** Only entries whose names begin with it; all when absent. */
  readonly prefix?: string;
  /** Entries to leave out first. */
  readonly offset?: number;
  /** Entries; 1,000 when absent. */
  readonly limit?: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly absolute_path_string: string;
  readonly is_dir: boolean;
  readonly type: 'file' | 'directory' | 'link' | 'fifo' | 'socket' | 'device' | 'unknown';
}

export interface Directory {
  readonly absolute_path: readonly string[];
  readonly absolute_path_string: string;
  readonly contents: readonly DirectoryEntry[];
  readonly total: number;
  /** Entries follow. */
  readonly more: boolean;
  /** The offset of the next page, if there is one: a page ends early where names and paths are long. */
  readonly next?: number;
  /** The directory has more entries than are listed: `total` are. */
  readonly cut?: true;
}

export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effects: {
    readonly readOnly: boolean;
    readonly destructive: boolean;
    readonly idempotent: boolean;
    readonly openWorld: boolean;
  };
  /** JSON Schema 2020-12. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface Tools {
  readonly dialect: string;
  readonly tools: readonly ToolDescription[];
}

export interface ToolProgress {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}

export interface CallToolOptions extends Cancel {
  /** The task that the call belongs to. */
  readonly task?: string;
  /** Whether `details.task` has the totals of the task. */
  readonly totals?: boolean;
  /** Told at most ten times a second how far the call has come. */
  readonly onProgress?: (progress: ToolProgress) => void;
}

export interface ToolAnswer {
  readonly content: readonly (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image'; readonly mimeType: string; readonly data: string }
  )[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

export interface Tasks {
  /** The token was that of the operator: the tasks are those of all clients. */
  readonly operator: boolean;
  /** Tasks that there are. */
  readonly total: number;
  /** The last used first. */
  readonly tasks: readonly (TaskTotals & {
    readonly client?: string;
    readonly first: number;
    readonly last: number;
  })[];
}

export interface TaskOptions extends Cancel {
  /** Whose task it is, as `tasks` has it; for the operator. */
  readonly client?: string;
}

export interface TaskEventsOptions extends TaskOptions {
  /** Events to leave out first. */
  readonly from?: number;
  /** Events; 5,000 when absent, which is the most. */
  readonly limit?: number;
}

export interface TaskEvents {
  /** The number of the first event; higher than asked where older ones are forgotten. */
  readonly from: number;
  /** The number of the event after the last one. */
  readonly next: number;
  readonly total: number;
  readonly events: readonly TelemetryEvent[];
}

export interface RateLimitOptions extends Cancel {
  /** Seconds after which the provider may be asked again. */
  readonly retryAfter?: number;
  /** Who refused. */
  readonly by?: string;
}
