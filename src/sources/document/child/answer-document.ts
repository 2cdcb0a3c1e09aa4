/** Converts the bytes of a document, as a job requests: to text, to tables, or to one of its images or attachments. */

import { truncateText, wholePages } from './truncate-text.ts';
import { bookText } from './book.ts';
import { factsOf, toMarkdown } from './office.ts';
import { detectFormat } from './detect.ts';
import { Parts } from './zip-parts.ts';
import { convertPdf, pictureOf } from './pdf.ts';
import { attachmentOf, listAttachments } from './pdf-attachments.ts';
import { embeddedImage, listImages } from './pdf-images.ts';
import type { Deck } from './deck.ts';
import { deckOf, lostSlide, slideText } from './slides.ts';
import { wordProcessorText } from './word-processor.ts';
import {
  type DocumentFacts,
  type Format,
  isWorkbook,
  type Job,
  Refused,
  type Reply,
  type SheetFacts,
  type SheetRange,
} from '../document-protocol.ts';

interface Converted {
  readonly text: string | Iterable<string>;
  readonly facts: DocumentFacts;
  /** The first page (1-based) that was left out. */
  readonly nextPage?: number;
  readonly without?: string;
  readonly allSheets?: readonly SheetFacts[];
  /** The ranges in the text, as far as it was consumed. */
  readonly ranges?: readonly SheetRange[];
}

/** The reply and its body. What cannot be converted is refused; it never throws. */
export async function answerDocument(job: Job, bytes: Buffer): Promise<{ reply: Reply; body: Uint8Array }> {
  let format: Format | undefined;
  try {
    format = detectFormat(bytes);
    return await convert(job, format, bytes);
  } catch (error) {
    const facts = format && { facts: { format } };
    if (error instanceof Refused) {
      const { why, detail, extent } = error;
      return {
        reply: {
          is: 'refused',
          why,
          ...(detail !== undefined && { detail }),
          ...(extent && { extent }),
          ...facts,
        },
        body: EMPTY,
      };
    }
    return { reply: { is: 'refused', why: 'damaged', ...facts }, body: EMPTY };
  }
}

const EMPTY = new Uint8Array(0);

async function convert(job: Job, format: Format, bytes: Buffer): Promise<{ reply: Reply; body: Uint8Array }> {
  const { want } = job;
  if (format === 'xls') await (await import('./repair-workbook.ts')).loadCodePages(bytes);
  if (want.is === 'picture') {
    if (format !== 'pdf') throw new Refused('absent', `a .${format} file has no pages`);
    const picture =
      want.image === undefined
        ? pictureOf(bytes, want.page, job.password)
        : embeddedImage(bytes, want.page, want.image, job.password);
    const { mimeType, data, width, height, facts } = await picture;
    return { reply: { is: 'picture', mimeType, width, height, facts: { ...facts, format } }, body: data };
  }
  if (want.is === 'tables') {
    if (!isWorkbook(format)) throw new Refused('absent', 'it has no sheets');
    const { tablesOf } = await import('./tables.ts');
    const { data, facts } = await tablesOf(bytes);
    return { reply: { is: 'tables', facts: { ...facts, format } }, body: data };
  }
  if (want.is === 'attachment') {
    refuseOthers(format);
    const { data, facts } = await attachmentOf(bytes, want.number, job.password);
    return { reply: { is: 'attachment', facts: { ...facts, format } }, body: data };
  }
  const { text, facts, nextPage, without, allSheets, ranges } = await toText(job, format, bytes);
  const whole = truncateText(text, job.most);
  const paged = whole.isCut && facts.pages !== undefined ? wholePages(whole.body) : undefined;
  const body = paged?.body ?? whole.body;
  const isCut = whole.isCut && !paged;
  const page = paged?.next ?? nextPage;
  const cut = { ...(page !== undefined && { page }), ...(isCut && { bytes: job.most }) };
  const reply: Reply = {
    is: 'text',
    facts: { ...facts, format },
    ...((page !== undefined || isCut) && { cut }),
    ...(without !== undefined && { without }),
    ...(allSheets && { allSheets }),
    ...(ranges && { ranges }),
  };
  return { reply, body };
}

function refuseOthers(format: Format): void {
  if (format !== 'pdf') throw new Refused('absent', `a .${format} file has no attachments`);
}

async function toText(job: Job, format: Format, bytes: Buffer): Promise<Converted> {
  const { want } = job;
  if (want.is === 'images') {
    if (format !== 'pdf') throw new Refused('absent', `a .${format} file has no pages`);
    return listImages(bytes, want, job.password);
  }
  if (want.is === 'attachments') {
    refuseOthers(format);
    return listAttachments(bytes, job.password);
  }
  if (want.is === 'sheet' || want.is === 'rest') {
    if (!isWorkbook(format)) throw new Refused('absent', 'it has no sheets');
    const { restText, sheetText } = await import('./sheets.ts');
    return want.is === 'sheet' ? sheetText(bytes, want) : restText(bytes);
  }
  switch (format) {
    case 'pdf':
      return convertPdf(bytes, want.is === 'pages' ? want : { from: 1 }, job.password);
    case 'pptx':
    case 'ppt':
    case 'odp':
      return presentation(job, format, bytes);
    default:
  }
  if (want.is === 'pages') throw new Refused('absent', `a .${format} file has no pages`);
  if (isWorkbook(format)) return (await import('./sheets.ts')).workbookText(bytes, format);
  if (format === 'epub') return bookText(bytes);
  return { text: await wordProcessorText(bytes, format), facts: factsOf(Parts.of(bytes)) };
}

async function presentation({ want }: Job, format: Format, bytes: Buffer): Promise<Converted> {
  const facts = factsOf(Parts.of(bytes));
  const deck = await deckOf(bytes, format);
  if (!deck) return { text: await toMarkdown(bytes, format), facts };
  const from = want.is === 'pages' ? want.from : 1;
  if (from > deck.count) {
    throw new Refused('absent', undefined, { of: 'slide', count: deck.count });
  }
  const to = Math.min((want.is === 'pages' && want.to) || deck.count, deck.count);
  return { text: await slides(deck, from, to), facts: { ...facts, slides: deck.count } };
}

/** Throws Refused if there is no slide that can be converted. */
async function slides(deck: Deck, from: number, to: number): Promise<string> {
  const texts: string[] = [];
  const failures: unknown[] = [];
  for (let number = from; number <= to; number += 1) {
    try {
      texts.push(slideText(number, await deck.slide(number), deck.aside?.(number)));
    } catch (error) {
      failures.push(error);
      texts.push(lostSlide(number));
    }
  }
  if (failures.length > 0 && failures.length === texts.length) throw failures[0];
  return texts.join('');
}
