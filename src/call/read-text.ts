/** The last steps of reading text: choose the view, the display and the limits, then cut the window or make the map. */

import { endsWithNewline, textInput, type TextView } from '../code/text-input.ts';
import { OrielError } from '../errors.ts';
import { isBinary, typeOfBytes } from '../formats/text/open.ts';
import { anchorHeader, displays, isHashline, isNumbered, raw } from '../render/display.ts';
import { withoutContext, writeSelector } from '../selector/selection.ts';
import { readSourceHead } from '../text/bytes.ts';
import { isNearlyText } from '../text/encoding.ts';
import { cutAtRequestedEnd, cutAtWhole, cutWindow } from '../text/excerpt.ts';
import { fitOf, MAX_TAGGED_TEXT_BYTES, MAX_WHOLE_BYTES } from '../text/limits.ts';
import type { TextInput } from '../text/line-reader.ts';
import { quote, useSentence } from '../text/visible.ts';
import type { Call, NoteResource, SourceKind, TextResource } from '../types/call.ts';
import type {
  Excerpt,
  Limits,
  LineDisplay,
  Mutable,
  Selection,
  TextEncoding,
  TextPolicy,
  Window,
} from '../types/excerpt.ts';
import type { SpokenWords } from '../types/request.ts';
import type { BinaryResult, NoteResult, ReadOrigin, SummaryResult, TextResult } from '../types/result.ts';
import type { SummaryAttempt } from './read-map.ts';

/** The requested part of a text, and how a request without a selection is answered. */
export interface TextRequest {
  /** The selection, unless the source has already parsed it as a part of the path. */
  readonly selection?: Selection | undefined;
  /** Whether long code is answered with its map if nothing was selected. */
  readonly summarize: boolean;
  /** See `ReadRequest`. */
  readonly about?: readonly SpokenWords[] | undefined;
  /** A text of more than this many bytes is answered with its outline if nothing was selected. */
  readonly outlineOver?: number | undefined;
  /** Whether the result tells if the text ends with a newline. */
  readonly tellsEnd?: boolean | undefined;
}

