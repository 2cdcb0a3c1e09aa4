/** The table of sources, in the order in which they are asked. */

import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import type { SourceKind, Subject } from '../types/resource.ts';
import type { Source } from '../types/source.ts';
import { archiveSource } from './archive.ts';
import { directorySource } from './directory.ts';
import { documentSource } from './document.ts';
import { fileSource } from './file.ts';
import { imageSource } from './image.ts';
import { notebookSource } from './notebook.ts';
import { sqliteSource } from './sqlite.ts';

/** The last source claims every file. */
export const sources: readonly Source[] = [
  directorySource,
  sqliteSource,
  notebookSource,
  imageSource,
  documentSource,
  archiveSource,
  fileSource,
];

/** The first source of the given `kinds` (all if undefined) that claims the subject. Throws `IS_DIRECTORY` if none does. */
export function sourceFor(subject: Subject, kinds: readonly SourceKind[] | undefined): Source {
  const source = sources.find((known) => (kinds?.includes(known.kind) ?? true) && known.claims(subject));
  if (source) return source;
  throw new OrielError('IS_DIRECTORY', `${quote(subject.typed)} is a directory, not a file.`);
}
