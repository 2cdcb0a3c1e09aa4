/** Converts the bytes of a document, as a job requests: to text, to tables, or to one of its images or attachments. */

import {
  type DocumentFormat,
  type DocumentJob,
  DocumentRefusal,
  type DocumentReply,
  isStoredPage,
  isWorkbook,
  type UnshownFacts,
  xmlKind,
} from '../protocol.ts';
import { CompoundFile } from './compound.ts';
import {
  type ConvertedText,
  convertToMarkdown,
  HEADS_AND_FEET,
  markOf,
  packageFacts,
  sectionText,
  type SlideDeck,
} from './markdown.ts';
import { attachmentOf, embeddedImage, listAttachments, listImages } from './pdf-parts.ts';
import { convertPdf } from './pdf.ts';
import { textOfPart } from './rewrite.ts';
import { deckOf, slideText } from './slides.ts';
import { bookText, wordProcessorText } from './word-processor.ts';
import { replaceRanges, walkXml, type XmlReplacement } from './xml-walk.ts';
import { attribute, relationsOf, zipped, ZipParts } from './zip-parts.ts';

/** The reply and its body. What cannot be converted is refused; it never throws. */
export async function answerDocument(
  job: DocumentJob,
  stored: Buffer,
): Promise<{ reply: DocumentReply; body: Uint8Array }> {
  let format: DocumentFormat | undefined;
  try {
    const bytes = packagedXml(stored) ?? withUsualNames(stored) ?? stored;
    format = detectFormat(bytes);
    return await convert(job, format, bytes);
  } catch (error) {
    const facts = format && { facts: { format } };
    if (error instanceof DocumentRefusal) {
      const { why, detail, extent } = error;
      return { reply: { kind: 'refused', why, detail, extent, ...facts }, body: EMPTY };
    }
    return { reply: { kind: 'refused', why: 'damaged', ...facts }, body: EMPTY };
  }
}

const EMPTY = new Uint8Array(0);

async function convert(
  job: DocumentJob,
  format: DocumentFormat,
  bytes: Buffer,
): Promise<{ reply: DocumentReply; body: Uint8Array }> {
  const { want } = job;
  if (format === 'xls') await (await import('./read-workbook.ts')).loadCodePages(bytes);
  if (want.kind === 'picture') {
    refuseOthers(format, 'pages');
    const picture =
      want.image === undefined
        ? (await import('./pdf-picture.ts')).pictureOf(bytes, want.page, job.password)
        : embeddedImage(bytes, want.page, want.image, job.password);
    const { data, width, height, facts } = await picture;
    return { reply: { kind: 'picture', width, height, facts: { ...facts, format } }, body: data };
  }
  if (want.kind === 'tables') {
    if (!isWorkbook(format)) throw new DocumentRefusal('absent', 'it has no sheets');
    const { tablesOf } = await import('./sheets.ts');
    const { data, facts } = await tablesOf(bytes);
    return { reply: { kind: 'tables', facts: { ...facts, format } }, body: data };
  }
  if (want.kind === 'attachment') {
    refuseOthers(format, 'attachments');
    const { data, facts } = await attachmentOf(bytes, want.number, job.password);
    return { reply: { kind: 'attachment', facts: { ...facts, format } }, body: data };
  }
  const { text, facts, nextPage, without, allSheets, ranges } = await toText(job, format, bytes);
  const unshown = facts.unshown?.length === 0 ? undefined : facts.unshown;
  const whole = truncateText(text, job.most);
  const paged = whole.isCut && facts.pages !== undefined ? wholePages(whole.body) : undefined;
  const body = paged?.body ?? whole.body;
  const isCut = whole.isCut && !paged;
  const page = paged?.next ?? nextPage;
  const cut = { page, bytes: isCut ? job.most : undefined };
  const reply: DocumentReply = {
    kind: 'text',
    facts: { ...facts, unshown, format },
    cut: page !== undefined || isCut ? cut : undefined,
    without,
    allSheets,
    ranges,
  };
  return { reply, body };
}

function refuseOthers(format: DocumentFormat, parts: string): void {
  if (format !== 'pdf') throw new DocumentRefusal('absent', `a .${format} file has no ${parts}`);
}

