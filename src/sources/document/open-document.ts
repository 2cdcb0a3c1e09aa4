/** Reads a document: its text, pages or slides, a sheet, cells, rows, or the picture of a page. */

import { isOrielError, OrielError } from '../../errors.ts';
import { notASelector } from '../../selector/not-a-selector.ts';
import { everything, isSelector, parseBehind } from '../../selector/selection.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { Resource, Subject } from '../../types/resource.ts';
import type { Selection } from '../../types/selection.ts';
import { formatOf } from '../archive/formats.ts';
import { readArchive } from '../archive/read-archive.ts';
import { type Asked, askOf } from './document-ask.ts';
import { openAttachment } from './attachment.ts';
import { DocumentReading } from './opened-document.ts';
import type { Want } from './document-protocol.ts';
import { missingSheet, openSheet } from './workbook-text.ts';

export async function openDocument(subject: Subject, call: Call): Promise<Resource> {
  const { opened } = subject;
  if (opened.is !== 'file') throw new TypeError('a directory was claimed as a document');
  const document = new DocumentReading(subject, opened, call);
  const pdf = isPdf(subject.head);
  const asked = askOf(subject.rest, { isPdf: pdf });
  if (asked.page && !pdf) {
    // In a workbook `P3` is a cell, or may be the name of a sheet.
    const sheet = await openSheet(document, askOf(subject.rest, { isPdf: false, hasPages: false }));
    if (sheet) return sheet;
  }
  if (asked.page?.from === 0) throw noPageZero(subject);
  if (asked.page && !pdf && (asked.picture || asked.imageList)) throw noPictures(subject);
  if (asked.page !== undefined && asked.picture)
    return document.picture(asked, asked.page.from, asked.picture);
  if (asked.attachment) return openAttachment(document, asked, asked.attachment);
  if (asked.imageList)
    return document.images(asked, asked.imageList, selectionOf(asked, document.target(asked, ':images')));
  if (asked.tail === '' || isSelector(asked.tail)) {
    // A sheet may have the same name as a selector.
    const sheet = asked.tail === '' || asked.page ? undefined : await openSheet(document, asked);
    return sheet ?? document.text(asked, wantOf(asked), selectionOf(asked, document.target(asked)));
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
function noPageZero({ typed, rest }: Subject): OrielError {
  const next = `${typed}:${rest.replace(/(^|:)p0+(?!\d)/i, '$1p1')}`;
  return new OrielError('OUT_OF_RANGE', `There is no page 0: pages begin at 1. Use ${quote(next)}.`, {
    next,
  });
}

function noPictures({ typed, head }: Subject): OrielError {
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

async function listMedia(subject: Subject, call: Call): Promise<Resource> {
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

function wantOf({ page }: Asked): Want {
  return page ? { is: 'pages', ...page } : { is: 'whole' };
}

function selectionOf({ tail }: Asked, target: string): Selection {
  const selection = tail === '' ? everything : parseBehind(target, tail);
  if (selection) return selection;
  throw notASelector(target, tail, FORMS);
}
