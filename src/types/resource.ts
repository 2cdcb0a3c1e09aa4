/** The input of a source (a subject) and its result (a resource). */

import type { Opened } from './access.ts';
import type { ByteSource } from './byte-source.ts';
import type { Notice } from './notice.ts';
import type { Mode, Selection } from './selection.ts';

export type SourceKind =
  | 'file'
  | 'directory'
  | 'archive'
  | 'sqlite'
  | 'image'
  | 'notebook'
  | 'document'
  | 'internal'
  | 'web';

/** Something opened inside the roots, and the text typed after its path. */
export interface Subject {
  /** The canonical path (or a file URL) of the opened file: the start of every suggested call. */
  readonly typed: string;
  /** What follows the path, without the colon or with the `?`: `""`, `"50-100"`, `"dir/x.ts:5-9"`, `"?q=…"`. */
  readonly rest: string;
  /** Base name, for detection by name. */
  readonly name: string;
  /** Absolute real path of what was opened (of the outermost container for members). */
  readonly path: string;
  readonly opened: Opened;
  /** Number of containers around it; 0 when absent. */
  readonly depth?: number;
  /** The first bytes (up to 4,096) of a file; empty for a directory. */
  readonly head: Uint8Array;
}

/** A text, stored or derived, of which a window will be shown. */
export interface TextResource {
  readonly is: 'text';
  readonly kind: SourceKind;
  readonly bytes: ByteSource;
  /** Texts up to this many bytes state their totals; when absent, streams up to 4 MiB, others as the limits say. */
  readonly countUpTo?: number;
  /** `stored`: it is detected from the bytes. `utf-8`: oriel made the text. `as`: the caller named it. */
  readonly encoding: 'stored' | 'utf-8' | { readonly as: string };
  readonly selection: Selection;
  /** Modes of the selection that the source has already applied to `bytes`, such as `outputs` of a notebook. */
  readonly modes?: readonly Mode[];
  /** What goes before `:selector` in the next call: `"a.zip:dir/x.ts"`. */
  readonly target: string;
  /** Base name of the text itself (`x.ts`), for languages and outlines. */
  readonly name: string;
  /** `lines`: shown as the host's display says. `plain`: a listing or table, never numbered. */
  readonly display: 'lines' | 'plain';
  /** Lines of one page, if fewer than the limits allow: a listing. */
  readonly pageLines?: number;
  /** It is damaged: NULs do not make it a binary. */
  readonly isDamaged?: true;
  /** Whether an edit tool can change it. Only an editable text gets a hashline header. */
  readonly editable: boolean;
  /** A description that is shown above the text if no window was given. It counts for the budget, but is not a line of the text. */
  readonly above?: string;
  /** Facts for `details.meta`, plain JSON. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /**
   * For a search: text that is left out here and shown by other calls, such as rows of large sheets or
   * outputs.
   */
  readonly rest?: () => Promise<RestOfText>;
  /** Shown below the text, for every window. */
  readonly notes?: readonly Notice[];
  /**
   * The calls that show what was left out in the stored bytes [start, end), such as all entries of a large
   * directory. Called when the window is known.
   */
  readonly leftOut?: (span: { readonly start: number; readonly end: number }) => readonly string[];
  /** Shown last when the window reaches the end of this text: the next page of a table or a listing. */
  readonly more?: Notice;
  /** If a document is read in several texts, the part that this text is. */
  readonly part?: PartOfDocument;
}

export interface PartOfDocument {
  /** `"pages 1 to 100 of 400"`. */
  readonly name: string;
  /** The call for the next part, without a mode. */
  readonly next: string;
  /** This part was truncated, because its text was too long. */
  readonly isCut?: true;
}

/** Several texts in UTF-8, one after the other. */
export interface RestOfText {
  readonly bytes: ByteSource;
  /** In order: the call that reads each part, and the lines and bytes before it. Empty if there is no text. */
  readonly parts: readonly { readonly target: string; readonly lines: number; readonly start: number }[];
  /** It was truncated. */
  readonly isCut: boolean;
}

/** An image for the model, or only its facts. */
export interface ImageResource {
  readonly is: 'image';
  readonly kind: SourceKind;
  /** The line with the metadata, and how the image was converted. */
  readonly text: string;
  readonly image?: { readonly mimeType: string; readonly data: Uint8Array };
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly notes?: readonly Notice[];
}

/** Text with places where images belong: a notebook with its outputs. */
export interface MixedResource {
  readonly is: 'mixed';
  readonly kind: SourceKind;
  readonly text: TextResource;
  /**
   * The images with a position in bytes [start, end) of the text, in order, within the image budget, and
   * notices about them. Called when the window is known, so that only shown images are decoded.
   */
  images(span: { readonly start: number; readonly end: number }): Promise<ShownImages>;
}

export interface ShownImages {
  readonly images: readonly { readonly mimeType: string; readonly data: Uint8Array }[];
  readonly notes: readonly Notice[];
}

/** One sentence instead of content: a binary member, an encrypted entry. */
export interface NoteResource {
  readonly is: 'note';
  readonly kind: SourceKind;
  readonly note: Notice;
  readonly facts?: Readonly<Record<string, unknown>>;
}

export type Resource = TextResource | ImageResource | MixedResource | NoteResource;
