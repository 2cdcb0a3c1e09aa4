/**
 * The source of documents: PDF, Word, PowerPoint, Excel, OpenDocument, RTF and EPUB as Markdown. `report.pdf:p3-5` selects
 * pages, `book.xlsx:Sales:A1:H50` cells, `book.xlsx:Sales?where=…` rows. The implementation is imported with the first
 * document.
 */

import type { Source } from '../types/source.ts';
import { claimsDocument, isNamedDocument } from './document/identify-document.ts';

export const documentSource: Source = {
  kind: 'document',
  claims: claimsDocument,
  holds: isNamedDocument,
  open: async (subject, call) => (await import('./document/open-document.ts')).openDocument(subject, call),
};
