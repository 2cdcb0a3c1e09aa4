/**
 * Reads a notebook: its cells with marker lines, with their outputs (`:outputs`), cells by number (`:cells:3-5`), or the
 * stored JSON (`:raw`).
 */

import { isOrielError, OrielError } from '../../errors.ts';
import type { Derivation } from '../../identity.ts';
import { queues } from '../../queues/queue-table.ts';
import { plural } from '../../render/display.ts';
import { notASelector, parseBehind, writeSelector } from '../../selector/selection.ts';
import { memoryBytes, readAt } from '../../text/bytes.ts';
import { quote } from '../../text/visible.ts';
import type { ByteSource, OpenedFile } from '../../types/access.ts';
import type { Notice } from '../../types/answer.ts';
import type {
  Call,
  MixedResource,
  NoteResource,
  Resource,
  RestOfText,
  ShownImages,
  SourceSubject,
  TextResource,
} from '../../types/call.ts';
import type { Selection, Window } from '../../types/excerpt.ts';
import type { ComputedValue, DerivedKind, ValueComputation } from '../../types/session.ts';
import { JsonError } from '../data/json-scan.ts';
import { readRaster } from '../image/decode.ts';
import { identifyImage, MIME_TYPES } from '../image/detect.ts';
import { MAX_IMAGE_BYTES, MAX_SHOWN_IMAGE_BYTES } from '../image/limits.ts';
import type { ShownImage } from '../image/protocol.ts';
import { describeSize, shownFacts } from '../image/open.ts';
import {
  joinedText,
  type NotebookCells,
  readNotebook,
  type RenderedNotebook,
  renderSections,
} from './cells.ts';
import { type NotebookImage, type RenderedOutputs, renderOutputs } from './render.ts';

const FORMS = ':outputs, cells (:cells:3-5), lines (:50-100) or :raw';

export async function openNotebook(subject: SourceSubject, call: Call): Promise<Resource> {
  const { opened, typed } = subject;
  if (opened.kind !== 'file') throw new TypeError('a directory was claimed as a notebook');
  const { cells, selection } = parseRest(subject);
  if (selection.mode === 'raw') return storedText(subject, opened, selection);
  const notebook = await readCached(subject, opened, call);
  if (notebook.cells.length === 0 && !cells) return nothingToShow(notebook, typed);
  const withOutputs =
    selection.mode === 'outputs' ? await renderCached(notebook, opened.bytes, typed, call) : undefined;
  const rendered = withOutputs ?? (await cellsCached(notebook, opened.bytes, call));
  const window = cells ? cellLines(cells, notebook, rendered, typed) : selection.window;
  const text = derivedText(subject, opened.bytes, notebook, rendered, {
    window,
    mode: selection.mode || undefined,
    symbol: selection.symbol,
  });
  if (withOutputs) return withImages(text, withOutputs, opened.bytes, typed, call);
  const hasOutputs = notebook.cells.some(({ outputCount }) => outputCount > 0);
  const rest = (): Promise<RestOfText> => outputsAlone(notebook, opened.bytes, typed, call);
  return { ...text, ...(hasOutputs && !window && { rest }) };
}

/** Only the outputs, with the line numbers of the text that includes them. */
async function outputsAlone(
  notebook: NotebookCells,
  bytes: ByteSource,
  typed: string,
  call: Call,
): Promise<RestOfText> {
  const { bytes: all, outputs, isCut } = await renderCached(notebook, bytes, typed, call);
  const shown: Uint8Array[] = [];
  const parts: RestOfText['parts'][number][] = [];
  let [start, lines] = [0, 0];
  for (const { from, to, start: begin, end } of outputs) {
    parts.push({ target: `${typed}:outputs`, lines: lines - (from - 1), start });
    shown.push(all.subarray(begin, end), NEWLINE);
    start += end - begin + 1;
    lines += to - from + 1;
  }
  return { bytes: memoryBytes(Buffer.concat(shown)), parts, isCut };
}

const NEWLINE = Buffer.from('\n');

