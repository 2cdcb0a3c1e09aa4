/** Converts texts, presentations and books to Markdown with anydoc, and reads the metadata of packages. */

import type { Format as AnydocFormat } from '@firecrawl/anydoc';
import { type DocumentFacts, type Format, Refused } from '../document-protocol.ts';
import { Parts, plainText } from './zip-parts.ts';

type Anydoc = typeof import('@firecrawl/anydoc');

const WHY = {
  encrypted: 'encrypted',
  resourceLimit: 'limit',
  malformed: 'damaged',
  missingPart: 'damaged',
  unsupported: 'damaged',
  io: 'damaged',
} as const;

/** Throws Refused. */
export async function toMarkdown(bytes: Uint8Array, format: Format): Promise<string> {
  const { toMarkdownBytes } = await anydoc();
  try {
    return await toMarkdownBytes(bytes, NAMES[format] ?? (format as AnydocFormat));
  } catch (error) {
    const { code = 'malformed', message } = error as { code?: keyof typeof WHY; message: string };
    throw new Refused(WHY[code] ?? 'damaged', code === 'resourceLimit' ? message : undefined);
  }
}

/** anydoc uses one name for all Excel formats. */
const NAMES: Partial<Record<Format, AnydocFormat>> = {
  xls: 'xlsx' as AnydocFormat,
  xlsb: 'xlsx' as AnydocFormat,
};

function anydoc(): Promise<Anydoc> {
  return import('@firecrawl/anydoc').catch(() => {
    throw new Refused('missing', '@firecrawl/anydoc');
  });
}

const DUBLIN = {
  title: /<dc:title\b[^>]*>([\s\S]*?)<\/dc:title>/i,
  author: /<dc:creator\b[^>]*>([\s\S]*?)<\/dc:creator>/i,
  created: /<(?:dcterms:created|meta:creation-date)\b[^>]*>([^<]*)</i,
} as const;

/** Title, author and date from the document's metadata. */
export function factsOf(parts: Parts | undefined): DocumentFacts {
  const xml = parts?.text('docProps/core.xml') ?? parts?.text('meta.xml') ?? '';
  return known(Object.entries(DUBLIN).map(([name, pattern]) => [name, pattern.exec(xml)?.[1]]));
}

export function known(pairs: readonly (readonly [string, string | undefined])[]): DocumentFacts {
  const said = pairs.map(([name, value]) => [name, plainText(value ?? '').slice(0, 300)] as const);
  return Object.fromEntries(said.filter(([, value]) => value !== '')) as DocumentFacts;
}
