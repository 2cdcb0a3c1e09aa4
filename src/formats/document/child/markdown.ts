/** Converts texts, presentations and books to Markdown with anydoc, and reads the metadata of packages. */

import type { Format as AnydocFormat } from '@firecrawl/anydoc';
import {
  type DocumentFacts,
  type DocumentFormat,
  DocumentRefusal,
  type SheetFacts,
  type SheetRange,
  type UnshownFacts,
} from '../protocol.ts';
import { restoreRaised } from './repairs/anydoc-raised-text.ts';
import { plainText, ZipParts } from './zip-parts.ts';

/** A document as text. */
export interface ConvertedText {
  readonly text: string | Iterable<string>;
  readonly facts: DocumentFacts;
  /** The first page (1-based) that was left out. */
  readonly nextPage?: number | undefined;
  /** The name of an optional package that is not installed and might give a better text. */
  readonly without?: string | undefined;
  readonly allSheets?: readonly SheetFacts[] | undefined;
  /** The ranges in the text, as far as it was consumed. */
  readonly ranges?: readonly SheetRange[] | undefined;
}

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
export async function convertToMarkdown(bytes: Uint8Array, format: DocumentFormat): Promise<string> {
  const { toMarkdownBytes } = await anydoc();
  try {
    return restoreRaised(await toMarkdownBytes(bytes, format as AnydocFormat));
  } catch (error) {
    const { code = 'malformed', message } = error as { code?: keyof typeof WHY | undefined; message: string };
    throw new DocumentRefusal(WHY[code] ?? 'damaged', code === 'resourceLimit' ? message : undefined);
  }
}

function anydoc(): Promise<Anydoc> {
  return import('@firecrawl/anydoc').catch(() => {
    throw new DocumentRefusal('missing', '@firecrawl/anydoc');
  });
}

const DUBLIN = {
  title: /<dc:title\b[^>]*>([\s\S]*?)<\/dc:title>/i,
  author: /<dc:creator\b[^>]*>([\s\S]*?)<\/dc:creator>/i,
  created: /<(?:dcterms:created|meta:creation-date)\b[^>]*>([^<]*)</i,
} as const;

/** Title, author and date from the document's metadata. */
export function packageFacts(parts: ZipParts | undefined): DocumentFacts {
  const xml = parts?.text('docProps/core.xml') ?? parts?.text('meta.xml') ?? '';
  return knownFacts(Object.entries(DUBLIN).map(([name, pattern]) => [name, pattern.exec(xml)?.[1]]));
}

export function knownFacts(pairs: readonly (readonly [string, string | undefined])[]): DocumentFacts {
  const said = pairs.map(([name, value]) => [name, plainText(value ?? '').slice(0, 300)] as const);
  return Object.fromEntries(said.filter(([, value]) => value !== '')) as DocumentFacts;
}

// Carries comments, headers and footers through a converter that would lose them: as marked text before, restored after.

/** Delimiters of a comment during conversion. They are Unicode noncharacters, which do not occur in texts. */
const COMMENT = { open: '\ufdd0', close: '\ufdd1' } as const;

/** Delimiters of a header or footer. */
export const MARGIN = { open: '\ufdd2', close: '\ufdd3' } as const;

const COMMENTS = /( ?)\ufdd0([^\ufdd0\ufdd1]*)\ufdd1([\p{L}\p{N}]*)/gu;
const MARGINS = /\n*\ufdd2([^\ufdd2\ufdd3]*)\ufdd3\n*/g;

/** A comment between its delimiters; `by` (the author) may be empty. */
export function comment(by: string, text: string): string {
  return `${COMMENT.open}${by === '' ? '' : ` by ${by}`}: ${text}${COMMENT.close}`;
}

export interface MarginSection {
  readonly title: string;
  readonly lines: readonly string[];
}

export const HEADS_AND_FEET = 'Headers and footers';

/** Restores comments after the words that they refer to, and appends headers, footers and `sections` at the end. */
export function restoreTexts(markdown: string, sections: readonly MarginSection[] = []): string {
  if (sections.every(({ lines }) => lines.length === 0) && !/[\ufdd0-\ufdd3]/.test(markdown)) return markdown;
  const margins = [...markdown.matchAll(MARGINS)].map((match) => match[1] ?? '');
  const text = markdown
    .replace(MARGINS, '\n')
    .replace(COMMENTS, (_, before: string, said: string, rest: string, at: number) => {
      const isFirst = before === '' && (at === 0 || markdown[at - 1] === '\n');
      return `${rest && before}${rest}${isFirst && rest === '' ? '' : ' '}[comment${said}]`;
    })
    .replace(/[\ufdd0-\ufdd3]/g, '');
  const all = [...sections, { title: HEADS_AND_FEET, lines: margins }];
  return [text.trimEnd(), ...all.map(sectionText)].filter((part) => part !== '').join('\n\n') + '\n';
}

/** Empty without lines. */
export function sectionText({ title, lines }: MarginSection): string {
  const said = [...new Set(lines.map((line) => line.replace(/\s+/g, ' ').trim()))];
  return said.length === 0 ? '' : `## ${title}\n\n${said.map((line) => `- ${line}`).join('\n')}`;
}

// The mark lines that divide a text into pages and slides. Content that looks like a mark is escaped.

export function markOf(kind: 'page' | 'slide', number: number): string {
  return `--- ${kind} ${number} ---\n\n`;
}

/** Escapes lines of the content that look like a mark with a backslash, as Markdown escapes signs. */
export function unmarked(content: string): string {
  return content.replace(/^(?=--- (?:page|slide) \d+ ---$)/gm, '\\');
}

// A presentation, slide by slide.

export interface SlideDeck {
  readonly count: number;
  /** The Markdown of slide `number`, 1-based. */
  slide(number: number): Promise<string>;
  /** What is not in its Markdown; absent for formats in which it is not known. */
  aside?(number: number): SlideAside;
}

export interface SlideAside {
  readonly isHidden: boolean;
  readonly comments: readonly { readonly by: string; readonly text: string }[];
  /** Its header, footer and fixed date, and those of its notes: `footer: Draft`. */
  readonly margins: readonly string[];
  readonly unshown: readonly UnshownFacts[];
  /** Descriptions of pictures and targets of links that are not in its Markdown. */
  readonly texts?: readonly string[];
}

export const MAX_SLIDES = 5_000;
