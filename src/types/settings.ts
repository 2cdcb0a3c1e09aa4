/** The settings of one instance, derived from the options of its host. */

import type { Access } from './access.ts';
import type { TokenCounter } from './limits.ts';
import type { Workspace } from './workspace.ts';

export interface Settings {
  /** Lines of a read without an end, at most `limits.lines` (option `read.defaultLimit`). */
  readonly defaultLimit: number;
  /** How lines are shown: `numbers` (`N|text`), `hashline` (for hosts with an edit tool), `plain`. */
  readonly display: 'numbers' | 'hashline' | 'plain';
  /** Whether a read of a long code file returns its map (option `read.summarize`). */
  readonly summarize: boolean;
  /** Maximum bytes of a map with its notice (option `read.mapBytes`). */
  readonly mapBytes: number;
  /** The token counter of the model, for `limits.tokens`; when absent, four bytes count as a token. */
  readonly tokens?: TokenCounter;
  /** A read of an image returns its metadata only. */
  readonly imageMetadataOnly: boolean;
  /** Access to the directory of `agent://`, which is its `cwd`, and to nothing else. */
  readonly agentOutputs?: Access;
  /** Access to the user's own skills and notes, which may be outside the roots, and to nothing else. */
  readonly userFiles?: Access;
  /** Schemes of the host, by name; `false` removes one. */
  readonly schemes: Readonly<Record<string, HostScheme | false>>;
  /** Web pages: which addresses beside the public ones may be reached; `false` turns web reading off. */
  readonly web: (WebSettings & Allowable) | false;
  /** Objects of S3 and of servers with the same protocol; `false` turns them off. */
  readonly s3: (S3Settings & Allowable) | false;
  /** Servers whose resources `mcp://` reads, by name; absent if no server may be started. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
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
  readonly allowWeb: string;
  readonly allowObjects: string;
}

export interface Allowable {
  /** How the operator can allow an address that is refused. */
  readonly howToAllow?: string;
}

export interface WebSettings {
  /** `HOST|CIDR[:PORT]`, in addition to all public addresses. */
  readonly allow: readonly string[];
  /** Base URLs of known sites, instead of their public ones. */
  readonly endpoints: Endpoints;
}

export interface S3Settings {
  /** `HOST|CIDR[:PORT]`, in addition to all public addresses and the endpoint. */
  readonly allow: readonly string[];
  /** The URL of the server, instead of the one from the environment; `{bucket}` in it stands for the bucket. */
  readonly endpoint?: string;
  /** Instead of the one from the environment. */
  readonly region?: string;
  /** `BUCKET` or `BUCKET/PREFIX`: only these may be read. When absent, everything that the credentials allow. */
  readonly buckets?: readonly string[];
}

/** A mirror for each site. A mirror may have a private address. */
export interface Endpoints {
  /** `{lang}` stands for the language: `https://{lang}.wikipedia.org`. */
  readonly wikipedia?: string;
  readonly stackexchange?: string;
  readonly arxiv?: string;
  readonly mdn?: string;
  readonly rfc?: string;
}

/** An MCP server in the format of `.mcp.json`, or why it is named and not reached: a sentence that says how to allow it. */
export type McpServer = ReachedMcpServer | { readonly refused: string };

/** A program to start, or a URL. */
export type ReachedMcpServer =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      /** In addition to the variables that every program needs (PATH, HOME and the like). */
      readonly env?: Readonly<Record<string, string>>;
    }
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** What may be reached beside public addresses. When absent, the URL counts as chosen by the operator: it is reached wherever it is. */
      readonly addresses?: { readonly allow: readonly string[] } & Allowable;
    };

export interface RunSettings {
  /** Timeout of a command in seconds, if its call has none. @default 120 */
  readonly timeout: number;
  /** The variables of the host's environment that commands receive: `PATH`, `LC_*`. @default all of them */
  readonly environment?: readonly string[];
  /** Whether processes that a command leaves in the background `end` with it or `keep` running. @default 'end' */
  readonly background: 'end' | 'keep';
}

/**
 * Reads `name`, the text after `scheme://` without a selector. For an empty name, returns a list of names. Returns
 * undefined if nothing has that name.
 */
export type HostScheme = (
  name: string,
  options: { readonly signal: AbortSignal },
) => string | Uint8Array | undefined | Promise<string | Uint8Array | undefined>;
