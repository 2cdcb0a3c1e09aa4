/**
 * Takes inputs that a schema refuses although it is plain what is meant: `null` for an optional field, numbers in
 * quotes, other names of `path`. The schema that a model is shown does not change by it.
 */

/** A JSON Schema of an input: as much as is looked at here. */
export interface InputSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
  readonly required?: readonly string[];
}

export type Fields = Readonly<Record<string, unknown>>;

/** What other tools call `path`. */
const PATH_NAMES = ['file_path', 'filePath'];

/** `input` with what is plain put right; what is not plain stays for the schema to refuse. */
export function lenient(input: unknown, { properties = {}, required = [] }: InputSchema): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const fields: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(withPath(input as Fields, properties))) {
    const field = properties[given];
    if (field && isAbsent(value, field.type) && !required.includes(given)) continue;
    fields[given] = field ? ofType(value, field.type) : value;
  }
  return fields;
}

function withPath(input: Fields, properties: Fields): Fields {
  const other = PATH_NAMES.find((name) => input[name] !== undefined && properties[name] === undefined);
  if (other === undefined || properties['path'] === undefined || input['path'] !== undefined) return input;
  const { [other]: path, ...fields } = input;
  return { path, ...fields };
}

/** `null`, and a blank text where there is no text to be given. */
function isAbsent(value: unknown, type: unknown): boolean {
  return value === null || (type !== 'string' && typeof value === 'string' && value.trim() === '');
}

function ofType(value: unknown, type: unknown): unknown {
  if (type === 'integer' || type === 'number') return numberOf(value, type);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** Larger integers than can be told apart name nothing that exists: the largest stands for all of them. */
function numberOf(value: unknown, type: 'integer' | 'number'): unknown {
  const number = typeof value === 'string' ? parseNumber(value) : value;
  if (type === 'number' || typeof number !== 'number' || !Number.isInteger(number)) return number ?? value;
  return Math.min(number, Number.MAX_SAFE_INTEGER);
}

/** A decimal number in quotes; undefined for any other text. */
export function parseNumber(text: string): number | undefined {
  return /^\s*[+-]?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
