/** Reads the cells of a notebook (nbformat 4): types, sources, and the byte ranges of their outputs. */

import { OrielError } from '../../errors.ts';
import { createTurns } from '../../queues/turns.ts';
import { readAt } from '../../text/bytes.ts';
import { countNewlines } from '../../text/encoding.ts';
import type { ByteSource } from '../../types/access.ts';
import { TextPieces } from '../data/json-layout.ts';
import { type JsonPath, JsonScanner, type JsonSpan, type JsonVisitor } from '../data/json-scan.ts';

const CELL_TYPES = ['code', 'markdown', 'raw'] as const;
type CellType = (typeof CELL_TYPES)[number];

interface Cell {
  /** 0-based. */
  readonly index: number;
  readonly type: CellType;
  readonly source: string;
  /** The byte range of the list of outputs in the stored JSON, if there are any. */
  readonly outputs?: JsonSpan | undefined;
  readonly outputCount: number;
}

export interface NotebookCells {
  /** The readable cells in order; indices of bad cells are missing. */
  readonly cells: readonly Cell[];
  /** `why` is a clause: "its source is missing or not text". */
  readonly bad: readonly { readonly index: number; readonly why: string }[];
  readonly count: number;
  /** The length of all sources together, in UTF-16 units. */
  readonly characters: number;
  /** What is wrong with the notebook, as a clause; absent if a list of cells was found. */
  readonly trouble?: string | undefined;
}

/** Bytes that are scanned before the event loop gets control again; takes some milliseconds. */
const PIECE = 256 * 1024;

const MAX_NOTEBOOK_CELLS = 100_000;

/** The most characters of all sources together, which are kept in memory. */
const MAX_SOURCE_CHARACTERS = 32 * 1024 * 1024;

/** Scans bytes `start` to `end` (exclusive) of the source, piece by piece. */
export async function scanJson(
  source: ByteSource,
  visitor: JsonVisitor,
  signal: AbortSignal,
  { start, end }: JsonSpan = { start: 0, end: source.size ?? Number.POSITIVE_INFINITY },
): Promise<void> {
  const scanner = new JsonScanner(visitor, start);
  for (let at = start; at < end;) {
    const piece = await readAt(source, at, Math.min(PIECE, end - at), signal);
    signal.throwIfAborted();
    if (piece.length === 0) break;
    scanner.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    at += piece.length;
    if (at < end) await nextNotebookTurn();
  }
  scanner.end();
}

/**
 * Throws JsonError for invalid JSON, and `LIMIT` for too many cells or too much source. Values of a wrong type are reported
 * in `bad` and `trouble`, not as errors.
 */
export async function readNotebook(source: ByteSource, signal: AbortSignal): Promise<NotebookCells> {
  const reader = new NotebookVisitor();
  await scanJson(source, reader, signal);
  return reader.result();
}

function inCells(path: JsonPath): JsonPath | undefined {
  return path[0] === 'cells' && typeof path[1] !== 'string' ? path.slice(1) : undefined;
}

class NotebookVisitor implements JsonVisitor {
  readonly #cells: Cell[] = [];
  readonly #bad: NotebookCells['bad'][number][] = [];
  #count = 0;
  #characters = 0;
  #trouble: string | undefined = 'it is not an object';
  #fields = new Map<unknown, unknown>();
  #outputs: { readonly start: number; end: number; count: number } | undefined;

  want(path: JsonPath) {
    const inside = inCells(path);
    if (!inside) return path.length === 0 ? 'enter' : 'skip';
    const [, field] = inside;
    const isList = field === 'outputs' || field === 'source';
    if (inside.length < 2 || (inside.length === 2 && isList)) return 'enter';
    const isTaken = field === (inside.length === 2 ? 'cell_type' : 'source');
    return isTaken ? 'take' : 'skip';
  }

  entered(path: JsonPath, kind: 'object' | 'array', start: number): void {
    if (path.length === 0 && kind === 'object') this.#trouble = 'it has no list of cells';
    const inside = inCells(path);
    if (inside?.length === 0 && kind === 'array') this.#trouble = undefined;
    if (inside?.length === 1) {
      this.#fields = new Map([['kind', kind]]);
      this.#outputs = undefined;
    }
    if (inside?.length !== 2) return;
    if (inside[1] === 'source') this.#fields.set('source', kind === 'array' && new TextPieces());
    else if (kind === 'array') this.#outputs = { start, end: start, count: 0 };
  }

  value(path: JsonPath, value: unknown): void {
    const inside = inCells(path);
    if (!inside) return;
    if (inside.length === 1) this.#addBad('it is not an object');
    else if (inside.length === 2) this.#fields.set(inside[1], value);
    else if (inside.length !== 3) return;
    else if (inside[1] === 'source') this.#addLine(value);
    else if (this.#outputs) this.#outputs.count += 1;
  }

  /** Adds a line of a source that is a list. If a line is not text, the whole source is invalid. */
  #addLine(line: unknown): void {
    const parts = this.#fields.get('source');
    if (!(parts instanceof TextPieces)) return;
    if (typeof line !== 'string') this.#fields.set('source', false);
    else {
      parts.add(line);
      this.#checkRoom(parts.length);
    }
  }

