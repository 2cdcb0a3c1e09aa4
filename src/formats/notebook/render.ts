/** Renders the text of a notebook with its outputs, which are limited per cell, and a line for each image. */

import { writeSelector } from '../../selector/selection.ts';
import { memoryBytes, readAt } from '../../text/bytes.ts';
import { newlinesInBytes } from '../../text/encoding.ts';
import { terminalText } from '../../text/terminal.ts';
import type { ByteSource } from '../../types/access.ts';
import { type JsonPath, type JsonSpan, type JsonVisitor, unescapedJson } from '../data/json-scan.ts';
import { identifyImage } from '../image/detect.ts';
import { storedSize } from '../image/stored-size.ts';
import {
  joinedText,
  nextNotebookTurn,
  type NotebookCells,
  type NotebookSection,
  type RenderedNotebook,
  renderSections,
  scanJson,
} from './cells.ts';

export interface NotebookImage {
  /** The number (1-based) in the order of the notebook. */
  readonly number: number;
  readonly mimeType: string;
  /** The byte range of its base64 in the stored JSON. */
  readonly span: JsonSpan;
  /** The number (1-based) of its line in the text. */
  readonly line: number;
  /** The byte offset (0-based) of its line in the text. */
  readonly at: number;
}

export interface RenderedOutputs extends RenderedNotebook {
  readonly images: readonly NotebookImage[];
  readonly outputs: readonly OutputsOfCell[];
  /** Whether outputs of some cell are truncated. */
  readonly isCut: boolean;
}

/** The text below the marker of a cell's outputs: lines (1-based, inclusive) and bytes (half-open, without the last newline). */
interface OutputsOfCell {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

const MAX_CELL_OUTPUT_CHARACTERS = 8 * 1024;
const MAX_CELL_OUTPUT_LINES = 120;

/** The most lines for images and other representations in one cell. */
const MAX_CELL_IMAGE_LINES = 20;

/** The most characters of the whole text; later outputs are replaced by the call that shows them. */
const MAX_RENDERED_CHARACTERS = 32 * 1024 * 1024;

/** Stored bytes that are read to find the size of an image: the base64 of its first 6 KiB. */
const IMAGE_HEAD = 8 * 1024;

/** `typed` is the typed path of the notebook, with which suggested calls begin. */
export async function renderOutputs(
  { cells }: NotebookCells,
  source: ByteSource,
  typed: string,
  signal: AbortSignal,
): Promise<RenderedOutputs> {
  const sections: NotebookSection[] = [];
  const images: { section: number; row: number; mimeType: string; span: JsonSpan }[] = [];
  let characters = 0;
  let isCut = false;
  for (const { index, type, source: text, outputs } of cells) {
    sections.push({ type, index, text });
    characters += text.length;
    if (!outputs) continue;
    const shown = new CellOutputs(typed, outputs);
    const parts = characters > MAX_RENDERED_CHARACTERS ? [] : await readOutputs(source, outputs, signal);
    for (const part of parts) {
      if (part.kind !== 'image') shown.add(part);
      else if (shown.hasPlace()) {
        images.push({ section: sections.length, row: shown.lines.length, ...part });
        shown.place(await imagePlace(source, part, images.length, signal));
      }
    }
    sections.push({ type: 'output', index, text: shown.finish(parts.length === 0) });
    isCut ||= shown.isCut;
    characters += shown.characters;
  }
  const rendered = await renderSections(sections);
  const { bytes, starts, offsets } = rendered;
  const below = (section: number, lines: number): number =>
    newlinesInBytes.after(bytes, 1 + lines, offsets[section]);
  const outputs: OutputsOfCell[] = [];
  for (const [i, { type, text }] of sections.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) await nextNotebookTurn();
    // An empty output has no line below its marker.
    if (type !== 'output' || text === '') continue;
    const to = (starts[i + 1] ?? Number.POSITIVE_INFINITY) - 1;
    const end = (offsets[i + 1] ?? bytes.length + 1) - 1;
    outputs.push({ from: (starts[i] as number) + 1, to, start: below(i, 0), end });
  }
  const placed: NotebookImage[] = [];
  for (const { section, row, mimeType, span } of images) {
    if (placed.length % AT_ONCE === AT_ONCE - 1) await nextNotebookTurn();
    const line = (starts[section] as number) + 1 + row;
    placed.push({ number: placed.length + 1, mimeType, span, line, at: below(section, row) });
  }
  return { ...rendered, isCut, outputs, images: placed };
}