/** Parses `cells:3:outputs`, `outputs:cells:3` and the generic selector after it. Throws `BAD_SELECTOR`. */
function parseRest({ rest, typed }: SourceSubject): { cells?: CellRange | undefined; selection: Selection } {
  const leading = /^outputs:(?=cells?:)/.test(rest);
  const taken = takeCells(leading ? rest.slice('outputs:'.length) : rest);
  const selection = taken.rest === '' ? {} : parseBehind(typed, taken.rest);
  const mode = leading ? 'outputs' : selection?.mode;
  const known = mode === undefined || mode === 'raw' || mode === 'outputs' || mode === 'outline';
  const clash = taken.cells && (selection?.window || selection?.symbol || mode === 'raw');
  if (!selection || !known || clash || (leading && selection.mode)) {
    throw notASelector(typed, rest, FORMS);
  }
  return { cells: taken.cells, selection: { ...selection, ...(mode && { mode }) } };
}

function nothingToShow(notebook: NotebookCells, typed: string): NoteResource {
  const use = `${typed}:raw`;
  const empty: Notice = { kind: 'said', text: `The notebook has no cells. Use ${use} for the JSON`, use };
  const [note = empty] = notesOf(notebook, false, typed);
  return { kind: 'note', format: 'notebook', note, facts: factsOf(notebook) };
}

function storedText(subject: SourceSubject, { bytes }: OpenedFile, selection: Selection): TextResource {
  const { typed: target, name } = subject;
  return {
    kind: 'text',
    format: 'notebook',
    bytes,
    encoding: 'stored',
    selection,
    target,
    name,
    display: 'lines',
    editable: true,
  };
}

/** The weight of a cell in addition to its source, in bytes. */
const CELL_BYTES = 200;

const notebooks: DerivedKind<NotebookCells> = {
  name: 'notebook',
  weigh: ({ characters, count }) => ({ memory: 2 * characters + CELL_BYTES * count }),
};

async function readCached(
  { typed }: SourceSubject,
  { bytes }: OpenedFile,
  call: Call,
): Promise<NotebookCells> {
  try {
    const make = async ({ source, signal }: ValueComputation): Promise<ComputedValue<NotebookCells>> => ({
      value: await readNotebook(source, signal),
      keep: true,
    });
    return await call.session.store.get(notebooks, bytes, {}, make, call);
  } catch (error) {
    const raw = `${typed}:raw`;
    if (error instanceof JsonError) {
      throw new OrielError(
        'CORRUPT',
        `${quote(typed)} is not a whole notebook: ${error.message} at byte ${error.offset}. Use ${quote(raw)} for its text.`,
        { next: raw, cause: error },
      );
    }
    if (error instanceof OrielError && error.code === 'LIMIT')
      throw new OrielError('LIMIT', error.message, { next: raw, cause: error });
    throw error;
  }
}

/** The cache key includes the typed path, because calls in the text begin with it. */
const outputsTexts: DerivedKind<RenderedOutputs, { typed: string }> = {
  name: 'notebook outputs',
  weigh: ({ bytes, images, starts }) => ({
    memory: bytes.length + CELL_BYTES * (starts.length + images.length),
  }),
};

function renderCached(
  notebook: NotebookCells,
  bytes: ByteSource,
  typed: string,
  call: Call,
): Promise<RenderedOutputs> {
  const make = async ({ source, signal }: ValueComputation): Promise<ComputedValue<RenderedOutputs>> => ({
    value: await renderOutputs(notebook, source, typed, signal),
    keep: true,
  });
  return call.session.store.get(outputsTexts, bytes, { typed }, make, call);
}

const cellsTexts: DerivedKind<RenderedNotebook> = {
  name: 'notebook cells',
  weigh: ({ bytes, starts }) => ({ memory: bytes.length + CELL_BYTES * starts.length }),
};

function cellsCached({ cells }: NotebookCells, bytes: ByteSource, call: Call): Promise<RenderedNotebook> {
  const make = async (): Promise<ComputedValue<RenderedNotebook>> => ({
    value: await renderSections(cells.map(({ type, index, source }) => ({ type, index, text: source }))),
    keep: true,
  });
  return call.session.store.get(cellsTexts, bytes, {}, make, call);
}

