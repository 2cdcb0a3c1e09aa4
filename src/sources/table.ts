/** The list of what can be read, in the order in which the sources are asked. */

import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import type { SourceKind, Subject } from '../types/resource.ts';
import type { Source } from '../types/source.ts';
import { archiveSource } from './archive.ts';
import { directorySource } from './directory.ts';
import { fileSource } from './file.ts';
import { imageSource } from './image.ts';
import { notebookSource } from './notebook.ts';
import { artifactScheme } from './schemes/artifact.ts';
import type { Scheme } from './schemes/scheme.ts';
import { sqliteSource } from './sqlite.ts';

/** The last one takes every file. */
export const sources: readonly Source[] = [
  directorySource,
  sqliteSource,
  notebookSource,
  imageSource,
  archiveSource,
  fileSource,
];

/** The source that opens the subject, among `kinds` where they are given. Throws `IS_DIRECTORY` where none does. */
export function sourceFor(subject: Subject, kinds: readonly SourceKind[] | undefined): Source {
  const source = sources.find((known) => (kinds?.includes(known.kind) ?? true) && known.claims(subject));
  if (source) return source;
  throw new OrielError('IS_DIRECTORY', `${quote(subject.typed)} is a directory, not a file.`);
}

const schemes: readonly Scheme[] = [artifactScheme];

/** The scheme of a target like `artifact://3`, and what follows; undefined for paths. */
export function schemeOf(target: string): { scheme: Scheme; rest: string } | undefined {
  const match = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(target);
  const name = match?.[1]?.toLowerCase();
  if (name === undefined || name === 'file') return undefined;
  const scheme = schemes.find((known) => known.name === name);
  if (scheme) return { scheme, rest: match?.[2] ?? '' };
  throw new OrielError(
    'UNSUPPORTED',
    `${quote(`${name}://`)} is not read here. Use a path like src/app.ts, or . for the working directory.`,
    { next: '.' },
  );
}
