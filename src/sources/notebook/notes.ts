/** The notices below the text of a notebook: about damaged cells, and that there are outputs. */

import { plural } from '../../render/units.ts';
import type { Notice } from '../../types/notice.ts';
import type { Notebook } from './read-cells.ts';

/** The most damaged cells that are listed one by one. */
const MOST_NAMED = 5;

export function notesOf(
  { cells, bad, count, trouble }: Notebook,
  pointToOutputs: boolean,
  typed: string,
): Notice[] {
  const notes: Notice[] = [];
  const raw = `${typed}:raw`;
  if (trouble !== undefined) {
    notes.push({ kind: 'said', text: `No cells to show: ${trouble}. Use ${raw} for the JSON`, use: raw });
  }
  if (bad.length > 0) {
    const named = bad.slice(0, MOST_NAMED).map(({ index, why }) => `cell ${index} (${why})`);
    if (bad.length > MOST_NAMED) named.push(`${bad.length - MOST_NAMED} more`);
    const text = `${bad.length} of ${plural(count, 'cell')} left out as damaged: ${named.join(', ')}. Use ${raw} for the JSON`;
    notes.push({ kind: 'said', text, use: raw });
  }
  const have = cells.filter(({ outputCount }) => outputCount > 0).length;
  if (have > 0 && pointToOutputs) {
    const use = `${typed}:outputs`;
    notes.push({
      kind: 'said',
      text: `${have === 1 ? '1 cell has' : `${have} cells have`} outputs. Use ${use} to see them`,
      use,
    });
  }
  return notes;
}

export function noCells(typed: string): Notice {
  const use = `${typed}:raw`;
  return { kind: 'said', text: `The notebook has no cells. Use ${use} for the JSON`, use };
}