async function toText(job: DocumentJob, format: DocumentFormat, bytes: Buffer): Promise<ConvertedText> {
  const { want } = job;
  if (want.kind === 'images') {
    refuseOthers(format, 'pages');
    return listImages(bytes, want, job.password);
  }
  if (want.kind === 'attachments') {
    refuseOthers(format, 'attachments');
    return listAttachments(bytes, job.password);
  }
  if (want.kind === 'sheet' || want.kind === 'rest') {
    if (!isWorkbook(format)) throw new DocumentRefusal('absent', 'it has no sheets');
    const { restText, sheetText } = await import('./sheets.ts');
    return want.kind === 'sheet' ? sheetText(bytes, want) : restText(bytes);
  }
  switch (format) {
    case 'pdf':
      return convertPdf(bytes, want.kind === 'pages' ? want : { from: 1 }, job.password);
    case 'pptx':
    case 'ppt':
    case 'odp':
      return presentation(job, format, bytes);
    default:
  }
  if (want.kind === 'pages') throw new DocumentRefusal('absent', `a .${format} file has no pages`);
  if (isWorkbook(format)) return (await import('./sheets.ts')).workbookText(bytes, format);
  if (format === 'epub') return bookText(bytes);
  const { text, unshown } = await wordProcessorText(bytes, format);
  return { text, facts: { ...packageFacts(ZipParts.of(bytes)), unshown } };
}

async function presentation(
  { want }: DocumentJob,
  format: DocumentFormat,
  bytes: Buffer,
): Promise<ConvertedText> {
  const facts = packageFacts(ZipParts.of(bytes));
  const deck = await deckOf(bytes, format);
  if (!deck) return { text: await convertToMarkdown(bytes, format), facts };
  const from = want.kind === 'pages' ? want.from : 1;
  if (from > deck.count) {
    throw new DocumentRefusal('absent', undefined, { of: 'slide', count: deck.count });
  }
  const to = Math.min((want.kind === 'pages' && want.to) || deck.count, deck.count);
  const { text, unshown } = await slides(deck, from, to);
  return { text, facts: { ...facts, slides: deck.count, unshown } };
}

/** Throws Refused if there is no slide that can be converted. */
async function slides(
  deck: SlideDeck,
  from: number,
  to: number,
): Promise<{ text: string; unshown: readonly UnshownFacts[] }> {
  const texts: string[] = [];
  const margins: string[] = [];
  const unshown: UnshownFacts[] = [];
  const failures: unknown[] = [];
  for (let number = from; number <= to; number += 1) {
    try {
      const aside = deck.aside?.(number);
      texts.push(slideText(number, await deck.slide(number), aside));
      margins.push(...(aside?.margins ?? []));
      unshown.push(...(aside?.unshown ?? []));
    } catch (error) {
      failures.push(error);
      texts.push(`${markOf('slide', number)}(the slide is missing or damaged)\n\n`);
    }
  }
  if (failures.length > 0 && failures.length === texts.length) throw failures[0];
  const section = sectionText({ title: HEADS_AND_FEET, lines: margins });
  return { text: texts.join('') + (section === '' ? '' : `${section}\n`), unshown };
}

// Detects the format of a document by its content.

/** Throws Refused: `encrypted`, `old`, `damaged`, `unknown`. */
function detectFormat(bytes: Buffer): DocumentFormat {
  if (bytes.subarray(0, 1024).includes('%PDF-')) return 'pdf';
  const start = bytes.toString('latin1', 0, 8);
  if (start.startsWith('{\\rtf')) return 'rtf';
  if (start.startsWith('PK')) return formatOfParts(bytes);
  const compound = CompoundFile.of(bytes);
  if (compound) return formatOfCompound(compound);
  if (xmlKind(bytes) === 'workbook') return 'xls';
  if (isStoredPage(bytes)) return 'doc';
  for (const [magic, name] of OLD) if (start.startsWith(magic)) throw new DocumentRefusal('old', name);
  if (/^\x09[\0\x02\x04\x08][\x04-\x10]\0/.test(start)) return 'xls';
  throw new DocumentRefusal('unknown');
}

/** Signatures of formats that are older than compound files. Source: Apache Tika and libmagic. */
const OLD: readonly (readonly [string, string])[] = [
  ['\xdb\xa5', 'Word for Windows 2'],
  ['\x9b\xa5', 'Word for Windows 1'],
  ['\x31\xbe\0\0', 'Word for DOS'],
  ['\xfe\x37\0', 'Word for Macintosh'],
  ['\xed\xde\xad\x0b', 'PowerPoint 4'],
  ['\x0b\xad\xde\xed', 'PowerPoint 4'],
];

