/**
 * Corrects inputs that a schema refuses although their meaning is clear: `null` for an optional field, numbers in quotes,
 * other names of `path`. The schema that models see stays strict.
 */

import { asksNothing, fieldNamed, valueNamed } from './other-names.ts';

interface Field {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
}

/** The parts of a JSON Schema that are used here. */
export interface InputSchema {
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}

export type Fields = Readonly<Record<string, unknown>>;

/** Names of a single field that contains the fields of the call. */
const WRAPPERS = ['input', 'arguments', 'args', 'params', 'parameters'];

/** Corrects what is clear. Anything else is left unchanged, and the schema refuses it. */
export function lenient(input: unknown, { properties = {}, required = [] }: InputSchema): unknown {
  const given = fieldsOf(input, properties);
  if (!given) return input;
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named(given, properties))) {
    const field = properties[name];
    if (!field && asksNothing(name, value, Object.keys(properties))) continue;
    if (field && isAbsent(value, field.type) && !required.includes(name)) continue;
    fields[name] = field ? ofType(name === 'glob' ? anyGlob(value) : value, field) : value;
  }
  return fields;
}

/** The fields of a call, also if they are in a JSON string or inside a wrapper field. */
function fieldsOf(input: unknown, properties: Fields): Fields | undefined {
  const read = typeof input === 'string' ? parseObject(input) : input;
  if (!isFields(read)) return undefined;
  const [only = '', ...others] = Object.keys(read);
  const inner = read[only];
  const wrapped = others.length === 0 && WRAPPERS.includes(only) && properties[only] === undefined;
  return wrapped && isFields(inner) ? inner : read;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseObject(text: string): unknown {
  try {
    return /^\s*\{/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Renames fields to the names of the schema, unless a field would be given twice. */
function named(input: Fields, properties: Fields): Fields {
  const known = Object.keys(properties);
  const fields: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(input)) {
    const name = properties[given] === undefined ? fieldNamed(given, known) : given;
    const isTaken = name !== undefined && name !== given && (isGiven(input[name]) || isGiven(fields[name]));
    fields[name === undefined || isTaken ? given : name] = value;
  }
  return fields;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Whether a value counts as absent: `null`, and a blank string for a field that is not a string. */
function isAbsent(value: unknown, type: unknown): boolean {
  return value === null || (type !== 'string' && typeof value === 'string' && value.trim() === '');
}

/** Several globs as one: `["*.ts", "*.js"]` → `{*.ts,*.js}`. */
export function anyGlob(value: unknown): unknown {
  if (!isTexts(value)) return value;
  return value.length === 1 ? value[0] : `{${value.join(',')}}`;
}

/** Whether it is a non-empty array of strings. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

function ofType(value: unknown, { type, enum: allowed }: Field): unknown {
  if (allowed) return valueNamed(value, allowed);
  if (type === 'integer' || type === 'number') return numberOf(value, type);
  if (type !== 'boolean' || typeof value === 'object') return value;
  if (/^(?:true|yes|on|1)$/i.test(String(value))) return true;
  return /^(?:false|no|off|0)$/i.test(String(value)) ? false : value;
}

/** Clamps integers to the largest safe one, because no offset or count is larger. */
function numberOf(value: unknown, type: 'integer' | 'number'): unknown {
  const number = typeof value === 'string' ? parseNumber(value) : value;
  if (type === 'number' || typeof number !== 'number' || !Number.isInteger(number)) return number ?? value;
  return Math.min(number, Number.MAX_SAFE_INTEGER);
}

/** Parses a decimal number; undefined for any other text. */
export function parseNumber(text: string): number | undefined {
  return /^\s*[+-]?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
