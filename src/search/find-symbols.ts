/** `find` with words: the symbols below a directory that match them, best first, each as the call that reads it. */

import type { CodeQuestion, DeclaredSymbol } from '../code/codebase/questions.ts';
import { OrielError } from '../errors.ts';
import { span } from '../render/display.ts';
import { openDirectory } from '../target/open-target.ts';
import { quote } from '../text/visible.ts';
import type { Call } from '../types/call.ts';
import type { SymbolsRequest } from '../types/request.ts';
import type { ListResult } from '../types/result.ts';
import { callOf, namesShownIn } from './code/answer-names.ts';
import { CodeBelow } from './code/code-below.ts';
import { filesBelow } from './code/code-files.ts';
import type { CodeContext } from './code/context.ts';
import { sourcesOf } from './code/symbol-sources.ts';
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
  if (!/[\p{L}\p{N}]{2}/u.test(query)) {
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
  const { found, all, sources, changed } = request.source
    ? await answersTo(page, { code, typed: start, call, shown })
    : await wordsIn(page, code);
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

async function wordsIn(page: SymbolPage, code: CodeBelow): Promise<FoundSymbols> {
  return code.ask({ kind: 'words', ...page });
}

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
