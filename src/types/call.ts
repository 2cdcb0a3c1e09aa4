/** What every layer of the engine receives: cancellation, limits, access to files, progress. */

import type { ByteSource, FileAccess, OpenedItem } from './access.ts';
import type { Notice } from './answer.ts';
import type { Limits, Selection, SelectionMode } from './excerpt.ts';
import type { Progress, Session } from './session.ts';
import type { Settings } from './settings.ts';

/** When a call, or a part of it, ends. */
export interface CallBounds {
  /** Aborted by the caller, at the deadline, and when the call has ended. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** The work must be over by then, on the clock of `performance.now()`. */
  readonly deadline: number;
}

export interface Call extends CallBounds {
  readonly limits: Limits;
  /** The limits are those of one part of the answer: a call for the rest of the part has larger ones. */
  readonly isPart?: true | undefined;
  readonly settings: Settings;
  readonly access: FileAccess;
  readonly session: Session;
  /** Milliseconds for which the call waited until it had its slot; none when absent. */
  readonly waitedMs?: number | undefined;
  /** Milliseconds since the epoch: the only clock that answers may depend on. */
  now(): number;
  progress(progress: Progress): void;
  /**
   * Receives the output of a command while it runs. Reading pauses until a returned promise resolves:
   * backpressure.
   */
  watchOutput?(chunk: Uint8Array): Promise<void> | undefined;
  /** Opens something found inside a container with the matching source: an image in a zip, a tar in a tar. */
  open(subject: SourceSubject): Promise<Resource>;
  /** Runs when the answer is complete, however it ended: closes descriptors, ends workers. */
  onEnd(cleanup: () => void | Promise<void>): void;
  /**
   * A `Call` for one of many pieces of work: what the piece opens is closed when it ends. It may have an
   * earlier deadline than the call.
   */
  part(bounds?: CallBounds): CallPart;
}

interface CallPart {
  readonly call: Call;
  /** Closes what was opened through its call. Otherwise this happens when the whole call ends. */
  end(): Promise<void>;
}

// The input of a source (a subject) and its result (a resource).

export type SourceKind =
  | 'file'
  | 'directory'
  | 'archive'
  | 'sqlite'
  | 'data'
  | 'image'
  | 'notebook'
  | 'document'
  | 'internal'
  | 'web';

/** Something opened inside the roots, and the text typed after its path. */
export interface SourceSubject {
  /** The canonical path (or a file URL) of the opened file: the start of every suggested call. */
  readonly typed: string;
  /** What follows the path, without the colon or with the `?`: `""`, `"50-100"`, `"dir/x.ts:5-9"`, `"?q=…"`. */
  readonly rest: string;
  /** Base name, for detection by name. */
  readonly name: string;
  /** Absolute real path of what was opened (of the outermost container for members). */
  readonly path: string;
  readonly opened: OpenedItem;
  /** Number of containers around it; 0 when absent. */
  readonly depth?: number | undefined;
  /** The first bytes (up to 4,096) of a file; empty for a directory. */
  readonly head: Uint8Array;
}

/** A text, stored or derived, of which a window will be shown. */
export interface TextResource {
  readonly kind: 'text';
  readonly format: SourceKind;
  readonly bytes: ByteSource;
  /** Texts up to this many bytes state their totals; when absent, streams up to 4 MiB, others as the limits say. */
  readonly countUpTo?: number | undefined;
  /** `stored`: it is detected from the bytes. `utf-8`: oriel made the text. `as`: the caller named it. */
  readonly encoding: 'stored' | 'utf-8' | { readonly as: string };
  readonly selection: Selection;
  /** Modes of the selection that the source has already applied to `bytes`, such as `outputs` of a notebook. */
  readonly modes?: readonly SelectionMode[] | undefined;
  /** What goes before `:selector` in the next call: `"a.zip:dir/x.ts"`. */
  readonly target: string;
  /** Base name of the text itself (`x.ts`), for languages and outlines. */
  readonly name: string;
  /** `lines`: shown as the host's display says. `plain`: a listing or table, never numbered. */
  readonly display: 'lines' | 'plain';
  /** Lines of one page, if fewer than the limits allow: a listing. */
  readonly pageLines?: number | undefined;
  /** Whether a page that was cut may end before this line: of a diff, after whole hunks. */
  readonly mayEndBefore?: ((line: string, previous: string) => boolean) | undefined;
  /** It is damaged: NULs do not make it a binary. */
  readonly isDamaged?: true | undefined;
  /** Whether an edit tool can change it. Only an editable text gets a hashline header. */
  readonly editable: boolean;
  /** A description that is shown above the text if no window was given. It counts for the budget, but is not a line of the text. */
  readonly above?: string | undefined;
  /** Facts for `details.meta`, plain JSON. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /**
   * For a search: text that is left out here and shown by other calls, such as rows of large sheets or
   * outputs.
   */
  readonly rest?: (() => Promise<RestOfText>) | undefined;
  /** Shown below the text, for every window. */
  readonly notes?: readonly Notice[] | undefined;
  /**
   * The calls that show what was left out in the stored bytes [start, end), such as all entries of a large
   * directory. Called when the window is known.
   */
  readonly leftOut?:
    | ((span: { readonly start: number; readonly end: number }) => readonly string[])
    | undefined;
  /** Shown last when the window reaches the end of this text: the next page of a table or a listing. */
  readonly more?: Notice | undefined;
  /** If a document is read in several texts, the part that this text is. */
  readonly part?: PartOfDocument | undefined;
}

export interface PartOfDocument {
  /** `"pages 1 to 100 of 400"`. */
  readonly name: string;
  /** The call for the next part, without a mode. */
  readonly next: string;
  /** This part was truncated, because its text was too long. */
  readonly isCut?: true | undefined;
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
  readonly kind: 'image';
  readonly format: SourceKind;
  /** The line with the metadata, and how the image was converted. */
  readonly text: string;
  readonly image?: { readonly mimeType: string; readonly data: Uint8Array } | undefined;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly notes?: readonly Notice[] | undefined;
}

/** Text with places where images belong: a notebook with its outputs. */
export interface MixedResource {
  readonly kind: 'mixed';
  readonly format: SourceKind;
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
  readonly kind: 'note';
  readonly format: SourceKind;
  readonly note: Notice;
  readonly facts?: Readonly<Record<string, unknown>>;
}

export type Resource = TextResource | ImageResource | MixedResource | NoteResource;

// The interface of a source: which paths it claims, and how it opens them. Each kind is implemented in formats/.

export interface ContentSource {
  readonly format: SourceKind;
  /**
   * Decides by the name and the head only, without reading. The first source that claims a subject opens it. Those of files are
   * asked about files alone.
   */
  claims(subject: SourceSubject): boolean;
  /**
   * Whether something else than a selector may follow a file of that name, as in `app.db:users`. Then the path is also
   * tried without it. Absent for sources without such a syntax.
   */
  holds?(name: string): boolean;
  /**
   * Parses the source's own part of `subject.rest` and opens what it names. Throws OrielError, and
   * `BAD_SELECTOR` for text that is neither its own nor a generic selector.
   */
  open(subject: SourceSubject, call: Call): Promise<Resource>;
}
