/** The result of a view: another text, or another selection of the same text. */

import type { TextResource } from '../types/resource.ts';
import type { Selection } from '../types/selection.ts';

export interface Viewed {
  readonly resource: TextResource;
  readonly selection: Selection;
}
