/** What a server offers: the tools of one dialect inside the roots, sized for the host that asks. */

import { fromWorkingDirectory, within } from '../access/paths.ts';
import { realDirectory } from '../access/roots.ts';
import { assemble, type RunOptions, sessionOptions } from '../assemble.ts';
import type { OrielOptions } from '../options.ts';
import type { Engine } from '../engine/open-call.ts';
import { OrielError } from '../errors.ts';
import { createOriel, type Oriel, orielOffering, type Tool } from '../oriel.ts';
import type { Caller } from '../queues/caller.ts';
import { createSession, type SessionOptions } from '../session/session.ts';
import { SpillRoom } from '../session/spill-room.ts';
import { SPILL_TOTAL } from '../session/spills.ts';
import { Telemetry } from '../session/telemetry/telemetry.ts';
import { didYouMean, nearNames } from '../text/near.ts';
import { quote } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Session } from '../types/session.ts';
import { fittedTo, type HostIdentity } from './hosts.ts';

export interface OfferOptions extends OrielOptions {
  /** Offer the tools that do more than read. */
  readonly allowBash?: boolean;
  /** Let every client read what was kept for any other; each has kept outputs of its own when absent. */
  readonly shareArtifacts?: boolean;
  /** Whether several clients share the server: events tell them apart. */
  readonly manyClients?: boolean;
  /** Loads what calls need; runs once, and calls wait for it. */
  readonly load?: () => Promise<void>;
}

export interface Offer {
  readonly dialect: string;
  /** What was recorded of calls; absent where nothing is. */
  readonly telemetry?: Telemetry | undefined;
  /** Kept outputs of all clients, and their bytes. */
  readonly spills?: () => { readonly outputs: number; readonly bytes: number };
  /** In the dialect's order, whoever asks: a program, or a host that passes answers to a model. */
  tools(asker?: Asker): readonly Tool[];
  /** The tool of that name for the one who asks, or why there is none. */
  find(name: string, asker?: Asker): Tool | OrielError;
  /** Loads what calls need, so that the first one does not wait for it. Never throws. */
  prepare(): Promise<void>;
  /** Answers a call in its turn. Never throws. */
  call(tool: Tool, input: unknown, options?: RunOptions): Promise<Answer>;
  /** Reads one path string of the default dialect, whatever dialect is offered: resources are named by them. */
  read(path: string, options?: RunOptions): Promise<Answer>;
  /** For what is asked of files beside tools, inside the same roots, by `caller`. */
  engine(caller?: Caller): Engine;
  /** Whether outputs are kept for `caller` alone. */
  keeps(caller: Caller): boolean;
  /** `caller` does not come again: what was kept for it goes. */
  forget(caller: Caller): Promise<void>;
  close(): Promise<void>;
}

/** For whom tools are: their answers fit what it takes, and stay inside its roots. */
export interface Asker {
  readonly host?: HostIdentity;
  /** Directories that it declares, absolute: within those of the server nothing else is read then. */
  readonly roots?: readonly string[];
  readonly caller?: Caller;
}

/** What one client has to itself: its kept outputs, and what was shown to it. */
interface Space {
  readonly engine: Engine;
  /** Calls of it that run or wait. */
  calls: number;
  /** Whether outputs are kept in it. */
  keeps(): boolean;
  /** Its tools with the limits that a host brings, inside the roots that it declares. */
  oriel(asker?: Asker): Oriel;
  /** Reads the path strings by which resources are named. */
  reader(): Tool;
  close(): Promise<void>;
}

/**
 * Most clients with a space of their own. Those for whom no output is kept are removed first, then the others, of each
 * the least recently used; one with a call under way stays.
 */
const MOST_SPACES = 1024;

