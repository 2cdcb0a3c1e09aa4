/** The index of an archive: members by path, members without a usable path, and why the list is incomplete. */

import { OrielError } from '../../errors.ts';
import type { Slot } from '../../queues/queue.ts';
import { queues } from '../../queues/queue-table.ts';
import { binarySize } from '../../render/units.ts';
import { sortInTurns } from '../../text/sort-in-turns.ts';
import { type Container, isOfTheBytes, type Member } from './container.ts';
import { archiveLimits } from './archive-limits.ts';
import { pathParts } from './member-names.ts';
import { nextTurn } from './index-turns.ts';

/** Why a member cannot be read by its path. It is listed with a number and read by that. */
export type Oddity = 'outside' | 'nameless' | 'long' | 'shadowed';

interface Odd {
  readonly why: Oddity;
  /** The directory in which it is listed: `""` or `"dir/"`. */
  readonly directory: string;
}

export interface Contents {
  readonly format: string;
  /** Members in stored order. The number of a member (`%~1` for the first) is its index here plus one. */
  readonly members: readonly Member[];
  /** Path below the root → index in `members`. Directories end in `/`. The last of several members with one path wins. */
  readonly byPath: ReadonlyMap<string, number>;
  /** The paths, sorted: the members of a directory are adjacent. */
  readonly sorted: readonly string[];
  /** Members that cannot be read by their path, by index. */
  readonly odd: ReadonlyMap<number, Odd>;
  /** Why the list of members is incomplete. */
  readonly damage?: OrielError;
  /** The weight in bytes of memory. */
  readonly weight: number;
}

/** Bytes of a member in addition to its name: its fields, and its entries in the list, the map and the sorted paths. */
const MEMBER_BYTES = 250;

/** Bytes of members that are indexed before the event loop gets control again. */
const AT_ONCE = 256 << 10;

/** Reads the whole index. Throws the error of the container if not even one member could be read. */
export async function readContents(container: Container, signal: AbortSignal): Promise<Contents> {
  let slot: Slot | undefined;
  const grow = async (members: number): Promise<void> => {
    await nextTurn();
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
  container: Container,
  grow: (members: number) => Promise<void>,
  signal: AbortSignal,
): Promise<Contents> {
  const members: Member[] = [];
  const byPath = new Map<string, number>();
  const odd = new Map<number, Odd>();
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
    nextTurn,
  );
  return { format: container.format, members, byPath, sorted, odd, weight, ...(damage ? { damage } : {}) };
}

function weightOf({ name, link = '' }: Member): number {
  return MEMBER_BYTES + 2 * (name.length + link.length);
}

function place(member: Member, at: number, byPath: Map<string, number>, odd: Map<number, Odd>): void {
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
    if (other !== undefined) odd.set(shadowed ?? other, { why: 'shadowed', directory: directoryOf(path) });
    if (other === undefined || !member.alias) byPath.set(path, at);
  }
}

/** `"a/b.txt"` → `"a/"`, `"b.txt"` → `""`. */
export function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Yields the immediate children of `directory` (`""` or `"dir/"`), each once. Directories end in `/` and have no index. */
export function* childrenOf(contents: Contents, directory: string): Generator<{ name: string; at?: number }> {
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

export function hasDirectory(contents: Contents, directory: string): boolean {
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
