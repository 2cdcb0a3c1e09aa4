/** The structured reading of a PDF by pdf-inspector. It always reads all pages, so it runs once per document. */

type Inspector = typeof import('@firecrawl/pdf-inspector');

export const INSPECTOR = '@firecrawl/pdf-inspector';

/** Undefined if it is not installed, or not for this platform. */
export function inspector(): Promise<Inspector | undefined> {
  return import('@firecrawl/pdf-inspector').catch(() => undefined);
}

/** Markdown by page number (1-based). A page depends on the others: headings by size, footers by repetition. */
type Structure = ReadonlyMap<number, string>;

/** The structure of all pages. Empty if the inspector fails. */
export async function structureOf(library: Inspector, bytes: Buffer): Promise<Structure> {
  const found = new Map<number, string>();
  try {
    const { pages } = await library.extractPagesMarkdownAsync(bytes);
    for (const { page, markdown } of pages) found.set(page + 1, markdown);
  } catch {
    // The plain reader gives the text.
  }
  return found;
}
