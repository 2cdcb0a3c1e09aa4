/** The interface of a source: which paths it claims, and how it opens them. Each kind is implemented in sources/. */

import type { Call } from './call.ts';
import type { Resource, SourceKind, Subject } from './resource.ts';

export interface Source {
  readonly kind: SourceKind;
  /**
   * Decides by the name and the head only, without reading. The first source that claims a subject opens it.
   */
  claims(subject: Subject): boolean;
  /**
   * Whether something else than a selector may follow a file of that name, as in `app.db:users`. Then the path is also
   * tried without it. Absent for sources without such a syntax.
   */
  holds?(name: string): boolean;
  /**
   * Parses the source's own part of `subject.rest` and opens what it names. Throws OrielError, and
   * `BAD_SELECTOR` for text that is neither its own nor a generic selector.
   */
  open(subject: Subject, call: Call): Promise<Resource>;
}
