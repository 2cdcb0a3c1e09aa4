/** Reads a document: its text, pages or slides, a sheet, cells, rows, or the picture of a page. */

import { isOrielError, OrielError } from '../../errors.ts';
import { privateFile } from '../../files/deny-rules.ts';
import { everything, isSelector, notASelector, parseBehind } from '../../selector/selection.ts';
import { memoryBytes, readAt } from '../../text/bytes.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import type { DenyRule } from '../../types/access.ts';
import type { Call, Resource, SourceSubject } from '../../types/call.ts';
import type { Selection } from '../../types/excerpt.ts';
import { formatOf } from '../archive/detect.ts';
import { enterContainer } from '../archive/limits.ts';
import { readArchive } from '../archive/open.ts';
import { presentMember } from '../archive/render.ts';
import { inPlace } from '../archive/unpack.ts';
import { selectionOf } from '../text/open.ts';
import { conversionOptions, conversions } from './convert.ts';
import { sourceOf } from './converted.ts';
import type { AttachmentFacts, DocumentPart } from './protocol.ts';
import { DocumentReading, orderOf } from './reading.ts';
import { type DocumentSelector, parseDocumentSelector } from './select.ts';
import { missingSheet, openSheet } from './workbook.ts';

export async function openDocument(subject: SourceSubject, call: Call): Promise<Resource> {
  const { opened } = subject;
  if (opened.kind !== 'file') throw new TypeError('a directory was claimed as a document');
  const document = new DocumentReading(subject, opened, call);
  const pdf = isPdf(subject.head);
  const asked = parseDocumentSelector(subject.rest, { isPdf: pdf });
  if (asked.page && !pdf) {
    // In a workbook `P3` is a cell, or may be the name of a sheet.
    const sheet = await openSheet(
      document,
      parseDocumentSelector(subject.rest, { isPdf: false, hasPages: false }),
    );
    if (sheet) return sheet;
  }
  if (asked.page?.from === 0) throw noPageZero(subject);
  if (asked.page && !pdf && (asked.picture || asked.imageList)) throw noPictures(subject);
  if (asked.page !== undefined && asked.picture)
    return document.picture(asked, asked.page.from, asked.picture);
  if (asked.attachment) return openAttachment(document, asked, asked.attachment);
  if (asked.imageList)
    return document.images(
      asked,
      asked.imageList,
      documentSelection(asked, document.target(asked, ':images')),
    );
  if (asked.tail === '' || isSelector(asked.tail)) {
    // A sheet may have the same name as a selector.
    const sheet = asked.tail === '' || asked.page ? undefined : await openSheet(document, asked);
    return sheet ?? document.text(asked, wantOf(asked), documentSelection(asked, document.target(asked)));
  }
  const sheet = asked.page ? undefined : await openSheet(document, asked);
  if (sheet) return sheet;
  // The parts and images of a package are members of a zip.
  if (formatOf(subject.head) === 'zip' && asked.page === undefined) {
    if (asked.tail.toLowerCase() === 'images') return listMedia(subject, call);
    return readArchive(subject, call).catch(async (error: unknown) => {
      if (!isOrielError(error) || error.code !== 'NOT_FOUND') throw error;
      throw (await missingSheet(document, asked)) ?? error;
    });
  }
  const noSheet = asked.page ? undefined : await missingSheet(document, asked);
  if (noSheet) throw noSheet;
  const selection = parseBehind(document.target(asked), asked.tail);
  if (selection) return document.text(asked, wantOf(asked), selection);
  throw notASelector(subject.typed, subject.rest, FORMS);
}

/** The error for page 0; the next call is the same path with page 1. */
function noPageZero({ typed, rest }: SourceSubject): OrielError {
  const next = `${typed}:${rest.replace(/(^|:)p0+(?!\d)/i, '$1p1')}`;
  return new OrielError('OUT_OF_RANGE', `There is no page 0: pages begin at 1. Use ${quote(next)}.`, {
    next,
  });
}

function noPictures({ typed, head }: SourceSubject): OrielError {
  const images = formatOf(head) === 'zip' ? `, or ${quote(`${typed}:images`)} for the images in it` : '';
  const message = `Only pages of PDF files can be drawn, and their images listed. Use ${quote(typed)} for the text${images}.`;
  return new OrielError('UNSUPPORTED', message, { next: typed });
}