/** The types of the main parts of packages, and the names that programs give them. */
const USUAL_NAMES: readonly (readonly [RegExp, string])[] = [
  [/wordprocessingml\.\w+\.main|ms-word\.\w+\.macroEnabled/i, 'word/document.xml'],
  [/presentationml\.\w+\.main|ms-powerpoint\.\w+\.macroEnabled\.main/i, 'ppt/presentation.xml'],
  [/spreadsheetml\.\w+\.main|ms-excel\.\w+\.macroEnabled\.main/i, 'xl/workbook.xml'],
];

/** A package with the names that the converters know, if its own have backslashes or another directory; otherwise undefined. */
function withUsualNames(bytes: Buffer): Buffer | undefined {
  const parts = ZipParts.of(bytes);
  const names = parts?.names.map((name) => name.replaceAll('\\', '/')) ?? [];
  const isUsual = names.some((name) => MAIN_PARTS.some(([pattern]) => pattern.test(name)));
  const rename = parts && !isUsual ? renaming(parts.text('[Content_Types].xml') ?? '') : undefined;
  if (!parts || (!rename && names.every((name, i) => name === parts.names[i]))) return undefined;
  const members = names.flatMap((name, i) => {
    const content = name.endsWith('/') ? undefined : parts.read(parts.names[i] as string);
    if (!content) return [];
    if (!rename || !/\.rels$|^\[Content_Types\]/.test(name))
      return [[rename?.(name) ?? name, content] as const];
    const isRoot = name.split('/').length < 3;
    const moved = content
      .toString('utf8')
      .replace(/(\s(?:Target|PartName)=")(\/?)([^"]*)/g, (all, tag: string, slash: string, part: string) =>
        slash === '' && !isRoot ? all : tag + slash + rename(part),
      );
    return [[rename(name), Buffer.from(moved)] as const];
  });
  return zipped(members);
}

/** What gives the parts beside the main one the usual names; undefined if the types name no main part in a directory. */
function renaming(types: string): ((name: string) => string) | undefined {
  for (const [tag] of types.matchAll(/<(?:\w+:)?Override(?=\s)[^<>]*>/g)) {
    const usual = USUAL_NAMES.find(([type]) => type.test(attribute(tag, 'ContentType') ?? ''))?.[1];
    const main = attribute(tag, 'PartName')?.slice(1) ?? '';
    const from = main.slice(0, main.lastIndexOf('/') + 1);
    if (usual === undefined || from === '') continue;
    const to = usual.slice(0, usual.indexOf('/') + 1);
    const own = new Map([
      [main, usual],
      [relationsOf(main), relationsOf(usual)],
    ]);
    return (name) => own.get(name) ?? (name.startsWith(from) ? to + name.slice(from.length) : name);
  }
  return undefined;
}

const MANIFEST = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>';

/** An OpenDocument in one XML file as a package with the same parts; undefined for anything else. */
function packagedXml(bytes: Buffer): Buffer | undefined {
  if (xmlKind(bytes) !== 'opendocument') return undefined;
  const xml = textOfPart(bytes);
  const [root = ''] = /<office:document\s[^>]*>/.exec(xml) ?? [];
  const content = /<office:(text|spreadsheet|presentation)[\s/>]/.exec(xml)?.[1];
  const mimetype =
    attribute(root, 'office:mimetype') ?? (content && `application/vnd.oasis.opendocument.${content}`);
  if (mimetype === undefined) return undefined;
  const objects: XmlReplacement[] = [];
  const found: string[] = [];
  const isWhole = walkXml<undefined>(xml, {
    open: () => undefined,
    close({ name, start, parent }, end) {
      if (name !== 'office:document' || parent?.name !== 'draw:object') return;
      const at = `Object ${found.push(xml.slice(start, end))}`;
      objects.push([parent.start, end, `<draw:object xlink:href="./${at}">`]);
    },
  });
  const own = isWhole ? replaceRanges(xml, objects) : xml;
  const part = (name: string, content = own): string =>
    content.replace(/(<\/?office:document)(?=[\s>])/g, `$1-${name}`);
  return zipped(
    [
      ['mimetype', mimetype] as const,
      ['META-INF/manifest.xml', MANIFEST] as const,
      ...['content', 'styles', 'meta'].map((name) => [`${name}.xml`, part(name)] as const),
      ...found.map((object, i) => [`Object ${i + 1}/content.xml`, part('content', object)] as const),
    ].map(([name, content]) => [name, Buffer.from(content)]),
  );
}

const MAIN_PARTS: readonly (readonly [RegExp, DocumentFormat])[] = [
  [/^word\/[^/]+\.xml$/i, 'docx'],
  [/^ppt\/presentation[^/]*\.xml$/i, 'pptx'],
  [/^xl\/workbook[^/]*\.bin$/i, 'xlsb'],
  [/^xl\/workbook[^/]*\.xml$/i, 'xlsx'],
];

