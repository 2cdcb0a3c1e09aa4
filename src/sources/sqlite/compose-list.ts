/** Formats the list of tables; each line begins with the name by which the table is read. */

import { plural } from '../../render/units.ts';
import type { Limits } from '../../types/limits.ts';
import { MOST_ROWS } from './sqlite-ask.ts';
import { callableName, type Composed, continuation, said } from './row-notices.ts';
import { fitLines } from './row-page.ts';
import type { Answered, Count, ListEntry } from './sqlite-protocol.ts';
import { showName } from './stored-text.ts';

export function composeList(
  { entries, total }: Extract<Answered, { is: 'list' }>,
  offset: number,
  typed: string,
  limits: Limits,
): Composed {
  const facts = { tables: total };
  if (total === 0) return { text: '(no tables)\n', facts, notes: [] };
  const lines = entries.map(lineOf);
  const shown = Math.max(1, fitLines('', lines, limits));
  const next = offset + shown;
  const text = lines.slice(0, shown).join('');
  const isCut = entries.slice(0, shown).some(({ name }) => callableName(name) === undefined);
  const notes = isCut ? [said('Names that end in … are cut; read such a table with ?q=SELECT')] : [];
  if (next >= total) return { text, facts, notes };
  const use = `${typed}?limit=${MOST_ROWS}&offset=${next}`;
  return {
    text,
    facts,
    notes,
    more: continuation(`tables ${offset + 1}-${next} of ${total}`, use, `offset=${next}`),
  };
}

/** The line of a table. A name that is too long for a call is truncated. */
function lineOf(entry: ListEntry): string {
  return `${callableName(entry.name) ?? showName(entry.name)} (${describe(entry)})\n`;
}

/** The description of a table: "12 rows", "view", "virtual table, 3 rows". */
function describe({ type, count, damaged, unreadable }: ListEntry): string {
  const words = type === 'table' ? [] : [type as string];
  if (damaged !== undefined) words.push('damaged');
  else if (unreadable !== undefined) words.push(`not readable: ${showName(unreadable)}`);
  else if (count) words.push(countWords(count));
  else if (type !== 'view') words.push('not counted');
  return words.join(', ');
}

function countWords({ rows, exact }: Count): string {
  return `${exact ? '' : 'at least '}${plural(rows, 'row')}`;
}
