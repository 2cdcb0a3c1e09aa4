/** One document in one call: its conversions as resources. */

import { memoryBytes, readAt } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import { plural } from '../../render/units.ts';
import { quote } from '../../text/visible.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { Notice } from '../../types/notice.ts';
import type { ImageResource, Subject, TextResource } from '../../types/resource.ts';
import type { Selection } from '../../types/selection.ts';
import type { Asked } from './ask.ts';
import { contentOf, sourceOf } from './body.ts';
import { conversionOf, conversions, optionsOf } from './convert.ts';
import type { Order } from './convert-in-child.ts';
import { bookmarksText } from './outline.ts';
import type { Conversion, DocumentFacts, Reply, Want } from './protocol.ts';
import { refused, worded } from './refusal.ts';
import { sheetNotes } from './sheet-notes.ts';

export class DocumentReading {
  readonly subject: Subject;
  readonly opened: OpenedFile;
  readonly call: Call;

  constructor(subject: Subject, opened: OpenedFile, call: Call) {
    this.subject = subject;
    this.opened = opened;
    this.call = call;
  }

  /** The path with the part of it that is read, as the front of further calls. */
  target({ page, password }: Asked, part = ''): string {
    const { typed } = this.subject;
    const secret = password === undefined ? '' : `:password=${encodeURIComponent(password)}`;
    return `${typed}${secret}${page ? `:${pagesText(page)}` : ''}${part}`;
  }

  /** Throws OrielError with the whole sentence. */
  async convert(
    order: Order,
    asked?: Asked,
  ): Promise<Conversion & { readonly reply: Exclude<Reply, { is: 'refused' }> }> {
    const { reply, body } = await this.ask(order);
    if (reply.is !== 'refused') return { reply, body };
    // The password stays in front of another page.
    const absent = asked?.page && {
      page: asked.page.from,
      front: this.target({ ...asked, page: undefined }),
    };
    throw refused(reply, this.subject, absent);
  }

  /** The same with a refusal as it is. */
  ask(order: Order): Promise<Conversion> {
    return conversionOf(this.opened.bytes, order, this.call).catch((error: unknown) => {
      throw worded(error, this.subject);
    });
  }

  async text(asked: Asked, want: Want, selection: Selection, part = ''): Promise<TextResource> {
    const order = orderOf(want, asked);
    const { reply, body } = await this.convert(order, asked);
    if (reply.is !== 'text') throw new TypeError('a text was asked for');
    const { subject, opened } = this;
    const { facts, cut } = reply;
    const base = {
      is: 'text',
      kind: 'document',
      encoding: 'utf-8',
      target: this.target(asked, part),
      editable: false,
      facts: { document: publicFacts(facts) },
      ...(facts.sheets && { sheets: facts.sheets }),
    } as const;
    const { changed } = opened.bytes;
    const front = this.target({ ...asked, page: undefined });
    const listed = selection.mode === 'outline' ? bookmarksText(facts, front) : undefined;
    if (listed !== undefined) {
      return {
        ...base,
        bytes: memoryBytes(listed),
        selection,
        modes: ['outline'],
        name: subject.name,
        display: 'plain',
      };
    }
    const identity = opened.bytes.identity.derive(conversions, optionsOf(order));
    return {
      ...base,
      bytes: { ...sourceOf(body, identity), ...(changed && { changed: changed.bind(opened.bytes) }) },
      selection,
      // For its outline.
      name: `${subject.name}.md`,
      display: 'lines',
      notes: [
        // The cells of a range are all shown.
        ...(want.is === 'sheet' && want.range !== undefined ? [] : sheetNotes(facts.sheets ?? [], front)),
        ...scannedNotes(facts.scanned, front),
        ...attachedNotes(facts, front),
        ...imageNotes(facts, front),
      ],
      ...moreOf(cut, facts.pages, { front, part: want.is === 'images' ? ':images' : '', ...asked.page }),
    };
  }

  /** The list of the embedded images. Throws OrielError (`NOT_FOUND`) where `name` names none. */
  async images(
    asked: Asked,
    { name }: { readonly name?: string },
    selection: Selection,
  ): Promise<TextResource> {
    const front = this.target({ ...asked, page: undefined });
    if (name !== undefined) {
      const next = `${front}:images`;
      const message = `There is no image ${quote(name)}. Use ${quote(next)} for the list.`;
      throw new OrielError('NOT_FOUND', message, { next });
    }
    const list = await this.text(asked, { is: 'images', from: 1, ...asked.page }, selection, ':images');
    const head = Buffer.from(await readAt(list.bytes, 0, 4096)).toString('latin1');
    const first = /^(p\d+-\d+\.png) {2}\d+x/m.exec(head)?.[1];
    if (first === undefined) return { ...list, notes: [] };
    const use = `${front}:images/${first}`;
    return { ...list, notes: [{ kind: 'said', text: `Use ${use} to see the first`, use }] };
  }

