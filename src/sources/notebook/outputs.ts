/** Reads the outputs of one cell: text as a terminal shows it, byte ranges of images, and the types of everything else. */

import { stripVTControlCharacters } from 'node:util';
import type { ByteSource } from '../../types/byte-source.ts';
import { type JsonPath, type JsonVisitor, type Span } from './json-scan.ts';
import { readTextStart } from './text-start.ts';
import { scanJson, text } from './read-cells.ts';

/** A part of one output, in display order. `cut` says that the stored text is longer. */
export type OutputPart =
  | { readonly is: 'text'; readonly text: string; readonly cut: boolean }
  /** `span` is the JSON string (or list of strings) with the base64. */
  | { readonly is: 'image'; readonly mimeType: string; readonly span: Span }
  /** A representation that is not shown, with the bytes of its JSON. */
  | { readonly is: 'other'; readonly mimeType: string; readonly span: Span };

/** The most stored bytes of one text that are read; fewer are shown. */
const MOST_LOOKED_AT = 64 * 1024;

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

/** In nbformat 3 the representations are among the other fields, under short names. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  text: 'text/plain',
  html: 'text/html',
  png: 'image/png',
  jpeg: 'image/jpeg',
  svg: 'image/svg+xml',
  latex: 'text/latex',
  json: 'application/json',
  javascript: 'application/javascript',
  pdf: 'application/pdf',
};

interface StoredOutput {
  /** `output_type`, `name`, `ename` and the like. */
  readonly fields: Map<unknown, unknown>;
  /** The byte range of each representation, by MIME type. */
  readonly data: Map<string, Span>;
  span: Span;
}

/** The parts of all outputs of the list at `span`. */
export async function readOutputs(
  source: ByteSource,
  span: Span,
  signal: AbortSignal,
): Promise<OutputPart[]> {
  const reader = new OutputVisitor();
  await scanJson(source, reader, signal, span);
  const parts: OutputPart[] = [];
  for (const output of reader.outputs) {
    for await (const part of partsOf(output, source, signal)) parts.push(part);
  }
  return parts;
}

const TAKEN_FIELDS = new Set<unknown>(['output_type', 'name', 'stream', 'ename', 'evalue']);

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

  value(path: JsonPath, value: unknown, span: Span): void {
    const output = this.outputs.at(-1);
    const [, field, mimeType] = path;
    if (!output) return;
    if (typeof mimeType === 'string') output.data.set(mimeType, span);
    else if (TAKEN_FIELDS.has(field)) output.fields.set(field, value);
    else if (field === 'traceback') output.data.set('traceback', span);
    else if (typeof field === 'string' && SHORT_NAMES[field]) output.data.set(SHORT_NAMES[field], span);
  }
}

async function* partsOf(
  { fields, data }: StoredOutput,
  source: ByteSource,
  signal: AbortSignal,
): AsyncGenerator<OutputPart> {
  const type = fields.get('output_type');
  if (type === 'error' || type === 'pyerr') {
    yield errorText(fields, await readText(source, data.get('traceback'), signal, '\n'));
    return;
  }
  const shown = TEXT_TYPES.find((candidate) => data.has(candidate));
  for (const [mimeType, span] of data) {
    if (IMAGE_TYPES.has(mimeType)) yield { is: 'image', mimeType, span };
  }
  if (shown !== undefined) {
    const name = fields.get('name') ?? fields.get('stream');
    const { text: body, cut } = await readText(source, data.get(shown), signal);
    yield { is: 'text', text: name === 'stderr' ? `stderr: ${body}` : body, cut };
  }
  for (const [mimeType, span] of data) {
    if (mimeType !== shown && !IMAGE_TYPES.has(mimeType)) yield { is: 'other', mimeType, span };
  }
}

function errorText(fields: StoredOutput['fields'], traceback: { text: string; cut: boolean }): OutputPart {
  const message = `${text(fields.get('ename')) ?? 'Error'}: ${text(fields.get('evalue')) ?? ''}`;
  return { is: 'text', text: traceback.text || message, cut: traceback.cut };
}

async function readText(source: ByteSource, span: Span | undefined, signal: AbortSignal, joint = '') {
  if (!span) return { text: '', cut: false };
  const stored = await readTextStart(source, span, MOST_LOOKED_AT, signal, joint);
  return { text: forTerminal(stored), cut: span.end - span.start > MOST_LOOKED_AT };
}

/** Removes escape sequences, and text that a progress bar has overwritten with `\r`. */
function forTerminal(output: string): string {
  return stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.replace(/\r$/, '').replace(/^.*\r/s, ''))
    .join('\n');
}
