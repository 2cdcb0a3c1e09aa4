/** The messages between the engine and the converting child process. */

export type DocumentFormat = 'pdf' | 'epub' | 'rtf' | OfficeFormat | OpenFormat;
type OfficeFormat = 'docx' | 'doc' | 'pptx' | 'ppt' | 'xlsx' | 'xlsb' | 'xls';
type OpenFormat = 'odt' | 'ods' | 'odp';

export function isWorkbook(format: DocumentFormat | undefined): boolean {
  return format === 'xlsx' || format === 'xlsb' || format === 'xls' || format === 'ods';
}

/** Whether a document in one XML file is OpenDocument or a workbook of Office 2003, by its first bytes. */
export function xmlKind(bytes: Uint8Array): 'opendocument' | 'workbook' | undefined {
  const start = startOf(bytes, 4096);
  if (!/^\W{0,3}<\?xml\s/.test(start)) return undefined;
  if (/<office:document\s/.test(start)) return 'opendocument';
  const isWorkbook = /<(?:\w+:)?Workbook\s[^>]*urn:schemas-microsoft-com:office:spreadsheet/.test(start);
  return isWorkbook ? 'workbook' : undefined;
}

/** Whether it is a page, or one with its files (MHT), as programs save them under the name of a document. */
export function isStoredPage(bytes: Uint8Array): boolean {
  const start = startOf(bytes, 1024);
  if (/^\W{0,9}(?:MIME-Version|Content-Type|X-[\w-]+|From|Date|Subject):/i.test(start))
    return /^Content-Type:\s*(?:multipart\/related|text\/html)/im.test(start);
  return /^[^\w<]{0,9}<(?:!doctype\s+html|html|head|meta|style|table)[\s>]/i.test(start);
}

/** The first bytes as text, of which the signs of ASCII are known. In UTF-16 every other one is 0. */
function startOf(bytes: Uint8Array, most: number): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, most)).toString('latin1');
  return /^(?:\xff\xfe|\xfe\xff)/.test(start) ? start.replaceAll('\0', '') : start;
}

/** The most pages of one text; a longer document continues in the next part. */
export const PAGES_AT_ONCE = 100;

export interface DocumentJob {
  readonly want: DocumentPart;
  /** The most bytes of the text; it is cut after the last whole line. */
  readonly most: number;
  readonly password?: string | undefined;
}

export type DocumentPart =
  /** The whole document, or the first part of a long one. */
  | { readonly kind: 'whole' }
  /** Pages or slides `from` to `to`, 1-based and inclusive; to the end without `to`. */
  | { readonly kind: 'pages'; readonly from: number; readonly to?: number | undefined }
  /** One sheet; with `range` (`A1:H50`) a part of it, with `formulas` those instead of their results. */
  | {
      readonly kind: 'sheet';
      readonly sheet: string;
      readonly range?: string | undefined;
      readonly formulas?: true | undefined;
    }
  /** The rows of large sheets that `whole` leaves out, as consecutive ranges of cells. */
  | { readonly kind: 'rest' }
  /** All sheets as tables of a database. */
  | { readonly kind: 'tables' }
  /** The list of images embedded in pages `from` to `to` (as above), one line per image. */
  | { readonly kind: 'images'; readonly from: number; readonly to?: number | undefined }
  /** The list of the files attached to a PDF, one line per file. */
  | { readonly kind: 'attachments' }
  /** An attached file by its number, 1-based. */
  | { readonly kind: 'attachment'; readonly number: number }
  /** The picture of a page, or with `image` (1-based) an image embedded in it. */
  | { readonly kind: 'picture'; readonly page: number; readonly image?: number | undefined };

/** The head of a reply; the body of the frame is the text, the database, the attachment or the picture. */
export type DocumentReply =
  | {
      readonly kind: 'text';
      readonly facts: DocumentFacts;
      readonly cut?: DocumentCut | undefined;
      /** All sheets of the workbook, if the facts are those of one sheet. */
      readonly allSheets?: readonly SheetFacts[] | undefined;
      /** The ranges of the text of `rest`. */
      readonly ranges?: readonly SheetRange[] | undefined;
      /** The name of an optional package that is not installed and might give a better text. */
      readonly without?: string | undefined;
    }
  | { readonly kind: 'tables'; readonly facts: DocumentFacts }
  | { readonly kind: 'attachment'; readonly facts: DocumentFacts }
  | {
      /** A PNG. */
      readonly kind: 'picture';
      readonly facts: DocumentFacts;
      /** In pixels, like the height. */
      readonly width: number;
      readonly height: number;
    }
  | {
      readonly kind: 'refused';
      readonly why: DocumentRefusalReason;
      readonly detail?: string | undefined;
      readonly extent?: DocumentExtent | undefined;
      readonly facts?: DocumentFacts | undefined;
    };

/** A reply (also a refusal) with its body. */
export interface DocumentConversion {
  readonly reply: DocumentReply;
  readonly body: ConvertedBody;
}

