/** Finds the numeric arguments of a tool in its schema. */

/** Most arguments that are looked at, longest name, and deepest part of the schema of one. */
const MOST_ARGUMENTS = 100;
const MOST_NAME = 128;
const MOST_DEPTH = 4;

/** `properties`: the schema of each argument by its name, as the server sends them. */
export function numericArguments(properties: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(properties)
    .slice(0, MOST_ARGUMENTS)
    .filter((name) => name.length <= MOST_NAME && isNumeric(properties[name], MOST_DEPTH));
}

/** Also for `["integer", "null"]`, and for alternatives of which one is a number. */
function isNumeric(schema: unknown, depth: number): boolean {
  if (depth === 0 || typeof schema !== 'object' || schema === null) return false;
  const { type, anyOf, oneOf, allOf } = schema as Readonly<Record<string, unknown>>;
  if (few(type).some((one) => one === 'integer' || one === 'number')) return true;
  return [anyOf, oneOf, allOf].flatMap(few).some((one) => isNumeric(one, depth - 1));
}

const few = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, 8) : [value]);