export async function readText(
  given: TextResource,
  found: ReadOrigin,
  asked: TextRequest,
  call: Call,
  policy: TextPolicy,
): Promise<TextResult | SummaryResult | BinaryResult | NoteResult> {
  const { encoding: told } = asked.selection ?? given.selection;
  const stored = told === undefined ? given : asTold(given, told);
  const viewed = await viewOf(stored, asked, call);
  if ('kind' in viewed) {
    // A call for the text, which the note names, would only be told that it is binary.
    const binary =
      viewed.note.kind === 'no-structure'
        ? await binaryType(stored, {}, await textInput(stored, call), call.signal)
        : undefined;
    if (binary !== undefined) return binaryResult(found, stored, {}, binary, call.signal);
    return { ...found, kind: 'note', resource: viewed };
  }
  const { resource, selection } = viewed;
  const origin = found.target === resource.target ? found : { ...found, target: resource.target };
  const input = await textInput(resource, call);
  const type = await binaryType(resource, selection, input, call.signal);
  if (type !== undefined) return binaryResult(origin, resource, selection, type, call.signal);
  const { encoding } = input;
  const layout = await layoutOf(resource, selection, encoding, call, policy);
  const { display } = layout;
  // Decided by the request, not by the view: if an outline was requested and there is none, no map replaces it.
  const isLong = asked.summarize && mayHaveMap(resource) && isWhole(asked.selection ?? stored.selection);
  // Of UTF-16, no rows are read.
  if (isLong && given === resource && resource.bytes.size !== undefined && encoding.unit === 1) {
    const shape = await (await import('../formats/data/open.ts')).textShape(resource, call);
    if (shape) return readText(shape, found, { selection: {}, summarize: false }, call, policy);
  }
  const frame = { display, header: layout.header ? headerBytes(layout.header) : 0, about: asked.about };
  const brief: SummaryAttempt = isLong
    ? await (await import('./read-map.ts')).readMap(resource, input, frame, call)
    : {};
  if (brief.summary) {
    const { summary, totals, invalid, kept } = brief;
    const snapshot = layout.header && (await snapshotOf(layout, resource, found, () => kept, call));
    const { limits } = call;
    return {
      ...origin,
      kind: 'summary',
      encoding,
      display,
      limits,
      summary,
      totals,
      invalid,
      ...(snapshot && { snapshot }),
      notes: [...(resource.notes ?? []), ...(brief.note ? [brief.note] : [])],
    };
  }
  const above = selection.window || selection.mode === 'raw' ? undefined : resource.above;
  const { most = Number.POSITIVE_INFINITY } = brief;
  const isShortened = most < layout.limits.bytes;
  const limits = isShortened ? { ...layout.limits, bytes: most } : layout.limits;
  const { window } = selection;
  const room = below(layout.header ?? above, limits, window ? callRoom(window) : 0);
  const fit = {
    ...fitOf(policy, display, room, call.settings.tokens),
    nextIsLarger: isShortened || call.isPart === true,
  };
  const cut = await cutWindow(input, isNumbered(display) ? window : window && withoutContext(window), fit);
  // A typed length says where the window ends; in the fields of other dialects it is the size of a page.
  const ended = selection.typed === undefined ? cut : cutAtRequestedEnd(cut, window, limits);
  const shown = resource.mayEndBefore ? cutAtWhole(ended, resource.mayEndBefore) : ended;
  const mayBeBinary = shown.hasNul && selection.mode !== 'raw' && !resource.isDamaged;
  if (mayBeBinary && (await beginsAsBinary(resource, call))) {
    return binaryResult(origin, resource, selection, 'NUL bytes', call.signal);
  }
  const recorded = layout.header && (await snapshotOf(layout, resource, found, () => numbered(shown), call));
  // The notes are read only now, because damage of a packed text is known only after it was unpacked.
  const { notes = [] } = resource;
  const result: Mutable<TextResult> = {
    ...origin,
    kind: 'text',
    encoding,
    display,
    limits,
    excerpt: shown,
    selection,
    changed: (await resource.bytes.changed?.()) ?? false,
    notes: brief.note
      ? [...notes, isShortened && shown.next ? { ...brief.note, bytes: most } : brief.note]
      : notes,
  };
  if (recorded) result.snapshot = recorded;
  if (above !== undefined) result.above = above;
  if (asked.tellsEnd) result.endsWithNewline = await endsWithNewline(input);
  if (resource.more) result.more = resource.more;
  if (resource.part) result.part = resource.part;
  if (shown.span && resource.leftOut) result.leftOut = resource.leftOut(shown.span);
  return result;
}

/** The text in the encoding that the caller selected; calls in notices repeat it. */
function asTold(resource: TextResource, encoding: NonNullable<Selection['encoding']>): TextResource {
  const { target } = resource;
  if (resource.encoding !== 'stored') {
    const message = `${quote(target)} is not a stored text: :encoding is for those. Use ${quote(target)} as it is.`;
    throw new OrielError('BAD_SELECTOR', message, { next: target });
  }
  return { ...resource, encoding: { as: encoding }, target: `${target}:encoding=${encoding}` };
}

async function viewOf(
  stored: TextResource,
  { selection = stored.selection, outlineOver }: TextRequest,
  call: Call,
): Promise<TextView | NoteResource> {
  const { mode, symbol } = selection;
  if (mode === 'conflicts') await refuseConflicts(stored, call);
  const { size } = stored.bytes;
  if (outlineOver === undefined || size === undefined || size <= outlineOver || !isWhole(selection)) {
    const shows = mode === undefined || mode === 'raw' || stored.modes?.includes(mode);
    if (symbol === undefined && shows) return { resource: stored, selection };
    return (await import('../code/view.ts')).view(stored, selection, call);
  }
  const { outlineOfWhole } = await import('../code/outline-view.ts');
  return outlineOfWhole(stored, call, Math.min(call.limits.bytes, call.limits.window));
}

