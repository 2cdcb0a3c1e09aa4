/** The source of the symbols that answer a question, each below its call and above the symbols around it. */

import type { RelatedSymbol } from '../../code/codebase/questions.ts';
import { matcherOf, stemsOf, wordsOf } from '../../code/codebase/words.ts';
import { span } from '../../render/display.ts';
import { makeVisible, oneLine } from '../../text/visible.ts';
import { callOf } from './answer-names.ts';
import { type CodeContext, FileLines, NOTICE_ROOM } from './context.ts';

/** The most bytes of an answer, and of one symbol as a share of that: first whole, then by the lines that matter. */
const MAX_SOURCES_BYTES = (16 << 10) - NOTICE_ROOM;
const WHOLE_SHARE = 1 / 3;
const PART_SHARE = 1 / 4;

/** Of a symbol that does not fit, at least so many bytes are shown; if fewer are left, the answer ends. */
const MIN_PART_BYTES = 700;

/** Lines around one that matters. */
const AROUND = 2;

interface SymbolSources {
  /** For each of the first symbols, as many as fit into one answer: at least one. */
  readonly sources: readonly (readonly string[])[];
  /** The number of their files that changed since they were indexed, if any. */
  readonly changed?: number | undefined;
}

export async function sourcesOf(
  symbols: readonly RelatedSymbol[],
  query: string,
  context: CodeContext,
): Promise<SymbolSources> {
  const { limits } = context.call;
  const all = Math.max(MIN_PART_BYTES, Math.min(limits.bytes - NOTICE_ROOM, MAX_SOURCES_BYTES));
  const files = new FileLines(context);
  const valueOf = valuesFor(query);
  const sources: string[][] = [];
  let room = all;
  let rows = limits.lines;
  for (const symbol of symbols) {
    const { from, to } = symbol;
    const lines = (await files.linesOf(symbol.path))
      .slice(from - 1, to)
      .map((line) => makeVisible(line).text);
    const shown = lines.map((line, i) => `${from + i}|${line}`);
    const around = [
      `${oneLine(callOf(symbol, context.shown))}  ${span(from, to)}`,
      ...neighbours(symbol, context),
      '',
    ];
    const rest = room - bytesOf(around);
    const isWhole =
      bytesOf(shown) <= Math.min(rest, all * WHOLE_SHARE) && shown.length + around.length <= rows;
    if (!isWhole && sources.length > 0 && (rest < MIN_PART_BYTES || rows < MIN_PART_ROWS)) break;
    const part = isWhole
      ? shown
      : partOf(shown, lines.map(valueOf), Math.min(rest, all * PART_SHARE), rows - around.length);
    const source = [around[0] as string, ...part, ...around.slice(1)];
    room -= bytesOf(source);
    rows -= source.length;
    sources.push(source);
  }
  // The last one has no blank line below it.
  const trimmed = sources.map((source, i) => (i < sources.length - 1 ? source : source.slice(0, -1)));
  return { sources: trimmed, changed: files.changed || undefined };
}

const MIN_PART_ROWS = 12;

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

function neighbours({ callers, callees }: RelatedSymbol, { shown }: CodeContext): string[] {
  const line = (words: string, all: RelatedSymbol['callers']): string[] =>
    all.length === 0 ? [] : [`${words} ${all.map((one) => oneLine(callOf(one, shown))).join(', ')}`];
  return [...line('called by', callers), ...line('calls', callees)];
}

/** How much a line says about a question. */
function valuesFor(query: string): (line: string) => number {
  const matches = matcherOf(stemsOf(query));
  return (line) => new Set(wordsOf(line).flatMap((word) => matches(word).map(({ at }) => at))).size;
}

/** The first line and the best others, in their order, each with the lines around it; `...` stands for what is between. */
function partOf(shown: readonly string[], values: readonly number[], bytes: number, rows: number): string[] {
  const chosen = new Set<number>();
  let [room, left] = [bytes, rows];
  const best = values.map((value, i) => ({ i, value: i === 0 ? Infinity : value }));
  for (const { i } of best.sort((a, b) => b.value - a.value || a.i - b.i)) {
    for (let at = Math.max(0, i - AROUND); at <= Math.min(shown.length - 1, i + AROUND); at += 1) {
      // A line costs its own bytes, and possibly a gap before it.
      const cost = bytesOf([shown[at] as string]) + GAP_BYTES;
      if (chosen.has(at) || cost > room || left < 2) continue;
      chosen.add(at);
      room -= cost;
      left -= 2;
    }
  }
  return shown
    .flatMap((line, i) => {
      if (!chosen.has(i)) return [];
      return i > 0 && !chosen.has(i - 1) ? ['...', line] : [line];
    })
    .concat(chosen.has(shown.length - 1) ? [] : ['...']);
}

const GAP_BYTES = 4;
