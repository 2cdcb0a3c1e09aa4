/** The settings of one instance, made from the options of its host. */

import type { Access } from './access.ts';
import type { TokenCounter } from './limits.ts';
import type { Workspace } from './workspace.ts';

export interface Settings {
  /** Lines of an open-ended read, at most `limits.lines` (`read.defaultLimit`). */
  readonly defaultLimit: number;
  /** How lines are shown: `numbers` (`N|text`), `hashline` (for hosts with an edit tool), `plain`. */
  readonly display: 'numbers' | 'hashline' | 'plain';
  /** Whether long code files are answered with their map (`read.summarize`). */
  readonly summarize: boolean;
  /** Bytes of a map, its notice included (`read.mapBytes`). */
  readonly mapBytes: number;
  /** The model's own token counter, for `limits.tokens`; four bytes a token when absent. */
  readonly tokens?: TokenCounter;
  /** Answer images with their facts only. */
  readonly imageMetadataOnly: boolean;
  /** Opens only files in the directory of `agent://`, which is its `cwd`. */
  readonly agentOutputs?: Access;
  /** Opens only the user's own skills and notes, which may be outside the roots. */
  readonly userFiles?: Access;
  /** Schemes of the host, by name; `false` removes one. */
  readonly schemes: Readonly<Record<string, HostScheme | false>>;
  /** Web pages, and what may be reached beside public addresses; `false` turns them off. */
  readonly web: (WebSettings & Allowable) | false;
  /** Objects of S3 and what speaks its protocol; `false` turns them off. */
  readonly s3: (S3Settings & Allowable) | false;
  /** Servers whose resources `mcp://` reads, by name; absent if no server may be started. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  /** How commands run. */
  readonly run: RunSettings;
  /** Remote workspaces, by the names that tools use. */
  readonly workspaces: Readonly<Record<string, Workspace>>;
  /** How the operator allows what is refused here. */
  readonly operator: OperatorWords;
}

/** Each follows `Whoever runs oriel allows it`; `HOST` stands for the host to allow. */
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
  /** How an address that is refused is allowed. */
  readonly howToAllow?: string;
}

export interface WebSettings {
  /** `HOST|CIDR[:PORT]`, beside all public addresses. */
  readonly allow: readonly string[];
  /** Base URLs of known sites, instead of their public ones. */
  readonly endpoints: Endpoints;
}

export interface S3Settings {
  /** `HOST|CIDR[:PORT]`, beside all public addresses and the endpoint. */
  readonly allow: readonly string[];
  /** The URL of the server, in place of that of the environment; `{bucket}` in it stands for the bucket. */
  readonly endpoint?: string;
  /** In place of that of the environment. */
  readonly region?: string;
  /** `BUCKET` or `BUCKET/PREFIX`: only these are read. When absent, everything that the credentials allow. */
  readonly buckets?: readonly string[];
}

/** By site: a mirror, which may have a private address. */
export interface Endpoints {
  /** `{lang}` stands for the language: `https://{lang}.wikipedia.org`. */
  readonly wikipedia?: string;
  readonly stackexchange?: string;
  readonly arxiv?: string;
  readonly mdn?: string;
  readonly rfc?: string;
}

/** A server of the Model Context Protocol, as `.mcp.json` has them: a program to start, or a URL. */
export type McpServer =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      /** Beside what every program needs (PATH, HOME and the like). */
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export interface RunSettings {
  /** Seconds a command may take when its call names no time limit. @default 120 */
  readonly timeout: number;
  /** The variables of the host's environment that commands get: `PATH`, `LC_*`. @default all of them */
  readonly environment?: readonly string[];
  /** What happens to processes that a command leaves behind: they `end` with it, or `keep` running. @default 'end' */
  readonly background: 'end' | 'keep';
}

/**
 * Reads what follows `name://` (without a selector). An empty name asks for a list of names. Undefined if nothing is
 * called so.
 */
export type HostScheme = (
  name: string,
  options: { readonly signal: AbortSignal },
) => string | Uint8Array | undefined | Promise<string | Uint8Array | undefined>;