function derivedText(
  { typed, name }: SourceSubject,
  stored: ByteSource,
  notebook: NotebookCells,
  { bytes }: RenderedNotebook,
  selection: Selection,
): TextResource {
  const identity =
    selection.mode === 'outputs'
      ? stored.identity.derive(outputsTexts, { typed })
      : stored.identity.derive(cellsTexts, {});
  return {
    kind: 'text',
    format: 'notebook',
    bytes: {
      ...memoryBytes(bytes, identity),
      ...(stored.changed && { changed: stored.changed.bind(stored) }),
    },
    encoding: 'utf-8',
    selection,
    target: typed,
    name,
    modes: ['outputs'],
    display: 'lines',
    editable: selection.mode !== 'outputs' && notebook.bad.length === 0,
    facts: factsOf(notebook),
    notes: notesOf(notebook, selection.mode !== 'outputs' && !selection.window, typed),
  };
}

function factsOf({ count, bad }: NotebookCells): Record<string, unknown> {
  return { notebook: { cells: count, bad: bad.length } };
}

function withImages(
  text: TextResource,
  { images }: RenderedOutputs,
  stored: ByteSource,
  typed: string,
  { signal }: Call,
): MixedResource {
  return {
    kind: 'mixed',
    format: 'notebook',
    text,
    images({ start, end }) {
      const shown = images.filter(({ at }) => at >= start && at < end);
      return showImages(shown, stored, typed, signal);
    },
  };
}

// Shows the images of a notebook's outputs as image blocks, within the budget of one answer.

const outputImage: Derivation<{ start: number; end: number }> = { name: 'notebook image' };

/** The most images of one answer; together they stay within the byte budget of a single image. */
const MAX_ANSWER_IMAGES = 8;

/**
 * Shows images in order until the budget is used. One notice says for each how it is shown or why it is not, and names the
 * call for the remaining images. Only one image is decoded at a time.
 */
async function showImages(
  images: readonly NotebookImage[],
  source: ByteSource,
  typed: string,
  signal: AbortSignal,
): Promise<ShownImages> {
  const shown: ShownImage[] = [];
  const said: string[] = [];
  let left = MAX_SHOWN_IMAGE_BYTES;
  for (const image of images.slice(0, MAX_ANSWER_IMAGES)) {
    // The slot is taken before the base64 is decoded: images that wait in the queue take no memory.
    const fitted = await queues.notebookImages.run(() => fit(image, source, signal), { signal });
    if (typeof fitted === 'string') {
      said.push(`image ${image.number} cannot be shown: ${fitted}`);
      continue;
    }
    left -= fitted.data.length;
    if (left < 0) break;
    shown.push(fitted);
    said.push(`image ${image.number} follows at ${describeSize(shownFacts(fitted))}`);
  }
  const next = images[said.length];
  if (next) said.push(`image ${next.number} and later ones are over the image budget`);
  if (said.length === 0) return { images: shown, notes: [] };
  const sentence = said.join('; ').replace(/^./, (first) => first.toUpperCase());
  if (!next) return { images: shown, notes: [{ kind: 'said', text: sentence }] };
  const use = typed + writeSelector({ kind: 'lines', ranges: [{ from: next.line }] }, 'outputs');
  return { images: shown, notes: [{ kind: 'said', text: `${sentence}. Use ${use} to see them`, use }] };
}

/** The shown copy of an image, or the reason why there is none. */
async function fit(
  { span }: NotebookImage,
  source: ByteSource,
  signal: AbortSignal,
): Promise<ShownImage | string> {
  // Base64 has four bytes for three, plus line breaks.
  if (span.end - span.start > MAX_IMAGE_BYTES * 1.5) return 'it is too large';
  const stored = await readAt(source, span.start, span.end - span.start, signal);
  const base64 = joinedText(JSON.parse(Buffer.from(stored).toString('utf8')));
  const data = memoryBytes(
    Buffer.from(base64 ?? '', 'base64'),
    source.identity.derive(outputImage, { start: span.start, end: span.end }),
  );
  const type = identifyImage(await readAt(data, 0, 64, signal));
  if (!type || type === 'svg') return 'it is not an image';
  try {
    const { shown, refused } = await readRaster(data, type, 'picture', signal);
    return shown ?? refused?.why ?? `it is of type ${MIME_TYPES[type]}, which is not decoded here`;
  } catch (error) {
    if (isOrielError(error)) return error.message.replace(/\.$/, '');
    throw error;
  }
}

