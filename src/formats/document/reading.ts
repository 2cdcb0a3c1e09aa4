/** One document within one call; gives its conversions as resources. */

import { type ErrorCode, isOrielError, OrielError } from '../../errors.ts';
import { installCommand } from '../../files/package-files.ts';
import { plural } from '../../render/display.ts';
import { memoryBytes, readAt } from '../../text/bytes.ts';
import { quote } from '../../text/visible.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { Call, ImageResource, RestOfText, SourceSubject, TextResource } from '../../types/call.ts';
import type { Selection } from '../../types/excerpt.ts';
import { readRaster } from '../image/decode.ts';
import { MAX_SHOWN_IMAGE_BYTES } from '../image/limits.ts';
import type { ShownImage } from '../image/protocol.ts';
import { writeSegment } from '../sqlite/stored-text.ts';
import { conversionOptions, type ConversionOrder, conversions, convertDocument } from './convert.ts';
import { contentOf, sourceOf } from './converted.ts';
import {
  bookmarksText,
  documentNotes,
  moreOf,
  outlineNotes,
  pagesText,
  sheetNotes,
  tailNotes,
} from './notices.ts';
import type {
  DocumentConversion,
  DocumentExtent,
  DocumentFacts,
  DocumentPart,
  DocumentRefusalReason,
  DocumentReply,
  SheetRange,
} from './protocol.ts';
import type { DocumentSelector } from './select.ts';

export class DocumentReading {
  readonly subject: SourceSubject;
  readonly opened: OpenedFile;
  readonly call: Call;

  constructor(subject: SourceSubject, opened: OpenedFile, call: Call) {
    this.subject = subject;
    this.opened = opened;
    this.call = call;
  }

  /** The path of the part that is read, to which further calls append their selectors. */
  target({ page, password }: DocumentSelector, part = ''): string {
    const { typed } = this.subject;
    const secret = password === undefined ? '' : `:password=${encodeURIComponent(password)}`;
    return `${typed}${secret}${page ? `:${pagesText(page)}` : ''}${part}`;
  }

  /** Converts the document. Throws OrielError with a complete message, also for a refusal. */
  async convert(
    order: ConversionOrder,
    asked?: DocumentSelector,
  ): Promise<DocumentConversion & { readonly reply: Exclude<DocumentReply, { kind: 'refused' }> }> {
    const { reply, body } = await this.ask(order);
    if (reply.kind !== 'refused') return { reply, body };
    // The suggested call keeps the password.
    const absent = asked?.page && {
      page: asked.page.from,
      front: this.target({ ...asked, page: undefined }),
    };
    throw documentError(reply, this.subject, absent);
  }

  /** The same, but a refusal is returned and not thrown. */
  ask(order: ConversionOrder): Promise<DocumentConversion> {
    return convertDocument(this.opened.bytes, order, this.call).catch((error: unknown) => {
      throw explainDocumentError(error, this.subject);
    });
  }

