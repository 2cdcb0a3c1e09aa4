/** Many workspaces as one: a client for each by its name, bounds for all of them, and a report of each. */

import { Queue } from '../../queues/queue.ts';
import type { Workspace } from '../../types/workspace.ts';
import { baseOf } from './base-url.ts';
import { type Client, createClient } from './client.ts';
import { Gate, type GateReport } from './gate.ts';
import { remoteWorkspace } from './remote-workspace.ts';
import type { ClientOptions } from './client-request.ts';
import { failed, type Result } from './client-result.ts';

export type { Client, ClientOptions } from './client.ts';
export { type ClientError, type Result, unwrap } from './client-result.ts';
export type { Workspace } from '../../types/workspace.ts';

export interface FleetWorkspace extends ClientOptions {
  /** How whoever reads the error names the place of a missing token. */
  readonly tokenFrom?: string;
}

export interface FleetOptions {
  /** By name. */
  readonly workspaces: Readonly<Record<string, FleetWorkspace>>;
  /** Requests to all workspaces at a time; 64 when absent. */
  readonly concurrency?: number;
  /** Requests to one workspace at a time; 8 when absent. */
  readonly perWorkspace?: number;
  /** Requests that may wait for one workspace; 32 when absent. */
  readonly waiting?: number;
  /** Milliseconds without a byte after which a request has failed; 10,000 when absent, Infinity for commands that are silent. */
  readonly timeoutMs?: number;
  /** Milliseconds that one request of a `ws://` read may take; 20,000 when absent. */
  readonly requestMs?: number;
}

export interface WorkspaceReport extends GateReport {
  readonly name: string;
  readonly url: string;
}

/** What one workspace answered, and after how many milliseconds. */
export interface FleetAnswer<T> {
  readonly name: string;
  readonly result: Result<T>;
  readonly ms: number;
}

export interface Fleet {
  readonly names: readonly string[];
  /** For `createOriel({ workspaces })`: `ws://NAME/path`, and the tool of the coder dialect. */
  readonly workspaces: Readonly<Record<string, Workspace>>;
  /** Undefined for a name that is not known. */
  client(name: string): Client | undefined;
  /** Asks all workspaces, or those of `names`; answers in their order, a failure as a value like any other. */
  each<T>(
    ask: (client: Client, name: string) => Promise<Result<T>>,
    names?: readonly string[],
  ): Promise<readonly FleetAnswer<T>[]>;
  /** How each has done so far. */
  report(): readonly WorkspaceReport[];
}

const CONCURRENCY = 64;
const PER_WORKSPACE = 8;
const WAITING = 32;
const TIMEOUT_MS = 10_000;

/** What the caller's own function throws is a failure of that workspace, and takes no answer of another one away. */
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
    // Each workspace has a separate bound.
    waiting: Number.POSITIVE_INFINITY,
    share: Math.min(1, perWorkspace / concurrency),
  });
  const members = new Map(
    Object.entries(workspaces).map(([name, { tokenFrom, ...options }]) => {
      const gate = new Gate({ queue, waiting, timeoutMs, fetch: options.fetch ?? globalThis.fetch });
      const bounded: ClientOptions = { ...options, fetch: gate.fetch };
      const workspace = remoteWorkspace(bounded, {
        name,
        ...(tokenFrom !== undefined && { tokenFrom }),
        ...(requestMs !== undefined && { requestMs }),
      });
      return [name, { gate, url: baseOf(options.url), client: createClient(bounded), workspace }];
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
