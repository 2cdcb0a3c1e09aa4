/** `ls`: the entries of one directory, sorted case-insensitively. */

import { join } from 'node:path';
import { type ListedEntries, withEntries } from '../files/local.ts';
import { sortInTurns } from '../queues/turns.ts';
import { urlOfShown } from '../target/nameable-path.ts';
import { openDirectory } from '../target/open-target.ts';
import type { FileSystemEntry } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { ListRequest } from '../types/request.ts';
import type { ListedEntry, ListResult } from '../types/result.ts';
import { GapsSeen } from '../walk/gaps.ts';
import { checkRange, MAX_PAGE_RESULTS } from './page-bounds.ts';

/** Throws `BAD_INPUT`, `NOT_DIRECTORY` and the errors of opening. */
export async function list(request: ListRequest, call: Call): Promise<ListResult> {
  checkRange(request);
  const { opened } = await openDirectory(request.path ?? '.', call, 'list');
  try {
    return await withEntries(opened, call.signal, (listed) => pageOf(listed, request, opened.path, call));
  } finally {
    await opened.close();
  }
}

async function pageOf(
  { entries, more }: ListedEntries,
  { offset, limit }: ListRequest,
  directory: string,
  call: Call,
): Promise<ListResult> {
  const sorted = await sortInTurns(entries, (entry) => ({ entry, key: entry.name.toLowerCase() }), bySortKey);
  const end = offset + Math.min(limit, MAX_PAGE_RESULTS);
  const page = sorted.slice(offset, end);
  const gaps = new GapsSeen();
  gaps.tooMany = more;
  return {
    kind: 'entries',
    tokens: call.settings.tokens,
    entries: page.map(({ entry }, i) => {
      const use = urlOfShown(entry.name, call, (name) => join(directory, name));
      return { ...marked(entry), use, rank: offset + i };
    }),
    total: sorted.length,
    next: sorted.length > end ? end : undefined,
    gaps: gaps.facts,
    beyond: page.length === 0 && sorted.length > 0 ? sorted.length : undefined,
  };
}

interface Sortable {
  readonly entry: FileSystemEntry;
  readonly key: string;
}

/**
 * Compares by code units, not by locale, so that the order is the same on all machines. Names that differ only in case
 * are compared unchanged.
 */
function bySortKey(a: Sortable, b: Sortable): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.entry.name < b.entry.name ? -1 : 1;
}

/** A link is marked as a link, whatever its target is and even if that does not exist. */
function marked({ name, type, isPrivate }: FileSystemEntry): Omit<ListedEntry, 'rank'> {
  if (type === 'directory') return { path: name, mark: '/', isPrivate };
  return type === 'link' ? { path: name, mark: '@', isPrivate } : { path: name, isPrivate };
}
