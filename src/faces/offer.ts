/** What a server offers: the tools of one dialect inside the roots, sized for the host that asks. */

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
  /** Offer the tools that do more than read. */
  readonly allowBash?: boolean;
  /** Let every client read what was kept for any other; each has kept its own outputs when absent. */
  readonly shareArtifacts?: boolean;
  /** Whether several clients share the server: events distinguish them. */
  readonly manyClients?: boolean;
  /** Loads what calls need; runs once, and calls wait for it. */
  readonly load?: () => Promise<void>;
  /** How the remote workspaces have done. */
  readonly fleet?: () => readonly WorkspaceReport[];
}

export interface Lens {
  readonly dialect: DialectName;
  readonly limits: LimitOptions;
  readonly caller?: Caller;
}

export interface Offer {
  readonly dialect: string;
  /** What was recorded of calls; absent if nothing is. */
  readonly telemetry?: Telemetry | undefined;
  /**
   * For whoever looks: what `look` makes of the tools of another dialect, none for bash, with their own limits inside
   * the same roots. The working directory is that of the tools.
   */
  lens?<T>(asked: Lens, look: (oriel: Oriel, cwd: string) => Promise<T>): Promise<T>;
  /** What is shared with other replicas; absent if nothing is. */
  readonly state?: SharedState | undefined;
  /** How the remote workspaces have done; absent if there are none. */
  readonly fleet?: (() => readonly WorkspaceReport[]) | undefined;
  /** Kept outputs of all clients, and their bytes. */
  readonly spills?: () => { readonly outputs: number; readonly bytes: number };
  /** In the dialect's order, whoever asks: a program, or a host that passes answers to a model. */
  tools(asker?: Asker): readonly Tool[];
  /** The tool of that name for the one who asks, or why there is none. */
  find(name: string, asker?: Asker): Tool | OrielError;
  /** Loads what calls need, so that the first one does not wait for it. Never throws. */
  prepare(): Promise<void>;
  /** Answers a call, which waits in the queue of its caller. Never throws. */
  call(tool: Tool, input: unknown, options?: RunOptions): Promise<Answer>;
  /** Reads one path string of the default dialect, whatever dialect is offered: resources are named by them. */
  read(path: string, options?: RunOptions, asker?: Asker): Promise<Answer>;
  /** Directories that a client declares, as far as they are inside the server's. Throws OrielError: then nothing may be read. */
  narrow(declared: readonly string[]): Promise<NarrowedRoots>;
  /** The working directory of what `read` reads. */
  cwd(asker?: Asker): string;
  /** For what is asked of files beside tools, inside the same roots, by `caller`. */
  engine(caller?: Caller): Engine;
  /** Whether outputs are kept for `caller` alone. */
  keeps(caller: Caller): boolean;
  /** Removes what was kept for `caller`, which will not call again. */
  forget(caller: Caller): Promise<void>;
  close(): Promise<void>;
}

/** Without its own roots a server reads its working directory and nothing else. Throws OrielError. */
export function createOffer({
  allowBash = false,
  shareArtifacts = false,
  manyClients = false,
  load,
  fleet,
  ...given
}: OfferOptions): Offer {
  const roots = given.roots && given.roots.length > 0 ? given.roots : [fromWorkingDirectory(given.cwd)];
  const spaces = new Spaces({ ...given, roots }, { allowBash, shareArtifacts, manyClients });
  const isOffered = ({ effects }: Tool): boolean => effects.readOnly || allowBash;
  const base = spaces.common.oriel();
  let loading: Promise<void> | undefined;
  // What could not be loaded fails in the call that needs it, and in no other.
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
    narrow: (declared) => spaces.narrow(declared),
    cwd: (asker) => spaces.of(asker?.caller).reader(asker).cwd,
    keeps: (caller) => spaces.keeps(caller),
    forget: (caller) => spaces.forget(caller),
    close: () => spaces.close(),
  };
}

/** Why there is no tool of that name: `tool` exists and is not offered. */
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