/** Sections or images that are processed before the event loop gets control again. */
const AT_ONCE = 2048;

class CellOutputs {
  readonly lines: string[] = [];
  characters = 0;
  #textLines = 0;
  isCut = false;
  #places = 0;
  readonly #all: string;

  constructor(typed: string, outputs: JsonSpan) {
    this.#all = storedAt(typed, outputs);
  }

  add(part: Exclude<OutputPart, { kind: 'image' }>): void {
    if (part.kind === 'text') {
      this.#text(part.text);
      this.isCut ||= part.cut;
    } else if (this.hasPlace()) {
      this.place(`[${part.mimeType}, ${part.span.end - part.span.start} bytes, not shown]`);
    }
  }

  /** Whether there is room for one more line for an image or another representation. */
  hasPlace(): boolean {
    this.isCut ||= this.#places >= MAX_CELL_IMAGE_LINES;
    return this.#places < MAX_CELL_IMAGE_LINES;
  }

  place(line: string): void {
    this.#places += 1;
    this.lines.push(line);
  }

  finish(nothing: boolean): string {
    this.isCut ||= nothing;
    if (nothing) this.lines.push(`[Outputs not shown. Use ${this.#all} for their JSON]`);
    else if (this.isCut) this.lines.push(`[Outputs of this cell cut. Use ${this.#all} for their JSON]`);
    return this.lines.join('\n');
  }

  #text(text: string): void {
    for (const line of text.replace(/\n$/, '').split('\n')) {
      if (this.isCut) return;
      const room = this.#textLines < MAX_CELL_OUTPUT_LINES ? MAX_CELL_OUTPUT_CHARACTERS - this.characters : 0;
      this.isCut = line.length > room;
      if (this.isCut && room <= 0) return;
      this.lines.push(line.slice(0, room).replace(/[\ud800-\udbff]$/, ''));
      this.#textLines += 1;
      this.characters += Math.min(line.length + 1, room);
    }
  }
}

/** The line in place of an image: its type, and its size if the first bytes state it. */
async function imagePlace(
  source: ByteSource,
  { mimeType, span }: { readonly mimeType: string; readonly span: JsonSpan },
  number: number,
  signal: AbortSignal,
): Promise<string> {
  const head = Buffer.from(await readTextStart(source, span, IMAGE_HEAD, signal), 'base64');
  const type = identifyImage(head);
  if (!type || type === 'svg') return `[image ${number}: ${mimeType}]`;
  const size = await storedSize(memoryBytes(head), type, signal);
  return `[image ${number}: ${mimeType}${size ? `, ${size.width}x${size.height} pixels` : ''}]`;
}

const LARGEST_WINDOW = 256 * 1024;

/** The call that shows the stored JSON at `span`, or its start; the notices of that answer lead to the rest. */
function storedAt(typed: string, { start, end }: JsonSpan): string {
  const length = Math.min(end - start, LARGEST_WINDOW);
  return `${typed}${writeSelector({ kind: 'bytes', start, length }, 'raw')}`;
}

// Reads the outputs of one cell: text as a terminal shows it, byte ranges of images, and the types of everything else.

/** A part of one output, in display order. `cut` says that the stored text is longer. */
type OutputPart =
  | { readonly kind: 'text'; readonly text: string; readonly cut: boolean }
  /** `span` is the JSON string (or list of strings) with the base64. */
  | { readonly kind: 'image'; readonly mimeType: string; readonly span: JsonSpan }
  /** A representation that is not shown, with the bytes of its JSON. */
  | { readonly kind: 'other'; readonly mimeType: string; readonly span: JsonSpan };

/** The most stored bytes of one text that are read; fewer are shown. */
const MAX_OUTPUT_READ_BYTES = 64 * 1024;

/** Textual representations, most useful first; one of them is shown per output. */
const TEXT_TYPES = [
  'text/markdown',
  'text/plain',
  'text/latex',
  'text/html',
  'application/json',
  'image/svg+xml',
];

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

interface StoredOutput {
  /** `output_type`, `name`, `ename` and the like. */
  readonly fields: Map<unknown, unknown>;
  /** The byte range of each representation, by MIME type. */
  readonly data: Map<string, JsonSpan>;
  span: JsonSpan;
}

