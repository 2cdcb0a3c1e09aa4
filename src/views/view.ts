/** Owns the choice of another text of a text: what `:conflicts` and its kin show instead of the lines as stored. */

import type { Call } from '../engine/call.ts';
import { OrielError } from '../errors.ts';
import type { Mode, Selection } from '../selector/selection.ts';
import type { NoteResource, TextResource } from '../sources/source.ts';
import { quote } from '../text/visible.ts';

type View = (resource: TextResource, call: Call) => Promise<TextResource | NoteResource>;

const VIEWS: Partial<Record<Mode, () => Promise<View>>> = {
  conflicts: async () => (await import('./conflicts.ts')).conflictsView,
};

/** The resource as the selection's mode shows it. Throws `BAD_SELECTOR` for a mode that this text does not have. */
export async function view(
  resource: TextResource,
  selection: Selection,
  call: Call,
): Promise<TextResource | NoteResource> {
  const { mode } = selection;
  if (mode === undefined || mode === 'raw' || resource.modes?.includes(mode)) return resource;
  const load = VIEWS[mode];
  if (!load) {
    throw new OrielError(
      'BAD_SELECTOR',
      `${quote(resource.target)} has no :${mode}. Use ${quote(resource.target)}, or a range of its lines.`,
      resource.target,
    );
  }
  return (await load())(resource, call);
}
