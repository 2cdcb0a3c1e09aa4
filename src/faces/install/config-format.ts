/** What an editor of one format of configuration files can do: put an entry in, and take it out, without touching the rest. */

import { OrielError } from '../../errors.ts';

/** Where an entry is: `name` in the object at `keys`, or without a name an item of the list there. */
export interface ConfigPlace {
  readonly keys: readonly string[];
  readonly name?: string | undefined;
  /** Recognises the entry among the items of a list. */
  readonly isEntry?: ((item: unknown) => boolean) | undefined;
}

export type ConfigEntry = Readonly<Record<string, unknown>>;

/** Text that is inserted at an offset in UTF-16 code units. */
export interface TextInsertion {
  readonly at: number;
  readonly text: string;
}

export interface ConfigFormat {
  /** The value of a text; undefined if it is empty. Throws any error for a text that is damaged; `lineOf` finds where. */
  parse(text: string): unknown;
  lineOf(error: unknown, text: string): number | undefined;
  /** Makes missing keys too. The result is checked by the caller, so what cannot be done well may be done wrongly. */
  insertion(text: string, place: ConfigPlace, entry: ConfigEntry): TextInsertion;
  /** The text without the entry, and without as many of the innermost containers as `made` if nothing else is in them. */
  without(text: string, place: ConfigPlace, made: number): string;
}

export type FormatName = 'json' | 'toml' | 'yaml' | 'text';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object or list of a place, or undefined if it is missing. Throws `UNSUPPORTED` if something else is there. */
export function containerOf(value: unknown, { keys, name }: ConfigPlace): unknown {
  let at = value;
  for (const [i, key] of ['', ...keys].entries()) {
    if (i > 0) at = Object.hasOwn(at as object, key) ? (at as JsonObject)[key] : undefined;
    // An empty value in YAML.
    if (at === undefined || at === null) return undefined;
    const wantsList = i === keys.length && name === undefined;
    if (wantsList ? !Array.isArray(at) : !isObject(at)) {
      const what = i === 0 ? 'its top level' : keys.slice(0, i).join('.');
      throw new OrielError('UNSUPPORTED', `${what} is not ${wantsList ? 'a list' : 'an object'}`);
    }
  }
  return at;
}

/** The entry at a place; undefined if there is none. */
export function entryOf(value: unknown, place: ConfigPlace): unknown {
  const at = containerOf(value, place);
  if (at === undefined) return undefined;
  if (place.name === undefined) return (at as unknown[]).findLast((item) => place.isEntry?.(item));
  return Object.hasOwn(at as object, place.name) ? (at as JsonObject)[place.name] : undefined;
}

/** `['a', 'b']`, `x` → `{ a: { b: { x: entry } } }`. */
export function nested(keys: readonly string[], { name }: ConfigPlace, entry: ConfigEntry): unknown {
  const inner: unknown = name === undefined ? [entry] : { [name]: entry };
  return keys.reduceRight((value, key) => ({ [key]: value }), inner);
}

/** The newline of a text. */
export function newlineOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** The offset at which the line of `at` begins. */
export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}
