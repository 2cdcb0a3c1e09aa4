/** The options of the library. `docs/options.md` is generated from these comments. */

import type { DialectName } from './dialects/dialect-table.ts';
import type { OnError } from './engine/unexpected.ts';
import type { LimitOptions } from './limits.ts';
import type { DiskCacheOptions } from './session/disk-cache.ts';
import type { SpillOptions } from './session/spills.ts';
import type { StateOptions } from './state/open-state.ts';
import type { Session } from './types/session.ts';
import type { RunSettings, S3Settings, Settings, WebSettings } from './types/settings.ts';

export interface OrielOptions {
  /** The directory against which relative paths are resolved. @default process.cwd() */
  readonly cwd?: string;
  /** Directories outside which nothing is read; if empty, everything may be read. @default [] */
  readonly roots?: readonly string[];
  /** Directories in which kernel files may be read, such as `/proc`. @default [] */
  readonly allow?: readonly string[];
  /** The tool surface: names, parameters, limits and wording. @default 'oriel' */
  readonly dialect?: DialectName;
  /**
   * Limits instead of those of the dialect, lower or higher: `lines`, `answerLines`, `bytes`, `line`, `tokens`, `window`, `windowMax`, `countBytes`.
   * @default those of the dialect
   */
  readonly limits?: LimitOptions;
  /** The model that reads the answers: a name in `limitsPerModel`. @default none */
  readonly model?: string;
  /**
   * Limits of each model that differ from `limits`: a model with a context window of 8,000 tokens needs smaller answers.
   * @default {}
   */
  readonly limitsPerModel?: Readonly<Record<string, LimitOptions>>;
  /**
   * How lines are shown: `numbers`, `plain`, or `hashline` for hosts with an edit tool that accepts its anchors.
   * @default 'numbers'
   */
  readonly display?: Settings['display'];
  /** How `read` shows files: see below. */
  readonly read?: ReadOptions;
  /** The token counter of the model, for `limits.tokens`. @default four bytes a token */
  readonly tokens?: Settings['tokens'];
  /** The timeout of a call in milliseconds; Infinity for none. @default 30_000 */
  readonly timeoutMs?: number;
  /** How commands run: see below. */
  readonly run?: Partial<RunSettings>;
  /** The directory (it must exist) in which other agents store outputs: `agent://ID` is a file `ID.*` in it. @default none */
  readonly agentOutputs?: string;
  /** Whether the user's own skills and notes (`skill://`, `memory://`) are read even outside the roots. @default false */
  readonly userFiles?: boolean;
  /** Functions for schemes of your own (`ticket://42`), or in place of built-in ones; `false` removes a scheme. @default {} */
  readonly schemes?: Settings['schemes'];
  /**
   * Web pages: `true`, or addresses that may be reached in addition to public ones (`allow`: `HOST|CIDR[:PORT]`), and mirrors of
   * known sites (`endpoints`); `false` turns pages off.
   * @default true without `roots`, false with them
   */
  readonly web?: Partial<WebSettings> | boolean;
  /**
   * Objects as `s3://BUCKET/KEY`: the URL of the server (`endpoint`), the region, the `buckets` that may be read (`BUCKET`
   * or `BUCKET/PREFIX`), and hosts in addition to public addresses (`allow`); what is absent is as the environment and the AWS files
   * of the user say. `true` for all that these name, `false` turns objects off.
   * @default true without `roots`, false with them
   */
  readonly s3?: Partial<S3Settings> | boolean;
  /**
   * Servers whose resources `mcp://NAME/URI` reads, in the format of `mcpServers` in `.mcp.json`. Reading a resource starts
   * the command of its server. With `addresses: { allow: [] }` a URL may lead only to public addresses and those in the list.
   * @default none
   */
  readonly mcpServers?: Settings['mcpServers'];
  /** Remote workspaces, by the names that tools use. @default {} */
  readonly workspaces?: Settings['workspaces'];
  /** Where full outputs are stored, and how much of them: see below. */
  readonly spills?: SpillOptions;
  /**
   * The cache on disk, which keeps texts of documents, symbols of code, pages and answers of GitHub for later
   * processes: its directory, and its size in bytes (512 MiB); `false` for none.
   * @default a directory below the XDG cache directory
   */
  readonly cache?: DiskCacheOptions | false;
  /**
   * A store that several replicas share (`redis://…`, `postgres://…`), the key that encrypts its values, and the name of the
   * space in it: see below.
   * @default nothing is shared
   */
  readonly state?: StateOptions;
  /** How calls are recorded, in memory and in a file: see below; `false` turns it off. */
  readonly telemetry?: TelemetrySettings | false;
  /**
   * A session that is shared with other instances: its snapshots, spills and caches. Closing one instance closes it for all.
   * @default a separate session
   */
  readonly session?: Session;
  /** The current time in milliseconds since the epoch, for the ages in listings. @default Date.now */
  readonly now?: () => number;
  /** Receives every unexpected error: a bug of oriel, or an exception in a function of these options. @default none */
  readonly onError?: OnError;
}

export interface ReadOptions {
  /** Lines of a read without an end, at most the line limit. @default the line limit */
  readonly defaultLimit?: number;
  /** Whether lines have numbers; if false, text is shown as with `display: 'plain'`. @default true */
  readonly lineNumbers?: boolean;
  /** Whether `display: 'hashline'` shows anchors; if false, lines have only numbers. @default true */
  readonly hashLines?: boolean;
  /** Whether a read of a code file over 12 KiB is answered with its map. @default true */
  readonly summarize?: boolean;
  /** Maximum bytes of a map, its notice included; at least 256. @default 8192 */
  readonly mapBytes?: number;
  /** Whether reads of images are answered with their metadata only. @default false */
  readonly imageMetadataOnly?: boolean;
}

export interface TelemetrySettings {
  /**
   * The file to which an event of each call is appended, as JSON Lines. It is private, rotated, and never opened through a
   * link. If absent, events are kept only in memory.
   * @default none
   */
  readonly file?: string;
  /** The task of calls that do not name one. @default a separate one for each session */
  readonly task?: string;
  /** Whether the `details` of each answer contain the totals of its task so far. @default false */
  readonly totals?: boolean;
}
