/** The types of options and responses of the routes. The OpenAPI document declares the same. */

import type { PaceReport, TaskReport, TaskTotals, TelemetryEvent } from '../../types/telemetry.ts';

export type { FileLines } from '../../types/settings.ts';

export type { PaceReport, TaskReport, TaskTotals, TelemetryEvent };

export interface Cancel {
  readonly signal?: AbortSignal | undefined;
}

export interface ReadFileLinesOptions extends Cancel {
  /** First line, 1-based. */
  readonly offset?: number | undefined;
  /** Number of lines; 2,000 when absent. */
  readonly limit?: number | undefined;
  /** Maximum bytes of a file that is read without offset and limit; 1 MiB when absent. */
  readonly maxFileSize?: number | undefined;
  /** Maximum bytes shown of a line; 1,024 when absent. */
  readonly maxLineBytes?: number | undefined;
  /** Maximum lines of the response; 2,000 when absent. */
  readonly maxResponseLines?: number | undefined;
  /** Maximum bytes of the response; 32,768 when absent. */
  readonly maxResponseBytes?: number | undefined;
  /** The task that the call belongs to. */
  readonly task?: string | undefined;
}

export interface ReadFileOptions extends Cancel {
  /** The base directory of a relative path; when absent, the path must be absolute. */
  readonly relativity?: 'root' | 'home' | 'cwd' | undefined;
  /** First byte, 0-based. */
  readonly offset?: number | undefined;
  /** Number of bytes; to the end when absent. */
  readonly limit?: number | undefined;
}

export interface PrivateFilesOptions extends Cancel {
  /** Path of a file, about which the rules are asked. */
  readonly path?: string | undefined;
}

export interface PrivateFiles {
  /** All that are in force. `from`: a rule file, `--deny`, or the default list; `line`: in the rule file, 1-based. */
  readonly rules: readonly {
    readonly rule: string;
    readonly from: string;
    readonly line?: number | undefined;
  }[];
  /** About `path`: a sentence that names the rule, if one makes it private. */
  readonly decision?: { readonly private: boolean; readonly message: string } | undefined;
}

export interface FileBytes {
  /** Number of bytes in `body`. */
  readonly size: number;
  readonly type: string;
  /** Changes when the file may have changed. */
  readonly etag: string;
  readonly body: ReadableStream<Uint8Array>;
}

export interface ListDirectoryOptions extends Cancel {
  /** The base directory of a relative path; the server's working directory when absent. */
  readonly relativity?: 'root' | 'home' | 'cwd' | undefined;
  /** Only entries whose names begin with this text; all when absent. */
  readonly prefix?: string | undefined;
  /** Number of entries to skip. */
  readonly offset?: number | undefined;
  /** Number of entries; 1,000 when absent. */
  readonly limit?: number | undefined;
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
  /** Whether there are more entries. */
  readonly more: boolean;
  /** The offset of the next page, if there is one. With long names a page may have fewer entries than requested. */
  readonly next?: number | undefined;
  /** The directory has more entries than can be listed; `total` is the number of listed ones. */
  readonly cut?: true | undefined;
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
  readonly done?: number | undefined;
  readonly total?: number | undefined;
}

export interface CallToolOptions extends Cancel {
  /** The task that the call belongs to. */
  readonly task?: string | undefined;
  /** Whether `details.task` has the totals of the task. */
  readonly totals?: boolean | undefined;
  /** Receives the progress of the call, at most ten times a second. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

export interface ToolAnswer {
  readonly content: readonly (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image'; readonly mimeType: string; readonly data: string }
  )[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

export interface ListedTask extends TaskTotals {
  readonly client?: string | undefined;
  /** Bytes that reading every source whole, once, would have shown. */
  readonly whole: number;
  /** Times of the first and of the last event, in milliseconds since the epoch. */
  readonly first: number;
  readonly last: number;
}

export interface Tasks {
  /** Whether the token was that of the operator: then the tasks of all clients are listed. */
  readonly operator: boolean;
  /** Number of all tasks. */
  readonly total: number;
  /** The most recently used first. */
  readonly tasks: readonly ListedTask[];
  /** The calls of these tasks over time. */
  readonly pace: PaceReport;
}

export interface TaskOptions extends Cancel {
  /** The client of the task, as in `tasks`; for the operator. */
  readonly client?: string | undefined;
}

export interface TaskEventsOptions extends TaskOptions {
  /** Number of events to skip. */
  readonly from?: number | undefined;
  /** Number of events; 5,000 when absent, which is also the maximum. */
  readonly limit?: number | undefined;
}

export interface TaskEvents {
  /** The number of the first event; higher than requested if older ones were evicted. */
  readonly from: number;
  /** The number of the event after the last one. */
  readonly next: number;
  readonly total: number;
  readonly events: readonly TelemetryEvent[];
}

export interface RateLimitOptions extends Cancel {
  /** Seconds after which the request may be repeated. */
  readonly retryAfter?: number | undefined;
  /** The provider that refused. */
  readonly by?: string | undefined;
}
