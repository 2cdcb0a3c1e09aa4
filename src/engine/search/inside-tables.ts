/** The rows of a database as texts: each line of a page of rows is a section, with the call that reads that row. */

import { readAt } from '../../access/bytes.ts';
import type { FileSubject } from '../../sources/archive/container.ts';
import type { Call } from '../../types/call.ts';
import type { TextResource } from '../../types/resource.ts';
import type { InsideText, Section } from './inside-text.ts';

/** Rows of one page. */
const ROWS = 500;

/** Lines above the first row: the names of the columns, and a rule. */
const HEADER_LINES = 2;

/** Every table of the database, page by page, until `isLate`. */
export async function* tableTexts(
  subject: FileSubject,
  isLate: () => boolean,
  call: Call,
): AsyncGenerator<InsideText, void> {
  const list = await openText({ ...subject, rest: '' }, call);
  for (const line of list?.text.toString('utf8').split('\n') ?? []) {
    const [, table, about = ''] = /^(.+) \(([^()]*)\)$/.exec(line) ?? [];
    if (table === undefined || /^shadow|^damaged|^not readable/.test(about)) continue;
    for (let offset: number | undefined = 0; offset !== undefined && !isLate();) {
      const rest: string = `${table}?limit=${ROWS}&offset=${offset}`;
      const page = await openText({ ...subject, rest }, call);
      const shown = page && rowsOf(page.resource);
      if (!page || !shown) break;
      yield {
        source: page.resource.bytes,
        sections: sectionsOf(page.text, `${subject.typed}:${table}`, shown.from),
      };
      offset = page.resource.more ? shown.to : undefined;
    }
  }
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