/** Without roots of its own a server reads its working directory and nothing else. Throws OrielError. */
export function createOffer({
  allowBash = false,
  shareArtifacts = false,
  manyClients = false,
  load,
  ...given
}: OfferOptions): Offer {
  const room = new SpillRoom(given.spills?.total ?? SPILL_TOTAL);
  const session = given.session ?? createSession({ ...forClients(sessionOptions(given), manyClients), room });
  const telemetry = session.telemetry instanceof Telemetry ? session.telemetry : undefined;
  const roots = given.roots && given.roots.length > 0 ? given.roots : [fromWorkingDirectory(given.cwd)];
  const options: OrielOptions = { ...given, roots, session };
  const common = spaceOf(options, session, allowBash);
  /** Least recently used first. */
  const spaces = new Map<Caller, Space>();
  const space = (caller?: Caller): Space => {
    if (shareArtifacts || caller === undefined) return common;
    const known = spaces.get(caller);
    const used = known ?? ownSpace(options, session, { room, bash: allowBash });
    spaces.delete(caller);
    spaces.set(caller, used);
    if (spaces.size > MOST_SPACES) {
      const idle = Array.from(spaces).filter(([of, { calls }]) => calls === 0 && of !== caller);
      const [oldest] = idle.find(([, other]) => !other.keeps()) ?? idle[0] ?? [];
      if (oldest) void forget(oldest);
    }
    return used;
  };
  const whileUsed = async (caller: Caller | undefined, call: () => Promise<Answer>): Promise<Answer> => {
    const used = space(caller);
    used.calls += 1;
    try {
      await prepare();
      return await call();
    } finally {
      used.calls -= 1;
    }
  };
  const forget = async (caller: Caller): Promise<void> => {
    const over = spaces.get(caller);
    spaces.delete(caller);
    await over?.close();
  };
  const offered = ({ effects }: Tool): boolean => effects.readOnly || allowBash;
  const base = common.oriel();
  let loading: Promise<void> | undefined;
  // What could not be loaded fails in the call that needs it, and in no other.
  const prepare = (): Promise<void> => (loading ??= (load?.() ?? Promise.resolve()).catch(() => undefined));

  return {
    dialect: base.dialect,
    telemetry,
    spills: () => ({ outputs: room.outputs, bytes: room.used }),
    engine: (caller) => space(caller).engine,
    tools: (asker) => common.oriel(asker).tools.filter(offered),
    find(name, asker = {}) {
      const tool = space(asker.caller)
        .oriel(asker)
        .tools.find((known) => known.name === name);
      if (tool && offered(tool)) return tool;
      const names = base.tools.filter(offered).map((known) => known.name);
      return new OrielError(
        'BAD_INPUT',
        tool
          ? `The tool ${name} does more than read, and this server was started without --allow-bash.`
          : `There is no tool ${quote(name)}. Use one of ${names.join(', ')}.${didYouMean(nearNames(name, names))}`,
        { next: names[0] },
      );
    },
    prepare,
    call: (tool, input, run) => whileUsed(run?.caller, () => tool.run(input, run)),
    read: (path, run) => whileUsed(run?.caller, () => space(run?.caller).reader().run({ path }, run)),
    keeps: (caller) => spaces.get(caller)?.keeps() === true,
    forget,
    async close() {
      await Promise.all(Array.from(spaces.keys(), forget));
      await common.close();
    },
  };
}

function forClients(options: SessionOptions, manyClients: boolean): SessionOptions {
  const { telemetry } = options;
  return telemetry ? { ...options, telemetry: { ...telemetry, manyClients } } : options;
}

/** What is derived from files is shared, and so is where calls are recorded, each under its caller. So is the room for kept outputs. */
function ownSpace(
  options: OrielOptions,
  { store, disk, scratch, telemetry }: Session,
  { room, bash }: { readonly room: SpillRoom; readonly bash: boolean },
): Space {
  const own = createSession({ ...sessionOptions({ ...options, cache: false, telemetry: false }), room });
  const session: Session = { ...own, store, ...(disk && { disk }), ...(telemetry && { telemetry }), scratch };
  return spaceOf({ ...options, session }, own, bash);
}

function isSame(host: HostIdentity | undefined, other: HostIdentity | undefined): boolean {
  return host?.name === other?.name && host?.model === other?.model;
}

/** `session` ends with the space. */
function spaceOf(options: OrielOptions, session: Session, bash: boolean): Space {
  /** By the limits that a host brings: many hosts bring none. */
  const fitted = new Map<string, Oriel>();
  /** The last host that brought no roots: mostly the next call is of the same one. */
  let last: { readonly host: HostIdentity | undefined; readonly oriel: Oriel } | undefined;
  let engine: Engine | undefined;
  let reader: Tool | undefined;
  return {
    calls: 0,
    keeps() {
      try {
        return session.spills.list().length > 0;
      } catch {
        // Its directory is gone and cannot be made again: nothing is kept, which is no failure of the one who asks.
        return false;
      }
    },
    close: () => session.close(),
    get engine() {
      return (engine ??= assemble(options).engine);
    },
    oriel({ host, roots = [] } = {}) {
      const rootless = roots.length === 0;
      if (rootless && last && isSame(last.host, host)) return last.oriel;
      const inside = narrowed(options, roots);
      const wanted = host ? fittedTo(host, inside) : inside;
      const key = JSON.stringify([wanted.limits ?? {}, wanted.roots]);
      let oriel = fitted.get(key);
      if (!oriel) fitted.set(key, (oriel = orielOffering(wanted, { bash })));
      if (rootless) last = { host, oriel };
      return oriel;
    },
    reader: () =>
      (reader ??= createOriel({
        ...options,
        dialect: 'oriel',
        // A resource is bounded by its bytes.
        limits: { lines: Number.MAX_SAFE_INTEGER },
        display: 'plain',
        read: { summarize: false },
      }).tool('read')),
  };
}

/**
 * The options inside the directories that a client declares, as far as these lie inside the server's own (or hold them).
 * A client that declares others, or none, gets the server's. Real paths are compared: a link leads where it leads.
 */
function narrowed(options: OrielOptions, declared: readonly string[]): OrielOptions {
  if (declared.length === 0) return options;
  const known = (options.roots ?? []).flatMap((root) => realDirectory(root) ?? []);
  const inside = declared.flatMap((path) => {
    const root = realDirectory(path);
    if (root === undefined) return [];
    return known.some((other) => within(root, other)) ? [root] : known.filter((other) => within(other, root));
  });
  const roots = Array.from(new Set(inside));
  const [first] = roots;
  if (first === undefined) return options;
  const cwd = fromWorkingDirectory(options.cwd);
  const real = realDirectory(cwd);
  const stays = real !== undefined && roots.some((root) => within(real, root));
  return { ...options, roots, cwd: stays ? cwd : first };
}