  /** Of the page, or of the image with this number in it. */
  async picture(
    asked: Asked,
    page: number,
    { number }: { readonly number?: number },
  ): Promise<ImageResource> {
    const want: Want = { is: 'picture', page, ...(number !== undefined && { image: number }) };
    const { reply, body } = await this.convert(orderOf(want, asked), asked);
    if (reply.is !== 'picture') throw new TypeError('a picture was asked for');
    const what = number === undefined ? `Page ${page}` : `Image ${number} in page ${page}`;
    const text = `${what} of ${quote(this.subject.typed)}${number === undefined ? ' as an image' : ''}`;
    const { mimeType, facts } = reply;
    return {
      is: 'image',
      kind: 'document',
      text,
      image: { mimeType, data: await contentOf(body, this.opened.bytes.identity) },
      facts: { document: publicFacts(facts) },
    };
  }
}

export function orderOf(want: Want, { password }: Asked): Order {
  return { want, ...(password !== undefined && { password }) };
}

/** Sheets that are listed among the facts of an answer, and bytes of them as JSON. */
const MOST_SHEETS = 50;
const MOST_SHEET_BYTES = 8_000;

/** Facts of a bounded size. */
function publicFacts({
  outline: _outline,
  attachments: _attachments,
  sheets,
  ...facts
}: DocumentFacts): DocumentFacts {
  if (!sheets) return facts;
  let bytes = 0;
  const listed = sheets
    .slice(0, MOST_SHEETS)
    .filter((sheet) => (bytes += JSON.stringify(sheet).length) <= MOST_SHEET_BYTES);
  const isCut = listed.length < sheets.length;
  return { ...facts, sheets: listed, ...(isCut && { sheetCount: facts.sheetCount ?? sheets.length }) };
}

function pagesText({ from, to }: { from: number; to?: number }): string {
  return to === undefined ? `p${from}-` : from === to ? `p${from}` : `p${from}-${to}`;
}

/** `from` and `to`: the pages that were asked for, at the end of which the next call ends too. */
function moreOf(
  cut: { readonly page?: number; readonly bytes?: number } | undefined,
  pages: number | undefined,
  asked: { readonly front: string; readonly part: string; readonly from?: number; readonly to?: number },
): { more?: Notice } {
  const { front, part, from = 1, to } = asked;
  if (cut?.page !== undefined) {
    const use = `${front}:${pagesText({ from: cut.page, ...(to !== undefined && { to }) })}${part}`;
    const what = part === '' ? 'were shown' : 'were looked through';
    const shown = from === 1 ? `The pages before ${cut.page}` : `Pages ${from} to ${cut.page - 1}`;
    const text = `${shown} of ${pages ?? 'more'} ${what}. Use ${use} to continue`;
    return { more: { kind: 'said', text, use } };
  }
  if (cut?.bytes === undefined) return {};
  return { more: { kind: 'said', text: `The converted text is cut after ${cut.bytes >> 20} MiB` } };
}

function attachedNotes({ hasAttachments, pages }: DocumentFacts, front: string): Notice[] {
  if (hasAttachments !== true || pages === undefined) return [];
  const use = `${front}:attachments`;
  return [{ kind: 'said', text: `Files may be attached to it. Use ${use} to list them`, use }];
}

function imageNotes({ hasImages, pages }: DocumentFacts, front: string): Notice[] {
  if (hasImages !== true || pages === undefined) return [];
  const use = `${front}:images`;
  return [{ kind: 'said', text: `Images are embedded in it. Use ${use} to list them`, use }];
}

function scannedNotes(pages: readonly number[] | undefined, front: string): Notice[] {
  if (pages === undefined || pages.length === 0) return [];
  const use = `${front}:p${pages[0]}:image`;
  const named = pages.slice(0, 10).join(', ') + (pages.length > 10 ? ', …' : '');
  return [
    {
      kind: 'said',
      text: `${plural(pages.length, 'page')} without a text layer (scanned: ${named}); reading ${pages.length === 1 ? 'it' : 'them'} needs OCR. Use ${use} to see ${pages.length === 1 ? 'it' : 'the first'}`,
      use,
    },
  ];
}
