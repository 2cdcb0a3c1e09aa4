/** Owns directory listings: a tree two levels deep, newest first, produced line by line as far as a window needs it. */

import { Identity } from '../identity.ts';
import { age, binarySize } from '../render/units.ts';
import { oneLine } from '../text/visible.ts';
import type { EntryStat, OpenedDirectory } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { Source } from '../types/source.ts';
import { Spool } from '../window/spool.ts';
import { selectionOf } from './file.ts';
import type { IgnoreRules } from './ignore-rules.ts';

const DEPTH = 2;
/** Entries shown of each folder below the root; the root itself is bounded by the budget only. */
const ENTRIES_BELOW_ROOT = 12;
/** Entries looked at in one folder: more cannot be put in order at a bounded cost. */
const ENTRIES_LOOKED_AT = 20_000;
/** Longer listings state no totals: counting them would mean walking them. */
const COUNT_UP_TO = 256 << 10;
const LISTING_CAP = 64 << 20;

export const directorySource: Source = {
  kind: 'directory',
  claims: (subject) => subject.opened.is === 'directory',
  open(subject, call) {
    if (subject.opened.is !== 'directory') throw new TypeError('a directory was claimed that is none');
    const directory = subject.opened;
    const spool = new Spool(encoded(listing(directory, call)), {
      // It shows ages, which change by themselves.
      identity: Identity.once('listing'),
      memory: LISTING_CAP,
      cap: LISTING_CAP,
      overflow: () => call.session.scratch(),
    });
    call.onEnd(() => spool.close());
    return Promise.resolve({
      is: 'text',
      kind: 'directory',
      bytes: spool,
      countUpTo: COUNT_UP_TO,
      encoding: 'utf-8',
      selection: selectionOf(subject),
      target: subject.typed,
      name: subject.name,
      display: 'plain',
      editable: false,
    });
  },
};

async function* encoded(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield Buffer.from(`${line}\n`);
}

async function* listing(directory: OpenedDirectory, call: Call): AsyncGenerator<string> {
  const { rulesFor } = await import('./ignore-rules.ts');
  const rules = await rulesFor(directory.path, call.access);
  let empty = true;
  for await (const line of level(directory, rules, 1, call)) {
    empty = false;
    yield line;
  }
  if (empty) yield '(empty directory)';
}

async function* level(
  directory: OpenedDirectory,
  rules: IgnoreRules,
  depth: number,
  call: Call,
): AsyncGenerator<string> {
  const { entries, more } = await newestFirst(directory, call.signal);
  const shown = depth === 1 ? entries : entries.slice(0, ENTRIES_BELOW_ROOT);
  const indent = '  '.repeat(depth - 1);
  for (const entry of shown) {
    call.signal.throwIfAborted();
    const path = `${directory.path === '/' ? '' : directory.path}/${entry.name}`;
    const isFolder = entry.type === 'directory';
    const ignored = rules.ignores(path, isFolder);
    yield indent + (await describe(entry, ignored, directory, call));
    if (!isFolder || ignored || entry.name === '.git' || depth === DEPTH) continue;
    const inner = await directory.enter(entry.name);
    if (!inner) continue;
    try {
      yield* level(inner, await rules.below(path), depth + 1, call);
    } finally {
      await inner.close();
    }
  }
  if (entries.length > shown.length) yield `${indent}… ${entries.length - shown.length} more`;
  if (more) yield `${indent}… more entries: only ${ENTRIES_LOOKED_AT} of this folder were looked at`;
}

/** Entries by time of change, the newest first; equally new ones by name. */
async function newestFirst(
  directory: OpenedDirectory,
  signal: AbortSignal,
): Promise<{ entries: EntryStat[]; more: boolean }> {
  const { entries, more } = await directory.list(ENTRIES_LOOKED_AT, signal);
  const found: EntryStat[] = [];
  for (let at = 0; at < entries.length; at += 64) {
    signal.throwIfAborted();
    const batch = await Promise.all(entries.slice(at, at + 64).map((entry) => directory.stat(entry.name)));
    // What has vanished since is not listed.
    for (const stat of batch) if (stat) found.push(stat);
  }
  found.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.name < b.name ? -1 : 1));
  return { entries: found, more };
}

async function describe(
  entry: EntryStat,
  ignored: boolean,
  directory: OpenedDirectory,
  call: Call,
): Promise<string> {
  const name = oneLine(entry.name);
  const old = age(call.now() - entry.mtimeMs);
  const marks = [entry.name.startsWith('.') && 'hidden', ignored && 'ignored', SPECIAL[entry.type]].filter(
    Boolean,
  );
  const mark = marks.length > 0 ? `  (${marks.join(', ')})` : '';
  if (entry.type === 'directory') return `${name}/  ${old}${mark}`;
  if (entry.type === 'link') {
    const target = await directory.linkTarget(entry.name);
    return `${name} -> ${target === undefined ? '?' : oneLine(target)}${mark}`;
  }
  return `${name}  ${binarySize(entry.size)}  ${old}${mark}`;
}

const SPECIAL: Partial<Record<EntryStat['type'], string>> = {
  fifo: 'FIFO',
  socket: 'socket',
  device: 'device',
  unknown: 'unknown kind',
};