  left(path: JsonPath, end: number): void {
    const inside = inCells(path);
    if (inside?.length === 2 && inside[1] === 'outputs' && this.#outputs) this.#outputs.end = end;
    if (inside?.length === 1) this.#add();
  }

  result(): NotebookCells {
    return {
      cells: this.#cells,
      bad: this.#bad,
      count: this.#count,
      characters: this.#characters,
      trouble: this.#trouble,
    };
  }

  #add(): void {
    const fields = this.#fields;
    const type = CELL_TYPES.find((one) => one === fields.get('cell_type'));
    const stored = fields.get('source');
    const source = stored instanceof TextPieces ? stored.text : joinedText(stored);
    if (fields.get('kind') !== 'object') this.#addBad('it is not an object');
    else if (!type) this.#addBad('its cell_type is missing or unknown');
    else if (source === undefined) this.#addBad('its source is missing or not text');
    else {
      this.#characters += source.length;
      const { start, end, count } = this.#outputs ?? { start: 0, end: 0, count: 0 };
      this.#cells.push({
        index: this.#nextIndex(),
        type,
        source,
        outputs: count > 0 ? { start, end } : undefined,
        outputCount: count,
      });
    }
  }

  #addBad(why: string): void {
    this.#bad.push({ index: this.#nextIndex(), why });
  }

  #nextIndex(): number {
    this.#checkRoom(0);
    return this.#count++;
  }

  /** Throws `LIMIT` if one more cell with so many characters would exceed the limits. */
  #checkRoom(characters: number): void {
    if (this.#count < MAX_NOTEBOOK_CELLS && this.#characters + characters <= MAX_SOURCE_CHARACTERS) return;
    const most = `${MAX_NOTEBOOK_CELLS} cells or ${MAX_SOURCE_CHARACTERS / 1024 / 1024} MiB of source`;
    throw new OrielError('LIMIT', `The notebook has more than ${most}.`);
  }
}

/** Text as nbformat stores it: one string, or a list of strings to be concatenated. */
export function joinedText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value.join('') : undefined;
}

// The text form of a notebook: a marker line before each cell, then its source. Source lines that look like a marker get one
// more `%`, so that the text can be parsed back into the same cells.

/** One section of the text form. `output` sections follow the cell of the same index. */
export interface NotebookSection {
  readonly type: CellType | 'output';
  readonly index: number;
  readonly text: string;
}

export interface RenderedNotebook {
  /** UTF-8, without a newline at its end. */
  readonly bytes: Uint8Array;
  /** The line range of each cell with its marker and outputs, 1-based and inclusive, by cell index. */
  readonly lines: ReadonlyMap<number, { readonly from: number; readonly to: number }>;
  /** The line of each section's marker, 1-based, in the order of the sections. */
  readonly starts: readonly number[];
  /** The byte offset (0-based) of each section's marker. */
  readonly offsets: readonly number[];
}

/** The `%` of a marker, escaped any number of times, with trailing blanks (a `\r`). */
const MARKER_LIKE = /(?<![^\n])# %(?=%+ \[(?:code|markdown|raw|output)\](?: cell:\d+)?[^\S\n]*(?![^\n]))/g;

/** Bytes that are rendered before the event loop gets control again, and bytes counted for each part in addition. */
const RENDERED_AT_ONCE_BYTES = 1 << 20;
const PART = 256;

export async function renderSections(sections: Iterable<NotebookSection>): Promise<RenderedNotebook> {
  const pieces: Buffer[] = [];
  const lines = new Map<number, { from: number; to: number }>();
  const starts: number[] = [];
  const offsets: number[] = [];
  let [line, offset, done] = [1, 0, 0];
  for (const section of sections) {
    const from = line;
    starts.push(from);
    offsets.push(offset);
    for (const part of partsOf(section)) {
      const piece = Buffer.from(part);
      pieces.push(piece);
      offset += piece.length;
      line += countNewlines(piece);
      done += piece.length + PART;
      if (done > RENDERED_AT_ONCE_BYTES) await nextNotebookTurn();
      done %= RENDERED_AT_ONCE_BYTES;
    }
    lines.set(section.index, { from: lines.get(section.index)?.from ?? from, to: line - 1 });
  }
  const bytes = Buffer.allocUnsafeSlow(offset);
  let at = 0;
  for (const piece of pieces) {
    if ((at % RENDERED_AT_ONCE_BYTES) + piece.length > RENDERED_AT_ONCE_BYTES) await nextNotebookTurn();
    at += piece.copy(bytes, at);
  }
  return { bytes: bytes.subarray(0, -1), lines, starts, offsets };
}

/** Yields the marker, then the text in parts of whole lines. */
function* partsOf({ type, index, text }: NotebookSection): Generator<string> {
  yield `# %% [${type}] cell:${index}\n`;
  if (text === '') return;
  for (let at = 0; at <= text.length;) {
    const newline = text.indexOf('\n', at + RENDERED_AT_ONCE_BYTES);
    const end = newline === -1 ? text.length : newline;
    yield `${text.slice(at, end).replace(MARKER_LIKE, '# %%')}\n`;
    at = end + 1;
  }
}

// Cooperative scheduling for reading notebooks in pieces of a few milliseconds.

export const nextNotebookTurn: () => Promise<void> = createTurns();
