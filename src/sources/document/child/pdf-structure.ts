/** The structured reading of a PDF, by pdf-inspector: it looks at all pages for any, and is asked once for a document. */

import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

type Inspector = typeof import('@firecrawl/pdf-inspector');

export const INSPECTOR = '@firecrawl/pdf-inspector';

/** Undefined if it is not installed, or not for this platform. */
export function inspector(): Inspector | undefined {
  try {
    return createRequire(import.meta.url)(INSPECTOR) as Inspector;
  } catch {
    return undefined;
  }
}

/** Markdown by page number. What a page is alone depends on the others: headings by their size, footers by repetition. */
type Structure = ReadonlyMap<number, string>;

let last: { readonly digest: string; readonly structure: Promise<Structure> } | undefined;

/** Of all pages; of the document before this one it is forgotten. Nothing if the inspector fails. */
export function structureOf(library: Inspector, bytes: Buffer): Promise<Structure> {
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (last?.digest !== digest) last = { digest, structure: inspect(library, bytes) };
  return last.structure;
}

async function inspect(library: Inspector, bytes: Buffer): Promise<Structure> {
  const found = new Map<number, string>();
  try {
    const { pages } = await library.extractPagesMarkdownAsync(bytes);
    for (const { page, markdown } of pages) found.set(page + 1, markdown);
  } catch {
    // The other reader has its text.
  }
  return found;
}
