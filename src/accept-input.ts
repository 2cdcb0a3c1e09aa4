/**
 * Validates the input of a tool against its schema, corrects common mistakes of models, and explains the
 * others.
 */

import type { core, ZodType } from 'zod';
import type { DeclaredTool } from './dialects/dialect.ts';
import { type InputSchema, lenient } from './dialects/lenient.ts';
import { OrielError } from './errors.ts';
import { jsonSchemaOf } from './schema.ts';
import { safeJson } from './text/json.ts';
import { didYouMean, nearNames } from './text/near.ts';
import { quote } from './text/visible.ts';

/** Unknown fields for which a near one is looked for. */
const MOST_KEYS = 5;

/** Of an input; no tool has half as many. */
const MOST_FIELDS = 64;

/**
 * Characters of a field: more than any path, question or pattern has. What a field costs may grow faster than its length.
 * A command may be longer, up to what the system passes to a program.
 */
const MOST_CHARACTERS = 65_536;

/** The input as the schema understands it. Throws `BAD_INPUT` that names the first field that is wrong. */
export function acceptInput(tool: DeclaredTool, schema: ZodType, input: unknown): unknown {
  // A call without arguments is one without fields.
  checkLengths(tool, input);
  const strict = schema.safeParse(input ?? {});
  if (strict.success) return strict.data;
  const shape = jsonSchemaOf(schema) as InputSchema;
  const given = tool.adapt(lenient(input ?? {}, shape));
  // Lists were joined, and what was inside a field may have become all of them.
  checkLengths(tool, given);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const why = whatIsWrong(tool, issues[0], given, shape);
  const next = callThatWorks(tool, schema, issues, given, shape);
  if (next !== undefined) throw new OrielError('BAD_INPUT', `${why} Use ${next}.`, { next });
  throw new OrielError('BAD_INPUT', `${why} Use a call like ${safeJson(tool.example)}.`);
}

/** Throws `BAD_INPUT`, before anything looks at the text of a field. */
function checkLengths({ name }: DeclaredTool, input: unknown): void {
  const fields = typeof input === 'string' ? [['', input] as const] : Object.entries(Object(input));
  if (fields.length > MOST_FIELDS) {
    throw new OrielError(
      'BAD_INPUT',
      `The input of ${name} has ${fields.length} fields; at most ${MOST_FIELDS} are looked at. Use those of its schema.`,
    );
  }
  for (const [field, value] of fields) {
    const length = Math.max(field.length, field === 'command' ? 0 : charactersOf(value));
    if (length <= MOST_CHARACTERS) continue;
    const where = field === '' ? `The input of ${name}` : `The field ${quote(field)} of ${name}`;
    throw new OrielError(
      'BAD_INPUT',
      `${where} is ${length} characters long; at most ${MOST_CHARACTERS} are allowed. Use a shorter one.`,
    );
  }
}

/** Of the texts in a list together. A list may be nested as deep as JSON is parsed: only two levels can mean anything. */
function charactersOf(value: unknown, depth = 2): number {
  if (typeof value === 'string') return value.length;
  if (!Array.isArray(value) || depth === 0) return 0;
  return value.reduce<number>((sum, one) => sum + charactersOf(one, depth - 1), 0);
}

function whatIsWrong(
  { name }: DeclaredTool,
  issue: core.$ZodIssue | undefined,
  given: unknown,
  { properties = {} }: InputSchema,
): string {
  const known = Object.keys(properties);
  const fields = `Its fields are ${known.join(', ')}.`;
  if (issue?.code === 'unrecognized_keys') {
    const near = didYouMean([
      ...new Set(issue.keys.slice(0, MOST_KEYS).flatMap((key) => nearNames(key, known, 1))),
    ]);
    return `The tool ${name} has no field ${quote(issue.keys.slice(0, MOST_KEYS).join(', '))}. ${fields}${near}`;
  }
  const field = issue?.path.join('.') ?? '';
  if (issue && isMissing(issue, given)) return `The field ${quote(field)} of ${name} is missing. ${fields}`;
  // Adapters pass on what a model wrote as arguments where that is not JSON.
  if (field === '' && typeof given === 'string')
    return `The input of ${name} is wrong: the arguments are not a valid JSON object. ${fields}`;
  const where = field === '' ? `The input of ${name}` : `The field ${quote(field)} of ${name}`;
  return `${where} is wrong: ${quote(whyOf(issue))}. ${fields}`;
}

/** What zod says, in other words where it says a bound. */
function whyOf(issue: core.$ZodIssue | undefined): string {
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

/** Of a call that an error repeats: a longer one is not named. */
const MOST_CALL = 300;

/**
 * The call without the fields that are wrong, or with their near names, where that is accepted; otherwise the tool's example,
 * unless that names a file: there may be none.
 */
function callThatWorks(
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
    // What a NUL is in is accepted by the schema, and by nothing else.
    if (written.length <= MOST_CALL && !written.includes('\\u0000')) return written;
  }
  return other;
}