/** What a source shows that is not its stored text. */
const KIND_NAMES: Readonly<Record<SourceKind, string>> = {
  file: 'not a text',
  directory: 'a directory',
  archive: 'a listing of an archive',
  sqlite: 'a database',
  data: 'rows of data',
  image: 'an image',
  notebook: 'a notebook',
  document: 'a document',
  internal: 'not a text',
  web: 'a page of the web',
};

/** Throws `UNSUPPORTED` if `:conflicts` does not apply to the resource: a listing, a table, a binary. */
async function refuseConflicts(resource: TextResource, call: Call): Promise<void> {
  const { target, display, bytes, encoding, format } = resource;
  const type =
    encoding === 'stored'
      ? await typeOfBytes(bytes, (await textInput(resource, call)).encoding, call.signal)
      : undefined;
  if (display === 'lines' && type === undefined) return;
  const what = type === undefined ? KIND_NAMES[format] : `binary (${type})`;
  throw new OrielError(
    'UNSUPPORTED',
    `${quote(target)} is ${what}: :conflicts is for text with merge conflicts. ${useSentence(target)}`,
    { next: target },
  );
}

function mayHaveMap({ display, bytes }: TextResource): boolean {
  return display === 'lines' && (bytes.size === undefined || bytes.size > MAX_WHOLE_BYTES);
}

function isWhole({ window, mode, symbol }: Selection): boolean {
  return window === undefined && mode === undefined && symbol === undefined;
}

/** The media type of a binary; undefined for text, and for reads that show binaries (`:raw`, byte windows). */
async function binaryType(
  { bytes, encoding, isDamaged }: TextResource,
  { mode, window }: Selection,
  input: TextInput,
  signal: AbortSignal,
): Promise<string | undefined> {
  // A byte window may show a text part of a file that begins as a binary.
  if (mode === 'raw' || window?.kind === 'bytes' || encoding !== 'stored' || isDamaged) return undefined;
  return typeOfBytes(bytes, input.encoding, signal);
}

/**
 * Decides by the first bytes only, so that the answer does not depend on the window: a NUL further on (a log after a crash)
 * is shown as an escape, and paging through such a file never ends in a refusal.
 */
async function beginsAsBinary({ bytes, encoding }: TextResource, { signal }: Call): Promise<boolean> {
  return encoding === 'stored' && isBinary(await readSourceHead(bytes, signal));
}

async function binaryResult(
  origin: ReadOrigin,
  { bytes }: TextResource,
  selection: Selection,
  type: string,
  signal: AbortSignal,
): Promise<BinaryResult> {
  const { size } = bytes;
  const nearly = isNearlyText(await readSourceHead(bytes, signal));
  const changed = (await bytes.changed?.()) ?? false;
  return { ...origin, kind: 'binary', type, bytes: size, isNearlyText: nearly, changed, selection };
}

/** The display of the text and its limits. */
interface Layout {
  readonly display: LineDisplay;
  readonly limits: Limits;
  /** The header above the text if its lines are anchors for edits, without the tag of the version. */
  readonly header?: string | undefined;
}

async function layoutOf(
  resource: TextResource,
  selection: Selection,
  encoding: TextEncoding,
  call: Call,
  policy: TextPolicy,
): Promise<Layout> {
  const { display } = call.settings;
  const mayAnchor = policy.display === undefined && isHashline(display);
  const anchored = mayAnchor && (await isAnchored(resource, selection, encoding, call));
  const header = anchored && isHashline(display) ? anchorHeader(display, resource.target, '') : undefined;
  return {
    display: displayOf(resource, selection, call, policy, anchored),
    limits: limitsFor(resource, selection.window, call),
    header,
  };
}

