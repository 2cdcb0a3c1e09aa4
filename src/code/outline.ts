/** Finds the structure of a text with a scanner or with a grammar, which are loaded on first use. */

import type { NoStructure } from '../types/answer.ts';
import { NO_USES, readCaptures, type UseCaptures } from './grammar/captures.ts';
import type { GrammarFiles } from './grammar/parse.ts';
import { type CodeLanguage, unfit } from './languages.ts';
import {
  containers,
  type LineFold,
  type OutlineSymbol,
  type ScannedSymbol,
  splitLines,
  type TextStructure,
} from './structure.ts';

interface OutlineOptions {
  /** Required if the language has a grammar. */
  readonly grammar?: GrammarFiles | undefined;
  /** Whether the parser should give up. */
  isLate(): boolean;
  /** What a scan of a text finds, of which the grammar does not understand a part. */
  readonly scan?: ((text: string, language: string) => readonly ScannedSymbol[]) | undefined;
}

export interface OutlineResult extends TextStructure {
  /** The captures of the query for uses; empty if the language has none. */
  readonly uses: UseCaptures;
}

/** The symbols of a text and the parts that a map may fold, or the reason why there are none. */
export async function outline(
  text: string,
  language: CodeLanguage,
  options: OutlineOptions,
): Promise<TextStructure | NoStructure> {
  const found = await outlineWithUses(text, language, options);
  if (typeof found === 'string') return found;
  const { symbols, folds } = found;
  return symbols.length === 0 ? 'empty' : { symbols, folds };
}

/** As `outline`, with the names that the text uses. A text without symbols may use names. */
export async function outlineWithUses(
  text: string,
  language: CodeLanguage,
  { grammar, isLate, scan }: OutlineOptions,
): Promise<OutlineResult | NoStructure> {
  const lines = splitLines(text);
  const reason = unfit(text, lines);
  if (reason === 'minified' && language.name === 'json') {
    const { scanJsonShape } = await import('./scanners/data.ts');
    const found = scanJsonShape(text, lines);
    return found.length === 0 ? reason : { symbols: nest(found), folds: [], uses: NO_USES };
  }
  // Long lines are normal in tables and notebooks.
  if (reason !== undefined && !(reason === 'minified' && DATA.has(language.name))) return reason;
  if (language.scanner) {
    const scan = await language.scanner();
    return { symbols: nest(scan(lines)), folds: [], uses: NO_USES };
  }
  if (!grammar) return 'language';
  const { queryGrammar } = await import('./grammar/parse.ts');
  const parsed = await queryGrammar(massaged(text, grammar.name), grammar, isLate);
  if (!parsed) return 'time';
  const { found, folds } = readCaptures(parsed.matches, text, lines);
  const all = parsed.isDamaged && scan ? mended(found, scan(text, language.name), text, lines) : found;
  return { symbols: nest(all), folds: joined(folds, lines), uses: parsed.uses };
}

/** The symbols of a grammar with those that only a scan found, and with the ends that are plain from the indentation. */
function mended(
  found: readonly ScannedSymbol[],
  scanned: readonly ScannedSymbol[],
  text: string,
  lines: readonly string[],
): ScannedSymbol[] {
  const starts = [0];
  for (const line of text.split('\n')) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  const all = [...found];
  const known = new Map(all.map((one, i) => [`${one.at} ${one.name}`, i]));
  /** The last line of the functions so far: what a scan takes for a declaration of one line in them is a local variable. */
  let bodyTo = 0;
  for (const one of scanned) {
    const key = `${one.at} ${one.name}`;
    const [first = '', last = ''] = [lines[one.from - 1], lines[one.to - 1]];
    const isClosed = one.to > one.from && /^\s*/.exec(first)?.[0] === /^(\s*)(?:[})]|end\b)/.exec(last)?.[1];
    const place = known.get(key) ?? all.length;
    const own = all[place];
    if (!own && one.from === one.to && one.to < bodyTo) continue;
    if (!containers.has(one.kind)) bodyTo = Math.max(bodyTo, one.to);
    if (own && (!isClosed || own.to === one.to)) continue;
    const from = own?.from ?? one.from;
    const span = [
      own?.span?.[0] ?? (starts[from - 1] as number) + first.search(/\S/),
      (starts[one.to] as number) - 1,
    ] as const;
    const body = one.to - from > 1 ? { bodyFrom: own?.bodyFrom ?? one.from + 1, bodyTo: one.to - 1 } : {};
    all[place] = { ...one, ...own, from, to: one.to, span, ...(isClosed && body) };
    known.set(key, place);
  }
  return all;
}

const DATA: ReadonlySet<string> = new Set(['notebook', 'csv']);

