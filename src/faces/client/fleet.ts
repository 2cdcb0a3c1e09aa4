/** A fleet of workspaces: a client for each by its name, common limits, and a report on each. */

import { Queue } from '../../queues/queue.ts';
import type { Workspace } from '../../types/settings.ts';
import { type ClientOptions, failed, type Result, serverBaseUrl } from './client-request.ts';
import { type Client, createClient } from './client.ts';
import { type GateReport, WorkspaceGate } from './gate.ts';
import { remoteWorkspace } from './remote-workspace.ts';

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

const CONCURRENCY = 64;
const PER_WORKSPACE = 8;
const WAITING = 32;
const TIMEOUT_MS = 10_000;

/** An exception of the caller's function counts as a failure of that workspace, so that the other results are not lost. */
async function asked<T>(ask: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await ask();
  } catch (error) {
    return failed({ kind: 'protocol', message: error instanceof Error ? error.message : String(error) });
  }
}

/** Nothing is sent yet. Throws TypeError for an invalid `url`. */
export function createFleet({
  workspaces,
  concurrency = CONCURRENCY,
  perWorkspace = PER_WORKSPACE,
  waiting = WAITING,
  timeoutMs = TIMEOUT_MS,
  requestMs,
}: FleetOptions): Fleet {
  const queue = new Queue('workspaces', 'requests to workspaces run', {
    limit: concurrency,
    // The number of waiting requests is limited for each workspace separately.
    waiting: Number.POSITIVE_INFINITY,
    share: Math.min(1, perWorkspace / concurrency),
  });
  const members = new Map(
    Object.entries(workspaces).map(([name, { tokenFrom, ...options }]) => {
      const gate = new WorkspaceGate({ queue, waiting, timeoutMs, fetch: options.fetch ?? globalThis.fetch });
      const bounded: ClientOptions = { ...options, fetch: gate.fetch };
      const workspace = remoteWorkspace(bounded, {
        name,
        tokenFrom,
        requestMs,
      });
      return [name, { gate, url: serverBaseUrl(options.url), client: createClient(bounded), workspace }];
    }),
  );
  const names = [...members.keys()];
  return {
    names,
    workspaces: Object.fromEntries([...members].map(([name, { workspace }]) => [name, workspace])),
    client: (name) => members.get(name)?.client,
    each: (ask, of = names) =>
      Promise.all(
        of.map(async (name) => {
          const began = performance.now();
          const client = members.get(name)?.client;
          const message = `There is no workspace ${JSON.stringify(name)}.`;
          const result = client
            ? await asked(() => ask(client, name))
            : failed({ kind: 'protocol', message });
          return { name, result, ms: performance.now() - began };
        }),
      ),
    report: () => [...members].map(([name, { gate, url }]) => ({ name, url, ...gate.report })),
  };
}
