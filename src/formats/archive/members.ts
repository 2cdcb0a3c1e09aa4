/** The interface of all archive formats: members in stored order, and the bytes of each. */

import { isOrielError, OrielError } from '../../errors.ts';
import { queues } from '../../queues/queue-table.ts';
import type { QueueSlot } from '../../queues/queue.ts';
import { createTurns, sortInTurns } from '../../queues/turns.ts';
import { binarySize } from '../../render/display.ts';
import { validSequence } from '../../text/encoding.ts';
import { HIDDEN, oneLine, percentDecode, percentEncode } from '../../text/visible.ts';
import type { ByteSource, DenyRule, OpenedFile, PrivateNames } from '../../types/access.ts';
import type { SourceSubject } from '../../types/call.ts';
import { archiveLimits } from './limits.ts';

export type MemberType = 'file' | 'directory' | 'symlink' | 'hardlink' | 'fifo' | 'device' | 'other';

export interface ArchiveMember {
  /** The stored name, made printable (below); `/` separates directories; `..` and a leading `/` are kept. */
  readonly name: string;
  readonly type: MemberType;
  /** Unpacked bytes as declared: shown, not trusted. */
  readonly size?: number | undefined;
  /** The printable target of a link: relative to the link's directory for a symlink, to the root for a hard link. */
  readonly link?: string | undefined;
  readonly encrypted?: boolean | undefined;
  /** Whether this is a second name of the member before it. A member with this as its only name takes precedence. */
  readonly alias?: boolean | undefined;
  /** What is wrong with this member, as a clause: "the file ends inside it". */
  readonly trouble?: string | undefined;
  /** The encoding of its name, if that is a guess. */
  readonly guess?: string | undefined;
  /** All names that programs may give it, if they are several: it is private by each of them. */
  readonly names?: readonly string[] | undefined;
  /** The rule that makes it private: it has a name and nothing else. */
  readonly denied?: DenyRule | undefined;
}