/** Anchors are shown only for lines that an edit can name: editable lines of a stored text, shown unchanged. */
async function isAnchored(
  { editable, display, bytes }: TextResource,
  { mode }: Selection,
  { name }: TextEncoding,
  call: Call,
): Promise<boolean> {
  if (!editable || display !== 'lines' || mode !== undefined) return false;
  if (call.settings.display !== 'hashline@18') return true;
  if (name !== 'utf-8' || bytes.size === undefined || bytes.size > MAX_TAGGED_TEXT_BYTES) return false;
  const { textTagOf } = await import('../search/anchors.ts');
  return (await textTagOf(bytes, call)) !== undefined;
}

function displayOf(
  resource: TextResource,
  selection: Selection,
  call: Call,
  policy: TextPolicy,
  anchored: boolean,
): LineDisplay {
  if (policy.display) return policy.display;
  if (selection.mode === 'raw') return raw;
  if (resource.display === 'plain') return displays.plain;
  const { display } = call.settings;
  if (isHashline(display)) return anchored ? displays.hashline : displays.numbers;
  return displays[display];
}

/** The most digits reserved for a tag: usually four, more in a session with very many versions. */
const MAX_TAG_DIGITS = 7;

/** An open-ended read of a stored file has the line limit of the host; a listing may have its own. */
function limitsFor(
  { format, display, pageLines = Number.POSITIVE_INFINITY }: TextResource,
  window: Window | undefined,
  { limits, settings }: Call,
): Limits {
  const openEnded =
    window === undefined || (window.kind === 'lines' && window.ranges.at(-1)?.to === undefined);
  if (!openEnded) return limits;
  const most = format === 'file' && display === 'lines' ? settings.defaultLimit : Number.POSITIVE_INFINITY;
  const lines = Math.max(1, Math.min(limits.lines, most, pageLines));
  return lines === limits.lines ? limits : { ...limits, lines };
}

/** The limits for the text, minus the header and minus `more` bytes for an unusually long notice. */
function below(header: string | undefined, limits: Limits, more: number): Limits {
  const taken = (header === undefined ? 0 : headerBytes(header)) + more;
  if (taken === 0) return limits;
  return {
    ...limits,
    bytes: Math.max(limits.bytes - taken, 64),
    tokens: Math.max(limits.tokens - Math.ceil(more / 4), 32),
  };
}

/** Bytes reserved for ranges in a notice, of the 1 KiB that a notice may have. */
const CALL_BYTES = 512;

/** Extra bytes that the call for the remaining ranges takes if there are very many. */
function callRoom(window: Window): number {
  if (window.kind !== 'lines' || window.ranges.length < 2) return 0;
  return Math.max(0, Buffer.byteLength(writeSelector({ kind: 'lines', ranges: window.ranges })) - CALL_BYTES);
}

/** Bytes of a header including its tag and newline. */
function headerBytes(header: string): number {
  return Buffer.byteLength(header) + MAX_TAG_DIGITS + '\n'.length;
}

/** Records the shown lines in the snapshot if an edit may name them; returns the header with the tag. */
async function snapshotOf(
  { header }: Layout,
  { bytes, target }: TextResource,
  { resolvedPath }: ReadOrigin,
  lines: () => Iterable<readonly [number, string]>,
  call: Call,
): Promise<TextResult['snapshot']> {
  const { display } = call.settings;
  if (header === undefined || !isHashline(display)) return undefined;
  const { takeSnapshot } = await import('../search/anchors.ts');
  const tag = await takeSnapshot(bytes, resolvedPath, lines(), call);
  return tag === undefined ? undefined : { tag, header: anchorHeader(display, target, tag) };
}

/** The lines that are shown whole, with their numbers (1-based). */
function numbered({ parts }: Excerpt): (readonly [number, string])[] {
  return parts.flat().flatMap(({ no, text, cut }) => (no === undefined || cut ? [] : [[no, text] as const]));
}
