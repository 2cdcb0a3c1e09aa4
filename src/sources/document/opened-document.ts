/** One document within one call; gives its conversions as resources. */

import { memoryBytes, readAt } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { ImageResource, RestOfText, Subject, TextResource } from '../../types/resource.ts';
import type { Selection } from '../../types/selection.ts';
import { writeSegment } from '../sqlite/row-address.ts';
import type { Asked } from './document-ask.ts';
import { contentOf, sourceOf } from './converted-body.ts';
import { conversionOf, conversions, optionsOf } from './convert-document.ts';
import type { Order } from './convert-in-child.ts';
import { documentNotes, moreOf, outlineNotes, pagesText, tailNotes } from './document-notes.ts';
import { bookmarksText } from './bookmarks.ts';
import type { Conversion, DocumentFacts, Reply, SheetRange, Want } from './document-protocol.ts';
import { refused, worded } from './document-refusal.ts';
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

  /** The path of the part that is read, to which further calls append their selectors. */
  target({ page, password }: Asked, part = ''): string {
    const { typed } = this.subject;
    const secret = password === undefined ? '' : `:password=${encodeURIComponent(password)}`;
    return `${typed}${secret}${page ? `:${pagesText(page)}` : ''}${part}`;
  }

  /** Converts the document. Throws OrielError with a complete message, also for a refusal. */
  async convert(
    order: Order,
    asked?: Asked,
  ): Promise<Conversion & { readonly reply: Exclude<Reply, { is: 'refused' }> }> {
    const { reply, body } = await this.ask(order);
    if (reply.is !== 'refused') return { reply, body };
    // The suggested call keeps the password.
    const absent = asked?.page && {
      page: asked.page.from,
      front: this.target({ ...asked, page: undefined }),
    };
    throw refused(reply, this.subject, absent);
  }

  /** The same, but a refusal is returned and not thrown. */
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
        notes: outlineNotes(facts, front),
      };
    }
    const identity = opened.bytes.identity.derive(conversions, optionsOf(order));
    const shown = { front, selection, isList: want.is === 'images', ...asked.page };
    return {
      ...base,
      bytes: { ...sourceOf(body, identity), ...(changed && { changed: changed.bind(opened.bytes) }) },
      selection,
      // The extension `.md` selects the outline parser of Markdown.
      name: `${subject.name}.md`,
      display: 'lines',
      notes: [
        // A range of cells is always shown completely.
        ...(want.is === 'sheet' && want.range !== undefined ? [] : sheetNotes(facts.sheets ?? [], front)),
        ...documentNotes(reply, front, asked.page),
        ...tailNotes(reply, shown),
      ],
      ...(want.is === 'whole' && isShownInPart(facts) && { rest: () => this.rest(asked) }),
      ...moreOf(cut, facts.pages, shown),
    };
  }

  /** The rows of large sheets that the text of the whole document leaves out. */
  async rest(asked: Asked): Promise<RestOfText> {
    const order = orderOf({ is: 'rest' }, asked);
    const { reply, body } = await this.convert(order, asked);
    const { ranges = [], cut } = reply as Extract<Reply, { is: 'text' }>;
    const part = ({ sheet, range, lines, start }: SheetRange): RestOfText['parts'][number] => ({
      target: this.target(asked, `:${writeSegment(sheet)}:${range}`),
      lines,
      start,
    });
    return {
      bytes: sourceOf(body, this.opened.bytes.identity.derive(conversions, optionsOf(order))),
      parts: ranges.map(part),
      isCut: cut !== undefined,
    };
  }

  /** The list of embedded images. If `name` is set, it is not the name of an image: throws OrielError (`NOT_FOUND`). */
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

  /** The picture of a page (1-based), or image `number` (1-based) on it. */
  async picture(
    asked: Asked,
    page: number,
    { number }: { readonly number?: number },
  ): Promise<ImageResource> {
    const want: Want = { is: 'picture', page, ...(number !== undefined && { image: number }) };
    const { reply, body } = await this.convert(orderOf(want, asked), asked);
    if (reply.is !== 'picture') throw new TypeError('a picture was asked for');
    const what = number === undefined ? `Page ${page}` : `Image ${number} in page ${page}`;
    const { mimeType, width, height, facts } = reply;
    const shown = `${width}x${height} pixels, ${mimeType}`;
    const text = `${what} of ${quote(this.subject.typed)}${number === undefined ? ' as an image' : ''} (${shown})`;
    return {
      is: 'image',
      kind: 'document',
      text,
      image: { mimeType, data: await contentOf(body, this.opened.bytes.identity) },
      facts: { document: publicFacts(facts) },
    };
  }
}

/** Whether a sheet is shown in part. Assumed if there are too many sheets to list all. */
function isShownInPart({ sheets = [], sheetCount }: DocumentFacts): boolean {
  return sheetCount !== undefined || sheets.some(({ shown }) => shown !== undefined);
}

export function orderOf(want: Want, { password }: Asked): Order {
  return { want, ...(password !== undefined && { password }) };
}

/** The most sheets in the facts of an answer, and their most bytes as JSON. */
const MOST_SHEETS = 50;
const MOST_SHEET_BYTES = 8_000;

/** The facts for an answer, with a bounded size. */
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
