/** The settings of one instance, derived from the options of its host. */

import type { FileAccess } from './access.ts';
import type { TokenCounter } from './excerpt.ts';

/** Own anchors for edits, or those of oh-my-pi 18. */
export type HashlineDisplay = 'hashline' | 'hashline@18';

export interface Settings {
  /** Lines of a read without an end, at most `limits.lines` (option `read.defaultLimit`). */
  readonly defaultLimit: number;
  /** How lines are shown: `numbers` (`N|text`), `hashline` (for hosts with an edit tool), `plain`. */
  readonly display: 'numbers' | HashlineDisplay | 'plain';
  /** Whether a read of a long code file returns its map (option `read.summarize`). */
  readonly summarize: boolean;
  /** Maximum bytes of a map with its notice (option `read.mapBytes`). */
  readonly mapBytes: number;
  /** The token counter of the model, for `limits.tokens`; when absent, four bytes count as a token. */
  readonly tokens?: TokenCounter | undefined;
  /** A read of an image returns its metadata only. */
  readonly imageMetadataOnly: boolean;
  /** Access to the directory of `agent://`, which is its `cwd`, and to nothing else. */
  readonly agentOutputs?: FileAccess | undefined;
  /** Access to the user's own skills and notes, which may be outside the roots, and to nothing else. */
  readonly userFiles?: FileAccess | undefined;
  /** Schemes of the host, by name; `false` removes one. */
  readonly schemes: Readonly<Record<string, HostScheme | false>>;
  /** Web pages: which addresses beside the public ones may be reached; `false` turns web reading off. */
  readonly web: (WebSettings & HowToAllow) | false;
  /** Objects of S3 and of servers with the same protocol; `false` turns them off. */
  readonly s3: (S3Settings & HowToAllow) | false;
  /** Servers whose resources `mcp://` reads, by name; absent if no server may be started. */
  readonly mcpServers?: Readonly<Record<string, McpServer>> | undefined;
  /** How commands run. */
  readonly run: RunSettings;
  /** Remote workspaces, by the names that tools use. */
  readonly workspaces: Readonly<Record<string, Workspace>>;
  /** How the operator can allow what these settings refuse. */
  readonly operator: OperatorWords;
}

/** Each completes the sentence `The operator of oriel can allow it …`; `HOST` stands for the host to allow. */
export interface OperatorWords {
  readonly web: string;
  readonly objects: string;
  readonly mcpServers: string;
  readonly workspaces: string;
  readonly agentOutputs: string;
  readonly userFiles: string;
  /** The name of the option for private files. */
  readonly deny: string;
  readonly allowWeb: string;
  readonly allowObjects: string;
}

export interface HowToAllow {
  /** How the operator can allow an address that is refused. */
  readonly howToAllow?: string | undefined;
}

export interface WebSettings {
  /** `HOST|CIDR[:PORT]`, in addition to all public addresses. */
  readonly allow: readonly string[];
  /** Base URLs of known sites, instead of their public ones. */
  readonly endpoints: SiteEndpoints;
}

export interface S3Settings {
  /** `HOST|CIDR[:PORT]`, in addition to all public addresses and the endpoint. */
  readonly allow: readonly string[];
  /** The URL of the server, instead of the one from the environment; `{bucket}` in it stands for the bucket. */
  readonly endpoint?: string | undefined;
  /** Instead of the one from the environment. */
  readonly region?: string | undefined;
  /** `BUCKET` or `BUCKET/PREFIX`: only these may be read. When absent, everything that the credentials allow. */
  readonly buckets?: readonly string[] | undefined;
}

/** A mirror for each site. A mirror may have a private address. */
export interface SiteEndpoints {
  /** `{lang}` stands for the language: `https://{lang}.wikipedia.org`. */
  readonly wikipedia?: string | undefined;
  readonly stackexchange?: string | undefined;
  readonly arxiv?: string | undefined;
  readonly mdn?: string | undefined;
  readonly rfc?: string | undefined;
}

/** An MCP server in the format of `.mcp.json`, or why it is named and not reached: a sentence that says how to allow it. */
export type McpServer =
  | (ReachedMcpServer & { readonly refused?: undefined })
  | { readonly refused: string; readonly command?: undefined; readonly url?: undefined };

/** A program to start, or a URL. */
export type ReachedMcpServer =
  | {
      readonly command: string;
      readonly url?: undefined;
      readonly args?: readonly string[] | undefined;
      /** Where it is started, relative to the working directory of the instance. @default that directory */
      readonly cwd?: string | undefined;
      /** In addition to the variables that every program needs (PATH, HOME and the like). */
      readonly env?: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly url: string;
      readonly command?: undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** What may be reached beside public addresses. When absent, the URL counts as chosen by the operator: it is reached wherever it is. */
      readonly addresses?: ({ readonly allow: readonly string[] } & HowToAllow) | undefined;
    };

export interface RunSettings {
  /** Timeout of a command in seconds, if its call has none. @default 120 */
  readonly timeout: number;
  /** Maximum timeout in seconds: a longer one is capped, and the answer says so. @default 600, or `timeout` if that is more */
  readonly maxTimeout: number;
  /** The variables of the host's environment that commands receive: `PATH`, `LC_*`. @default all of them */
  readonly environment?: readonly string[] | undefined;
  /** Whether processes that a command leaves in the background `end` with it or `keep` running. @default 'end' */
  readonly background: 'end' | 'keep';
  /** Whether `bash` shows a run of equal lines once, with their count and the call for them. @default true */
  readonly fold: boolean;
}

/**
 * Reads `name`, the text after `scheme://` without a selector. For an empty name, returns a list of names. Returns
 * undefined if nothing has that name.
 */
export type HostScheme = (
  name: string,
  options: { readonly signal: AbortSignal },
) => string | Uint8Array | undefined | Promise<string | Uint8Array | undefined>;

// A workspace on another machine, as the host provides it.

/** How `content` differs from the file; each field is present only if it applies. */
export interface ChangedContent {
  /** Control and invisible characters that are shown as escapes. */
  readonly escaped_characters?: number | undefined;
  /** Invalid sequences that are shown as U+FFFD. */
  readonly invalid_sequences?: number | undefined;
  /** A byte order mark was removed. */
  readonly byte_order_mark?: true | undefined;
  /** The encoding of the stored text, if it is not UTF-8. */
  readonly encoding?: string | undefined;
  /** The encoding is a guess. */
  readonly encoding_guessed?: true | undefined;
}

/** A window over a file, or an error. All fields except those of `ChangedContent` are always present. */
export interface FileLines extends ChangedContent {
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

interface WorkspaceQuery {
  /** Absolute. */
  readonly path: string;
  /** First line, 1-based. */
  readonly offset: number;
  /** Number of lines; when absent, as many as fit into an answer. */
  readonly limit?: number | undefined;
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
  readonly next?: number | undefined;
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
  readonly files?: WorkspaceFiles | undefined;
}
