/** A source: which paths it claims, and how it opens them. One implementation per kind in sources/. */

import type { Call } from './call.ts';
import type { Resource, SourceKind, Subject } from './resource.ts';

export interface Source {
  readonly kind: SourceKind;
  /** Decides by name and head alone: no reading, no guessing. The first source that claims a subject opens it. */
  claims(subject: Subject): boolean;
  /**
   * Whether a file of that name may have more after its path than a selector, `app.db:users`: then a missing path is
   * looked for without it. Absent for sources that have no words of their own.
   */
  holds?(name: string): boolean;
  /**
   * Reads the source's own part of `subject.rest` and answers what it names. Throws OrielError; `BAD_SELECTOR`
   * for words that are neither its own nor the generic tail.
   */
  open(subject: Subject, call: Call): Promise<Resource>;
}