// The notices below the text of a notebook: about damaged cells, and that there are outputs.

const MAX_NAMED_CELLS = 5;

function notesOf(
  { cells, bad, count, trouble }: NotebookCells,
  pointToOutputs: boolean,
  typed: string,
): Notice[] {
  const notes: Notice[] = [];
  const raw = `${typed}:raw`;
  if (trouble !== undefined) {
    notes.push({ kind: 'said', text: `No cells to show: ${trouble}. Use ${raw} for the JSON`, use: raw });
  }
  if (bad.length > 0) {
    const named = bad.slice(0, MAX_NAMED_CELLS).map(({ index, why }) => `cell ${index} (${why})`);
    if (bad.length > MAX_NAMED_CELLS) named.push(`${bad.length - MAX_NAMED_CELLS} more`);
    const text = `${bad.length} of ${plural(count, 'cell')} left out as damaged: ${named.join(', ')}. Use ${raw} for the JSON`;
    notes.push({ kind: 'said', text, use: raw });
  }
  const have = cells.filter(({ outputCount }) => outputCount > 0).length;
  if (have > 0 && pointToOutputs) {
    const use = `${typed}:outputs`;
    notes.push({
      kind: 'said',
      text: `${have === 1 ? '1 cell has' : `${have} cells have`} outputs. Use ${use} to see them`,
      use,
    });
  }
  return notes;
}

// Parses the selector of cells: `cells:3`, `cells:3-5`, `cells:3-`, 0-based like the markers; `cell:3` means the same.

/** A range of cells, 0-based and inclusive; without `to` up to the last cell. */
interface CellRange {
  readonly from: number;
  readonly to?: number | undefined;
}

function takeCells(rest: string): { cells?: CellRange | undefined; rest: string } {
  const match = /^cells?:(\d{1,15})(?:(-|\.\.)(\d{1,15})?)?(?::|$)/.exec(rest);
  if (!match) return { rest };
  const [whole, from, joint, to] = match;
  const first = Number(from);
  const last = joint === undefined ? first : to === undefined ? undefined : Number(to);
  return {
    cells: { from: first, to: last },
    rest: rest.slice(whole.length),
  };
}

/** The range of lines of the cells, in the line numbers of the whole notebook. Throws `OUT_OF_RANGE`. */
function cellLines(
  { from, to = Number.POSITIVE_INFINITY }: CellRange,
  { count, bad }: NotebookCells,
  { lines }: RenderedNotebook,
  typed: string,
): Window {
  if (from >= count || from > to) throw outOfRange(from, to, count, typed);
  const shown = [...lines].filter(([index]) => index >= from && index <= to).map(([, span]) => span);
  const [first] = shown;
  const last = shown.at(-1);
  if (!first || !last) {
    const why = bad.find(({ index }) => index === from)?.why ?? 'it could not be read';
    throw new OrielError('CORRUPT', `Cell ${from} of ${quote(typed)} is damaged: ${why}.`, {
      next: `${typed}:raw`,
    });
  }
  return { kind: 'lines', ranges: [{ from: first.from, to: last.to }], context: false };
}

function outOfRange(from: number, to: number, count: number, typed: string): OrielError {
  const name = quote(typed);
  if (count === 0) {
    return new OrielError('OUT_OF_RANGE', `Cell ${from} does not exist: ${name} has no cells.`, {
      next: `${typed}:raw`,
    });
  }
  if (from > to) {
    return new OrielError('BAD_SELECTOR', `The cells ${from}-${to} end before they start.`, {
      next: `${typed}:cells:${to}-${from}`,
    });
  }
  const has = count === 1 ? 'one cell, 0' : `${count} cells, 0 to ${count - 1}`;
  return new OrielError('OUT_OF_RANGE', `Cell ${from} does not exist: ${name} has ${has}.`, {
    next: `${typed}:cells:${count - 1}`,
  });
}
