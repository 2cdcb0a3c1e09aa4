/** The index of a work tree: what the next commit will have, and how each file was when it was added. It is read, not written. */

import type { BigIntStats } from 'node:fs';
import { OrielError } from '../errors.ts';
import type { GitRepository } from './objects.ts';
import { filesBelow, kindOfMode, type ReadTree, type TreeEntry } from './trees.ts';

// Source: gitformat-index(5), versions 2 to 4.

const MAX_INDEX_BYTES = 256 << 20;
const MAX_INDEX_ENTRIES = 400_000;

/** Byte offsets in an entry. */
const MODE = 24;
const ID = 40;
const FLAGS = { assumed: 0x8000, extended: 0x4000, stage: 0x3000 } as const;
const EXTENDED_FLAGS = { skipped: 0x4000, intended: 0x2000 } as const;

/** The stats of a file when it was added, each modulo 2^32; 0 if they are unknown. Times in seconds, and nanoseconds of the second. */
interface StoredStats {
  readonly changed: readonly [seconds: number, nanoseconds: number];
  readonly modified: readonly [seconds: number, nanoseconds: number];
  readonly ino: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
}

export class IndexEntry {
  /** Latin-1, separated by `/`. */
  readonly path: string;
  /** 0; in a conflict 1 for the common ancestor, 2 for ours, 3 for theirs. */
  readonly stage: number;
  /** Changes in the work tree are not looked for: `git update-index --assume-unchanged`. */
  readonly isAssumed: boolean;
  /** It is not in the work tree (a sparse checkout), or changes of it are not looked for. */
  readonly isSkipped: boolean;
  /** Added by `git add --intent-to-add`: without content. */
  readonly isIntended: boolean;
  readonly #bytes: Buffer;
  readonly #at: number;

  constructor(path: string, bytes: Buffer, at: number, flags: number, extended: number) {
    this.path = path;
    this.stage = (flags & FLAGS.stage) >> 12;
    this.isAssumed = (flags & FLAGS.assumed) !== 0;
    this.isSkipped = (extended & EXTENDED_FLAGS.skipped) !== 0;
    this.isIntended = (extended & EXTENDED_FLAGS.intended) !== 0;
    this.#bytes = bytes;
    this.#at = at;
  }

  get mode(): number {
    return this.#bytes.readUInt32BE(this.#at + MODE);
  }

  /** `idBytes`: the size of its id. */
  entry(idBytes: number): TreeEntry {
    const mode = this.mode.toString(8).padStart(6, '0');
    const id = this.#bytes.subarray(this.#at + ID, this.#at + ID + idBytes);
    return { name: this.path.slice(this.path.lastIndexOf('/') + 1), mode, kind: kindOfMode(mode), id };
  }

  get stats(): StoredStats {
    const field = (offset: number): number => this.#bytes.readUInt32BE(this.#at + offset);
    return {
      changed: [field(0), field(4)],
      modified: [field(8), field(12)],
      ino: field(20),
      uid: field(28),
      gid: field(32),
      size: field(36),
    };
  }

  /** Whether all stats are those of the index. More is compared than git does: then the content decides. */
  isUnchanged(found: BigIntStats): boolean {
    const { stats } = this;
    const low = (value: bigint): number => Number(value & 0xffff_ffffn);
    const isTime = ([seconds, nanoseconds]: readonly [number, number], ns: bigint): boolean =>
      seconds === low(ns / 1_000_000_000n) && nanoseconds === Number(ns % 1_000_000_000n);
    return (
      stats.size === low(found.size) &&
      isTime(stats.modified, found.mtimeNs) &&
      isTime(stats.changed, found.ctimeNs) &&
      stats.ino === low(found.ino) &&
      stats.uid === low(found.uid) &&
      stats.gid === low(found.gid)
    );
  }
}

export interface GitIndex {
  /** In the order of their paths and stages. */
  readonly entries: readonly IndexEntry[];
  /** When it was written, in milliseconds since the epoch: a file of the same second, or a later one, may have changed since. */
  readonly timeMs: number;
}

/** No entries if there is no index. Throws OrielError if it cannot be used, and `UnreadableObject`. */
export function readIndex(repository: GitRepository): GitIndex {
  const file = repository.stored('index', MAX_INDEX_BYTES, 'git');
  if (!file) return { entries: [], timeMs: 0 };
  if (!file.bytes) throw unsupported(`it has more than ${MAX_INDEX_BYTES >> 20} MiB`, 'LIMIT');
  const entries = parseIndex(file.bytes, repository.idBytes, (id) => repository.read(id));
  return { entries, timeMs: file.mtimeMs };
}

const SPLIT = 'it is split, as by git update-index --split-index';

