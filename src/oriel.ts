/** The main function of the library: `createOriel` returns the tools of a dialect with their schemas. */

import type { core, ZodType } from 'zod';
import * as zod from 'zod';
import { type AnswerSize, assemble, type RunOptions } from './assemble.ts';
import type { DeclaredTool, Effects, OfferedFeatures, SchemaKit } from './call/dialect.ts';
import { type InputSchema, lenient } from './call/other-names.ts';
import { OrielError } from './errors.ts';
import type { OrielOptions } from './options.ts';
import type { Caller } from './queues/caller.ts';
import { didYouMean, nearNames } from './text/near.ts';
import { quote, safeJson } from './text/visible.ts';
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
  readonly task?: string | undefined;
  readonly caller?: Caller | undefined;
  /** Seconds until the provider accepts requests again. */
  readonly retryAfter?: number | undefined;
  /** The name of the provider. */
  readonly by?: string | undefined;
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
  return orielOffering(options, () => true);
}

type Run = Tool['run'];

/** How each tool runs with answers of another size. */
const sized = new WeakMap<Tool, (change: (options: OrielOptions) => OrielOptions) => Run>();

/**
 * Runs the tool with the limits, the token counter and `read.imageMetadataOnly` of the options that `change` returns. A tool
 * that was not made here runs as it is.
 */
export function runSized(
  tool: Tool,
  change: (options: OrielOptions) => OrielOptions,
  ...[input, options]: Parameters<Run>
): ReturnType<Run> {
  return sized.get(tool)?.(change)(input, options) ?? tool.run(input, options);
}

