/** The tools that a server offers: those of one dialect, inside the roots, with limits for the host. */

import { resolve } from 'node:path';
import { assemble, hostSpace, type RunOptions, sessionOptions } from '../assemble.ts';
import type { Engine } from '../call/open-call.ts';
import type { Effects, OfferedFeatures } from '../call/dialect.ts';
import { type DialectName, dialectOf } from '../dialects/dialect-table.ts';
import { OrielError } from '../errors.ts';
import { fromWorkingDirectory, isPathWithin } from '../files/paths.ts';
import { holdRoots, type NarrowedRoots, narrowRoots, realDirectory, rootsKey } from '../files/roots.ts';
import type { OrielOptions } from '../options.ts';
import { createOriel, type Oriel, orielOffering, type Tool } from '../oriel.ts';
import { type Caller, callerName, type CallerName } from '../queues/caller.ts';
import { createSession, type SessionOptions, type SessionState } from '../session/session.ts';
import { LruMap } from '../session/snapshots.ts';
import { SpillQuota } from '../session/spill-writer.ts';
import { SPILL_TOTAL } from '../session/spills.ts';
import { openState } from '../session/shared.ts';
import { TelemetryRecorder } from '../telemetry/telemetry.ts';
import type { LimitOptions } from '../text/limits.ts';
import { didYouMean, nearNames } from '../text/near.ts';
import { quote } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Session } from '../types/session.ts';
import type { SharedState, StateSpace } from '../types/state.ts';
import type { WorkspaceReport } from './client/fleet.ts';
import { fittedTo, type HostIdentity } from './hosts.ts';

export interface OfferOptions extends OrielOptions {
  /** Also offer the tools that do more than read. */
  readonly allowBash?: boolean | undefined;
  /** Offer only these tools of the dialect. Throws `BAD_INPUT` for a name that it does not have. */
  readonly tools?: readonly string[] | undefined;
  /** Over MCP, leave the tools to the host's search: it need not show them in its first request. */
  readonly deferred?: boolean | undefined;
  /** Whether several clients share the server: events distinguish them. */
  readonly manyClients?: boolean | undefined;
  /** Whether roots that clients declare are ignored: those of clients on other machines name directories of these machines. */
  readonly ignoreClientRoots?: boolean | undefined;
  /** The report on the remote workspaces. */
  readonly fleet?: (() => readonly WorkspaceReport[]) | undefined;
}

export interface LensOffer {
  readonly dialect: DialectName;
  readonly limits: LimitOptions;
  readonly caller?: Caller | undefined;
}

