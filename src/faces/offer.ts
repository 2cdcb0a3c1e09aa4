/** What a server offers: the tools of one dialect inside the roots, sized for the host that asks. */

import { fromWorkingFolder } from '../access/paths.ts';
import { assemble, type OrielOptions, type RunOptions } from '../assemble.ts';
import type { Engine } from '../engine/gate.ts';
import { OrielError } from '../errors.ts';
import { createOriel, type Oriel, type Tool } from '../oriel.ts';
import { createSession } from '../session/session.ts';
import { quote } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import { fittedTo } from './hosts.ts';

export interface OfferOptions extends OrielOptions {
  /** Offer the tools that do more than read. */
  readonly allowBash?: boolean;
  /** Loads what calls need; runs once, and calls wait for it. */
  readonly load?: () => Promise<void>;
}

export interface Offer {
  readonly dialect: string;
  /** In the dialect's order, whoever asks. */
  tools(host?: string): readonly Tool[];
  /** The tool of that name, or why there is none. */
  find(name: string, host?: string): Tool | OrielError;
  /** Loads what calls need, so that the first one does not wait for it. Never throws. */
  prepare(): Promise<void>;
  /** Answers a call in its turn. Never throws. */
  call(tool: Tool, input: unknown, options?: RunOptions): Promise<Answer>;
  /** Reads one path string of the default dialect, whatever dialect is offered: resources are named by them. */
  read(path: string, options?: RunOptions): Promise<Answer>;
  /** For what is asked of files beside tools, inside the same roots. */
  readonly engine: Engine;
  close(): Promise<void>;
}

/** Without roots of its own a server reads its working directory and nothing else. Throws OrielError. */
export function createOffer({ allowBash = false, load, ...given }: OfferOptions): Offer {
  const session = given.session ?? createSession();
  const roots = given.roots && given.roots.length > 0 ? given.roots : [fromWorkingFolder(given.cwd)];
  const options: OrielOptions = { ...given, roots, session };
  /** By the limits that a host brings: many hosts bring none. */
  const fitted = new Map<string, Oriel>();
  const orielFor = (host?: string): Oriel => {
    const wanted = fittedTo(host, options);
    const key = JSON.stringify(wanted.limits ?? {});
    let oriel = fitted.get(key);
    if (!oriel) fitted.set(key, (oriel = createOriel(wanted)));
    return oriel;
  };
  const offered = ({ effects }: Tool): boolean => effects.readOnly || allowBash;
  const base = orielFor();
  let reader: Tool | undefined;
  let loading: Promise<void> | undefined;
  // What could not be loaded fails in the call that needs it, and in no other.
  const prepare = (): Promise<void> => (loading ??= (load?.() ?? Promise.resolve()).catch(() => undefined));

  return {
    dialect: base.dialect,
    engine: assemble(options).engine,
    tools: (host) => orielFor(host).tools.filter(offered),
    find(name, host) {
      const tool = orielFor(host).tools.find((known) => known.name === name);
      if (tool && offered(tool)) return tool;
      const names = base.tools.filter(offered).map((known) => known.name);
      return new OrielError(
        'BAD_INPUT',
        tool
          ? `The tool ${name} does more than read, and this server was started without --allow-bash.`
          : `There is no tool ${quote(name)}. Use one of ${names.join(', ')}.`,
        { next: names[0] },
      );
    },
    prepare,
    async call(tool, input, run) {
      await prepare();
      return tool.run(input, run);
    },
    async read(path, run) {
      await prepare();
      reader ??= createOriel({ ...options, dialect: 'oriel', limits: {}, display: 'plain' }).tool('read');
      return reader.run({ path }, run);
    },
    close: () => session.close(),
  };
}
