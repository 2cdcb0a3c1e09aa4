/** The private state of each client of a server: its kept outputs, and the lines that it was shown. */

import { fromWorkingDirectory, within } from '../access/paths.ts';
import { holdRoots, type NarrowedRoots, realDirectory, rootsKey } from '../access/held-roots.ts';
import { narrowRoots } from '../access/narrow-roots.ts';
import { assemble, hostSpace, sessionOptions } from '../assemble.ts';
import type { DialectName } from '../dialects/dialect-table.ts';
import type { Engine } from '../engine/open-call.ts';
import type { LimitOptions } from '../limits.ts';
import type { OrielOptions } from '../options.ts';
import { createOriel, type Oriel, orielOffering, type Tool } from '../oriel.ts';
import { type Caller, callerName, type CallerName } from '../queues/caller.ts';
import { Lru } from '../session/lru.ts';
import { createSession, type SessionOptions, type SessionState } from '../session/session.ts';
import { openState } from '../state/open-state.ts';
import type { SharedState, StateSpace } from '../types/state.ts';
import { SpillQuota } from '../session/spill-quota.ts';
import { SPILL_TOTAL } from '../session/spills.ts';
import { Telemetry } from '../session/telemetry/telemetry.ts';
import type { Session } from '../types/session.ts';
import { fittedTo, type HostIdentity } from './hosts.ts';

/** For whom tools are: their answers fit what it takes, and stay inside its roots. */
export interface Asker {
  readonly host?: HostIdentity;
  /** Directories that it declares: nothing else is read then. What `Spaces.narrow` made of them. */
  readonly roots?: NarrowedRoots;
  readonly caller?: Caller;
}

/** A tool that reads path strings, and the working directory in which they are meant. */
export interface Reader {
  readonly tool: Tool;
  readonly cwd: string;
}

export interface SpacesOptions {
  readonly allowBash: boolean;
  /** One space for all clients. */
  readonly shareArtifacts: boolean;
  /** Whether several clients share the server: events distinguish them. */
  readonly manyClients: boolean;
}

/** What one client has to itself. */
export interface Space {
  readonly engine: Engine;
  /** Its calls that run or wait. */
  calls: number;
  /** Whether outputs are kept in it. */
  keeps(): boolean;
  /** Its tools with the limits that a host brings, inside the roots that it declares. */
  oriel(asker?: Asker): Oriel;
  /** Reads the path strings by which resources are named. */
  reader(asker?: Asker): Reader;
  /** The tools of a dialect under the server's limits, but for those that are given. */
  lens(dialect: DialectName, limits: LimitOptions): Oriel;
  close(): Promise<void>;
}

/**
 * The most clients with a separate space. Spaces without kept outputs are evicted first, then the others, least
 * recently used first; a space with a running call stays.
 */
const MOST_SPACES = 1024;

/** Sets of limits and roots for which one client has tools; those of others are made again. */
const MOST_FITTED = 32;

export class Spaces {
  /** That of requests without a caller, and of all where outputs are shared. */
  readonly common: Space;
  /** What was recorded of calls; absent if nothing is. */
  readonly telemetry: Telemetry | undefined;
  /** What is shared with other replicas; absent if nothing is. */
  readonly state: SharedState | undefined;
  readonly #options: OrielOptions;
  readonly #session: Session;
  readonly #room: SpillQuota;
  readonly #flags: SpacesOptions;
  /** Least recently used first. */
  readonly #spaces = new Map<Caller, Space>();

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
    this.telemetry = telemetry instanceof Telemetry ? telemetry : undefined;
    // A client that comes later has the roots that the server was started with.
    this.#options = { ...options, roots: holdRoots(options.roots ?? []), session: this.#session };
    this.#flags = flags;
    this.common = spaceOf(this.#options, this.#session, flags.allowBash);
  }