/** The directory of images in a package, by the file name. */
const MEDIA: readonly (readonly [RegExp, string])[] = [
  [/\.do\w+$/i, 'word/media'],
  [/\.p[po]\w+$/i, 'ppt/media'],
  [/\.xl\w+$/i, 'xl/media'],
  [/\.o[dt]\w$/i, 'Pictures'],
];

async function listMedia(subject: SourceSubject, call: Call): Promise<Resource> {
  const { typed, name } = subject;
  const directory = MEDIA.find(([pattern]) => pattern.test(name))?.[1] ?? 'images';
  return readArchive({ ...subject, rest: directory }, call).catch((error: unknown) => {
    if (!isOrielError(error) || error.code !== 'NOT_FOUND') throw error;
    const message = `${quote(typed)} has no directory ${directory}, where images are. Use ${quote(typed)}.`;
    throw new OrielError('NOT_FOUND', message, { next: typed, cause: error });
  });
}

/** Whether the header of a PDF is in the first kilobyte. */
function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 1024)).includes('%PDF-');
}

/** What may follow the path. */
const FORMS = 'pages (:p3, :p3-5), lines (:50-100), :raw or :outline';

function wantOf({ page }: DocumentSelector): DocumentPart {
  return page ? { kind: 'pages', ...page } : { kind: 'whole' };
}

function documentSelection({ tail }: DocumentSelector, target: string): Selection {
  const selection = tail === '' ? everything : parseBehind(target, tail);
  if (selection) return selection;
  throw notASelector(target, tail, FORMS);
}

// Opens a file that is attached to a PDF with the source of its kind, like a member of an archive.

/** A line of that list. */
const ATTACHED = /^(.+) {2}\d+ bytes$/gm;

/** Without a name, the list of attachments. Throws `NOT_FOUND`, and the errors of converting. */
async function openAttachment(
  document: DocumentReading,
  asked: DocumentSelector,
  { name }: { readonly name?: string | undefined },
): Promise<Resource> {
  const { subject, opened, call } = document;
  const list = document.target(asked, ':attachments');
  const listOrder = orderOf({ kind: 'attachments' }, asked);
  const names = await call.access.privateNames?.();
  const ruleFor = ({ name: shown, stored = shown }: Omit<AttachmentFacts, 'bytes'>): DenyRule | undefined =>
    names?.inside(subject.path, stored, false) ?? names?.inside(subject.path, shown, false);
  const listed = async (): Promise<readonly AttachmentFacts[]> =>
    (await document.convert(listOrder)).reply.facts.attachments ?? [];
  if (name === undefined) {
    const selection = selectionOf({ typed: list, rest: asked.tail });
    const all = await document.text(asked, listOrder.want, selection, ':attachments');
    if (!names) return all;
    const hidden = new Set((await listed()).filter(ruleFor).map((one) => one.name));
    const read = await readAt(all.bytes, 0, all.bytes.size ?? 0, call.signal);
    const shown = Buffer.from(read)
      .toString('utf8')
      .replace(ATTACHED, (line, one: string) => (hidden.has(one) ? `${one} (private)` : line));
    return { ...all, bytes: memoryBytes(shown) };
  }
  enterContainer(subject);
  const attachments = await listed();
  const at = attachments.findIndex((one) => one.name === name);
  const denied = ruleFor(attachments[at] ?? { name });
  if (denied) throw privateFile(`${list}/${name}`, denied);
  if (at === -1) throw noAttachment(name, list, attachments);
  const order = orderOf({ kind: 'attachment', number: at + 1 }, asked);
  const { body } = await document.convert(order);
  const bytes = sourceOf(body, opened.bytes.identity.derive(conversions, conversionOptions(order)));
  const facts = { format: 'pdf', member: name, size: body.bytes };
  return presentMember(
    {
      outer: { ...subject, opened },
      target: `${list}/${name}`,
      name,
      tail: asked.tail,
      unpacked: inPlace(bytes),
      facts,
      refused: (error) => error,
      notes: [],
    },
    call,
  );
}

function noAttachment(
  name: string,
  list: string,
  attachments: readonly { readonly name: string }[],
): OrielError {
  const near = nearNames(
    name,
    attachments.map((one) => one.name),
  ).map((one) => quote(`${list}/${one}`));
  const message = `There is no attachment ${quote(name)}.${didYouMean(near)} Use ${quote(list)} for the list.`;
  return new OrielError('NOT_FOUND', message, { next: list });
}
