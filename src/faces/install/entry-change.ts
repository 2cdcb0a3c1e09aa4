/** One entry in one configuration file: what a change would make of the text, checked by its value, and the change itself. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import {
  type ConfigFile,
  makeDirectory,
  readConfigFile,
  removeEmpty,
  replaceConfigFile,
} from './config-file.ts';
import {
  type ConfigEntry,
  type ConfigFormat,
  type ConfigPlace,
  entryOf,
  isObject,
  type FormatName,
  type JsonObject,
} from './config-format.ts';
import { installDirectory } from './launcher.ts';

/** Loads the parsers of a format when they are needed. */
const loadFormat: Readonly<Record<FormatName, () => Promise<ConfigFormat>>> = {
  json: async () => (await import('./config-format.ts')).jsonFormat,
  toml: async () => (await import('./toml-yaml-format.ts')).tomlFormat,
  yaml: async () => (await import('./toml-yaml-format.ts')).yamlFormat,
  text: async () => (await import('./native-table.ts')).textFormat,
};

export interface WantedEntry {
  readonly host: string;
  readonly kind: 'mcp' | 'native' | 'before';
  readonly path: string;
  readonly format: FormatName;
  readonly place: (value: unknown) => ConfigPlace;
  readonly entry: ConfigEntry;
  readonly head?: string | undefined;
}

/** What was inserted, so that it can be taken out to the byte. */
interface InstallRecord {
  readonly host: string;
  readonly kind: WantedEntry['kind'];
  readonly path: string;
  readonly entry: ConfigEntry;
  /** In UTF-16 code units of the text without its byte order mark. */
  readonly at: number;
  readonly text: string;
  /** SHA-256 of the whole text afterwards, without its byte order mark. */
  readonly hash: string;
  /** How many of the innermost keys were made. */
  readonly made: number;
  readonly created: boolean;
  /** The first directory that was made for it. */
  readonly directory?: string | undefined;
}

/** `foreign`: a person wrote or changed it. */
export type EntryState = 'absent' | 'installed' | 'outdated' | 'foreign';

interface FoundEntry {
  readonly file: ConfigFile;
  readonly format: ConfigFormat;
  readonly place: ConfigPlace;
  readonly record: InstallRecord | undefined;
  readonly state: EntryState;
}

export interface TextChange {
  readonly before: string;
  /** Undefined: the file is removed. */
  readonly after: string | undefined;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const recordPath = (path: string, kind: string): string =>
  join(installDirectory(), `${hashOf(`${kind}\0${path}`).slice(0, 32)}.json`);

/** The records of everything that is installed. */
export function installRecords(): readonly Omit<InstallRecord, 'at' | 'text' | 'hash'>[] {
  let names: readonly string[] = [];
  try {
    names = readdirSync(installDirectory()).filter((name) => /^[0-9a-f]+\.json$/.test(name));
  } catch {
    // Nothing is installed.
  }
  return names.flatMap((name) => recordAt(join(installDirectory(), name)) ?? []);
}

function recordAt(path: string): InstallRecord | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as InstallRecord;
  } catch {
    return undefined;
  }
}

/** By real path: what earlier changes would have made of files; undefined: removed. */
export type DryTexts = Map<string, string | undefined>;

/** Throws an OrielError for a file that cannot be changed, with the reason. */
export async function findEntry(
  { kind, entry, ...wanted }: WantedEntry,
  dry?: DryTexts,
): Promise<FoundEntry> {
  const there = readConfigFile(wanted.path);
  const file = dry?.has(there.path) ? { ...there, text: dry.get(there.path) } : there;
  const format = await loadFormat[wanted.format]();
  const record = recordAt(recordPath(file.path, kind));
  return explained(wanted, format, file.text ?? '', () => {
    const value = format.parse(file.text ?? '');
    const place = wanted.place(value);
    const found = entryOf(value ?? {}, place);
    const isSame = (one: ConfigEntry): boolean => isDeepStrictEqual(plain(found), plain(one));
    let state: EntryState = 'foreign';
    if (found === undefined) state = 'absent';
    else if (isSame(entry)) state = 'installed';
    else if (record && isSame(record.entry)) state = 'outdated';
    return { file, format, place, record, state };
  });
}

function explained<T>(
  { path, format: name }: { path: string; format: FormatName },
  format: ConfigFormat,
  text: string,
  run: () => T,
): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof OrielError && error.code === 'UNSUPPORTED')
      throw new OrielError('UNSUPPORTED', `${quote(path)} was left as it is: ${error.message}.`, {
        cause: error,
      });
    const line = format.lineOf(error, text);
    const where = line === undefined ? '' : ` (line ${line})`;
    const words = `${quote(path)} is not valid ${name.toUpperCase()}${where}: it was left as it is.`;
    throw new OrielError('CORRUPT', words, { cause: error });
  }
}

/** Values as JSON has them, empty ones alike: a YAML key without a value is an empty object or list. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_key, one: unknown) => {
      if (typeof one === 'bigint') return one.toString();
      return typeof one === 'object' && one !== null && Object.keys(one).length === 0 ? null : one;
    }),
  ) as unknown;
}

/** The value without the entry, and without as many of the innermost containers as `made` if they are empty. */
function valueWithout(value: unknown, place: ConfigPlace, made: number): unknown {
  const { keys, name } = place;
  const path = [value];
  for (const key of keys) path.push((path.at(-1) as JsonObject | undefined)?.[key]);
  const container = path.at(-1);
  if (Array.isArray(container))
    container.splice(
      container.findLastIndex((item) => place.isEntry?.(item)),
      1,
    );
  else if (name !== undefined) delete (container as JsonObject | undefined)?.[name];
  for (let i = keys.length; i > keys.length - made; i -= 1) {
    if (Object.keys(path[i] ?? {}).length > 0) break;
    delete (path[i - 1] as JsonObject | undefined)?.[keys[i - 1] as string];
  }
  return value;
}

