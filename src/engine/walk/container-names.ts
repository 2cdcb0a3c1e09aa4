/** Recognises containers below a directory, by their names or by their first bytes. */

import { isArchive, isNamedArchive } from '../../sources/archive/formats.ts';
import { isDocument, isNamedDocument } from '../../sources/document/identify-document.ts';
import { isNamedNotebook } from '../../sources/notebook.ts';
import { isNamedDatabase } from '../../sources/sqlite.ts';

export function isContainerName(name: string): boolean {
  return isNamedDocument(name) || isNamedArchive(name) || isNamedNotebook(name) || isNamedDatabase(name);
}

/** Whether `read` shows another text than the one that is stored, or a list. `head` as of a subject. */
export function isContainer(name: string, head: Uint8Array, size: number): boolean {
  return isNamedNotebook(name) || isDocument(name, head) || isArchive(name, head, size);
}