/** Like `createOriel`, for a server that offers only some tools: descriptions do not mention the others. */
export function orielOffering(options: OrielOptions, offers: OfferedFeatures['offers']): Oriel {
  const assembly = assemble(options);
  const { dialect, limits, session } = assembly;
  const { web, s3, mcpServers } = assembly.engine.settings;
  const reachesOut = web !== false || s3 !== false || mcpServers !== undefined;
  const tools = dialect.tools.map((declared): Tool => {
    const schema = once(() => declared.schema(kit));
    const jsonSchema = once(() => jsonSchemaOf(schema()));
    const runWith =
      (size?: AnswerSize): Run =>
      (input, runOptions) =>
        assembly.run(declared, input, runOptions, (given) => acceptInput(declared, schema(), given), size);
    const made: Tool = {
      name: declared.name,
      title: declared.title,
      description: declared.about(limits, { offers, settings: assembly.engine.settings }),
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
      run: runWith(),
    };
    sized.set(made, (change) => runWith(assembly.sizeOf(change(options))));
    return made;
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

// Validates the input of a tool against its schema. Common mistakes of models are corrected; others are errors with a call
// that works.

/** Maximum unknown fields that an error names. */
const MAX_NAMED_UNKNOWN_FIELDS = 5;

/** Maximum fields of an input; no tool has half as many. */
const MAX_INPUT_FIELDS = 64;

/**
 * Maximum characters of a field: more than any path, question or pattern needs. Bounded, because the work for a field may grow
 * faster than its length. The field `command` may be longer, up to the limit of the system for arguments of a program.
 */
const MAX_FIELD_CHARACTERS = 65_536;

/** The parsed input, with defaults. No input is the same as no fields. Throws `BAD_INPUT` with the name of the first invalid field. */
function acceptInput(tool: DeclaredTool, schema: ZodType, input: unknown): unknown {
  checkLengths(tool, input);
  const strict = schema.safeParse(input ?? {});
  // An empty text is a valid one, but in an optional field none.
  const isFilled = !Object.values(Object(input)).includes('');
  if (strict.success && isFilled) return strict.data;
  const shape = jsonSchemaOf(schema) as InputSchema;
  const given = tool.adapt(lenient(input ?? {}, shape));
  // Again, because `lenient` and `adapt` may join lists and unwrap nested inputs.
  checkLengths(tool, given);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const why = problemOf(tool, issues[0], given, shape);
  const next = suggestedCall(tool, schema, issues, given, shape);
  if (next !== undefined) throw new OrielError('BAD_INPUT', `${why} Use ${next}.`, { next });
  throw new OrielError('BAD_INPUT', `${why} Use a call like ${safeJson(tool.example)}.`);
}

/** Throws `BAD_INPUT` for too many or too long fields. Called before anything else processes them. */
function checkLengths({ name }: DeclaredTool, input: unknown): void {
  const fields = typeof input === 'string' ? [['', input] as const] : Object.entries(Object(input));
  if (fields.length > MAX_INPUT_FIELDS) {
    throw new OrielError(
      'BAD_INPUT',
      `The input of ${name} has ${fields.length} fields; at most ${MAX_INPUT_FIELDS} are looked at. Use those of its schema.`,
    );
  }
  for (const [field, value] of fields) {
    const length = Math.max(field.length, field === 'command' ? 0 : charactersOf(value));
    if (length <= MAX_FIELD_CHARACTERS) continue;
    const where = field === '' ? `The input of ${name}` : `The field ${quote(field)} of ${name}`;
    throw new OrielError(
      'BAD_INPUT',
      `${where} is ${length} characters long; at most ${MAX_FIELD_CHARACTERS} are allowed. Use a shorter one.`,
    );
  }
}

/** The characters of a text, or of all texts in a list. Only two levels of lists are counted: no field has more, and JSON may be nested very deeply. */
function charactersOf(value: unknown, depth = 2): number {
  if (typeof value === 'string') return value.length;
  if (!Array.isArray(value) || depth === 0) return 0;
  return value.reduce<number>((sum, one) => sum + charactersOf(one, depth - 1), 0);
}

/** A sentence about the first issue, and the fields of the tool. */
function problemOf(
  { name }: DeclaredTool,
  issue: core.$ZodIssue | undefined,
  given: unknown,
  { properties = {} }: InputSchema,
): string {
  const known = Object.keys(properties);
  const fields = `Its fields are ${known.join(', ')}.`;
  if (issue?.code === 'unrecognized_keys') {
    const near = didYouMean([
      ...new Set(issue.keys.slice(0, MAX_NAMED_UNKNOWN_FIELDS).flatMap((key) => nearNames(key, known, 1))),
    ]);
    return `The tool ${name} has no field ${quote(issue.keys.slice(0, MAX_NAMED_UNKNOWN_FIELDS).join(', '))}. ${fields}${near}`;
  }
  const field = issue?.path.join('.') ?? '';
  if (issue && isMissing(issue, given)) return `The field ${quote(field)} of ${name} is missing. ${fields}`;
  // Adapters pass the arguments of a model as a string if they are not valid JSON.
  if (field === '' && typeof given === 'string')
    return `The input of ${name} is wrong: the arguments are not a valid JSON object. ${fields}`;
  const where = field === '' ? `The input of ${name}` : `The field ${quote(field)} of ${name}`;
  return `${where} is wrong: ${quote(messageOf(issue))}. ${fields}`;
}

/** The message of zod; for a bound of a number a clearer one. */
function messageOf(issue: core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'invalid';
  const isNumber = 'origin' in issue && (issue.origin === 'number' || issue.origin === 'int');
  if (isNumber && issue.code === 'too_small' && issue.message.startsWith('Too small'))
    return `it must be at least ${issue.minimum}`;
  if (isNumber && issue.code === 'too_big' && issue.message.startsWith('Too big'))
    return `it must be at most ${issue.maximum}`;
  return issue.message.replace(/^Invalid input: /, '');
}

function isMissing({ path }: core.$ZodIssue, input: unknown): boolean {
  const [field, ...deeper] = path;
  const given = input as Record<PropertyKey, unknown> | null | undefined;
  return field !== undefined && deeper.length === 0 && given?.[field] === undefined;
}

const MAX_SUGGESTED_CALL_CHARACTERS = 300;

/**
 * The call with invalid fields renamed to similar names, or without them, if the schema accepts that. Otherwise the tool's
 * example, unless it contains the path of a file, which may not exist.
 */
function suggestedCall(
  { example }: DeclaredTool,
  schema: ZodType,
  issues: readonly core.$ZodIssue[],
  given: unknown,
  { properties = {} }: InputSchema,
): string | undefined {
  const names = example['path'];
  const other = names === undefined || names === '.' ? safeJson(example) : undefined;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return other;
  const known = Object.keys(properties);
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const wrong = new Set([...unknown, ...issues.map(({ path: [field] }) => field)]);
  const fields = Object.entries(given);
  const kept = Object.fromEntries(fields.filter(([field]) => !wrong.has(field)));
  const renamed = Object.fromEntries(
    fields.flatMap(([field, value]) => {
      if (!wrong.has(field)) return [[field, value] as const];
      const [near] = unknown.includes(field) ? nearNames(field, known, 1) : [];
      return near === undefined || near in kept ? [] : [[near, value] as const];
    }),
  );
  for (const call of [renamed, kept]) {
    if (Object.keys(call).length === 0 || !schema.safeParse(call).success) continue;
    const written = safeJson(call);
    // The schema accepts a NUL character, but nothing else does.
    if (written.length <= MAX_SUGGESTED_CALL_CHARACTERS && !written.includes('\\u0000')) return written;
  }
  return other;
}

// Schemas of the inputs of tools: the functions of zod that dialects declare them with, and their JSON Schema.

/** Each function is listed, so that a bundler can omit the rest: two thirds of zod, above all its locales. */
const kit: SchemaKit = {
  boolean: zod.boolean,
  enum: zod.enum,
  int: zod.int,
  number: zod.number,
  preprocess: zod.preprocess,
  strictObject: zod.strictObject,
  string: zod.string,
};

/** JSON Schema 2020-12. The maximum that zod adds to every integer is omitted: hosts send schemas with each request to a model. */
function jsonSchemaOf(schema: zod.ZodType): Record<string, unknown> {
  const json = zod.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  // Removes a hidden property `~standard` of zod, by which some libraries mistake plain data for a schema of zod.
  return JSON.parse(JSON.stringify(json)) as Record<string, unknown>;
}
