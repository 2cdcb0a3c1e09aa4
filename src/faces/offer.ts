/** The tools that a server offers: those of one dialect, inside the roots, with limits for the host. */

import type { WorkspaceReport } from './client/fleet.ts';
import { fromWorkingDirectory } from '../access/paths.ts';
import type { NarrowedRoots } from '../access/held-roots.ts';
import type { RunOptions } from '../assemble.ts';
import type { DialectName } from '../dialects/dialect-table.ts';
import type { Engine } from '../engine/open-call.ts';
import { OrielError } from '../errors.ts';
import type { LimitOptions } from '../limits.ts';
import type { OrielOptions } from '../options.ts';
import type { Oriel, Tool } from '../oriel.ts';
import type { Caller } from '../queues/caller.ts';
import type { Telemetry } from '../session/telemetry/telemetry.ts';
import { didYouMean, nearNames } from '../text/near.ts';
import { quote } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { SharedState } from '../types/state.ts';
import { type Asker, type Space, Spaces } from './spaces.ts';

export interface OfferOptions extends OrielOptions {
  /** Also offer the tools that do more than read. */
  readonly allowBash?: boolean;
  /** Whether all clients share kept outputs; when absent, each client has its own. */
  readonly shareArtifacts?: boolean;
  /** Whether several clients share the server: events distinguish them. */
  readonly manyClients?: boolean;
  /** Whether roots that clients declare are ignored: those of clients on other machines name directories of these machines. */
  readonly ignoreClientRoots?: boolean;
  /** Loads the code of calls. Called once; calls wait for it. */
  readonly load?: () => Promise<void>;
  /** The report on the remote workspaces. */
  readonly fleet?: () => readonly WorkspaceReport[];
}

export interface Lens {
  readonly dialect: DialectName;
  readonly limits: LimitOptions;
  readonly caller?: Caller;
}

export interface Offer {
  readonly dialect: string;
  /** The recorded calls; absent without telemetry. */
  readonly telemetry?: Telemetry | undefined;
  /**
   * Calls `look` with the tools of a dialect (without bash) and its limits, inside the same roots. `cwd`: the working
   * directory of the tools.
   */
  lens?<T>(asked: Lens, look: (oriel: Oriel, cwd: string) => Promise<T>): Promise<T>;
  /** The shared store of replicas; absent without one. */
  readonly state?: SharedState | undefined;
  /** The report on the remote workspaces; absent if there are none. */
  readonly fleet?: (() => readonly WorkspaceReport[]) | undefined;
  /** Number of kept outputs of all clients, and their bytes. */
  readonly spills?: () => { readonly outputs: number; readonly bytes: number };
  /** The tools for an asker, in the dialect's order. */
  tools(asker?: Asker): readonly Tool[];
  /** The tool with that name for an asker, or the error if there is none. */
  find(name: string, asker?: Asker): Tool | OrielError;
  /** Loads the code of calls in advance. Never throws. */
  prepare(): Promise<void>;
  /** Answers a call, which may wait in the queue. Never throws. */
  call(tool: Tool, input: unknown, options?: RunOptions): Promise<Answer>;
  /** Reads a path string of the default dialect, even if another dialect is offered, because it is used for resources. */
  read(path: string, options?: RunOptions, asker?: Asker): Promise<Answer>;
  /**
   * The declared roots of a client that are inside the server's. Throws OrielError: then nothing may be read. Undefined if declared
   * roots are ignored.
   */
  readonly narrow: ((declared: readonly string[]) => Promise<NarrowedRoots>) | undefined;
  /** The working directory of `read`. */
  cwd(asker?: Asker): string;
  /** The engine for requests of `caller` that are not calls of tools, inside the same roots. */
  engine(caller?: Caller): Engine;
  /** Whether outputs are kept for `caller` only. */
  keeps(caller: Caller): boolean;
  /** Removes the kept outputs of `caller`, which will not call again. */
  forget(caller: Caller): Promise<void>;
  close(): Promise<void>;
}

/** Without roots in the options the root is the working directory. Throws OrielError. */
export function createOffer({
  allowBash = false,
  shareArtifacts = false,
  manyClients = false,
  ignoreClientRoots = false,
  load,
  fleet,
  ...given
}: OfferOptions): Offer {
  const roots = given.roots && given.roots.length > 0 ? given.roots : [fromWorkingDirectory(given.cwd)];
  const spaces = new Spaces({ ...given, roots }, { allowBash, shareArtifacts, manyClients });
  const isOffered = ({ effects }: Tool): boolean => effects.readOnly || allowBash;
  const base = spaces.common.oriel();
  let loading: Promise<void> | undefined;
  // Errors of loading are reported by the calls that need the code.
  const prepare = (): Promise<void> =>
    (loading ??= Promise.all([load?.(), spaces.state?.connected()]).then(
      () => undefined,
      () => undefined,
    ));
  const answer = <T>(caller: Caller | undefined, act: (space: Space) => Promise<T>): Promise<T> =>
    spaces.whileUsed(caller, async (space) => {
      await prepare();
      return act(space);
    });
  return {
    dialect: base.dialect,
    telemetry: spaces.telemetry,
    state: spaces.state,
    fleet,
    lens: ({ dialect, limits, caller }, look) =>
      answer(caller, (space) => look(space.lens(dialect, limits), space.engine.access.cwd)),
    spills: () => spaces.spills,
    engine: (caller) => spaces.of(caller).engine,
    tools: (asker) => spaces.common.oriel(asker).tools.filter(isOffered),
    find(name, asker = {}) {
      const { tools } = spaces.of(asker.caller).oriel(asker);
      const tool = tools.find((known) => known.name === name);
      return tool && isOffered(tool) ? tool : notOffered(name, tool, base.tools.filter(isOffered));
    },
    prepare,
    call: (tool, input, run) => answer(run?.caller, () => tool.run(input, run)),
    read: (path, run, asker) => answer(run?.caller, (space) => space.reader(asker).tool.run({ path }, run)),
    narrow: ignoreClientRoots ? undefined : (declared) => spaces.narrow(declared),
    cwd: (asker) => spaces.of(asker?.caller).reader(asker).cwd,
    keeps: (caller) => spaces.keeps(caller),
    forget: (caller) => spaces.forget(caller),
    close: () => spaces.close(),
  };
}

/** The error for an unknown tool. `tool`: it exists but is not offered. */
function notOffered(name: string, tool: Tool | undefined, offered: readonly Tool[]): OrielError {
  const names = offered.map((known) => known.name);
  return new OrielError(
    'BAD_INPUT',
    tool
      ? `The tool ${name} does more than read, and this server was started without --allow-bash.`
      : `There is no tool ${quote(name)}. Use one of ${names.join(', ')}.${didYouMean(nearNames(name, names))}`,
    { next: names[0] },
  );
}
