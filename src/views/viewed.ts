/** What a view hands on: another text, or another part of the same. */

import type { TextResource } from '../types/resource.ts';
import type { Selection } from '../types/selection.ts';

export interface Viewed {
  readonly resource: TextResource;
  readonly selection: Selection;
}
