/** The rows of a database as texts: each line of a page of rows is a section, with the call that reads that row. */

import { readAt } from '../../access/bytes.ts';
import { isFault } from '../../access/failure.ts';
import { isOrielError } from '../../errors.ts';
import type { FileSubject } from '../../sources/archive/container.ts';
import { utf8 } from '../../text/encoding.ts';
import type { Call } from '../../types/call.ts';
import type { TextResource } from '../../types/resource.ts';
import type { InsideText, Section } from './inside-text.ts';
import { isLate, mayMatch } from './may-match.ts';
import type { Search } from './search-run.ts';

/** Rows of one page. */
const ROWS = 500;

/** Lines above the first row: the names of the columns, and a rule. */
const HEADER_LINES = 2;

/** Tables of one page of their list. */
const TABLES = 500;

/**
 * Every table of the database, page by page, until it is late. What cannot be read leaves a gap; throws what reading the
 * list throws.
 */
export async function* tableTexts(
  subject: FileSubject,
  search: Search,
  call: Call,
): AsyncGenerator<InsideText, void> {
  for (let offset = 0, total = 1; offset < total && !isLate(search);) {
    const rest = offset === 0 ? '' : `?limit=${TABLES}&offset=${offset}`;
    const list = await openText({ ...subject, rest }, call);
    total = (list?.resource.facts?.['tables'] as number | undefined) ?? 0;
    const lines = total === 0 ? [] : (list?.text.toString('utf8').trimEnd().split('\n') ?? []);
    if (lines.length === 0) return;
    offset += lines.length;
    for (const line of lines) {
      // A shadow table holds what its virtual table shows.
      if (/ \(shadow table\b[^()]*\)$/.test(line)) continue;
      try {
        yield* rowTexts(
          subject,
          / \(/.test(line) ? line.slice(0, line.lastIndexOf(' (')) : line,
          search,
          call,
        );
      } catch (error) {
        passOverTable(error, search, call);
      }
    }
  }
}

/** A table that is listed and cannot be read is a gap, whatever the reason. */
function passOverTable(error: unknown, { gaps }: Search, { signal }: Call): void {
  signal.throwIfAborted();
  if (!isOrielError(error) || isFault(error)) throw error;
  gaps.unread += 1;
}

/** The rows of a table, as its name stands in calls. */
async function* rowTexts(
  subject: FileSubject,
  table: string,
  search: Search,
  call: Call,
): AsyncGenerator<InsideText, void> {
  const front = `${subject.typed}:`;
  for (let rest: string | undefined = `${table}?limit=${ROWS}`; rest !== undefined && !isLate(search);) {
    const page = await openText({ ...subject, rest }, call);
    const shown = page && rowsOf(page.resource);
    if (!page || !shown) return;
    if (await mayMatch(page.resource.bytes, utf8, search, call.signal)) {
      yield {
        source: page.resource.bytes,
        encoding: utf8,
        sections: sectionsOf(page.text, `${subject.typed}:${table}`, shown.from),
      };
    }
    rest = nextPage(page.resource, front, `${table}?limit=${ROWS}&offset=${shown.to}`);
  }
}

/** What follows the database in the call for the next page; `plain` where the notice has no room for that call. */
function nextPage({ more }: TextResource, front: string, plain: string): string | undefined {
  const use = more && 'use' in more && typeof more.use === 'string' ? more.use : undefined;
  return more && (use?.startsWith(front) ? use.slice(front.length) : plain);
}

async function openText(
  subject: FileSubject,
  call: Call,
): Promise<{ resource: TextResource; text: Buffer } | undefined> {
  const resource = await call.open(subject);
  if (resource.is !== 'text') return undefined;
  const { bytes } = resource;
  return { resource, text: Buffer.from(await readAt(bytes, 0, bytes.size ?? 0, call.signal)) };
}

/** 1-based and inclusive. */
function rowsOf({ facts }: TextResource): { from: number; to: number } | undefined {
  return facts?.['rows'] as { from: number; to: number } | undefined;
}

function sectionsOf(text: Buffer, table: string, from: number): Section[] {
  const sections: Section[] = [];
  let lines = 0;
  for (let start = 0; start < text.length; lines += 1) {
    const row = Math.max(0, lines - HEADER_LINES);
    const path = `${table}?limit=1&offset=${from - 1 + row}`;
    // The row stands below a header of its own where it is read.
    sections.push({ path, group: table, lines: lines < HEADER_LINES ? 0 : row, start });
    const newline = text.indexOf(10, start);
    start = newline === -1 ? text.length : newline + 1;
  }
  return sections;
}