/** Whether the first text is the second one with an entry more, by their values. */
function isOnly(
  { parse }: ConfigFormat,
  longer: string,
  shorter: string,
  { place, made }: EntryPlace,
): boolean {
  try {
    if (entryOf(parse(longer) ?? {}, place) === undefined) return false;
    const rest = plain(parse(shorter) ?? {});
    // What was there before may go with the entry: TOML has no table without a line of its own.
    return [made, place.keys.length].some((count) =>
      isDeepStrictEqual(plain(valueWithout(parse(longer) ?? {}, place, count)), rest),
    );
  } catch {
    // It is no longer valid.
    return false;
  }
}

interface EntryPlace {
  readonly place: ConfigPlace;
  /** How many of its innermost keys were made for the entry. */
  readonly made: number;
}

function byHand(path: string): OrielError {
  const words = `${quote(path)} cannot be changed without writing it anew, and was left as it is: change its entry oriel by hand.`;
  return new OrielError('UNSUPPORTED', words);
}

function missingKeys(value: unknown, keys: readonly string[]): number {
  let at = value;
  for (const [i, key] of keys.entries()) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return keys.length - i;
    at = at[key];
  }
  return 0;
}

function withEntry(wanted: WantedEntry, found: FoundEntry): { after: string; record: InstallRecord } {
  const { file, format, place } = found;
  const isOld = found.state === 'outdated';
  const old = isOld ? withoutEntry(wanted, found) : file.text;
  const before = old ?? wanted.head ?? '';
  const made = missingKeys(format.parse(before), place.keys);
  const { at, text } = explained(wanted, format, before, () => format.insertion(before, place, wanted.entry));
  const after = before.slice(0, at) + text + before.slice(at);
  if (!isOnly(format, after, before, { place, made })) throw byHand(wanted.path);
  const { host, kind, entry } = wanted;
  // Another entry that was the first there may be taken out before this one.
  const others = installRecords();
  const created = old === undefined || others.some((one) => one.created && one.path === file.path);
  const [directory] = others
    .flatMap((one) => one.directory ?? [])
    .filter((made) => file.path.startsWith(join(made, sep)))
    .toSorted((a, b) => a.length - b.length);
  return {
    after,
    record: {
      host,
      kind,
      path: file.path,
      entry,
      at,
      text,
      hash: hashOf(after),
      made,
      created,
      directory,
    },
  };
}

/** The text without the entry; undefined if the file was made for it and has nothing else. */
function withoutEntry(wanted: WantedEntry, { file, format, place, record }: FoundEntry): string | undefined {
  const before = file.text ?? '';
  const made = record?.made ?? 0;
  const isRight = (text: string): boolean => isOnly(format, before, text, { place, made });
  let after = record ? cutOut(before, record) : before;
  if (!isRight(after)) after = explained(wanted, format, before, () => format.without(before, place, made));
  if (!isRight(after)) throw byHand(wanted.path);
  const isBare = after === wanted.head || /^[\s{}]*$/.test(after);
  return record?.created === true && isBare ? undefined : after;
}

/** The text without what was inserted, where that is certain to be it. */
function cutOut(text: string, { at, text: inserted, hash }: InstallRecord): string {
  if (hashOf(text) === hash) return text.slice(0, at) + text.slice(at + inserted.length);
  const parts = text.split(inserted);
  return parts.length === 2 ? parts.join('') : text;
}

/** How often a change is computed anew because the host wrote its file in the meantime. */
const MAX_TRIES = 5;

/**
 * Puts the entry in, or takes it out, and returns what that changes; undefined if there is nothing to do. With `dry` it only
 * says so, and keeps the text there. Throws an OrielError for a file that cannot be changed.
 */
export async function changeEntry(
  wanted: WantedEntry,
  { remove, dry }: { readonly remove: boolean; readonly dry?: DryTexts | undefined },
): Promise<TextChange | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const found = await findEntry(wanted, dry);
    const { file, state, record } = found;
    const kept = recordPath(file.path, wanted.kind);
    const isTheirs = record === undefined && state !== 'installed';
    if (remove ? state === 'absent' || isTheirs : state === 'installed' || state === 'foreign') {
      if (remove && !dry) rmSync(kept, { force: true });
      return undefined;
    }
    const plan = remove
      ? { after: withoutEntry(wanted, found), record: undefined }
      : withEntry(wanted, found);
    const change = { before: file.text ?? '', after: plan.after };
    if (dry) {
      dry.set(file.path, plan.after);
      return change;
    }
    if (plan.record) {
      const made = makeDirectory(dirname(file.path));
      const directory = plan.record.directory ?? made;
      // Before the file is changed: a kill in between leaves a record too many, which harms nothing.
      makeDirectory(dirname(kept));
      replaceConfigFile(readConfigFile(kept), JSON.stringify({ ...plan.record, directory }));
    }
    if (!replaceConfigFile(file, plan.after)) continue;
    if (remove) rmSync(kept, { force: true });
    if (plan.after === undefined && record?.directory) removeEmpty(dirname(file.path), record.directory);
    return change;
  }
  throw new OrielError(
    'BUSY',
    `${quote(wanted.path)} is being written by another program. Close it, and try again.`,
  );
}