/** Sorts folds and joins adjacent ones: runs of line comments, and of imports with blank lines between them. */
function joined(folds: readonly LineFold[], lines: readonly string[]): LineFold[] {
  const result: LineFold[] = [];
  const latest = new Map<LineFold['kind'], number>();
  for (const fold of folds.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const at = latest.get(fold.kind);
    const last = at === undefined ? undefined : result[at];
    if (at !== undefined && last && touches(last, fold, lines)) {
      result[at] = { ...last, to: Math.max(last.to, fold.to) };
    } else latest.set(fold.kind, result.push(fold) - 1);
  }
  return result;
}

function touches(above: LineFold, below: LineFold, lines: readonly string[]): boolean {
  if (above.kind === 'comment') return below.from <= above.to + 1;
  if (above.kind !== 'imports') return false;
  if (below.from - above.to > 20) return false;
  return lines.slice(above.to, below.from - 1).every((line) => line.trim() === '');
}

// Turns declarations into symbols: sorts and nests them, qualifies names, clips signatures.

/** Maximum characters of a signature or name; longer ones end with `…`. */
const MAX_SIGNATURE_CHARACTERS = 200;

/** Maximum depth; deeper symbols get this depth. */
const MAX_SYMBOL_DEPTH = 32;

/** Sorts by start, outer symbols before inner ones, and nests by ranges. */
function nest(found: readonly ScannedSymbol[]): OutlineSymbol[] {
  const spans = found.map((one) => ({
    one,
    start: one.span?.[0] ?? one.from,
    end: one.span?.[1] ?? one.to + 1,
  }));
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const open: { symbol: OutlineSymbol; start: number; end: number }[] = [];
  const parameters = new Set<OutlineSymbol>();
  const symbols = spans.flatMap(({ one, start, end }) => {
    for (let outer = open.at(-1); outer && !holds(outer, { start, end }); outer = open.at(-1)) open.pop();
    if (isAgain(open.at(-1)?.symbol, one)) return [];
    const scope = [open.at(-1)?.symbol.qualified, oneLine(one.scope ?? '')].filter(Boolean).join('.');
    const symbol = symbolOf(one, scope, open.length);
    open.push({ symbol, start, end });
    if (one.isParameter) parameters.add(symbol);
    return [symbol];
  });
  return parameters.size === 0 ? symbols : withoutDeclared(symbols, parameters);
}

/** Drops parameters that are also declared: `record City(string Name) { public string Name … }` has one property. */
function withoutDeclared(
  symbols: readonly OutlineSymbol[],
  parameters: ReadonlySet<OutlineSymbol>,
): OutlineSymbol[] {
  const declared = new Set(
    symbols
      .filter((one) => one.kind === 'property' && !parameters.has(one))
      .map(({ qualified }) => qualified),
  );
  return symbols.filter((one) => !parameters.has(one) || !declared.has(one.qualified));
}