  /** Kept outputs of all clients, and their bytes. */
  get spills(): { readonly outputs: number; readonly bytes: number } {
    return { outputs: this.#room.outputs, bytes: this.#room.used };
  }

  /** Declared directories as far as they are inside the server's own. Throws OrielError: then nothing may be read. */
  narrow(declared: readonly string[]): Promise<NarrowedRoots> {
    return narrowRoots(this.#options.roots ?? [], declared);
  }

  of(caller?: Caller): Space {
    if (this.#flags.shareArtifacts || caller === undefined) return this.common;
    const space = this.#spaces.get(caller) ?? this.#make(callerName(caller));
    this.#spaces.delete(caller);
    this.#spaces.set(caller, space);
    if (this.#spaces.size > MOST_SPACES) this.#evictOne(caller);
    return space;
  }

  /** While `call` runs the space is not evicted. */
  async whileUsed<T>(caller: Caller | undefined, call: (space: Space) => Promise<T>): Promise<T> {
    const space = this.of(caller);
    space.calls += 1;
    try {
      return await call(space);
    } finally {
      space.calls -= 1;
    }
  }

  /** Whether outputs are kept for `caller` alone. */
  keeps(caller: Caller): boolean {
    return this.#spaces.get(caller)?.keeps() === true;
  }

  /** Removes what was kept for `caller`. */
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
   * What is derived from files is shared with all spaces, and so are the quota for kept outputs and the record of calls,
   * each under its caller.
   */
  #make(name: CallerName | undefined): Space {
    const { store, disk, files, work, scratch, telemetry } = this.#session;
    const own = createSession({
      ...sessionOptions({ ...this.#options, cache: false, telemetry: false }),
      room: this.#room,
      ...(name && this.#sharedWith(name)),
    });
    const shared = {
      store,
      scratch,
      ...(disk && { disk }),
      ...(files && { files }),
      ...(work && { work }),
      ...(telemetry && { telemetry }),
    };
    const session: Session = { ...own, ...shared };
    return spaceOf({ ...this.#options, session }, own, this.#flags.allowBash);
  }

  /** A client that gives no name is not known again for sure: what is kept for it is found by whoever was told its number. */
  #sharedWith({ name, isGuess }: CallerName): Pick<SessionOptions, 'state'> {
    if (!isGuess) return this.#sharedAs(clientSpace(name));
    const { state } = this.#sharedAs('clients without a name');
    return state ? { state: { ...state, unlisted: name } } : {};
  }

  /** What is shared under the name of a space. */
  #sharedAs(name: string, spaceOf?: SessionState['spaceOf']): Pick<SessionOptions, 'state'> {
    if (!this.state) return {};
    const state = { space: this.state.space(name), work: this.state.work(name) };
    return { state: { ...state, ...(spaceOf && { spaceOf }) } };
  }

  /** Undefined for a caller that is not known again for sure. */
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

/** The space in a shared store of a client that gives itself a name. */
function clientSpace(name: string): string {
  return `client ${name}`;
}

function forClients(options: SessionOptions, manyClients: boolean): SessionOptions {
  const { telemetry } = options;
  return telemetry ? { ...options, telemetry: { ...telemetry, manyClients } } : options;
}

function isSame(host: HostIdentity | undefined, other: HostIdentity | undefined): boolean {
  return host?.name === other?.name && host?.model === other?.model && host?.structured === other?.structured;
}

/** `session` ends with the space. */
function spaceOf(options: OrielOptions, session: Session, bash: boolean): Space {
  /** By the limits that a host brings and the roots that it declares; most hosts bring neither. */
  const fitted = new Lru<Oriel>(MOST_FITTED);
  /** The last host that brought no roots: mostly the next call is of the same one. */
  let last: { readonly host: HostIdentity | undefined; readonly oriel: Oriel } | undefined;
  let engine: Engine | undefined;
  const readers = new Lru<Reader>(MOST_FITTED);
  return {
    calls: 0,
    keeps() {
      try {
        return !session.spills.isEmpty;
      } catch {
        // Its directory is gone and cannot be made again: nothing is kept.
        return false;
      }
    },
    close: () => session.close(),
    get engine() {
      return (engine ??= assemble(options).engine);
    },
    oriel({ host, roots } = {}) {
      const rootless = !roots || roots.length === 0;
      if (rootless && last && isSame(last.host, host)) return last.oriel;
      const inside = narrowed(options, roots);
      const wanted = host ? fittedTo(host, inside) : inside;
      const key = JSON.stringify([wanted.limits ?? {}, rootsKey(wanted.roots ?? [])]);
      let oriel = fitted.get(key);
      if (!oriel) fitted.set(key, (oriel = orielOffering(wanted, { bash })));
      if (rootless) last = { host, oriel };
      return oriel;
    },
    lens: (dialect, limits) => {
      const { display, limitsPerModel: _, ...others } = options;
      // Another dialect has its own displays.
      const isOwn = dialect === (options.dialect ?? 'oriel');
      const asked = { ...options.limits, ...limits };
      return orielOffering(
        { ...others, dialect, limits: asked, ...(isOwn && display !== undefined && { display }) },
        { bash: false },
      );
    },
    reader({ roots } = {}) {
      const inside = narrowed(options, roots);
      const key = rootsKey(inside.roots ?? []);
      let reader = readers.get(key);
      if (!reader) readers.set(key, (reader = readerOf(inside)));
      return reader;
    },
  };
}

function readerOf(options: OrielOptions): Reader {
  const oriel = createOriel({
    ...options,
    dialect: 'oriel',
    // A resource is bounded by its bytes.
    limits: { lines: Number.MAX_SAFE_INTEGER },
    display: 'plain',
    read: { summarize: false },
  });
  return { tool: oriel.tool('read'), cwd: fromWorkingDirectory(options.cwd) };
}

/** The options inside the directories that a client declares; a client that declares none, or others, gets the server's. */
function narrowed(options: OrielOptions, roots?: NarrowedRoots): OrielOptions {
  const [first] = roots ?? [];
  if (!roots || first === undefined) return options;
  const cwd = fromWorkingDirectory(options.cwd);
  const real = realDirectory(cwd);
  const stays = real !== undefined && roots.some((root) => within(real, root));
  return { ...options, roots, cwd: stays ? cwd : first };
}