  async text(
    asked: DocumentSelector,
    want: DocumentPart,
    selection: Selection,
    part = '',
  ): Promise<TextResource> {
    const order = orderOf(want, asked);
    const { reply, body } = await this.convert(order, asked);
    if (reply.kind !== 'text') throw new TypeError('a text was asked for');
    const { subject, opened } = this;
    const { facts, cut } = reply;
    const base = {
      kind: 'text',
      format: 'document',
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
    const identity = opened.bytes.identity.derive(conversions, conversionOptions(order));
    const shown = { front, selection, isList: want.kind === 'images', ...asked.page };
    const { sheets = [], sheetCount } = facts;
    // Assumed if there are too many sheets to list all.
    const isPart = sheetCount !== undefined || sheets.some((sheet) => sheet.shown !== undefined);
    return {
      ...base,
      bytes: { ...sourceOf(body, identity), ...(changed && { changed: changed.bind(opened.bytes) }) },
      selection,
      // The extension `.md` selects the outline parser of Markdown.
      name: `${subject.name}.md`,
      display: 'lines',
      notes: [
        // A range of cells is always shown completely.
        ...(want.kind === 'sheet' && want.range !== undefined ? [] : sheetNotes(sheets, front)),
        ...documentNotes(reply, front, asked.page),
        ...tailNotes(reply, shown),
      ],
      rest: want.kind === 'whole' && isPart ? () => this.rest(asked) : undefined,
      ...moreOf(cut, facts.pages, shown),
    };
  }

  /** The rows of large sheets that the text of the whole document leaves out. */
  async rest(asked: DocumentSelector): Promise<RestOfText> {
    const order = orderOf({ kind: 'rest' }, asked);
    const { reply, body } = await this.convert(order, asked);
    const { ranges = [], cut } = reply as Extract<DocumentReply, { kind: 'text' }>;
    const part = ({ sheet, range, lines, start }: SheetRange): RestOfText['parts'][number] => ({
      target: this.target(asked, `:${writeSegment(sheet)}:${range}`),
      lines,
      start,
    });
    return {
      bytes: sourceOf(body, this.opened.bytes.identity.derive(conversions, conversionOptions(order))),
      parts: ranges.map(part),
      isCut: cut !== undefined,
    };
  }

  /** The list of embedded images. If `name` is set, it is not the name of an image: throws OrielError (`NOT_FOUND`). */
  async images(
    asked: DocumentSelector,
    { name }: { readonly name?: string | undefined },
    selection: Selection,
  ): Promise<TextResource> {
    const front = this.target({ ...asked, page: undefined });
    if (name !== undefined) {
      const next = `${front}:images`;
      const message = `There is no image ${quote(name)}. Use ${quote(next)} for the list.`;
      throw new OrielError('NOT_FOUND', message, { next });
    }
    const list = await this.text(asked, { kind: 'images', from: 1, ...asked.page }, selection, ':images');
    const head = Buffer.from(await readAt(list.bytes, 0, 4096)).toString('latin1');
    const first = /^(p\d+-\d+\.png) {2}\d+x/m.exec(head)?.[1];
    if (first === undefined) return { ...list, notes: [] };
    const use = `${front}:images/${first}`;
    return { ...list, notes: [{ kind: 'said', text: `Use ${use} to see the first`, use }] };
  }

  /** The picture of a page (1-based), or image `number` (1-based) on it. */
  async picture(
    asked: DocumentSelector,
    page: number,
    { number }: { readonly number?: number | undefined },
  ): Promise<ImageResource> {
    const want: DocumentPart = { kind: 'picture', page, image: number };
    const { reply, body } = await this.convert(orderOf(want, asked), asked);
    if (reply.kind !== 'picture') throw new TypeError('a picture was asked for');
    const what = number === undefined ? `Page ${page}` : `Image ${number} in page ${page}`;
    const png = await contentOf(body, this.opened.bytes.identity);
    const { mimeType, data, width, height } = await this.#shown(png, reply);
    const shown = `${width}x${height} pixels, ${mimeType}`;
    const text = `${what} of ${quote(this.subject.typed)}${number === undefined ? ' as an image' : ''} (${shown})`;
    return {
      kind: 'image',
      format: 'document',
      text,
      image: { mimeType, data },
      facts: { document: publicFacts(reply.facts) },
    };
  }

  /** A copy within the limits of a shown image, if the picture has too many bytes. */
  async #shown(
    png: Uint8Array,
    size: { readonly width: number; readonly height: number },
  ): Promise<Omit<ShownImage, 'from'>> {
    if (png.length <= MAX_SHOWN_IMAGE_BYTES) return { mimeType: 'image/png', data: png, ...size };
    const { shown, refused } = await readRaster(memoryBytes(png), 'png', 'picture', this.call.signal);
    if (shown) return shown;
    throw cannotRead(refused?.code ?? 'CORRUPT', refused?.why ?? 'its picture is damaged', this.subject);
  }
}

export function orderOf(want: DocumentPart, { password }: DocumentSelector): ConversionOrder {
  return { want, password };
}

/** The most sheets in the facts of an answer, and their most bytes as JSON. */
const MAX_FACTS_SHEETS = 50;
const MAX_FACTS_SHEETS_BYTES = 8_000;

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
    .slice(0, MAX_FACTS_SHEETS)
    .filter((sheet) => (bytes += JSON.stringify(sheet).length) <= MAX_FACTS_SHEETS_BYTES);
  const isCut = listed.length < sheets.length;
  return { ...facts, sheets: listed, ...(isCut && { sheetCount: facts.sheetCount ?? sheets.length }) };
}

// The error messages for documents that cannot be read.

type DocumentRefusalReply = Extract<DocumentReply, { kind: 'refused' }>;

const CODES: Readonly<Record<DocumentRefusalReason, ErrorCode>> = {
  encrypted: 'ENCRYPTED',
  password: 'ENCRYPTED',
  damaged: 'CORRUPT',
  old: 'UNSUPPORTED',
  unknown: 'CORRUPT',
  limit: 'LIMIT',
  absent: 'OUT_OF_RANGE',
  missing: 'UNSUPPORTED',
  unsupported: 'UNSUPPORTED',
};

