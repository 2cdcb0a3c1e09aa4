/** The rows of a database as texts to search: each row is a section with the call that reads it. */

import { memoryBytes, readAt } from '../../access/bytes.ts';
import { isFault } from '../../access/system-failure.ts';
import { isOrielError } from '../../errors.ts';
import type { FileSubject } from '../../sources/archive/container.ts';
import { type From, type RowTexts, rowTexts } from '../../sources/sqlite/row-texts.ts';
import { utf8 } from '../../text/encoding.ts';
import type { Call } from '../../types/call.ts';
import type { TextResource } from '../../types/resource.ts';
import type { ContainerText, Section } from './text-sections.ts';
import { isLate, mayMatch } from './may-match.ts';
import type { Search } from './search-run.ts';

/** Tables per page of the list of tables. */
const TABLES = 500;

/**
 * Yields the rows of every table of the database until the deadline. Unreadable tables are recorded as gaps. Throws the
 * errors of reading the list of tables.
 */
export async function* tableTexts(
  subject: FileSubject,
  search: Search,
  call: Call,
): AsyncGenerator<ContainerText, void> {
  for (let offset = 0, total = 1; offset < total && !isLate(search);) {
    const rest = offset === 0 ? '' : `?limit=${TABLES}&offset=${offset}`;
    const list = await openText({ ...subject, rest }, call);
    total = (list?.resource.facts?.['tables'] as number | undefined) ?? 0;
    const lines = total === 0 ? [] : (list?.text.toString('utf8').trimEnd().split('\n') ?? []);
    if (lines.length === 0) return;
    offset += lines.length;
    for (const line of lines) {
      // A shadow table contains the data of its virtual table, which is searched itself.
      if (/ \(shadow table\b[^()]*\)$/.test(line)) continue;
      const table = / \(/.test(line) ? line.slice(0, line.lastIndexOf(' (')) : line;
      try {
        yield* rowsOf(subject, table, search, call);
      } catch (error) {
        recordTableGap(error, `${subject.typed}:${table}`, search, call);
      }
    }
  }
}

/** Records a gap for a table that is listed but cannot be read, whatever the reason. */
function recordTableGap(error: unknown, name: string, search: Search, { signal }: Call): void {
  signal.throwIfAborted();
  // At the deadline of the search the failure is expected.
  if (isLate(search)) return;
  if (!isOrielError(error) || isFault(error)) throw error;
  search.gaps.leaveUnread(name);
}

/** The rows of `table` (in the form used in calls), each as the section that its call shows. */
async function* rowsOf(
  subject: FileSubject,
  table: string,
  search: Search,
  call: Call,
): AsyncGenerator<ContainerText, void> {
  const group = `${subject.typed}:${table}`;
  const containing = comparable(search);
  const first: From = { offset: 0, ...(containing !== undefined && { containing }) };
  for (let from: From | undefined = first; from && !isLate(search);) {
    const rows: RowTexts = await rowTexts(subject.opened, table, from, call);
    if (rows.isCut) search.gaps.cut += 1;
    const source = memoryBytes(rows.texts.join(''));
    if (await mayMatch(source, utf8, search, call.signal))
      yield { source, encoding: utf8, sections: sectionsOf(rows, subject.typed, group) };
    from = rows.next;
  }
}

/** The text that a row can show besides its values and column names. */
const NO_VALUE = '<BLOB bytes> <TEXT bytes> NULL null Infinity -Infinity NaN true false';

/** A word that the values of every matching row must contain; undefined if no such word is certain. */
function comparable({ needle, scope, request }: Search): string | undefined {
  // Multi-line matches and context lines also need rows that do not match.
  if (needle === undefined || request.multiline || scope.before + scope.after > 0) return undefined;
  const isWord = /^[\p{L}\p{N}_@.-]{3,}$/u.test(needle) && /[g-z]/i.test(needle.replace(/^[ux]/i, ''));
  return isWord && !NO_VALUE.includes(needle) ? needle : undefined;
}

function sectionsOf({ texts, call }: RowTexts, database: string, group: string): Section[] {
  let [lines, start] = [0, 0];
  return texts.map((text, i) => {
    const section = { path: `${database}:${call(i)}`, group, lines, start };
    start += Buffer.byteLength(text);
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
    return section;
  });
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
