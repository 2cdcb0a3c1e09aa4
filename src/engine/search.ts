/**
 * Owns `grep`: ripgrep finds, in two steps (which files, then which lines of the first of them), and what it names
 * is read again through the roots to be shown.
 */

import { basename, dirname, join } from 'node:path';
import { headOf } from '../access/bytes.ts';
import { OrielError } from '../errors.ts';
import { isBinary } from '../sources/type-of-bytes.ts';
import { detectEncoding } from '../text/encoding.ts';
import { quote } from '../text/visible.ts';
import type { OpenedFile } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { SearchRequest } from '../types/request.ts';
import type { MatchedFile, SearchResult } from '../types/result.ts';
import { checkGlob, compileGlob } from '../walk/glob.ts';
import { checkPattern } from './search/bad-regex.ts';
import { fillPage, newPage } from './search/fill-page.ts';
import { matchingFiles } from './search/matching-files.ts';
import type { Page } from './search/page.ts';
import { quoteFiles, quoteLines } from './search/quote.ts';
import { Search } from './search/search-run.ts';
import { checkRange } from './walk/bounds.ts';
import { openTarget, shownBelow, shownTarget } from './walk/open-target.ts';
import { walkFlags } from './walk/rules.ts';
import { withProgress } from './walk/time.ts';

/**
 * The same answer for the same files, whatever the threads do. Throws `BAD_REGEX`, `BAD_INPUT`, `UNSUPPORTED` for
 * containers, and what opening throws.
 */
export async function search(request: SearchRequest, call: Call): Promise<SearchResult> {
  checkPattern(request.pattern);
  checkRange(request);
  const typed = request.path ?? '.';
  const target = await openTarget(typed, call);
  try {
    return await withProgress(call, 'searching', () =>
      target.is === 'file'
        ? searchFile(target, typed, request, call)
        : searchFolder(target.path, typed, request, call),
    );
  } finally {
    await target.close();
  }
}

async function searchFolder(
  dir: string,
  typed: string,
  request: SearchRequest,
  call: Call,
): Promise<SearchResult> {
  const hint = request.glob ? checkGlob(request.glob) : undefined;
  const glob = request.glob ? compileGlob(request.glob) : undefined;
  const run = new Search(request, call, dir, await walkFlags(dir, call.access), glob);
  const page = newPage(request);
  for await (const paths of matchingFiles(run)) {
    await fillPage(page, paths, run);
    if (page.more) break;
  }
  const shown = shownBelow(typed, call);
  const files = await quoteFiles(page.files, call, async (file, room) => {
    const opened = await call.access.open(join(dir, file.path), call.signal);
    call.onEnd(() => opened.close());
    const options = { clip: request.clip, room, signal: call.signal };
    const lines = opened.is === 'file' ? await quoteLines(opened.bytes, file, run, options) : [];
    await opened.close();
    return { path: shown(file.path), lines };
  });
  return {
    ...resultOf(page, run, files, request.offset),
    ...(hint && page.found === 0 && { hint }),
  };
}

async function searchFile(
  file: OpenedFile,
  typed: string,
  request: SearchRequest,
  call: Call,
): Promise<SearchResult> {
  const run = new Search(request, call, dirname(file.path), await encodingFlags(file, typed, call));
  const page = newPage(request);
  await fillPage(page, [basename(file.path)], run);
  const path = shownTarget(typed, call);
  const files = await quoteFiles(page.files, call, async (addressed, room) => {
    const options = { clip: request.clip, room, signal: call.signal };
    return { path, lines: await quoteLines(file.bytes, addressed, run, options) };
  });
  return resultOf(page, run, files, request.offset);
}

function resultOf(page: Page, run: Search, files: readonly MatchedFile[], offset: number): SearchResult {
  const { found, more, seen } = page;
  return {
    is: 'matches',
    files,
    found,
    ...(more && { next: offset + found }),
    ...(found === 0 && seen > 0 && { beyond: seen }),
    gaps: run.gaps.facts,
  };
}

/** How the bytes of a named file are to be read. Throws `UNSUPPORTED` for what is no text. */
async function encodingFlags(file: OpenedFile, typed: string, call: Call): Promise<string[]> {
  const head = await headOf(file.bytes, call.signal);
  const { name, unit, bom } = detectEncoding(head);
  // ripgrep knows the other marks itself.
  if (unit === 2) return bom === 0 ? [`--encoding=${name}`] : [];
  if (unit === 1 && !isBinary(head)) return [];
  throw new OrielError(
    'UNSUPPORTED',
    `${quote(typed)} is not plain text: archives, databases, documents and binary files are not searched inside. Read it instead.`,
    { next: typed },
  );
}
