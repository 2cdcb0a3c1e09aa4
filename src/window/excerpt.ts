/** Owns the one step from window and limits to an excerpt: which kind of window it is, and the totals beside it. */

import type { Excerpt, Window } from '../types/excerpt.ts';
import { bytesWindow } from './by-bytes.ts';
import { endsWindow } from './by-ends.ts';
import { linesWindow } from './by-lines.ts';
import { tailWindow } from './by-tail.ts';
import type { Fit } from './fit.ts';
import type { TextInput } from './input.ts';

const wholeText: Window = { by: 'lines', ranges: [{ from: 1 }], context: false };

/** What `window` (the whole text when absent) yields of `input` within the limits of `fit`. */
export async function excerpt(input: TextInput, window: Window | undefined, fit: Fit): Promise<Excerpt> {
  const yielded = await byKind(input, window ?? wholeText, fit);
  const { source, index, signal, onScan } = input;
  const lines = input.counted ? await index.total(source, signal, onScan) : undefined;
  const shown = yielded.parts.flat();
  const last = shown.at(-1);
  return {
    ...yielded,
    totals: {
      ...(source.size !== undefined && (input.counted || !source.streamed) && { bytes: source.size }),
      ...(lines !== undefined && { lines }),
    },
    ...(input.encoding.unit === 1 &&
      shown.some(({ text, ascii }) => !ascii && text.includes('\0')) && { binary: true }),
    ...(last && !last.cut && last.end === source.size && !last.text.endsWith('\n') && { unterminated: true }),
  };
}

function byKind(input: TextInput, window: Window, fit: Fit): ReturnType<typeof linesWindow> {
  switch (window.by) {
    case 'lines':
      return linesWindow(input, window.ranges, window.context, fit);
    case 'bytes':
      return bytesWindow(input, window.start, window.length, fit);
    case 'ends':
      return endsWindow(input, window.from, window.most, fit);
    case 'tail':
      return tailWindow(input, window.lines, window.before, fit);
  }
}