export interface ArchiveContainer {
  /** For facts and messages: `zip`, `tar.gz`. */
  readonly format: string;
  /**
   * Yields members in stored order, in batches. Throws OrielError after the last good one: `CORRUPT` for a damaged archive,
   * `LIMIT` at a limit, `ENCRYPTED` if the names are encrypted too.
   */
  entries(signal: AbortSignal): AsyncIterable<readonly ArchiveMember[]>;
  /**
   * Yields the unpacked bytes of a member from `entries` (of this call or an earlier one on the same version). The buffer of a
   * chunk is reused for the next one. Throws OrielError after the last good byte.
   */
  open(member: ArchiveMember, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Bytes of memory that the decoder of this member takes until it ends. */
  working(member: ArchiveMember): number;
  /** A member that is stored without compression, as a part of the archive's bytes; undefined for packed members. */
  inPlace?(member: ArchiveMember, signal: AbortSignal): Promise<ByteSource | undefined>;
}

/**
 * Whether a failure is caused by the packed bytes themselves: then the bytes before it are all that can be had, and are
 * shown and cached. A shortage or a cancellation is not: the next call may get more.
 */
export function isOfTheBytes(error: unknown): error is OrielError {
  return isOrielError(error) && /^(?:CORRUPT|ENCRYPTED|UNSUPPORTED|LIMIT)$/.test(error.code);
}

/** The archive: a file, or a member of another archive. */
export type FileSubject = SourceSubject & { readonly opened: OpenedFile };

export function isFile(subject: SourceSubject): subject is FileSubject {
  return subject.opened.kind === 'file';
}

// The index of an archive: members by path, members without a usable path, and why the list is incomplete.

/** Why a member cannot be read by its path. It is listed with a number and read by that. */
export type MemberOddity = 'outside' | 'nameless' | 'long' | 'shadowed';

interface OddMember {
  readonly why: MemberOddity;
  /** The directory in which it is listed: `""` or `"dir/"`. */
  readonly directory: string;
}

export interface ArchiveContents {
  readonly format: string;
  /** Members in stored order. The number of a member (`%~1` for the first) is its index here plus one. */
  readonly members: readonly ArchiveMember[];
  /** Path below the root → index in `members`. Directories end in `/`. The last of several members with one path wins. */
  readonly byPath: ReadonlyMap<string, number>;
  /** The paths, sorted: the members of a directory are adjacent. */
  readonly sorted: readonly string[];
  /** Members that cannot be read by their path, by index. */
  readonly odd: ReadonlyMap<number, OddMember>;
  /** Why the list of members is incomplete. */
  readonly damage?: OrielError | undefined;
  /** The weight in bytes of memory. */
  readonly weight: number;
}

/** Bytes of a member in addition to its name: its fields, and its entries in the list, the map and the sorted paths. */
const MEMBER_BYTES = 250;

/** Bytes of members that are indexed before the event loop gets control again. */
const AT_ONCE = 256 << 10;

/** Reads the whole index. Throws the error of the container if not even one member could be read. */
export async function readContents(
  container: ArchiveContainer,
  signal: AbortSignal,
): Promise<ArchiveContents> {
  let slot: QueueSlot | undefined;
  const grow = async (members: number): Promise<void> => {
    await nextIndexTurn();
    signal.throwIfAborted();
    if (members > archiveLimits.manyEntries) slot ??= await queues.indexes.acquire({ signal });
  };
  try {
    return await contentsOf(container, grow, signal);
  } finally {
    slot?.release();
  }
}

async function contentsOf(
  container: ArchiveContainer,
  grow: (members: number) => Promise<void>,
  signal: AbortSignal,
): Promise<ArchiveContents> {
  const members: ArchiveMember[] = [];
  const byPath = new Map<string, number>();
  const odd = new Map<number, OddMember>();
  let damage: OrielError | undefined;
  let weight = 0;
  let rested = 0;
  try {
    for await (const batch of container.entries(signal)) {
      signal.throwIfAborted();
      for (const member of batch) {
        if (members.length === archiveLimits.entries) {
          throw new OrielError('LIMIT', `only the first ${archiveLimits.entries} entries are listed`);
        }
        weight += weightOf(member);
        if (weight > archiveLimits.indexBytes) {
          const most = binarySize(archiveLimits.indexBytes);
          throw new OrielError(
            'LIMIT',
            `only the first ${members.length} entries are listed, whose names take ${most}`,
          );
        }
        place(member, members.push(member) - 1, byPath, odd);
      }
      if (weight - rested < AT_ONCE) continue;
      rested = weight;
      await grow(members.length);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isOfTheBytes(error) || members.length === 0) throw error;
    damage = error;
  }
  const sorted = await sortInTurns(
    [...byPath.keys()],
    (path) => path,
    (a, b) => (a < b ? -1 : 1),
    nextIndexTurn,
  );
  return { format: container.format, members, byPath, sorted, odd, weight, damage };
}

/**
 * The index of the archive at `path` without what is private: by the path of a member, or of another member of which it is a hard
 * link.
 */
export async function withoutPrivate(
  contents: ArchiveContents,
  path: string,
  names: PrivateNames,
): Promise<ArchiveContents> {
  const rules = new Map<number, DenyRule>();
  const linked = new Map<number, DenyRule>();
  for (const [at, { name, names: all = [name], type }] of contents.members.entries()) {
    if (at % MEMBERS_AT_ONCE === MEMBERS_AT_ONCE - 1) await nextIndexTurn();
    let rule: DenyRule | undefined;
    for (const one of all) rule ??= names.inside(path, storedName(one), type === 'directory');
    if (!rule) continue;
    rules.set(at, rule);
    linked.set(originalOf(contents, at), rule);
  }
  if (rules.size === 0) return contents;
  const members: ArchiveMember[] = [];
  for (const [at, member] of contents.members.entries()) {
    if (at % MEMBERS_AT_ONCE === MEMBERS_AT_ONCE - 1) await nextIndexTurn();
    const denied = rules.get(at) ?? linked.get(originalOf(contents, at));
    members.push(denied ? { name: member.name, type: member.type, alias: member.alias, denied } : member);
  }
  return { ...contents, members };
}

/** Members whose names are compared with rules before the event loop gets control again. */
const MEMBERS_AT_ONCE = 4_096;

/** The index of the member whose bytes a hard link stands for; its own for all others. */
function originalOf({ members, byPath }: ArchiveContents, at: number): number {
  let original = at;
  for (let hops = 0; hops < archiveLimits.linkHops && members[original]?.type === 'hardlink'; hops += 1) {
    const next = byPath.get((pathParts(members[original]?.link ?? '') ?? []).join('/'));
    if (next === undefined) break;
    original = next;
  }
  return original;
}

function weightOf({ name, names = [], link = '' }: ArchiveMember): number {
  return MEMBER_BYTES + 2 * (name.length + names.join('').length + link.length);
}

function place(
  member: ArchiveMember,
  at: number,
  byPath: Map<string, number>,
  odd: Map<number, OddMember>,
): void {
  const parts = pathParts(member.name);
  const isDirectory = member.type === 'directory';
  if (!parts) odd.set(at, { why: 'outside', directory: '' });
  else if (member.name.length > archiveLimits.nameBytes || parts.length > archiveLimits.nameDepth) {
    odd.set(at, { why: 'long', directory: '' });
  } else if (parts.length === 0) {
    // The root itself, or a file without a name.
    if (!isDirectory) odd.set(at, { why: 'nameless', directory: '' });
  } else if (isDirectory) byPath.set(`${parts.join('/')}/`, at);
  else {
    const path = parts.join('/');
    const other = byPath.get(path);
    const shadowed = member.alias ? at : other;
    if (other !== undefined)
      odd.set(shadowed ?? other, { why: 'shadowed', directory: parentDirectory(path) });
    if (other === undefined || !member.alias) byPath.set(path, at);
  }
}

/** `"a/b.txt"` → `"a/"`, `"b.txt"` → `""`. */
export function parentDirectory(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Yields the immediate children of `directory` (`""` or `"dir/"`), each once. Directories end in `/` and have no index. */
export function* childrenOf(
  contents: ArchiveContents,
  directory: string,
): Generator<{ name: string; at?: number | undefined }> {
  const { sorted, byPath } = contents;
  for (let i = firstAtOrAfter(sorted, directory); i < sorted.length; i += 1) {
    const path = sorted[i] as string;
    if (!path.startsWith(directory)) return;
    if (path === directory) continue;
    const name = path.slice(directory.length);
    const slash = name.indexOf('/');
    if (slash === -1) yield { name, at: byPath.get(path) as number };
    else {
      const inner = name.slice(0, slash + 1);
      yield { name: inner };
      // Skip the content of the directory: `0` is the character after `/`.
      i = firstAtOrAfter(sorted, `${directory}${inner.slice(0, -1)}0`) - 1;
    }
  }
}

export function hasDirectory(contents: ArchiveContents, directory: string): boolean {
  return contents.sorted[firstAtOrAfter(contents.sorted, directory)]?.startsWith(directory) ?? false;
}

function firstAtOrAfter(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as string) < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Converts stored names of members to the paths that are shown and typed. Control and invisible characters are
// percent-encoded, so that every member has a printable path and no name can break a line or control a terminal.

/** Upper half of code page 437, the encoding of zip names without the UTF-8 flag. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;
/** A `%` before two hex digits or `~` would be read as an escape, so it is escaped itself. */
const AMBIGUOUS_PERCENT = /%(?=[0-9A-Fa-f]{2}|~)/g;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `"a\nb"` → `"a%0Ab"`, `"100%41"` → `"100%2541"`. Printable characters are kept, `/` and `:` included. */
export function escapeName(name: string): string {
  if (PLAIN.test(name)) return name;
  const signed = name.replace(AMBIGUOUS_PERCENT, '%25');
  if (oneLine(signed) === signed) return signed;
  const encode = (run: string): string => percentEncode(Buffer.from(run));
  return signed.replace(/[\n\t]+/g, encode).replace(HIDDEN, encode);
}

/** The name that `escapeName` made printable. */
export function storedName(printed: string): string {
  if (!printed.includes('%')) return printed;
  return Buffer.from(percentDecode(printed, (part) => Buffer.from(part))).toString();
}

/**
 * Decodes a stored name: as UTF-8, otherwise by the fallback (an encoding of WHATWG, or cp437), otherwise with invalid
 * bytes percent-encoded one by one.
 */
export function printName(raw: Uint8Array, otherwise?: string): string {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const ascii = bytes.toString('latin1');
  if (PLAIN.test(ascii)) return ascii;
  try {
    return escapeName(strict.decode(raw));
  } catch {
    const fromCp437 = (char: string): string => CP437[char.charCodeAt(0) - 0x80] ?? char;
    if (otherwise === 'cp437') return escapeName(ascii.replace(/[\x80-\xff]/g, fromCp437));
    if (otherwise !== undefined) return escapeName(new TextDecoder(otherwise).decode(raw));
  }
  let name = '';
  let start = 0;
  for (let at = 0; at < bytes.length;) {
    const length = validSequence(bytes, at);
    if (length === 0) {
      name += escapeName(bytes.toString('utf8', start, at)) + percentEncode(bytes.subarray(at, at + 1));
      start = at + 1;
    }
    at += Math.max(1, length);
  }
  return name + escapeName(bytes.toString('utf8', start));
}

/**
 * The printed names that `typed` can mean, the literal one first: `a%41` finds a member with that name before one named `aA`,
 * and `a%20b` finds `a b`.
 */
export function typedForms(typed: string): string[] {
  const forms = [escapeName(typed)];
  if (typed.includes('%')) forms.push(printName(percentDecode(typed, (part) => Buffer.from(part))));
  // Windows separates directories by backslashes.
  if (typed.includes('\\')) forms.push(escapeName(typed.replaceAll('\\', '/')));
  return Array.from(new Set(forms));
}

/** A printed name as a path below the root: `"./a//b/"` → `["a", "b"]`; undefined if `..` leads outside. */
export function pathParts(printed: string): string[] | undefined {
  const parts: string[] = [];
  for (const part of printed.split('/')) {
    if (part === '..') return undefined;
    if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

// Cooperative scheduling for building and searching indexes, in pieces of a few milliseconds.

export const nextIndexTurn: () => Promise<void> = createTurns();
