/**
 * Takes inputs that a schema refuses although it is plain what is meant: `null` for an optional field, numbers in
 * quotes, other names of `path`. The schema that a model is shown does not change by it.
 */

import { asksNothing, fieldNamed, valueNamed } from './other-names.ts';

interface Field {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
}

/** A JSON Schema of an input: as much as is looked at here. */
export interface InputSchema {
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}

export type Fields = Readonly<Record<string, unknown>>;

/** What is put around the fields of a call. */
const WRAPPERS = ['input', 'arguments', 'args', 'params', 'parameters'];

/** `input` with what is plain put right; what is not plain stays for the schema to refuse. */
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

/** The fields of a call, also of one that came as JSON in a text, or inside a field for all of them. */
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

/** Under the names of the schema, as far as each is given once. */
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

/** `null`, and a blank text if there is no text to be given. */
function isAbsent(value: unknown, type: unknown): boolean {
  return value === null || (type !== 'string' && typeof value === 'string' && value.trim() === '');
}

/** Several globs as one: `["*.ts", "*.js"]` → `{*.ts,*.js}`. */
export function anyGlob(value: unknown): unknown {
  if (!isTexts(value)) return value;
  return value.length === 1 ? value[0] : `{${value.join(',')}}`;
}

/** A list of texts, of which there is at least one. */
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

/** Larger integers than can be distinguished name nothing that exists: the largest stands for all of them. */
function numberOf(value: unknown, type: 'integer' | 'number'): unknown {
  const number = typeof value === 'string' ? parseNumber(value) : value;
  if (type === 'number' || typeof number !== 'number' || !Number.isInteger(number)) return number ?? value;
  return Math.min(number, Number.MAX_SAFE_INTEGER);
}

/** A decimal number in quotes; undefined for any other text. */
export function parseNumber(text: string): number | undefined {
  return /^\s*[+-]?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
