/** Decides which files are documents: by the first bytes, and by the name if the bytes are ambiguous. */

import type { SourceSubject } from '../../types/call.ts';
import { isNamedArchive } from '../archive/detect.ts';
import { isStoredPage, xmlKind } from './protocol.ts';

const NAMES = /\.(?:pdf|do[ct][xm]?|pp[ts][xm]?|pot[xm]?|xl[st][xmb]?|xlsb|rtf|f?od[tsp]|ot[tsp]|epub)$/i;

/** Programs give these names to pages that they export. */
const OFFICE_NAMES = /\.(?:do[ct]|xl[st]|p[po]t)[xm]?$/i;

const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');

export function isNamedDocument(name: string): boolean {
  return NAMES.test(name);
}

export function isDocument({ name, head }: Pick<SourceSubject, 'name' | 'head'>): boolean {
  if (head.length === 0) return false;
  const named = NAMES.test(name);
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 1024));
  const front = start.toString('latin1', 0, 5);
  // Junk may precede the header of a PDF. It is searched for only if the name says PDF.
  if (front === '%PDF-' || (named && /\.pdf$/i.test(name) && start.includes('%PDF-'))) return true;
  if (front === '{\\rtf') return true;
  if (front.startsWith('PK')) return named || (!isNamedArchive(name) && isPackage(start));
  if (start[0] === COMPOUND[0] && start.subarray(0, COMPOUND.length).equals(COMPOUND))
    return named || !/\.[a-z0-9]+$/i.test(name);
  if (named && xmlKind(head)) return true;
  if (OFFICE_NAMES.test(name) && isStoredPage(head)) return true;
  // Other text with such a name is text.
  return named && !isText(head);
}

/** Whether the first member of a zip is one that document packages begin with. */
function isPackage(start: Buffer): boolean {
  const name = start.toString('latin1', 30, 140);
  return /^(?:\[Content_Types\]\.xml|_rels\/\.rels|docProps\/|word\/|xl\/|ppt\/|mimetypeapplication\/(?:epub|vnd\.oasis))/.test(
    name,
  );
}

function isText(head: Uint8Array): boolean {
  // A table in UTF-16 named `.xls` is text.
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return true;
  return head.every((byte) => byte >= 32 || byte === 9 || byte === 10 || byte === 13 || byte === 12);
}
