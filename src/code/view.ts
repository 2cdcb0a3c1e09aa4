/** Selects the view for a mode: the text that `:conflicts` or `:outline` shows instead of the stored lines. */

import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import type { Call, NoteResource, TextResource } from '../types/call.ts';
import type { Selection, SelectionMode } from '../types/excerpt.ts';
import type { TextView } from './text-input.ts';

type View = (resource: TextResource, selection: Selection, call: Call) => Promise<TextView | NoteResource>;

const VIEWS: Partial<Record<SelectionMode, () => Promise<View>>> = {
  conflicts: async () => {
    const { conflictsView } = await import('./conflicts.ts');
    return async (resource, selection, call) => {
      const shown = await conflictsView(resource, call);
      return shown.kind === 'note' ? shown : { resource: shown, selection };
    };
  },
  outline: async () => (await import('./outline-view.ts')).outlineView,
};

/**
 * Applies the mode or symbol of the selection, which is not one that the text itself has. Returns the resulting text, and the rest of the selection. Throws
 * `BAD_SELECTOR` for a mode that the text does not support.
 */
export async function view(
  resource: TextResource,
  selection: Selection,
  call: Call,
): Promise<TextView | NoteResource> {
  const { mode, symbol } = selection;
  if (symbol !== undefined && mode !== 'outline') {
    return (await import('./outline-view.ts')).symbolView(resource, selection, call);
  }
  const load = mode && VIEWS[mode];
  if (!load) {
    throw new OrielError(
      'BAD_SELECTOR',
      `${quote(resource.target)} has no :${mode}. Use ${quote(resource.target)}, or a range of its lines.`,
      { next: resource.target },
    );
  }
  return (await load())(resource, selection, call);
}
