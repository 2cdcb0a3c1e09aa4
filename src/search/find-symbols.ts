/** `find` with words: the symbols below a directory that match them, best first, each as the call that reads it. */

import type { CodeQuestion, DeclaredSymbol, RelatedSymbol } from '../code/codebase/questions.ts';
import { matcherOf, stemsOf, wordsOf } from '../code/codebase/words.ts';
import { OrielError } from '../errors.ts';
import { span } from '../render/display.ts';
import { openDirectory } from '../target/open-target.ts';
import { makeVisible, oneLine, quote } from '../text/visible.ts';
import type { Call } from '../types/call.ts';
import type { SymbolsRequest } from '../types/request.ts';
import type { ListResult } from '../types/result.ts';
import { callOf, namesShownIn } from './code/answer-names.ts';
import { CodeBelow } from './code/code-below.ts';
import { filesBelow } from './code/code-files.ts';
import { type CodeContext, FileLines, NOTICE_ROOM } from './code/context.ts';
import { checkRange } from './page-bounds.ts';

/** The most symbols in one answer, and how many of the best are offered together in one call. */
const MAX_FOUND_SYMBOLS = 200;
const BEST = 3;

/** The most symbols with their source: more do not fit. */
const MAX_SOURCES = 30;

/** The most characters of the query, because each word may be compared with every file. */
const MAX_SYMBOL_QUERY_CHARACTERS = 1_000;

/** Throws `BAD_INPUT`, `NOT_DIRECTORY` and the errors of opening. */
export async function searchSymbols(request: SymbolsRequest, call: Call): Promise<ListResult> {
  checkRange(request);
  const { query, offset } = request;
  if (query.length > MAX_SYMBOL_QUERY_CHARACTERS) {
    const message = `The words are ${query.length} characters long; at most ${MAX_SYMBOL_QUERY_CHARACTERS} are allowed.`;
    throw new OrielError('BAD_INPUT', message);
  }
  if (wordsOf(query).length === 0) {
    const message = `${quote(query) || 'Nothing'} has no word to find symbols by. Use symbol "parse header".`;
    throw new OrielError('BAD_INPUT', message);
  }
  const typed = request.path ?? '.';
  const { opened: directory, path: start } = await openDirectory(typed, call);
  call.onEnd(() => directory.close());
  const shown = namesShownIn(start, call);
  const code = await CodeBelow.look(await filesBelow(directory, call, shown), call);
  const most = Math.min(request.limit, MAX_FOUND_SYMBOLS);
  const page = { query, from: offset, most } as const;
  const { found, all, sources, changed }: FoundSymbols = request.source
    ? await answersTo(page, { code, typed: start, call, shown })
    : await code.ask({ kind: 'words', ...page });
  const nothing = all === 0;
  const search = { tool: 'symbols', nothing } as const;
  const unknown = code.unknown.whole + code.unknown.parts + code.unknown.slow;
  const end = offset + found.length;
  const best = sources ? [] : found.slice(0, BEST).map((one) => callOf(one, shown));
  return {
    kind: 'entries',
    tokens: call.settings.tokens,
    entries: found.map((one, i) => ({
      source: sources?.[i],
      path: `${callOf(one, shown)}  ${span(one.from, one.to)}  ${one.signature}`,
      rank: offset + i,
    })),
    next: end < all ? end : undefined,
    beyond: found.length === 0 && all > 0 ? all : undefined,
    best: best.length > 1 && offset === 0 && best.every(isPlain) ? best.join(',') : undefined,
    unparsed: code.unknown.missing > 0 ? code.unknown.missing : undefined,
    ...(unknown > 0 && { unknown }),
    gaps: { ...code.gaps.facts, changed },
    passed: nothing
      ? await (await import('./passed-over.ts')).passedOver({ gaps: code.gaps }, search, call)
      : undefined,
  };
}

/** A page of the symbols that were found. `sources`: for each, the lines that are shown for it. */
interface FoundSymbols {
  readonly found: readonly DeclaredSymbol[];
  readonly all: number;
  readonly sources?: readonly (readonly string[])[] | undefined;
  /** The number of files that changed since they were indexed. */
  readonly changed?: number | undefined;
}

type SymbolPage = Omit<Extract<CodeQuestion, { kind: 'words' }>, 'kind'>;

/** The symbols that answer a question, as many as their sources leave room for. */
async function answersTo(page: SymbolPage, context: CodeContext): Promise<FoundSymbols> {
  const { found, all } = await context.code.ask({
    kind: 'relevant',
    ...page,
    most: Math.min(page.most, MAX_SOURCES),
  });
  const { sources, changed } = await sourcesOf(found, page.query, context);
  return { found: found.slice(0, sources.length), all, sources, changed };
}

/** Whether the path can be part of a list of paths: `src/a.ts:#a,src/b.ts:#Class.b`. */
function isPlain(path: string): boolean {
  return !/[\s,]/.test(path);
}

// The source of the symbols that answer a question, each below its call and above the symbols around it.

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

async function sourcesOf(
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