const MIME_TYPES: readonly (readonly [RegExp, DocumentFormat])[] = [
  [/^application\/epub\+zip/, 'epub'],
  [/opendocument\.text/, 'odt'],
  [/opendocument\.spreadsheet/, 'ods'],
  [/opendocument\.presentation/, 'odp'],
];

function formatOfParts(bytes: Buffer): DocumentFormat {
  const parts = ZipParts.of(bytes);
  if (!parts)
    throw new DocumentRefusal('damaged', 'its zip directory is missing, so it is truncated or damaged');
  const mime = parts.text('mimetype') ?? odfType(parts);
  const byMime = MIME_TYPES.find(([pattern]) => pattern.test(mime))?.[1];
  if (byMime) {
    const manifest = parts.text('META-INF/manifest.xml') ?? '';
    if (byMime !== 'epub' && /encryption-data/.test(manifest)) throw new DocumentRefusal('encrypted');
    return byMime;
  }
  const { names } = parts;
  const byPart = MAIN_PARTS.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1];
  if (byPart) return byPart;
  if (names.includes('META-INF/container.xml')) return 'epub';
  throw new DocumentRefusal('unknown', 'it is a zip without a document in it');
}

/** The type in the manifest, for a package without the member `mimetype`. */
function odfType(parts: ZipParts): string {
  const manifest = parts.text('META-INF/manifest.xml') ?? '';
  return (
    /full-path="\/"[^>]*media-type="([^"]*)"|media-type="([^"]*)"[^>]*full-path="\/"/
      .exec(manifest)
      ?.slice(1)
      .join('') ?? ''
  );
}

const STREAMS: readonly (readonly [string, DocumentFormat])[] = [
  ['PowerPoint Document', 'ppt'],
  ['WordDocument', 'doc'],
  ['Workbook', 'xls'],
  ['WORKBOOK', 'xls'],
  ['Book', 'xls'],
  ['BOOK', 'xls'],
];

function formatOfCompound(compound: CompoundFile): DocumentFormat {
  if (compound.hasInRoot('EncryptedPackage')) throw new DocumentRefusal('encrypted');
  const format = (STREAMS.find(([name]) => compound.hasInRoot(name)) ??
    STREAMS.find(([name]) => compound.find(name)))?.[1];
  if (format === 'doc') refuseOldWord(compound);
  if (format) return format;
  if (compound.find('PP40')) throw new DocumentRefusal('old', 'PowerPoint 95');
  if (compound.streams.some(({ name }) => /^__substg1\.0_|^__properties_version/.test(name)))
    throw new DocumentRefusal('unsupported', 'it is an Outlook message');
  throw new DocumentRefusal('damaged', 'it holds no Word, Excel or PowerPoint stream');
}

function refuseOldWord(compound: CompoundFile): void {
  const stream = compound.find('WordDocument');
  const head = stream && compound.read(stream).subarray(0, 32);
  if (!head || head.length < 12) return;
  const magic = head.readUInt16LE(0);
  if (magic === 0xa5dc) throw new DocumentRefusal('old', 'Word 6 or Word 95');
  if (magic === 0xa5ec && (head.readUInt16LE(10) & 0x0100) !== 0) throw new DocumentRefusal('encrypted');
}

// Truncates the text of a document to the bytes of one answer.

/** Removes the last page, which is cut; `next` is its number, where the next part begins. Undefined if it is the only page. */
export function wholePages(body: Buffer): { readonly body: Buffer; readonly next: number } | undefined {
  const at = body.lastIndexOf('\n--- page ') + 1;
  const next = Number(/^--- page (\d+) ---\n/.exec(body.toString('latin1', at, at + 40))?.[1]);
  return at > 0 && Number.isInteger(next) ? { body: body.subarray(0, at), next } : undefined;
}

/** The text truncated to `most` bytes, after a whole line. */
export function truncateText(
  text: string | Iterable<string>,
  most: number,
): { body: Buffer; isCut: boolean } {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (const part of typeof text === 'string' ? [text] : text) {
    const encoded = Buffer.from(part);
    parts.push(encoded);
    bytes += encoded.length;
    if (bytes > most) break;
  }
  const whole = Buffer.concat(parts);
  if (whole.length <= most) return { body: whole, isCut: false };
  const end = whole.lastIndexOf(10, most - 1) + 1;
  return { body: whole.subarray(0, end === 0 ? most : end), isCut: true };
}