async function readOutputs(source: ByteSource, span: JsonSpan, signal: AbortSignal): Promise<OutputPart[]> {
  const reader = new OutputVisitor();
  await scanJson(source, reader, signal, span);
  const parts: OutputPart[] = [];
  for (const output of reader.outputs) {
    for await (const part of partsOf(output, source, signal)) parts.push(part);
  }
  return parts;
}

const TAKEN_FIELDS = new Set<unknown>(['output_type', 'name', 'ename', 'evalue']);

class OutputVisitor implements JsonVisitor {
  readonly outputs: StoredOutput[] = [];

  want(path: JsonPath) {
    if (path.length < 2 || (path.length === 2 && path[1] === 'data')) return 'enter';
    return path.length === 2 && TAKEN_FIELDS.has(path[1]) ? 'take' : 'skip';
  }

  entered(path: JsonPath, _kind: 'object' | 'array', start: number): void {
    if (path.length === 1)
      this.outputs.push({ fields: new Map(), data: new Map(), span: { start, end: start } });
  }

  value(path: JsonPath, value: unknown, span: JsonSpan): void {
    const output = this.outputs.at(-1);
    const [, field, mimeType] = path;
    if (!output) return;
    if (typeof mimeType === 'string') output.data.set(mimeType, span);
    else if (TAKEN_FIELDS.has(field)) output.fields.set(field, value);
    else if (field === 'traceback') output.data.set('traceback', span);
    // The text of a stream.
    else if (field === 'text') output.data.set('text/plain', span);
  }
}

async function* partsOf(
  { fields, data }: StoredOutput,
  source: ByteSource,
  signal: AbortSignal,
): AsyncGenerator<OutputPart> {
  const type = fields.get('output_type');
  if (type === 'error') {
    yield errorText(fields, await readText(source, data.get('traceback'), signal, '\n'));
    return;
  }
  const shown = TEXT_TYPES.find((candidate) => data.has(candidate));
  for (const [mimeType, span] of data) {
    if (IMAGE_TYPES.has(mimeType)) yield { kind: 'image', mimeType, span };
  }
  if (shown !== undefined) {
    const { text: body, cut } = await readText(source, data.get(shown), signal);
    yield { kind: 'text', text: fields.get('name') === 'stderr' ? `stderr: ${body}` : body, cut };
  }
  for (const [mimeType, span] of data) {
    if (mimeType !== shown && !IMAGE_TYPES.has(mimeType)) yield { kind: 'other', mimeType, span };
  }
}

function errorText(fields: StoredOutput['fields'], traceback: { text: string; cut: boolean }): OutputPart {
  const message = `${joinedText(fields.get('ename')) ?? 'Error'}: ${joinedText(fields.get('evalue')) ?? ''}`;
  return { kind: 'text', text: traceback.text || message, cut: traceback.cut };
}

async function readText(source: ByteSource, span: JsonSpan | undefined, signal: AbortSignal, joint = '') {
  if (!span) return { text: '', cut: false };
  const stored = await readTextStart(source, span, MAX_OUTPUT_READ_BYTES, signal, joint);
  const text = stored.split('\n').map(terminalText).join('\n');
  return { text, cut: span.end - span.start > MAX_OUTPUT_READ_BYTES };
}

// Reads the start of a long text that is stored in JSON as one string or as a list of strings.

/** Matches a complete JSON string, or the start of the last one without an incomplete escape at the end. */
const STRINGS = /"((?:[^"\\]|\\(?:u[0-9a-fA-F]{4}|[^u]))*)/g;

/**
 * The text at `span`, of which only the first `most` stored bytes are read. List items are joined by `joint`. Other JSON
 * (such as an object of `application/json`) is returned as stored.
 */
export async function readTextStart(
  source: ByteSource,
  { start, end }: JsonSpan,
  most: number,
  signal: AbortSignal,
  joint = '',
): Promise<string> {
  const bytes = await readAt(source, start, Math.min(most, end - start), signal);
  const stored = new TextDecoder().decode(bytes, { stream: true }); // A character cut by `most` is left out.
  if (stored.startsWith('"')) return strings(stored).join('');
  return /^\[\s*(?:"|\]|$)/.test(stored) ? strings(stored).join(joint) : stored;
}

function strings(stored: string): string[] {
  const found: string[] = [];
  STRINGS.lastIndex = 0;
  for (let match = STRINGS.exec(stored); match; match = STRINGS.exec(stored)) {
    found.push(unescapedJson(match[1] ?? ''));
    STRINGS.lastIndex += 1; // The closing quote.
  }
  return found;
}