/**
 * The error for a refusal of the child process, with a next call if there is one. `asked` is the requested page and the
 * path in front of it.
 */
export function documentError(
  refusal: DocumentRefusalReply,
  subject: Pick<SourceSubject, 'typed' | 'name'>,
  asked: { readonly page: number; readonly front: string } | undefined,
): OrielError {
  const { why, detail, extent, facts } = refusal;
  const { typed } = subject;
  if (why === 'absent' && asked) return noPage(asked.page, extent, asked.front);
  const isPdf = facts?.format === 'pdf';
  const said = detail === undefined ? undefined : quote(detail);
  const clause = {
    encrypted: isPdf
      ? `it is encrypted and needs a password. Use ${quote(typed)}:password=PASSWORD`
      : said
        ? `it is encrypted by ${said}. Open it with the program for which it was obtained`
        : 'it is encrypted with a password. Save a copy without a password and read that',
    password: `it is encrypted and this is not its password. Use ${quote(typed)}:password=PASSWORD`,
    damaged: `it is damaged or truncated${said ? ` (${said})` : ''}. Get the file again, or ask for a copy in another format`,
    old: `it is a ${said ?? 'legacy'} document, a format older than Office 97 that is not supported. Save it as a newer format and read that`,
    unknown: `its format is not known${said ? ` (${said})` : ''}, or corrupt. Check its type with the command \`file\``,
    limit: `it is over a limit of its converter${said ? `: ${said}` : ''}. Read a part of it, or split it`,
    absent: `${said ?? 'it has no such part'}. Use ${quote(typed)}`,
    missing: `that needs the optional package ${said ?? ''}, which is not installed${why === 'missing' ? ` (${installCommand([said ?? ''])})` : ''}`,
    unsupported: (said ?? 'it cannot be converted here') + instead(extent, asked),
  }[why];
  return cannotRead(CODES[why], clause, subject);
}

/** The advice for an image that cannot be decoded: show the picture of its page. */
function instead(
  extent: DocumentExtent | undefined,
  asked: { readonly page: number; readonly front: string } | undefined,
): string {
  if (extent?.of !== 'image' || !asked) return '';
  return `. Use ${quote(`${asked.front}:p${asked.page}:image`)} to see its page`;
}

/** The error for a page beyond the end, or in a document without pages. The document itself is fine. */
function noPage(page: number, extent: DocumentExtent | undefined, typed: string): OrielError {
  if (extent?.of === 'image') {
    const list = `${typed}:p${page}:images`;
    const has = `page ${page} of ${quote(typed)} has ${plural(extent.count, 'embedded image')}`;
    return new OrielError('OUT_OF_RANGE', `There is no such image: ${has}. Use ${quote(list)}.`, {
      next: list,
    });
  }
  const next = extent ? `${typed}:p${extent.count}` : typed;
  const what = extent?.of === 'slide' ? 'Slide' : 'Page';
  const why = extent ? `has ${plural(extent.count, extent.of)}` : 'has no pages';
  const message = `${what} ${page} does not exist: ${quote(typed)} ${why}. Use ${quote(next)}.`;
  return new OrielError('OUT_OF_RANGE', message, { next });
}

/** The message in the form `[Cannot read .pdf file: …]`. */
function cannotRead(
  code: ErrorCode,
  clause: string,
  { typed, name }: Pick<SourceSubject, 'typed' | 'name'>,
  cause?: unknown,
  next = code === 'OUT_OF_RANGE' ? typed : undefined,
): OrielError {
  const extension = /\.[a-z0-9]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? 'this';
  return new OrielError(code, `[Cannot read ${extension} file: ${clause}.]`, { next, cause });
}

/** Turns the clause of a failed conversion into a complete error message. */
function explainDocumentError(error: unknown, subject: Pick<SourceSubject, 'typed' | 'name'>): unknown {
  if (!isOrielError(error) || (error.code !== 'LIMIT' && error.code !== 'CORRUPT')) return error;
  const list = ZIPPED.test(subject.name) ? `${subject.typed}:/` : undefined;
  const advice = list ? `Use ${quote(list)} to list the files in it` : 'Convert it with another program';
  return cannotRead(error.code, `${error.message}. ${advice}`, subject, error, list);
}

/** Formats that are zip archives: their files can be read one by one. */
const ZIPPED = /\.(?:docx|pptx|xlsx|xlsb|odt|ods|odp|epub)$/i;
