/** The library's entry: tools with their schemas, ready to be handed to an agent. */

import type { core, ZodType } from 'zod';
import { assemble, type RunOptions } from './assemble.ts';
import type { OrielOptions } from './options.ts';
import type { DeclaredTool, Effects } from './dialects/dialect.ts';
import { type InputSchema, lenient } from './dialects/lenient.ts';
import { OrielError } from './errors.ts';
import type { Caller } from './queues/caller.ts';
import { jsonSchemaOf, kit } from './schema.ts';
import { didYouMean, nearNames } from './text/near.ts';
import { quote } from './text/visible.ts';
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
  /** Seconds after which the provider may be asked again. */
  readonly retryAfter?: number;
  /** Who refused. */
  readonly by?: string;
}

export interface Oriel {
  readonly dialect: string;
  readonly tools: readonly Tool[];
  /** The tool of that name. Throws OrielError (`BAD_INPUT`). */
  tool(name: string): Tool;
  readonly session: Session;
  /**
   * Tells that the model's provider has refused a request of the host (too many, or too much): it is counted for `task`,
   * that of the session when absent. Throws OrielError (`BAD_INPUT`) for a wrong number.
   */
  reportRateLimit(limit?: RateLimit): void;
  /** Ends the session: removes its files. */
  close(): Promise<void>;
}

/** Throws OrielError for options that cannot work: a root that is not a directory, a limit that is not a number. */
export function createOriel(options: OrielOptions = {}): Oriel {
  return orielOffering(options, { bash: true });
}

/** As `createOriel`, for a server that offers only a part of the tools: the others are not named in descriptions. */
export function orielOffering(options: OrielOptions, { bash }: { readonly bash: boolean }): Oriel {
  const assembly = assemble(options);
  const { dialect, limits, session } = assembly;
  const reachesOut = options.web !== false || options.mcpServers !== undefined;
  const tools = dialect.tools.map((declared): Tool => {
    const schema = once(() => declared.schema(kit));
    const jsonSchema = once(() => jsonSchemaOf(schema()));
    return {
      name: declared.name,
      title: declared.title,
      description: declared.about(limits, { bash, settings: assembly.engine.settings }),
      // What only reads reaches beyond this machine by the web and by the servers of others alone.
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
        assembly.run(declared, input, runOptions, (given) => accept(declared, schema(), given)),
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

/** What `make` returns, made when it is first asked for: a server that was only asked who it is does not wait for it. */
function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => (made ??= { it: make() }).it;
}

/** The input as the schema understands it. Throws `BAD_INPUT` that names the first field that is wrong. */
function accept(tool: DeclaredTool, schema: ZodType, input: unknown): unknown {
  // A call without arguments is one without fields.
  const strict = schema.safeParse(input ?? {});
  if (strict.success) return strict.data;
  const shape = jsonSchemaOf(schema) as InputSchema;
  const { properties = {} } = shape;
  const given = tool.adapt(lenient(input ?? {}, shape));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const fields = `Its fields are ${Object.keys(properties).join(', ')}.`;
  if (issue?.code === 'unrecognized_keys') {
    const near = didYouMean(issue.keys.flatMap((key) => nearNames(key, Object.keys(properties), 1)));
    throw new OrielError(
      'BAD_INPUT',
      `The tool ${tool.name} has no field ${quote(issue.keys.join(', '))}. ${fields}${near}`,
    );
  }
  const field = issue?.path.join('.') ?? '';
  if (issue && isMissing(issue, given)) {
    throw new OrielError('BAD_INPUT', `The field ${quote(field)} of ${tool.name} is missing. ${fields}`);
  }
  // Adapters pass on what a model wrote as arguments where that is not JSON.
  if (field === '' && typeof given === 'string') {
    throw new OrielError(
      'BAD_INPUT',
      `The input of ${tool.name} is wrong: the arguments are not a valid JSON object. ${fields}`,
    );
  }
  const where = field === '' ? `The input of ${tool.name}` : `The field ${quote(field)} of ${tool.name}`;
  throw new OrielError(
    'BAD_INPUT',
    `${where} is wrong: ${quote(issue?.message.replace(/^Invalid input: /, '') ?? 'invalid')}. ${fields}`,
  );
}

function isMissing({ path }: core.$ZodIssue, input: unknown): boolean {
  const [field, ...deeper] = path;
  const given = input as Record<PropertyKey, unknown> | null | undefined;
  return field !== undefined && deeper.length === 0 && given?.[field] === undefined;
}
