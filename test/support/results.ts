/** Results of reads and runs as the engine returns them, for tests of rendering. */

import { baseLimits } from '../../src/text/limits.ts';
import { displays } from '../../src/render/display.ts';
import { utf8 } from '../../src/text/encoding.ts';
import type { Excerpt, Line } from '../../src/types/excerpt.ts';
import type { ReadOrigin, RunResult, RunStream, TextResult } from '../../src/types/result.ts';

export const origin: ReadOrigin = {
  format: 'file',
  target: 'f.txt',
  resolvedPath: '/home/me/f.txt',
  facts: {},
};

/** `text` as lines; the first one has number `no` (1-based) and starts at byte `start` (0-based). */
export function linesOf(text: string, no = 1, start = 0): Line[] {
  let at = start;
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line, i) => {
    const from = at;
    at += Buffer.byteLength(line);
    return { no: no + i, start: from, end: at, text: line, role: 'asked' };
  });
}

/** An excerpt that shows all of `text`. */
export function excerptOf(text: string, over: Partial<Excerpt> = {}): Excerpt {
  const lines = linesOf(text);
  const bytes = Buffer.byteLength(text);
  return {
    parts: [lines],
    totals: { bytes, lines: lines.length },
    invalid: 0,
    ...(bytes > 0 && { span: { start: 0, end: bytes } }),
    ...(text !== '' && !text.endsWith('\n') && { unterminated: true }),
    ...over,
  };
}

export function textResult(text: string, over: Partial<TextResult> = {}): TextResult {
  return {
    ...origin,
    kind: 'text',
    excerpt: excerptOf(text),
    selection: {},
    encoding: utf8,
    display: displays.numbers,
    limits: baseLimits,
    changed: false,
    notes: [],
    ...over,
  };
}

export function runStream(text: string, over: Partial<RunStream> = {}): RunStream {
  const excerpt = excerptOf(text);
  return {
    name: 'output',
    excerpt,
    bytes: Buffer.byteLength(text),
    lines: excerpt.totals.lines ?? 0,
    truncated: false,
    binary: false,
    ...over,
  };
}

export function runResult(stream: RunStream | string, over: Partial<RunResult> = {}): RunResult {
  return {
    kind: 'run',
    exitCode: 0,
    timedOut: false,
    cancelled: false,
    timeout: 120,
    seconds: 0.1,
    background: { ended: 0, left: 0 },
    streams: [typeof stream === 'string' ? runStream(stream) : stream],
    limits: { ...baseLimits, lines: 2_000 },
    display: 'terminal',
    ...over,
  };
}
