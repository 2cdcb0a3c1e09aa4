/** Refuses `:conflicts` for listings, tables and binaries. */

import { textInput } from '../code/text-input.ts';
import { OrielError } from '../errors.ts';
import { typeOfBytes } from '../formats/text/open.ts';
import { quote, useSentence } from '../text/visible.ts';
import type { Call, SourceKind, TextResource } from '../types/call.ts';

const NAMES: Readonly<Record<SourceKind, string>> = {
  file: 'not a text',
  directory: 'a directory',
  archive: 'a listing of an archive',
  sqlite: 'a database',
  image: 'an image',
  notebook: 'a notebook',
  document: 'a document',
  internal: 'not a text',
  web: 'a page of the web',
};

/** Throws `UNSUPPORTED` if `:conflicts` does not apply to the resource. */
export async function refuseConflicts(resource: TextResource, call: Call): Promise<void> {
  const { target, display, bytes, encoding, kind } = resource;
  const stored = encoding === 'stored';
  const type = stored
    ? await typeOfBytes(bytes, (await textInput(resource, call)).encoding, call.signal)
    : undefined;
  if (display === 'lines' && type === undefined) return;
  const what = type === undefined ? NAMES[kind] : `binary (${type})`;
  throw new OrielError(
    'UNSUPPORTED',
    `${quote(target)} is ${what}: :conflicts is for text with merge conflicts. ${useSentence(target)}`,
    { next: target },
  );
}