/** The text, the tables or the picture: in memory if small, otherwise in a private file. */
export interface ConvertedBody {
  readonly bytes: number;
  readInto(target: Uint8Array, offset: number): Promise<number>;
  /** The descriptor of the file, for worker threads. This and the following are absent for a body in memory. */
  readonly fd?: number | undefined;
  /** Delays closing until `use` has resolved, which must not reject. */
  until?(use: Promise<void>): void;
  close?(): Promise<void>;
}

/** The number of pages, slides or images of a page, if one beyond it was requested. */
export interface DocumentExtent {
  readonly of: 'page' | 'slide' | 'image';
  readonly count: number;
}

/** Where a truncated text continues. */
export interface DocumentCut {
  /** The first page that was not converted. */
  readonly page?: number | undefined;
  /** Set if the text was too long: the number of bytes after which it was cut. */
  readonly bytes?: number | undefined;
}

export type DocumentRefusalReason =
  | 'encrypted'
  | 'password'
  | 'damaged'
  | 'old'
  | 'unknown'
  | 'limit'
  /** There is no such page, sheet, image or attachment. */
  | 'absent'
  /** An optional package is not installed. */
  | 'missing'
  | 'unsupported';

export interface DocumentFacts {
  readonly format?: DocumentFormat | undefined;
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly created?: string | undefined;
  readonly pages?: number | undefined;
  readonly slides?: number | undefined;
  readonly sheets?: readonly SheetFacts[] | undefined;
  /** The number of sheets, if only the first ones are listed. */
  readonly sheetCount?: number | undefined;
  /** 1-based pages without a text layer. */
  readonly scanned?: readonly number[] | undefined;
  /** Set if the file ends early, so that text at its end may be missing. */
  readonly isCut?: true | undefined;
  readonly outline?: readonly OutlineEntry[] | undefined;
  /** The number of bookmarks, if only the first ones are in the outline. */
  readonly bookmarks?: number | undefined;
  /** What its text does not show. */
  readonly unshown?: readonly UnshownFacts[] | undefined;
  /** Set if images are embedded in it; these have a list of their own. */
  readonly hasImages?: true | undefined;
  /** Set if files are attached to it; these have a list of their own. */
  readonly hasAttachments?: true | undefined;
  /** The attachments of that list. */
  readonly attachments?: readonly AttachmentFacts[] | undefined;
}

/** In `what`: a part is not well-formed, so that text may be missing. */
export const DAMAGED_XML = 'damaged part';

export const DELETED_TEXT: UnshownFacts = { what: 'tracked deletions', count: 0 };
export const HIDDEN_TEXT: UnshownFacts = { what: 'hidden text', count: 0 };

/** Things of one kind that are not shown. */
export interface UnshownFacts {
  /** The kind, in the singular: `equation`; in the plural if it is not counted. */
  readonly what: string;
  /** 0 if they are not counted. */
  readonly count: number;
  /** The name of the part with the content, if it can be read by itself. */
  readonly part?: string | undefined;
}

export interface AttachmentFacts {
  /** No other attachment has it, and it can be typed. */
  readonly name: string;
  /** The name in the document, if it is another one. */
  readonly stored?: string | undefined;
  readonly bytes: number;
}

export interface SheetFacts {
  readonly name: string;
  readonly hidden?: true | undefined;
  /** The range of cells with content, `A1:J50000`, or `A:J` if `goesOn`; absent for an empty sheet. */
  readonly range?: string | undefined;
  /** The number of rows with content. */
  readonly rows: number;
  /** Set if there may be more rows than `rows`, because they were not read to the end. */
  readonly goesOn?: true | undefined;
  readonly columns: number;
  /** The number of rows in the text (header included), if the sheet has more. */
  readonly shown?: number | undefined;
  /** Set if its first row has the names of the columns. */
  readonly header?: true | undefined;
  /** The letters of the first column that does not fit into its table. */
  readonly beyond?: string | undefined;
}

/** A part of a text that equals the text of the call for this range of a sheet. */
export interface SheetRange {
  readonly sheet: string;
  readonly range: string;
  /** The number of lines and bytes of the text before it. */
  readonly lines: number;
  readonly start: number;
}

export interface OutlineEntry {
  readonly title: string;
  readonly level: number;
  readonly page?: number | undefined;
}

/** Thrown in the child process to answer with a refusal. */
export class DocumentRefusal extends Error {
  readonly why: DocumentRefusalReason;
  readonly detail: string | undefined;
  readonly extent: DocumentExtent | undefined;

  constructor(why: DocumentRefusalReason, detail?: string, extent?: DocumentExtent) {
    super(detail ?? why);
    this.name = 'Refused';
    this.why = why;
    this.detail = detail;
    this.extent = extent;
  }
}

// Names of tables for the sheets of a workbook.

/** A unique name per sheet, in the order of the workbook. SQLite reserves `sqlite_` and compares names case-insensitively. */
export function tableNames(sheets: readonly { readonly name: string }[]): string[] {
  const taken = new Set<string>();
  return sheets.map(({ name: written }) => {
    const name = written.replaceAll('\0', '').toWellFormed();
    let free = /^sqlite_/i.test(name) || name === '' ? `_${name}` : name;
    while (taken.has(free.toLowerCase())) free += '_';
    taken.add(free.toLowerCase());
    return free;
  });
}
