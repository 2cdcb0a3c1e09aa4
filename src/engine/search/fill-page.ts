/** Owns taking matches out of files, in order, until the page of one answer is full. */

import type { SearchRequest } from '../../types/request.ts';
import { MOST_MATCHES } from '../walk/bounds.ts';
import { ADDRESS_FLAGS, addresses } from './addresses.ts';
import { Page } from './page.ts';
import type { Search } from './search-run.ts';

export function newPage({ offset, limit, context }: SearchRequest): Page {
  return new Page({ offset, limit: Math.min(limit, MOST_MATCHES), context });
}

/** Searches the named files (relative to the search's folder) one after the other, in this order. */
export async function fillPage(page: Page, paths: readonly string[], search: Search): Promise<void> {
  for (const portion of portions(paths)) {
    if (page.more) return;
    await fillFrom(portion, page, search);
  }
}

async function fillFrom(paths: readonly string[], page: Page, search: Search): Promise<void> {
  // Which of them are text was decided when they were found: a NUL further on does not end the search of one.
  const flags = [...ADDRESS_FLAGS, '--text', '--threads=1', `--context=${search.context}`];
  const operands = paths.map((path) => `./${path}`);
  for await (const batch of addresses(search.steadily(flags, operands))) {
    for (const address of batch) if (!page.take(address)) return;
  }
}

/** Of one command line. The system's own limit is 128 KiB for a word and far more in all. */
const MOST_OPERANDS = 1000;
const MOST_BYTES = 96 << 10;

function* portions(paths: readonly string[]): Generator<readonly string[]> {
  let portion: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    const length = Buffer.byteLength(path);
    if (portion.length === MOST_OPERANDS || (bytes + length > MOST_BYTES && portion.length > 0)) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(path);
    bytes += length;
  }
  if (portion.length > 0) yield portion;
}