function parseIndex(bytes: Buffer, idBytes: number, read: ReadTree): IndexEntry[] {
  const version = bytes.length < 12 ? 0 : bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version === 0) throw corrupt();
  if (version < 2 || version > 4) throw unsupported(`its version is ${version}`);
  const count = bytes.readUInt32BE(8);
  if (count > MAX_INDEX_ENTRIES) throw unsupported(`it says that it has ${count} entries`, 'LIMIT');
  const entries: IndexEntry[] = [];
  const end = bytes.length - idBytes;
  let at = 12;
  let before: IndexEntry | undefined;
  for (let i = 0; i < count; i += 1) {
    const flagsAt = at + ID + idBytes;
    if (flagsAt + 4 > end) throw corrupt();
    const flags = bytes.readUInt16BE(flagsAt);
    const isExtended = version > 2 && (flags & FLAGS.extended) !== 0;
    const extended = isExtended ? bytes.readUInt16BE(flagsAt + 2) : 0;
    const from = flagsAt + (isExtended ? 4 : 2);
    const { front, start } = version === 4 ? frontAt(bytes, from, before) : { front: '', start: from };
    const zero = bytes.indexOf(0, start);
    if (zero === -1 || zero >= end) throw corrupt();
    const entry = new IndexEntry(front + bytes.toString('latin1', start, zero), bytes, at, flags, extended);
    // What replaces an entry of the shared part has no path.
    if (entry.path === '') throw unsupported(SPLIT);
    if (!isUsable(entry, before)) throw corrupt();
    entries.push(entry);
    before = entry;
    // Entries of older versions are padded with 1 to 8 NULs to a multiple of 8 bytes.
    at = version === 4 ? zero + 1 : at + ((zero - at + 8) & ~7);
  }
  const isSparse = checkExtensions(bytes, at, end);
  return isSparse ? expanded(entries, idBytes, read) : entries;
}

/** The common beginning with the path before, whose other bytes are counted. */
function frontAt(
  bytes: Buffer,
  from: number,
  before: IndexEntry | undefined,
): { readonly front: string; readonly start: number } {
  const { path } = before ?? { path: '' };
  let start = from;
  let byte = bytes[start++] ?? 0;
  let removed = byte & 0x7f;
  for (let i = 0; byte & 0x80 && i < 4; i += 1) {
    byte = bytes[start++] ?? 0;
    removed = (removed + 1) * 128 + (byte & 0x7f);
  }
  if (removed > path.length) throw corrupt();
  return { front: path.slice(0, path.length - removed), start };
}

/** Paths stay inside the work tree, and ascend. */
function isUsable({ path, stage, mode }: IndexEntry, before: IndexEntry | undefined): boolean {
  const names = (mode === 0o040000 ? path.replace(/\/$/, '') : path).split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || /^\.git$/i.test(name)))
    return false;
  return !before || before.path < path || (before.path === path && before.stage < stage);
}

/** Whether the index is sparse. Throws if one must be understood and is not: its name begins with a small letter. */
function checkExtensions(bytes: Buffer, from: number, end: number): boolean {
  let isSparse = false;
  for (let at = from; at + 8 <= end;) {
    const name = bytes.toString('latin1', at, at + 4);
    if (name === 'link') throw unsupported(SPLIT);
    if (name === 'sdir') isSparse = true;
    else if (/^[^A-Z]/.test(name)) throw unsupported(`its part ${JSON.stringify(name)} is unknown`);
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return isSparse;
}

/** The entries of a sparse index with the files of its directories, none of which are in the work tree. */
function expanded(entries: readonly IndexEntry[], idBytes: number, read: ReadTree): IndexEntry[] {
  const found: IndexEntry[] = [];
  for (const one of entries) {
    if (one.mode !== 0o040000) found.push(one);
    else {
      for (const { path, mode, id } of filesBelow(read, one.entry(idBytes).id, one.path)) {
        const stored = Buffer.alloc(ID + idBytes);
        stored.writeUInt32BE(Number.parseInt(mode, 8), MODE);
        id.copy(stored, ID);
        found.push(new IndexEntry(path, stored, 0, 0, EXTENDED_FLAGS.skipped));
      }
    }
    if (found.length > MAX_INDEX_ENTRIES)
      throw unsupported(`it has more than ${MAX_INDEX_ENTRIES} entries`, 'LIMIT');
  }
  return found;
}

function corrupt(): OrielError {
  return new OrielError('CORRUPT', 'The index of this repository is damaged. Use git://HEAD or git://log.', {
    next: 'git://HEAD',
  });
}

function unsupported(why: string, code: 'UNSUPPORTED' | 'LIMIT' = 'UNSUPPORTED'): OrielError {
  const message = `The index of this repository is not read: ${why}. Use git://HEAD or git://log.`;
  return new OrielError(code, message, { next: 'git://HEAD' });
}
