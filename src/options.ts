/** The options of the library, as a host gives them. */

import type { DialectName } from './dialects/dialect-table.ts';
import type { OnError } from './engine/unexpected.ts';
import type { LimitOptions } from './limits.ts';
import type { DiskCacheOptions } from './session/disk-cache.ts';
import type { SpillOptions } from './session/spills.ts';
import type { StateOptions } from './state/open-state.ts';
import type { Session } from './types/session.ts';
import type { RunSettings, S3Settings, Settings, WebSettings } from './types/settings.ts';

export interface OrielOptions {
  /** Relative paths are resolved against it. @default process.cwd() */
  readonly cwd?: string;
  /** Directories outside which nothing is read; everything may be read when it is empty. @default [] */
  readonly roots?: readonly string[];
  /** Directories in which kernel files may be read anyway: `/proc`. @default [] */
  readonly allow?: readonly string[];
  /** The tool surface: names, parameters, limits and words. @default 'oriel' */
  readonly dialect?: DialectName;
  /**
   * Lower or raise the dialect's own limits: `lines`, `answerLines`, `bytes`, `line`, `tokens`, `window`, `windowMax`, `countBytes`.
   * @default those of the dialect
   */
  readonly limits?: LimitOptions;
  /** The model that reads the answers, by the name that `limitsPerModel` gives it. @default none */
  readonly model?: string;
  /**
   * What differs from `limits` for each model: a context window of 8,000 tokens takes smaller answers.
   * @default {}
   */
  readonly limitsPerModel?: Readonly<Record<string, LimitOptions>>;
  /**
   * How lines are shown: `numbers`, `plain`, or `hashline` for hosts with an edit tool that takes its anchors.
   * @default 'numbers'
   */
  readonly display?: Settings['display'];
  /** How `read` shows files: see below. */
  readonly read?: ReadOptions;
  /** The model's own token counter, for `limits.tokens`. @default four bytes a token */
  readonly tokens?: Settings['tokens'];
  /** Milliseconds one call may take; Infinity for no limit. @default 30_000 */
  readonly timeoutMs?: number;
  /** How commands run: see below. */
  readonly run?: Partial<RunSettings>;
  /** The directory (it must exist) in which other agents leave outputs: `agent://ID` is a file `ID.*` in it. @default none */
  readonly agentOutputs?: string;
  /** Reads the user's own skills and notes (`skill://`, `memory://`) also where they are outside the roots. @default false */
  readonly userFiles?: boolean;
  /** Schemes of your own (`ticket://42`), or in place of those here; `false` removes one. @default {} */
  readonly schemes?: Settings['schemes'];
  /**
   * Web pages: what may be reached beside public addresses (`allow`: `HOST|CIDR[:PORT]`), and mirrors of known
   * sites (`endpoints`); `false` turns pages off.
   * @default {}
   */
  readonly web?: Partial<WebSettings> | false;
  /**
   * Objects as `s3://BUCKET/KEY`: the URL of the server (`endpoint`), the region, the `buckets` that may be read (`BUCKET`
   * or `BUCKET/PREFIX`), and hosts beside public addresses (`allow`); `false` turns them off.
   * @default those that the environment and the AWS files of the user name
   */
  readonly s3?: Partial<S3Settings> | false;
  /**
   * Servers whose resources `mcp://NAME/URI` reads, as `.mcp.json` has them under `mcpServers`. To read one starts its
   * command.
   * @default none
   */
  readonly mcpServers?: Settings['mcpServers'];
  /** Remote workspaces, by the names that tools call them. @default {} */
  readonly workspaces?: Settings['workspaces'];
  /** Where full outputs are kept, and how much of them: see below. */
  readonly spills?: SpillOptions;
  /**
   * The encrypted cache on disk in which texts of documents, symbols of code, pages and answers of GitHub outlive the process:
   * its directory, and its bytes (512 MiB); `false` for none.
   * @default a directory below the XDG cache directory
   */
  readonly cache?: DiskCacheOptions | false;
  /**
   * A store that several replicas share (`redis://…`, `postgres://…`), the key with which values in it are sealed, and
   * whose space in it is used: see below.
   * @default nothing is shared
   */
  readonly state?: StateOptions;
  /** How calls are recorded, in memory and in a file: see below; `false` for not at all. */
  readonly telemetry?: TelemetrySettings | false;
  /**
   * Shares snapshots, spills and caches with another instance; closing one closes it.
   * @default a separate session
   */
  readonly session?: Session;
  /** Milliseconds since the epoch, for the ages in listings. @default Date.now */
  readonly now?: () => number;
  /** Receives every error that an answer does not explain: a bug here, or an exception in one of these functions. @default none */
  readonly onError?: OnError;
}

export interface ReadOptions {
  /** Lines of an open-ended read, at most the line limit. @default the line limit */
  readonly defaultLimit?: number;
  /** Whether lines carry their numbers; without, text is shown as with `display: 'plain'`. @default true */
  readonly lineNumbers?: boolean;
  /** Whether the `hashline` display gives its anchors; without, lines have numbers only. @default true */
  readonly hashLines?: boolean;
  /** Whether code of over 12 KiB is answered with its map. @default true */
  readonly summarize?: boolean;
  /** Bytes of a map, its notice included; at least 256. @default 8192 */
  readonly mapBytes?: number;
  /** Whether images are answered with their facts only. @default false */
  readonly imageMetadataOnly?: boolean;
}

export interface TelemetrySettings {
  /**
   * The file to which an event of each call is appended, as JSON Lines: private, rotated, never through a link; without
   * one, events are kept in memory alone.
   * @default none
   */
  readonly file?: string;
  /** The name of the task of calls that name none. @default one for each session */
  readonly task?: string;
  /** Whether the `details` of each answer have the totals of its task so far. @default false */
  readonly totals?: boolean;
}
