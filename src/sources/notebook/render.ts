/** Renders the text of a notebook with its outputs, which are limited per cell, and a line for each image. */

import { memoryBytes } from '../../access/bytes.ts';
import { writeSelector } from '../../selector/selection.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import { identifyImage } from '../image/identify.ts';
import { storedSize } from '../image/stored-size.ts';
import { newlinesInBytes } from '../../text/scan.ts';
import type { Span } from './json-scan.ts';
import { readTextStart } from './text-start.ts';
import { type OutputPart, readOutputs } from './outputs.ts';
import type { Notebook } from './read-cells.ts';
import { type RenderedNotebook, renderSections, type Section } from './cell-text.ts';
import { nextTurn } from './notebook-turns.ts';

/** An image among the outputs. */
export interface NotebookImage {
  /** The number (1-based) in the order of the notebook. */
  readonly number: number;
  readonly mimeType: string;
  /** The byte range of its base64 in the stored JSON. */
  readonly span: Span;
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

/** The most characters and lines of the output text of one cell. */
const MOST_TEXT = 8 * 1024;
const MOST_LINES = 120;

/** The most lines for images and other representations in one cell. */
const MOST_PLACES = 20;

/** The most characters of the whole text; later outputs are replaced by the call that shows them. */
const MOST_RENDERED = 32 * 1024 * 1024;

/** Stored bytes that are read to find the size of an image: the base64 of its first 6 KiB. */
const IMAGE_HEAD = 8 * 1024;

/** `typed` is the typed path of the notebook, with which suggested calls begin. */
export async function renderOutputs(
  { cells }: Notebook,
  source: ByteSource,
  typed: string,
  signal: AbortSignal,
): Promise<RenderedOutputs> {
  const sections: Section[] = [];
  const images: { section: number; row: number; mimeType: string; span: Span }[] = [];
  let characters = 0;
  let isCut = false;
  for (const { index, type, source: text, outputs } of cells) {
    sections.push({ type, index, text });
    characters += text.length;
    if (!outputs) continue;
    const shown = new CellOutputs(typed, outputs);
    const parts = characters > MOST_RENDERED ? [] : await readOutputs(source, outputs, signal);
    for (const part of parts) {
      if (part.is !== 'image') shown.add(part);
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
    if (i % AT_ONCE === AT_ONCE - 1) await nextTurn();
    // An empty output has no line below its marker.
    if (type !== 'output' || text === '') continue;
    const to = (starts[i + 1] ?? Number.POSITIVE_INFINITY) - 1;
    const end = (offsets[i + 1] ?? bytes.length + 1) - 1;
    outputs.push({ from: (starts[i] as number) + 1, to, start: below(i, 0), end });
  }
  const placed: NotebookImage[] = [];
  for (const { section, row, mimeType, span } of images) {
    if (placed.length % AT_ONCE === AT_ONCE - 1) await nextTurn();
    const line = (starts[section] as number) + 1 + row;
    placed.push({ number: placed.length + 1, mimeType, span, line, at: below(section, row) });
  }
  return { ...rendered, isCut, outputs, images: placed };
}

/** Sections or images that are processed before the event loop gets control again. */
const AT_ONCE = 2048;

/** Collects the lines of one cell's outputs within its limits. */
class CellOutputs {
  readonly lines: string[] = [];
  characters = 0;
  #textLines = 0;
  #places = 0;
  #cut = false;
  readonly #all: string;

  get isCut(): boolean {
    return this.#cut;
  }

  constructor(typed: string, outputs: Span) {
    this.#all = storedAt(typed, outputs);
  }

  add(part: Exclude<OutputPart, { is: 'image' }>): void {
    if (part.is === 'text') {
      this.#text(part.text);
      this.#cut ||= part.cut;
    } else if (this.hasPlace()) {
      this.place(`[${part.mimeType}, ${part.span.end - part.span.start} bytes, not shown]`);
    }
  }

  /** Whether there is room for one more line for an image or another representation. */
  hasPlace(): boolean {
    this.#cut ||= this.#places >= MOST_PLACES;
    return this.#places < MOST_PLACES;
  }

  place(line: string): void {
    this.#places += 1;
    this.lines.push(line);
  }

  finish(nothing: boolean): string {
    this.#cut ||= nothing;
    if (nothing) this.lines.push(`[Outputs not shown. Use ${this.#all} for their JSON]`);
    else if (this.#cut) this.lines.push(`[Outputs of this cell cut. Use ${this.#all} for their JSON]`);
    return this.lines.join('\n');
  }

  #text(text: string): void {
    for (const line of text.replace(/\n$/, '').split('\n')) {
      if (this.#cut) return;
      const room = this.#textLines < MOST_LINES ? MOST_TEXT - this.characters : 0;
      this.#cut = line.length > room;
      if (this.#cut && room <= 0) return;
      this.lines.push(line.slice(0, room).replace(/[\ud800-\udbff]$/, ''));
      this.#textLines += 1;
      this.characters += Math.min(line.length + 1, room);
    }
  }
}

/** The line in place of an image: its type, and its size if the first bytes state it. */
async function imagePlace(
  source: ByteSource,
  { mimeType, span }: { readonly mimeType: string; readonly span: Span },
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
function storedAt(typed: string, { start, end }: Span): string {
  const length = Math.min(end - start, LARGEST_WINDOW);
  return `${typed}${writeSelector({ by: 'bytes', start, length }, 'raw')}`;
}
