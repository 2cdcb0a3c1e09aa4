/**
 * Reads a notebook: its cells with marker lines, with their outputs (`:outputs`), cells by number (`:cells:3-5`), or the
 * stored JSON (`:raw`).
 */

import { memoryBytes } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import { notASelector } from '../../selector/not-a-selector.ts';
import { parseBehind } from '../../selector/selection.ts';
import { quote } from '../../text/visible.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type {
  MixedResource,
  NoteResource,
  Resource,
  RestOfText,
  Subject,
  TextResource,
} from '../../types/resource.ts';
import type { Selection } from '../../types/selection.ts';
import type { ImageOptions } from '../image/read-raster.ts';
import type { Computation, Computed, Kind } from '../../types/store.ts';
import { type CellRange, linesOf, takeCells } from './cells-selector.ts';
import { showImages } from './images.ts';
import { JsonError } from './json-scan.ts';
import { noCells, notesOf } from './notes.ts';
import { type Notebook, readNotebook } from './read-cells.ts';
import { renderOutputs, type RenderedOutputs } from './render.ts';
import { type RenderedNotebook, renderSections, type Section } from './cell-text.ts';

/** What may follow the path. */
const FORMS = ':outputs, cells (:cells:3-5), lines (:50-100) or :raw';

export async function openNotebook(subject: Subject, call: Call, options: ImageOptions): Promise<Resource> {
  const { opened, typed } = subject;
  if (opened.is !== 'file') throw new TypeError('a directory was claimed as a notebook');
  const { cells, selection } = parseRest(subject);
  if (selection.mode === 'raw') return storedText(subject, opened, selection);
  const notebook = await readCached(subject, opened, call);
  if (notebook.cells.length === 0 && !cells) return nothingToShow(notebook, typed);
  const withOutputs =
    selection.mode === 'outputs' ? await renderCached(notebook, opened.bytes, typed, call) : undefined;
  const rendered = withOutputs ?? (await cellsCached(notebook, opened.bytes, call));
  const window = cells ? linesOf(cells, notebook, rendered, typed) : selection.window;
  const text = derivedText(subject, opened.bytes, notebook, rendered, {
    ...(window && { window }),
    ...(selection.mode && { mode: selection.mode }),
    ...(selection.symbol !== undefined && { symbol: selection.symbol }),
  });
  if (withOutputs) return withImages(text, withOutputs, opened.bytes, typed, call, options);
  const hasOutputs = notebook.cells.some(({ outputCount }) => outputCount > 0);
  const rest = (): Promise<RestOfText> => outputsAlone(notebook, opened.bytes, typed, call);
  return { ...text, ...(hasOutputs && !window && { rest }) };
}

/** Only the outputs, with the line numbers of the text that includes them. */
async function outputsAlone(
  notebook: Notebook,
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
function parseRest({ rest, typed }: Subject): { cells?: CellRange; selection: Selection } {
  const leading = /^outputs:(?=cells?:)/.test(rest);
  const taken = takeCells(leading ? rest.slice('outputs:'.length) : rest);
  const selection = taken.rest === '' ? {} : parseBehind(typed, taken.rest);
  const mode = leading ? 'outputs' : selection?.mode;
  const known = mode === undefined || mode === 'raw' || mode === 'outputs' || mode === 'outline';
  const clash = taken.cells && (selection?.window || selection?.symbol || mode === 'raw');
  if (!selection || !known || clash || (leading && selection.mode)) {
    throw notASelector(typed, rest, FORMS);
  }
  return { ...(taken.cells && { cells: taken.cells }), selection: { ...selection, ...(mode && { mode }) } };
}

function nothingToShow(notebook: Notebook, typed: string): NoteResource {
  const [note] = notesOf(notebook, false, typed);
  return { is: 'note', kind: 'notebook', note: note ?? noCells(typed), facts: factsOf(notebook) };
}

function storedText(subject: Subject, { bytes }: OpenedFile, selection: Selection): TextResource {
  const { typed: target, name } = subject;
  return {
    is: 'text',
    kind: 'notebook',
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

const notebooks: Kind<Notebook> = {
  name: 'notebook',
  weigh: ({ characters, count }) => ({ memory: 2 * characters + CELL_BYTES * count }),
};

async function readCached({ typed }: Subject, { bytes }: OpenedFile, call: Call): Promise<Notebook> {
  try {
    const make = async ({ source, signal }: Computation): Promise<Computed<Notebook>> => ({
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
const outputsTexts: Kind<RenderedOutputs, { typed: string }> = {
  name: 'notebook outputs',
  weigh: ({ bytes, images, starts }) => ({
    memory: bytes.length + CELL_BYTES * (starts.length + images.length),
  }),
};

function renderCached(
  notebook: Notebook,
  bytes: ByteSource,
  typed: string,
  call: Call,
): Promise<RenderedOutputs> {
  const make = async ({ source, signal }: Computation): Promise<Computed<RenderedOutputs>> => ({
    value: await renderOutputs(notebook, source, typed, signal),
    keep: true,
  });
  return call.session.store.get(outputsTexts, bytes, { typed }, make, call);
}

const cellsTexts: Kind<RenderedNotebook> = {
  name: 'notebook cells',
  weigh: ({ bytes, starts }) => ({ memory: bytes.length + CELL_BYTES * starts.length }),
};

function cellsCached({ cells }: Notebook, bytes: ByteSource, call: Call): Promise<RenderedNotebook> {
  const make = async (): Promise<Computed<RenderedNotebook>> => ({
    value: await renderSections(sectionsOf(cells)),
    keep: true,
  });
  return call.session.store.get(cellsTexts, bytes, {}, make, call);
}

function* sectionsOf(cells: Notebook['cells']): Generator<Section> {
  for (const { type, index, source } of cells) yield { type, index, text: source };
}

function derivedText(
  { typed, name }: Subject,
  stored: ByteSource,
  notebook: Notebook,
  { bytes }: RenderedNotebook,
  selection: Selection,
): TextResource {
  const identity =
    selection.mode === 'outputs'
      ? stored.identity.derive(outputsTexts, { typed })
      : stored.identity.derive(cellsTexts, {});
  return {
    is: 'text',
    kind: 'notebook',
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

function factsOf({ count, bad, format, language }: Notebook): Record<string, unknown> {
  const known = { ...(format !== undefined && { format }), ...(language !== undefined && { language }) };
  return { notebook: { cells: count, bad: bad.length, ...known } };
}

function withImages(
  text: TextResource,
  { images }: RenderedOutputs,
  stored: ByteSource,
  typed: string,
  { signal }: Call,
  options: ImageOptions,
): MixedResource {
  return {
    is: 'mixed',
    kind: 'notebook',
    text,
    images({ start, end }) {
      const shown = images.filter(({ at }) => at >= start && at < end);
      return showImages(shown, stored, typed, signal, options);
    },
  };
}