/** Whether it is the same function again: `app.init = function init() {…}` is one function with two names. */
function isAgain(outer: OutlineSymbol | undefined, { kind, name, from, to }: ScannedSymbol): boolean {
  if (!outer || kind !== 'function' || (outer.kind !== 'function' && outer.kind !== 'method')) return false;
  return outer.name === name && outer.from === from && outer.to === to;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Symbols with the same span are siblings. */
function holds(outer: Span, inner: Span): boolean {
  if (inner.start === outer.start && inner.end === outer.end) return false;
  return inner.start >= outer.start && inner.end <= outer.end;
}

function symbolOf(one: ScannedSymbol, scope: string, depth: number): OutlineSymbol {
  const { bodyFrom, bodyTo } = one;
  const name = clip(oneLine(one.name), MAX_SIGNATURE_CHARACTERS);
  const body =
    bodyFrom !== undefined && bodyTo !== undefined && bodyFrom <= bodyTo ? { bodyFrom, bodyTo } : {};
  return {
    kind: one.kind,
    name,
    qualified: scope === '' ? name : clip(`${scope}.${name}`, 2 * MAX_SIGNATURE_CHARACTERS),
    signature: clip(oneLine(one.signature), MAX_SIGNATURE_CHARACTERS) || name,
    from: one.from,
    to: one.to,
    at: one.at ?? one.from,
    depth: Math.min(depth, MAX_SYMBOL_DEPTH),
    ...body,
  };
}

function oneLine(text: string): string {
  return text
    .slice(0, 4 * MAX_SIGNATURE_CHARACTERS)
    .replace(/([([{])\s*\n\s*/g, '$1')
    .replace(/,?\s*\n\s*([)\]])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = /[\uD800-\uDBFF]/.test(text[most - 2] ?? '');
  return `${text.slice(0, half ? most - 2 : most - 1)}…`;
}

// Rewrites code on which a grammar fails before it is parsed. Each replacement has the length of the original, so that
// offsets stay valid. Rows may change; they are computed from the original text.

interface Massage {
  readonly pattern: RegExp;
  /** The replacement, which must have the length of the match. */
  replace(match: string, group: string): string;
}

/** `class EXPORT_API Server`: the grammar cannot recognise a macro between the keyword and the name. */
const exportMacro: Massage = {
  pattern:
    /\b(?:class|struct|union|enum(?: +class)?) +([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?)(?= +[A-Za-z_]\w*(?: +final)?\s*(?:[:{]|$))/gm,
  replace: (match, macro) => match.slice(0, -macro.length) + ' '.repeat(macro.length),
};

const blank = (match: string): string => ' '.repeat(match.length);

/**
 * Macros that stand for qualifiers or attributes: alone on a line (`FMT_BEGIN_NAMESPACE`, `NO_SANITIZE("bounds")`), before a
 * type or constructor (`SPDLOG_INLINE void run(`), and after parameters (`) NOEXCEPT {`).
 */
const macros: readonly Massage[] = [
  {
    pattern:
      /^[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\("[^\n]*"\))?(?=[ \t]{0,20}\r?\n\s{0,99}(?:(?:\/\/[^\n]*(?=\n)|\/\*(?:[^*]|\*(?!\/)){0,2000}\*\/)\s{1,99}){0,30}(?:[#{]|[A-Za-z_]\w*[ *&<]|[A-Z][A-Z0-9]*_[A-Z0-9_]+\r?\n))/gm,
    replace: blank,
  },
  {
    pattern:
      /(?<=^[ \t]{0,40}(?:template ?<[^;{}\n]{0,200}>\s{0,40})?(?:(?:explicit|friend|inline|static) )?)[A-Z][A-Z0-9]*_[A-Z0-9_]+(?: [A-Z][A-Z0-9]*_[A-Z0-9_]+)?(?= +(?:[a-z_][\w:]*(?:<[^;(){}\n]{0,200}>)?[ *&]+(?:operator\b|[\w:~]+(?:<[^;(){}\n]{0,200}>)?(?:::~?\w+)?\()|(?:explicit +)?~?[a-z_]\w*\(|(\w+)(?:<[^;(){}\n]{0,200}>)?::~?\1\())/gm,
    replace: blank,
  },
  {
    pattern:
      /(?<=\)\s{1,40}(?:const\s{1,40})?)[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=\s{0,40}(?:\{|:\s{0,40}[a-z_]\w*[({]))/g,
    replace: blank,
  },
];

/** `#line 12 "parser.y"`: generated code has it between the head of a function and its body. */
const lineDirective: Massage = {
  pattern: /^[ \t]*#[ \t]*(?:line[ \t]+)?\d+(?:[ \t]+"[^"\n]*"[ \t\d]*)?(?=\r?$)/gm,
  replace: blank,
};

/** Call signatures without semicolons: the grammar takes the `<` of the next one for a part of the type before it. */
const typeBeforeList: Massage = {
  pattern: />\r?\n(?=(?:[ \t\r]*(?:(?:\/\/|\/?\*)[^\n]*)?\n){0,40}[ \t]*<)/g,
  replace: (match) => `>;${match.slice(2)}`,
};

const massages: Readonly<Record<string, readonly Massage[]>> = {
  typescript: [typeBeforeList],
  c: [exportMacro, lineDirective, ...macros],
  cpp: [exportMacro, lineDirective, ...macros],
  // Between attributes and a declaration, and at the beginning of a script.
  'c-sharp': [{ pattern: /^[ \t]*#(?:pragma\b|nullable\b|:).*$/gm, replace: blank }],
  kotlin: [
    // A class header with `constructor` on the next line: the grammar ends the class at the end of its first line.
    {
      pattern:
        /\bclass +\w+(?:<[^<>\n]*>)?(?:[ \t]*\r?\n[ \t]*(?:@\w+|public|private|protected|internal))*[ \t]*\r?\n[ \t]*(?=constructor\b|(?:@\w+\s+|public\s+|private\s+|protected\s+|internal\s+)+constructor\b)/g,
      replace: (match) => match.replace(/[\r\n]/g, ' '),
    },
    // `{ fun size() = 1 }`: the grammar requires a newline before the closing brace.
    {
      pattern: /[\w)}] \}(?=\s*$)(?<!(?:\/\/|^\s{0,40}\*).{0,300})/gm,
      replace: (match) => match.replace(' ', '\n'),
    },
    // Arguments of annotations before a declaration of the file, which the grammar takes for those of a call.
    {
      pattern: /(?<=^@[\w.:]{1,99})\((?:[^()\n]|\([^()\n]*\))*\)(?=[ \t]*\r?$)/gm,
      replace: blank,
    },
    // `annotation class Flaky` without a body, and a line that begins with `in1`.
    { pattern: /\bannotation(?= class\b)/g, replace: blank },
    { pattern: /^[ \t]*in(?=\d)/gm, replace: (match) => `${match.slice(0, -1)}m` },
  ],
};

function massaged(text: string, grammar: string): string {
  return (massages[grammar] ?? []).reduce(
    (current, { pattern, replace }) => current.replace(pattern, replace),
    text,
  );
}
