/** Recognises containers below a directory, by their names or by their first bytes. */

import { isArchive, isNamedArchive } from '../../sources/archive/formats.ts';
import { isDocument, isNamedDocument } from '../../sources/document/identify-document.ts';
import { isNamedNotebook } from '../../sources/notebook.ts';
import { isNamedDatabase } from '../../sources/sqlite.ts';

export function isContainerName(name: string): boolean {
  return isNamedDocument(name) || isNamedArchive(name) || isNamedNotebook(name) || isNamedDatabase(name);
}

/** Whether `read` shows a converted text or a list instead of the stored bytes. `head` is the first `HEAD_BYTES` bytes. */
export function isContainer(name: string, head: Uint8Array, size: number): boolean {
  return isNamedNotebook(name) || isDocument(name, head) || isArchive(name, head, size);
}
