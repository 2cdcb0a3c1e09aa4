/** The library's entry: tools with their schemas, ready to be handed to an agent. */

import type { core, ZodType } from 'zod';
import { assemble, type OrielOptions, type RunOptions } from './assemble.ts';
import type { DeclaredTool, Effects } from './dialects/dialect.ts';
import { OrielError } from './errors.ts';
import { jsonSchemaOf, kit } from './schema.ts';
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

export interface Oriel {
  readonly dialect: string;
  readonly tools: readonly Tool[];
  /** The tool of that name. Throws OrielError (`BAD_INPUT`). */
  tool(name: string): Tool;
  readonly session: Session;
  /** Ends the session: removes its files. */
  close(): Promise<void>;
}

/** Throws OrielError for options that cannot work: a root that is not a directory, a limit that is not a number. */
export function createOriel(options: OrielOptions = {}): Oriel {
  const assembly = assemble(options);
  const { dialect, limits, session } = assembly;
  const tools = dialect.tools.map((declared): Tool => {
    const schema = once(() => declared.schema(kit));
    const jsonSchema = once(() => jsonSchemaOf(schema()));
    return {
      name: declared.name,
      title: declared.title,
      description: declared.about(limits),
      effects: declared.effects,
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
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const { properties = {} } = jsonSchemaOf(schema);
  const fields = `Its fields are ${Object.keys(properties as object).join(', ')}.`;
  if (issue?.code === 'unrecognized_keys') {
    throw new OrielError(
      'BAD_INPUT',
      `The tool ${tool.name} has no field ${quote(issue.keys.join(', '))}. ${fields}`,
    );
  }
  const field = issue?.path.join('.') ?? '';
  if (issue && isMissing(issue, input)) {
    throw new OrielError('BAD_INPUT', `The field ${quote(field)} of ${tool.name} is missing. ${fields}`);
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
