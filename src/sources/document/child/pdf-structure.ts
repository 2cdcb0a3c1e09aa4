/** The structured reading of a PDF by pdf-inspector. It always reads all pages, so it runs once per document. */

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

/** Markdown by page number (1-based). A page depends on the others: headings by size, footers by repetition. */
type Structure = ReadonlyMap<number, string>;

let last: { readonly digest: string; readonly structure: Promise<Structure> } | undefined;

/** The structure of all pages, cached for the last document only. Empty if the inspector fails. */
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
    // The plain reader gives the text.
  }
  return found;
}
