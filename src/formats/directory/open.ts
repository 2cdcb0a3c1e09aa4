/** Directory listings: a tree two levels deep, newest first. Lines are produced lazily, as far as a window needs them. */

import { dirname, join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { exists } from '../../files/deepest-directory.ts';
import { IgnoreFile, type IgnoreVerdict } from '../../files/glob.ts';
import { Identity } from '../../identity.ts';
import { fileUrl } from '../../render/answers.ts';
import { age, binarySize } from '../../render/display.ts';
import { readAt } from '../../text/bytes.ts';
import { Spool } from '../../text/spool.ts';
import { oneLine } from '../../text/visible.ts';
import type { FileAccess, FileSystemEntryStat, OpenedDirectory } from '../../types/access.ts';
import type { Call, SourceSubject, TextResource } from '../../types/call.ts';
import { selectionOf } from '../text/open.ts';

const DEPTH = 2;
/** The most entries shown of each subdirectory; the root itself is limited only by the budget of the answer. */
const ENTRIES_BELOW_ROOT = 12;
/** The most entries that are read of one directory, because all of them must be sorted. */
const ENTRIES_LOOKED_AT = 20_000;
/** Listings of more than this many bytes have no totals, because counting would need the complete walk. */
const COUNT_UP_TO = 256 << 10;
const LISTING_CAP = 64 << 20;
const UNUSED = '… a .gitignore over 64 KiB is not used: what it names is not marked';
/** Entries that are described before the event loop gets control again. */
const AT_ONCE = 16;

const FORMS = ':outline, a symbol below it (:#name, :#name:refs), or lines of the listing (:50-100, :raw)';

export function openDirectory(subject: SourceSubject, call: Call): TextResource {
  if (subject.opened.kind !== 'directory') throw new TypeError('claimed a subject that is not a directory');
  const directory = subject.opened;
  const leftOut: LeftOut[] = [];
  const spool = new Spool(encoded(listing(directory, subject.typed, call), leftOut), {
    // The identity does not recur, because the listing shows ages.
    identity: Identity.once('listing'),
    memory: LISTING_CAP,
    cap: LISTING_CAP,
    overflow: () => call.session.scratch(),
  });
  call.onEnd(() => spool.close());
  return {
    kind: 'text',
    format: 'directory',
    bytes: spool,
    countUpTo: COUNT_UP_TO,
    encoding: 'utf-8',
    selection: selectionOf(subject, FORMS),
    target: subject.typed,
    name: subject.name,
    display: 'plain',
    editable: false,
    leftOut: ({ start, end }) => leftOut.filter(({ at }) => at >= start && at < end).map(({ use }) => use),
  };
}

interface Row {
  readonly text: string;
  /** The call that shows the entries that this row says were left out. */
  readonly use?: string | undefined;
}

/** A row about left-out entries: its offset in the text (0-based byte), and the call that shows them. */
interface LeftOut {
  readonly at: number;
  readonly use: string;
}

async function* encoded(rows: AsyncIterable<Row>, leftOut: LeftOut[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const { text, use } of rows) {
    if (use !== undefined) leftOut.push({ at, use });
    const line = Buffer.from(`${text}\n`);
    at += line.length;
    yield line;
  }
}

/** `typed` is the form of the directory in paths. */
async function* listing(directory: OpenedDirectory, typed: string, call: Call): AsyncGenerator<Row> {
  const rules = await rulesFor(directory.path, call);
  let empty = true;
  for await (const row of level(directory, typed, rules, 1, call)) {
    empty = false;
    yield row;
  }
  if (empty) yield { text: '(empty directory)' };
  if (rules.unused > 0) yield { text: UNUSED };
}

async function* level(
  directory: OpenedDirectory,
  typed: string,
  rules: IgnoreRules,
  depth: number,
  call: Call,
): AsyncGenerator<Row> {
  const { entries, more } = await newestFirst(directory, rules, call.signal);
  const shown = depth === 1 ? entries : entries.slice(0, ENTRIES_BELOW_ROOT);
  const indent = '  '.repeat(depth - 1);
  for (const [i, entry] of shown.entries()) {
    call.signal.throwIfAborted();
    // Matching long ignore rules against long names takes time.
    if (i % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const path = pathOf(directory, entry);
    const isDirectory = entry.type === 'directory';
    const ignored = await rules.ignores(path, isDirectory);
    yield { text: indent + (await describe(entry, ignored, directory, call)) };
    if (!isDirectory || ignored || entry.name === '.git' || depth === DEPTH) continue;
    const inner = await directory.enter(entry.name);
    if (!inner) continue;
    try {
      const within = await rules.below(path);
      yield* level(inner, nameBelow(typed, entry.name, path), within, depth + 1, call);
      if (within.unused > rules.unused) yield { text: `${indent}  ${UNUSED}` };
    } finally {
      await inner.close();
    }
  }
  if (entries.length > shown.length) {
    yield { text: `${indent}… ${entries.length - shown.length} more. Use ${typed} for all`, use: typed };
  }
  if (more) {
    const what = `only ${ENTRIES_LOOKED_AT} of this directory were looked at`;
    yield { text: `${indent}… more entries: ${what}. Use find with a pattern to see others` };
  }
}

/** The path of the entry `name` in the directory `typed`; `real` is the real path of the entry. */
function nameBelow(typed: string, name: string, real: string): string {
  if (/^file:\/\//i.test(typed) || oneLine(name) !== name) return fileUrl(real);
  if (typed !== '.') return `${typed.replace(/\/$/, '')}/${name}`;
  // Without `./` a leading `~` would be read as the home directory.
  return name.startsWith('~') ? `./${name}` : name;
}

/** Entries written within this time are of the same age: a clone or an unpacked archive is written at once. */
const SAME_AGE_MS = 10_000;

/** What is shown first among entries of the same age, and last: the names of files (as they are) and directories (with a slash). */
const READ_FIRST = [
  /^readme(?:\.|$)/i,
  /^(?:src|source|sources|lib|app|apps|cmd|crates|internal|packages|pkg)\/$/i,
  /^(?:package\.json|cargo\.toml|pyproject\.toml|go\.mod|pom\.xml|composer\.json|gemfile|build\.gradle(?:\.kts)?)$/i,
];
const READ_LAST = /^\.|^(?:[jt]sconfig\b.*|.+\.config\.[a-z]+|.+[.-]lock(?:\.[a-z]+)?|go\.sum)$/i;

function readingOrder({ name, type }: FileSystemEntryStat): number {
  const first = READ_FIRST.findIndex((form) => form.test(type === 'directory' ? `${name}/` : name));
  if (first !== -1) return first;
  return READ_FIRST.length + (READ_LAST.test(name) ? 1 : 0);
}

const pathOf = ({ path }: OpenedDirectory, { name }: FileSystemEntryStat): string =>
  `${path === '/' ? '' : path}/${name}`;

/**
 * Entries by modification time, newest first; those of the same age by what a reader needs first, then by name. What tools write
 * (`.git`, ignored directories such as `node_modules/`) is newest after each build, and therefore last.
 */
async function newestFirst(
  directory: OpenedDirectory,
  rules: IgnoreRules,
  signal: AbortSignal,
): Promise<{ entries: FileSystemEntryStat[]; more: boolean }> {
  const { entries, more } = await directory.list(ENTRIES_LOOKED_AT, signal);
  const found: FileSystemEntryStat[] = [];
  for (let at = 0; at < entries.length; at += 64) {
    signal.throwIfAborted();
    const batch = await Promise.all(entries.slice(at, at + 64).map((entry) => directory.stat(entry.name)));
    // Entries that were removed meanwhile are left out.
    for (const stat of batch) if (stat) found.push(stat);
  }
  const written: FileSystemEntryStat[] = [];
  const read: FileSystemEntryStat[] = [];
  for (const entry of found) {
    const byTools =
      entry.type === 'directory' &&
      (entry.name === '.git' || (await rules.ignores(pathOf(directory, entry), true)));
    (byTools ? written : read).push(entry);
  }
  return { entries: [...ordered(read), ...ordered(written)], more };
}

function ordered(found: FileSystemEntryStat[]): FileSystemEntryStat[] {
  found.sort((a, b) => b.mtimeMs - a.mtimeMs);
  const groups: { order: number; entry: FileSystemEntryStat }[][] = [];
  for (const entry of found) {
    const newest = groups.at(-1)?.[0]?.entry.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (newest - entry.mtimeMs > SAME_AGE_MS) groups.push([]);
    groups.at(-1)?.push({ order: readingOrder(entry), entry });
  }
  return groups.flatMap((group) =>
    group
      .sort((a, b) => a.order - b.order || (a.entry.name < b.entry.name ? -1 : 1))
      .map(({ entry }) => entry),
  );
}

async function describe(
  entry: FileSystemEntryStat,
  ignored: boolean,
  directory: OpenedDirectory,
  call: Call,
): Promise<string> {
  const name = oneLine(entry.name);
  const old = age(call.now() - entry.mtimeMs);
  const marks = [
    entry.name.startsWith('.') && 'hidden',
    ignored && 'ignored',
    entry.isPrivate && 'private',
    SPECIAL[entry.type],
    name !== entry.name && `read ${fileUrl(join(directory.path, entry.name))}`,
  ].filter(Boolean);
  const mark = marks.length > 0 ? `  (${marks.join(', ')})` : '';
  if (entry.type === 'directory') return `${name}/  ${old}${mark}`;
  if (entry.type === 'link') {
    const target = await directory.linkTarget(entry.name);
    return `${name} -> ${target === undefined ? '?' : oneLine(target)}${mark}`;
  }
  return `${name}  ${entry.isPrivate ? '' : `${binarySize(entry.size)}  `}${old}${mark}`;
}

const SPECIAL: Partial<Record<FileSystemEntryStat['type'], string>> = {
  fifo: 'FIFO',
  socket: 'socket',
  device: 'device',
  unknown: 'unknown kind',
};

// Decides which entries a listing marks as ignored, by the `.gitignore` files from the root of the repository down.

/** The most bytes of a `.gitignore`; a larger file is probably not a list of patterns. */
const MAX_GITIGNORE_BYTES = 64 << 10;

/** Characters of rules that are compiled and matched in one step, because this blocks the event loop. */
const PART_CHARACTERS = 4 << 10;

const SLICE_MS = 10;

interface IgnoreRules {
  /** The number of files here and above that were too large to be used. */
  readonly unused: number;
  /** Whether the entry at the absolute `path` is ignored by the rules of the directories above it. */
  ignores(path: string, isDirectory: boolean): Promise<boolean>;
  /** The rules inside the absolute `directory`, including its own file. */
  below(directory: string): Promise<IgnoreRules>;
}

interface Layer {
  readonly directory: string;
  /** The file in parts, the last lines first; undefined if it is too large to be used. */
  readonly parts: readonly IgnoreFile[] | undefined;
}

type Yielder = () => Promise<void>;

function yielderFor(signal: AbortSignal): Yielder {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await setImmediate();
    signal.throwIfAborted();
    began = performance.now();
  };
}

/** The rules inside `directory`: those of its repository, or only its own if it is in none. */
async function rulesFor(
  directory: string,
  { access, signal }: Pick<Call, 'access' | 'signal'>,
): Promise<IgnoreRules> {
  const yielder = yielderFor(signal);
  const chain: string[] = [];
  for (let at = directory; ; at = dirname(at)) {
    chain.unshift(at);
    if (await exists(`${at}/.git`, access)) break;
    if (dirname(at) === at || chain.length > 64) {
      // Not in a repository: only the directory's own file applies.
      chain.splice(0, chain.length, directory);
      break;
    }
  }
  const layers: Layer[] = [];
  for (const at of chain) {
    const layer = await layerOf(at, access, yielder);
    if (layer) layers.push(layer);
  }
  return rulesOf(layers, access, yielder);
}

function rulesOf(layers: readonly Layer[], access: FileAccess, yielder: Yielder): IgnoreRules {
  return {
    unused: layers.filter(({ parts }) => !parts).length,
    async ignores(path, isDirectory) {
      // The deepest file with a matching rule decides.
      for (const { directory, parts = [] } of layers.toReversed()) {
        const inside = relative(directory, path);
        if (inside === '' || inside.startsWith('..')) continue;
        const verdict = await verdictOn(inside.split('/'), isDirectory, parts, yielder);
        if (verdict) return verdict === 'ignored';
      }
      return false;
    },
    async below(directory) {
      const layer = await layerOf(directory, access, yielder);
      return layer ? rulesOf([...layers, layer], access, yielder) : this;
    },
  };
}

/** The verdict of one file. Everything in an ignored directory is ignored; otherwise the last matching line decides. */
async function verdictOn(
  names: readonly string[],
  isDirectory: boolean,
  parts: readonly IgnoreFile[],
  yielder: Yielder,
): Promise<IgnoreVerdict | undefined> {
  for (const i of names.keys()) {
    const last = i === names.length - 1;
    const path = names.slice(0, i + 1).join('/');
    let verdict: IgnoreVerdict | undefined;
    for (const part of parts) {
      verdict = part.verdict(path, !last || isDirectory);
      if (verdict) break;
      await yielder();
    }
    if (last || verdict === 'ignored') return verdict;
  }
  return undefined;
}

async function layerOf(directory: string, access: FileAccess, yielder: Yielder): Promise<Layer | undefined> {
  const opened = await access.open(`${directory}/.gitignore`).catch(() => undefined);
  if (!opened) return undefined;
  try {
    if (opened.kind !== 'file') return undefined;
    if (opened.size > MAX_GITIGNORE_BYTES) return { directory, parts: undefined };
    const text = Buffer.from(await readAt(opened.bytes, 0, MAX_GITIGNORE_BYTES)).toString('utf8');
    const parts: IgnoreFile[] = [];
    for (const part of partsOf(text)) {
      parts.unshift(new IgnoreFile(part));
      await yielder();
    }
    return { directory, parts };
  } finally {
    await opened.close();
  }
}

function* partsOf(text: string): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const end = text.lastIndexOf('\n', from + PART_CHARACTERS);
    const next = end < from ? text.indexOf('\n', from) : end;
    const to = next === -1 || text.length - from <= PART_CHARACTERS ? text.length : next + 1;
    yield text.slice(from, to);
    from = to;
  }
}
