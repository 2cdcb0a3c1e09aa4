/** A fleet of workspaces: a client for each by its name, common limits, and a report on each. Of the package @oriel/scale. */

import { OrielError } from '../../errors.ts';
import { requireSibling } from '../../files/package-files.ts';
import { Queue } from '../../queues/queue.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Workspace } from '../../types/settings.ts';
import { type ClientOptions, failed, type Result, sender, serverBaseUrl } from './client-request.ts';
import { type Client, createClient } from './client.ts';

export type { Client, ClientOptions } from './client.ts';
export { type ClientError, type Result, unwrap } from './client-request.ts';
export type { Workspace } from '../../types/settings.ts';

export interface FleetWorkspace extends ClientOptions {
  /** Where the token comes from, for the error if it is missing. */
  readonly tokenFrom?: string | undefined;
}

export interface FleetOptions {
  /** By name. */
  readonly workspaces: Readonly<Record<string, FleetWorkspace>>;
  /** Maximum concurrent requests to all workspaces; 64 when absent. */
  readonly concurrency?: number | undefined;
  /** Maximum concurrent requests to one workspace; 8 when absent. */
  readonly perWorkspace?: number | undefined;
  /** Maximum requests that wait for one workspace; 32 when absent. */
  readonly waiting?: number | undefined;
  /** Timeout in milliseconds without a byte; 10,000 when absent. Use Infinity for commands without output. */
  readonly timeoutMs?: number | undefined;
  /** Timeout in milliseconds of a request of a `ws://` read; 20,000 when absent. */
  readonly requestMs?: number | undefined;
}

/** The statistics of a workspace. */
export interface GateReport {
  readonly requests: number;
  /** Number of requests without a response. */
  readonly failed: number;
  readonly running: number;
  readonly waiting: number;
  /** Decompressed bytes of responses. */
  readonly bytes: number;
  /** Average milliseconds until the headers of a response. */
  readonly meanMs: number;
  /** Number of responses in this average. */
  readonly answered: number;
  /** Why no requests are sent at the moment (the circuit is open); absent if they are sent. */
  readonly away?: string | undefined;
}

export interface WorkspaceReport extends GateReport {
  readonly name: string;
  readonly url: string;
}

/** The result of a workspace, and the duration in milliseconds. */
export interface FleetAnswer<T> {
  readonly name: string;
  readonly result: Result<T>;
  readonly ms: number;
}

export interface Fleet {
  readonly names: readonly string[];
  /** For `createOriel({ workspaces })`: used by `ws://NAME/path` and by the tool of the coder dialect. */
  readonly workspaces: Readonly<Record<string, Workspace>>;
  /** Undefined for an unknown name. */
  client(name: string): Client | undefined;
  /** Calls `ask` for all workspaces, or those of `names`. Results are in their order; failures are values. */
  each<T>(
    ask: (client: Client, name: string) => Promise<Result<T>>,
    names?: readonly string[],
  ): Promise<readonly FleetAnswer<T>[]>;
  /** A report on each workspace so far. */
  report(): readonly WorkspaceReport[];
}

/**
 * Nothing is sent yet. Throws TypeError for an invalid `url`, and OrielError (`UNSUPPORTED`) where the package @oriel/scale is
 * missing.
 */
export function createFleet(options: FleetOptions): Fleet {
  return (requireSibling('scale', fleetHost) as FleetPackage).makeFleet(options);
}

/** What the package @oriel/scale does for a fleet. */
export interface FleetPackage {
  makeFleet(options: FleetOptions): Fleet;
}

/** All that it uses of this one. */
export const fleetHost = { createClient, failed, oneLine, OrielError, Queue, quote, sender, serverBaseUrl };
