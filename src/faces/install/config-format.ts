/** What an editor of a format of configuration files can do, and that of JSON: puts an entry in or out, without touching the rest. */

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
function containerOf(value: unknown, { keys, name }: ConfigPlace): unknown {
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

export function newlineOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** The offset at which the line of `at` begins. */
export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

// JSON as hosts write it, with comments and trailing commas.

interface Member {
  /** Undefined in a list. */
  readonly key: string | undefined;
  readonly from: number;
  /** Where its value begins. */
  readonly value: number;
  readonly to: number;
}

/** An object or a list: the offsets of its brackets, and what is between them. */
interface Container {
  readonly from: number;
  readonly to: number;
  readonly members: readonly Member[];
}

const STRING = String.raw`"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"`;
const COMMENT = new RegExp(String.raw`${STRING}|//[^\r\n]*|/\*[^]*?\*/`, 'g');
const TRAILING_COMMA = new RegExp(String.raw`${STRING}|,(?=\s*[}\]])`, 'g');
const TOKEN = new RegExp(String.raw`${STRING}|[{}[\],:]|[^\s{}[\],:"]+`, 'g');

/** Comments become spaces, so that offsets stay as they are. */
function withoutComments(text: string): string {
  return text.replaceAll(COMMENT, (part) => (part.startsWith('"') ? part : part.replaceAll(/[^\r\n]/g, ' ')));
}

function strict(text: string): string {
  return withoutComments(text).replaceAll(TRAILING_COMMA, (part) => (part === ',' ? ' ' : part));
}

export function hasTrailingComma(text: string): boolean {
  return withoutComments(text).match(TRAILING_COMMA)?.includes(',') ?? false;
}

/** The container whose bracket is at `from`, in valid JSON. */
function containerAt(json: string, from: number): Container {
  const members: Member[] = [];
  let depth = 0;
  let member: { key?: string; from: number; value?: number } | undefined;
  let last = from;
  TOKEN.lastIndex = from;
  for (let match = TOKEN.exec(json); match; match = TOKEN.exec(json)) {
    const [token] = match;
    const isEnd = token === '}' || token === ']';
    if (depth === 1 && (isEnd || token === ',')) {
      if (member) members.push({ key: undefined, value: member.from, ...member, to: last });
      member = undefined;
      if (isEnd) return { from, to: match.index, members };
    } else if (depth === 1 && member && token === ':') {
      member.key = JSON.parse(json.slice(member.from, last)) as string;
    } else {
      if (depth > 0) member ??= { from: match.index };
      if (member?.key !== undefined) member.value ??= match.index;
      if (token === '{' || token === '[') depth += 1;
      else if (isEnd) depth -= 1;
    }
    last = match.index + token.length;
  }
  return { from, to: last, members };
}

/** The containers from the root to the one of the place, or to the last one that exists. */
function pathTo(json: string, { keys }: ConfigPlace): Container[] {
  const path = [containerAt(json, json.search(/\S/))];
  for (const key of keys) {
    const member = path.at(-1)?.members.findLast((one) => one.key === key);
    if (!member) break;
    if (!'{['.includes(json[member.value] ?? ' '))
      throw new OrielError('UNSUPPORTED', `${key} is not an object`);
    path.push(containerAt(json, member.value));
  }
  return path;
}

function insertion(text: string, place: ConfigPlace, entry: ConfigEntry): TextInsertion {
  const eol = newlineOf(text);
  const unit = /^(\t| +)"/m.exec(text)?.[1] ?? '  ';
  const bare = strict(text);
  if (bare.trim() === '') {
    const whole = JSON.stringify(nested(place.keys, place, entry), null, unit);
    const start = text.trim() === '' || text.endsWith('\n') ? '' : eol;
    return { at: text.length, text: `${start}${whole.replaceAll('\n', eol)}${eol}` };
  }
  const path = pathTo(bare, place);
  const missing = place.keys.slice(path.length - 1);
  const key = missing[0] ?? place.name;
  const value = missing.length > 0 ? nested(missing.slice(1), place, entry) : entry;
  const named = (json: string): string => (key === undefined ? json : `${JSON.stringify(key)}: ${json}`);
  const { from, to, members } = path.at(-1) as Container;
  const [first, last] = [members[0], members.at(-1)];
  const tail = last && text.slice(last.to, to);
  if (first && last && !text.slice(from, first.from).includes('\n')) {
    const line = named(JSON.stringify(value));
    return tail?.trim() === '' ? { at: last.to, text: `, ${line}` } : { at: from + 1, text: `${line}, ` };
  }
  const outer = /[ \t]*/.exec(text.slice(lineStart(text, from)))?.[0] ?? '';
  const indent = first ? text.slice(lineStart(text, first.from), first.from) : outer + unit;
  const lines = eol + indent + named(JSON.stringify(value, null, unit).replaceAll('\n', eol + indent));
  if (!last) {
    const isOpen = text.slice(from, to).includes('\n');
    return { at: from + 1, text: isOpen ? lines : `${lines}${eol}${outer}` };
  }
  if (tail?.trim() === '') return { at: last.to, text: `,${lines}` };
  if (tail?.trim() === ',') return { at: last.to + tail.indexOf(',') + 1, text: `${lines},` };
  // A comment behind the last member stays with it.
  const note = /^[ \t]*\/\/[^\r\n]*/.exec(text.slice(from + 1))?.[0].length ?? 0;
  return { at: from + 1 + note, text: `${lines},` };
}

function without(text: string, place: ConfigPlace, made: number): string {
  const json = strict(text);
  const path = pathTo(json, place);
  let level = place.keys.length;
  let member = path[level]?.members.findLast((one) =>
    place.name === undefined
      ? place.isEntry?.(JSON.parse(json.slice(one.value, one.to)))
      : one.key === place.name,
  );
  for (let left = made; left > 0 && level > 0 && path[level]?.members.length === 1; left -= 1) {
    level -= 1;
    member = path[level]?.members.findLast((one) => one.key === place.keys[level]);
  }
  return member ? cut(text, path[level] as Container, member) : text;
}

/** The text without a member, its comma and its indentation. */
function cut(text: string, { members }: Container, { from, to }: Member): string {
  const plain = withoutComments(text);
  const comma = /^\s*,/.exec(plain.slice(to))?.[0].length ?? 0;
  const rest = text.slice(to + comma);
  const head = text.slice(0, from).replace(/^[^\S\r\n]*\r?\n/.test(rest) ? /\r?\n?[ \t]*$/ : /[ \t]*$/, '');
  const before = members.findLast((one) => one.to <= from);
  if (comma > 0 || !before) return head + rest;
  const at = plain.indexOf(',', before.to);
  return head.slice(0, at) + head.slice(at + 1) + rest;
}

export const jsonFormat: ConfigFormat = {
  parse(text) {
    const bare = strict(text);
    return bare.trim() === '' ? undefined : (JSON.parse(bare) as unknown);
  },
  lineOf(error, text) {
    const at = /position (\d+)/.exec((error as Error).message)?.[1];
    return at === undefined ? undefined : text.slice(0, Number(at)).split('\n').length;
  },
  insertion,
  without,
};