export interface ServerOffer {
  readonly dialect: string;
  readonly deferred: boolean;
  /** The recorded calls; absent without telemetry. */
  readonly telemetry?: TelemetryRecorder | undefined;
  /**
   * Calls `look` with the tools of a dialect (without bash) and its limits, inside the same roots. `cwd`: the working
   * directory of the tools.
   */
  lens?<T>(asked: LensOffer, look: (oriel: Oriel, cwd: string) => Promise<T>): Promise<T>;
  /** The shared store of replicas; absent without one. */
  readonly state?: SharedState | undefined;
  /** The report on the remote workspaces; absent if there are none. */
  readonly fleet?: (() => readonly WorkspaceReport[]) | undefined;
  /** Number of kept outputs of all clients, and their bytes. */
  readonly spills?: (() => { readonly outputs: number; readonly bytes: number }) | undefined;
  /** The tools for an asker, in the dialect's order. */
  tools(asker?: AnswerReceiver): readonly Tool[];
  /** The tool with that name for an asker, or the error if there is none. */
  find(name: string, asker?: AnswerReceiver): Tool | OrielError;
  /** Connects to the shared state in advance. Never throws. */
  prepare(): Promise<void>;
  /** Answers a call, which may wait in the queue. Never throws. */
  call(tool: Tool, input: unknown, options?: RunOptions): Promise<Answer>;
  /** Reads a path string of the default dialect, even if another dialect is offered, because it is used for resources. */
  read(path: string, options?: RunOptions, asker?: AnswerReceiver): Promise<Answer>;
  /**
   * The declared roots of a client that are inside the server's. Throws OrielError: then nothing may be read. Undefined if declared
   * roots are ignored.
   */
  readonly narrow: ((declared: readonly string[]) => Promise<NarrowedRoots>) | undefined;
  /** The working directory of `read`. */
  cwd(asker?: AnswerReceiver): string;
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
  tools: names,
  deferred = false,
  manyClients = false,
  ignoreClientRoots = false,
  fleet,
  ...given
}: OfferOptions): ServerOffer {
  const roots = given.roots && given.roots.length > 0 ? given.roots : [fromWorkingDirectory(given.cwd)];
  const offers = offeredTools(dialectOf(given.dialect ?? 'oriel').tools, { allowBash, names });
  const spaces = new ClientSpaces({ ...given, roots }, { offers, manyClients });
  const isOffered = ({ name }: Tool): boolean => offers(name);
  const base = spaces.common.oriel();
  let connecting: Promise<void> | undefined;
  // Errors are reported by the calls that need the state.
  const prepare = (): Promise<void> =>
    (connecting ??= Promise.resolve(spaces.state?.connected()).catch(() => undefined));
  const answer = <T>(caller: Caller | undefined, act: (space: ClientSpace) => Promise<T>): Promise<T> =>
    spaces.whileUsed(caller, async (space) => {
      await prepare();
      return act(space);
    });
  return {
    dialect: base.dialect,
    deferred,
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
      return tool && isOffered(tool)
        ? tool
        : notOffered(name, tool && !allowBash ? tool.effects : undefined, base.tools.filter(isOffered));
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

/** Which of a dialect's tools are offered: those that only read unless all are allowed, and of these only `names`. */
function offeredTools(
  tools: readonly { readonly name: string; readonly effects: Effects }[],
  { allowBash, names }: { readonly allowBash: boolean; readonly names?: readonly string[] | undefined },
): OfferedFeatures['offers'] {
  const allowed = tools.filter(({ effects }) => effects.readOnly || allowBash).map(({ name }) => name);
  for (const name of names ?? []) {
    if (allowed.includes(name)) continue;
    const isKnown = tools.some((tool) => tool.name === name);
    const why = isKnown ? 'does more than read, and --allow-bash is missing' : 'is none of the dialect';
    throw new OrielError('BAD_INPUT', `The tool ${quote(name)} ${why}. Use --tools ${allowed.join(',')}.`);
  }
  const offered = new Set(names ?? allowed);
  return (name) => offered.has(name);
}

/** The error for an unknown tool. `effects`: of one that exists but is not offered. */
function notOffered(name: string, effects: Effects | undefined, offered: readonly Tool[]): OrielError {
  const names = offered.map((known) => known.name);
  return new OrielError(
    'BAD_INPUT',
    effects?.readOnly === false
      ? `The tool ${name} does more than read, and this server was started without --allow-bash.`
      : `There is no tool ${quote(name)}. Use one of ${names.join(', ')}.${didYouMean(nearNames(name, names))}`,
    { next: names[0] },
  );
}

// The private state of each client of a server: its kept outputs, and the lines that it was shown.

/** The receiver of answers, which determines limits and roots. */
export interface AnswerReceiver {
  readonly host?: HostIdentity | undefined;
  /** The declared roots, as `Spaces.narrow` returned them: nothing outside is read. */
  readonly roots?: NarrowedRoots | undefined;
  readonly caller?: Caller | undefined;
}

/** A tool that reads path strings, and its working directory. */
interface ResourceReader {
  readonly tool: Tool;
  readonly cwd: string;
}

interface SpacesOptions {
  readonly offers: OfferedFeatures['offers'];
  /** Whether several clients share the server: events distinguish them. */
  readonly manyClients: boolean;
}

/** The private state of a client. */
interface ClientSpace {
  readonly engine: Engine;
  /** Number of its running and waiting calls. */
  calls: number;
  /** Whether outputs are kept in it. */
  keeps(): boolean;
  /** Its tools with the limits for a host, inside the declared roots. */
  oriel(asker?: AnswerReceiver): Oriel;
  /** The reader of resources. */
  reader(asker?: AnswerReceiver): ResourceReader;
  /** The tools of a dialect with the server's limits, overridden by `limits`. */
  lens(dialect: DialectName, limits: LimitOptions): Oriel;
  close(): Promise<void>;
}

/**
 * Maximum clients with a space of their own. Spaces without kept outputs are evicted first, then the others, least
 * recently used first; a space with a running call stays.
 */
const MAX_CLIENT_SPACES = 1024;

/** Cache size of a client: combinations of hosts and roots for which its tools are kept. */
const MAX_FITTED_TOOLS = 8;

class ClientSpaces {
  /** The space of requests without a caller. */
  readonly common: ClientSpace;
  /** The recorded calls; absent without telemetry. */
  readonly telemetry: TelemetryRecorder | undefined;
  /** The shared store of replicas; absent without one. */
  readonly state: SharedState | undefined;
  readonly #options: OrielOptions;
  readonly #session: Session;
  readonly #room: SpillQuota;
  readonly #flags: SpacesOptions;
  /** Least recently used first. */
  readonly #spaces = new Map<Caller, ClientSpace>();

  constructor({ state: shared, ...options }: OrielOptions, flags: SpacesOptions) {
    this.state = shared && openState(shared);
    this.#room = new SpillQuota(options.spills?.total ?? SPILL_TOTAL);
    const given = forClients(sessionOptions(options), flags.manyClients);
    this.#session =
      options.session ??
      createSession({
        ...given,
        room: this.#room,
        ...this.#sharedAs(hostSpace(shared?.space), (caller) => this.#spaceOf(caller)),
      });
    const { telemetry } = this.#session;
    this.telemetry = telemetry instanceof TelemetryRecorder ? telemetry : undefined;
    // All clients have the roots as they were when the server was started, and programs start where the operator's do.
    this.#options = {
      ...options,
      roots: holdRoots(options.roots ?? []),
      session: this.#session,
      mcpServers: startedIn(fromWorkingDirectory(options.cwd), options.mcpServers),
    };
    this.#flags = flags;
    this.common = spaceOf(this.#options, this.#session, flags.offers);
  }

  /** Number of kept outputs of all clients, and their bytes. */
  get spills(): { readonly outputs: number; readonly bytes: number } {
    return { outputs: this.#room.outputs, bytes: this.#room.used };
  }

  /** The declared roots that are inside the server's. Throws OrielError: then nothing may be read. */
  narrow(declared: readonly string[]): Promise<NarrowedRoots> {
    return narrowRoots(this.#options.roots ?? [], declared);
  }

  of(caller?: Caller): ClientSpace {
    if (caller === undefined) return this.common;
    const space = this.#spaces.get(caller) ?? this.#make(callerName(caller));
    this.#spaces.delete(caller);
    this.#spaces.set(caller, space);
    if (this.#spaces.size > MAX_CLIENT_SPACES) this.#evictOne(caller);
    return space;
  }

  /** Runs `call` with the space of a caller, which is not evicted meanwhile. */
  async whileUsed<T>(caller: Caller | undefined, call: (space: ClientSpace) => Promise<T>): Promise<T> {
    const space = this.of(caller);
    space.calls += 1;
    try {
      return await call(space);
    } finally {
      space.calls -= 1;
    }
  }

  /** Whether outputs are kept for `caller` only. */
  keeps(caller: Caller): boolean {
    return this.#spaces.get(caller)?.keeps() === true;
  }

  /** Removes the space of `caller` with its kept outputs. */
  async forget(caller: Caller): Promise<void> {
    const space = this.#spaces.get(caller);
    this.#spaces.delete(caller);
    await space?.close();
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#spaces.keys(), (caller) => this.forget(caller)));
    await this.common.close();
    await this.state?.close();
  }

  /**
   * Makes a space. Derived data, the quota of kept outputs and telemetry are shared by all spaces.
   */
  #make(name: CallerName | undefined): ClientSpace {
    const { store, disk, files, work, scratch, telemetry } = this.#session;
    const own = createSession({
      ...sessionOptions({ ...this.#options, cache: false, telemetry: false }),
      room: this.#room,
      ...(name && this.#sharedWith(name)),
    });
    const session: Session = { ...own, store, scratch, disk, files, work: work ?? own.work, telemetry };
    return spaceOf({ ...this.#options, session }, own, this.#flags.offers);
  }

  /** An unnamed client cannot be identified reliably, so its outputs are in a common space and are not listed: only their numbers give access. */
  #sharedWith({ name, isGuess }: CallerName): Pick<SessionOptions, 'state'> {
    if (!isGuess) return this.#sharedAs(clientSpace(name));
    const { state } = this.#sharedAs('clients without a name');
    return state ? { state: { ...state, unlisted: name } } : {};
  }

  /** The session options for a space of the shared store. */
  #sharedAs(name: string, spaceOf?: SessionState['spaceOf']): Pick<SessionOptions, 'state'> {
    if (!this.state) return {};
    const state = { space: this.state.space(name), work: this.state.work(name) };
    return { state: { ...state, ...(spaceOf && { spaceOf }) } };
  }

  /** The space of a caller in the shared store; undefined for a caller that cannot be identified reliably. */
  #spaceOf(caller: Caller): StateSpace | undefined {
    const known = callerName(caller);
    return known && !known.isGuess ? this.state?.space(clientSpace(known.name)) : undefined;
  }

  #evictOne(except: Caller): void {
    const idle = Array.from(this.#spaces).filter(([caller, { calls }]) => calls === 0 && caller !== except);
    const [oldest] = idle.find(([, space]) => !space.keeps()) ?? idle[0] ?? [];
    if (oldest) void this.forget(oldest);
  }
}

/** The name of the space of a named client in the shared store. */
function clientSpace(name: string): string {
  return `client ${name}`;
}

function forClients(options: SessionOptions, manyClients: boolean): SessionOptions {
  const { telemetry } = options;
  return telemetry ? { ...options, telemetry: { ...telemetry, manyClients } } : options;
}

/** `session` is closed with the space. */
function spaceOf(options: OrielOptions, session: Session, offers: OfferedFeatures['offers']): ClientSpace {
  /** A cache by the host and its declared roots. */
  const fitted = new LruMap<Oriel>(MAX_FITTED_TOOLS);
  let engine: Engine | undefined;
  const readers = new LruMap<ResourceReader>(MAX_FITTED_TOOLS);
  return {
    calls: 0,
    keeps() {
      try {
        return !session.spills.isEmpty;
      } catch {
        // The directory cannot be created, so nothing is kept.
        return false;
      }
    },
    close: () => session.close(),
    get engine() {
      return (engine ??= assemble(options).engine);
    },
    oriel({ host, roots } = {}) {
      const key = JSON.stringify([
        host?.name,
        host?.model,
        host?.structured,
        host?.script,
        roots && rootsKey(roots),
      ]);
      let oriel = fitted.get(key);
      if (!oriel) {
        const inside = narrowed(options, roots);
        oriel = orielOffering(host ? fittedTo(host, inside) : inside, offers);
        fitted.set(key, oriel);
      }
      return oriel;
    },
    lens: (dialect, limits) => {
      const { display, limitsPerModel: _, ...others } = options;
      // The display applies only to the server's own dialect.
      const isOwn = dialect === (options.dialect ?? 'oriel');
      const asked = { ...options.limits, ...limits };
      return orielOffering(
        { ...others, dialect, limits: asked, display: isOwn ? display : undefined },
        (name) => name !== 'bash',
      );
    },
    reader({ roots } = {}) {
      const key = roots ? rootsKey(roots) : '';
      let reader = readers.get(key);
      if (!reader) readers.set(key, (reader = readerOf(narrowed(options, roots))));
      return reader;
    },
  };
}

function readerOf(options: OrielOptions): ResourceReader {
  const oriel = createOriel({
    ...options,
    dialect: 'oriel',
    // A resource is limited by bytes, not by lines.
    limits: { lines: Number.MAX_SAFE_INTEGER },
    display: 'plain',
    read: { summarize: false },
  });
  return { tool: oriel.tool('read'), cwd: fromWorkingDirectory(options.cwd) };
}

/** Roots that a client declares do not move the directory in which a program of the operator is started. */
function startedIn(directory: string, servers: OrielOptions['mcpServers']): OrielOptions['mcpServers'] {
  if (!servers) return undefined;
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      server.command === undefined ? server : { ...server, cwd: resolve(directory, server.cwd ?? '.') },
    ]),
  );
}

/** The options with the declared roots of a client; unchanged if it declares none. */
function narrowed(options: OrielOptions, roots?: NarrowedRoots): OrielOptions {
  if (!roots) return options;
  const cwd = fromWorkingDirectory(options.cwd);
  const real = realDirectory(cwd);
  const stays = real !== undefined && roots.some((root) => isPathWithin(real, root));
  return { ...options, roots, cwd: stays ? cwd : roots[0] };
}
