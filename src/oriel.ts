/** The main function of the library: `createOriel` returns the tools of a dialect with their schemas. */

import type { ZodType } from 'zod';
import { acceptInput } from './accept-input.ts';
import { assemble, type RunOptions } from './assemble.ts';
import type { OrielOptions } from './options.ts';
import type { Effects } from './dialects/dialect.ts';
import type { Caller } from './queues/caller.ts';
import { jsonSchemaOf, kit } from './schema.ts';
import type { Answer } from './types/answer.ts';
import type { Session } from './types/session.ts';

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model. */
  readonly description: string;
  readonly effects: Effects;
  readonly inputSchema: ZodType;
  /** The same as JSON Schema 2020-12. */
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** Never throws: a failure is an answer with `isError`. */
  run(input: unknown, options?: RunOptions): Promise<Answer>;
}

export interface RateLimit {
  readonly task?: string;
  readonly caller?: Caller;
  /** Seconds until the provider accepts requests again. */
  readonly retryAfter?: number;
  /** The name of the provider. */
  readonly by?: string;
}

export interface Oriel {
  readonly dialect: string;
  readonly tools: readonly Tool[];
  /** The tool of that name. Throws OrielError (`BAD_INPUT`). */
  tool(name: string): Tool;
  readonly session: Session;
  /**
   * Records that the model's provider rejected a request of the host because of a rate limit. It is counted for `task`; when
   * absent, for that of the session. Throws OrielError (`BAD_INPUT`) for an invalid number.
   */
  reportRateLimit(limit?: RateLimit): void;
  /** Closes the session and removes its files. */
  close(): Promise<void>;
}

/** Throws OrielError for options that cannot work: a root that is not a directory, a limit that is not a number. */
export function createOriel(options: OrielOptions = {}): Oriel {
  return orielOffering(options, { bash: true });
}

/** Like `createOriel`, for a server that offers only some tools: descriptions do not mention `bash` if it is false. */
export function orielOffering(options: OrielOptions, { bash }: { readonly bash: boolean }): Oriel {
  const assembly = assemble(options);
  const { dialect, limits, session } = assembly;
  const { web, s3, mcpServers } = assembly.engine.settings;
  const reachesOut = web !== false || s3 !== false || mcpServers !== undefined;
  const tools = dialect.tools.map((declared): Tool => {
    const schema = once(() => declared.schema(kit));
    const jsonSchema = once(() => jsonSchemaOf(schema()));
    return {
      name: declared.name,
      title: declared.title,
      description: declared.about(limits, { bash, settings: assembly.engine.settings }),
      // A tool that only reads leaves this machine only through web pages and MCP servers.
      effects: declared.effects.readOnly
        ? { ...declared.effects, openWorld: declared.effects.openWorld && reachesOut }
        : declared.effects,
      get inputSchema() {
        return schema();
      },
      get jsonSchema() {
        return jsonSchema();
      },
      run: (input, runOptions) =>
        assembly.run(declared, input, runOptions, (given) => acceptInput(declared, schema(), given)),
    };
  });
  return {
    dialect: dialect.name,
    tools,
    tool(name) {
      assembly.tool(name);
      return tools.find((tool) => tool.name === name) as Tool;
    },
    session,
    reportRateLimit: ({ task, caller, ...limit } = {}) =>
      session.telemetry?.reportRateLimit(limit, { task, caller }),
    close: () => session.close(),
  };
}

/** Calls `make` at the first call and caches its value. Lazy, because starting a server needs no schema. */
function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => (cached ??= { value: make() }).value;
}
