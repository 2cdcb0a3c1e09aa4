/**
 * The capture names of the query files. A pattern captures a declaration by its kind (`@function`), in it `@name`,
 * `@body`, `@scope` (the text before the name) and `@head` (the only part that is shown); or a node around a declaration
 * (`@wrap`) or before it (`@attribute`) that belongs to it; or a part that a summary may fold (`@imports`, `@comment`,
 * `@doc`, `@block`). A `@parameter` is a property unless its class also declares a property of that name. `@tag` and
 * `@called` are only used in predicates.
 */

import {
  inside,
  lastRow,
  type LineFold,
  placer,
  type ScannedSymbol,
  type SymbolKind,
  type TextPosition,
  type TextStretch,
} from '../structure.ts';

/** One match of a query. Offsets are in UTF-16 units, 0-based and half-open. */
export interface GrammarMatch {
  /** The index of the pattern in the query: if two patterns match the same name, the first one wins. */
  readonly pattern: number;
  readonly captures: readonly { readonly name: string; readonly start: number; readonly end: number }[];
}

const parts: ReadonlySet<string> = new Set(['name', 'scope', 'body', 'head', 'tag', 'called']);

interface GrammarCaptures {
  readonly found: ScannedSymbol[];
  readonly folds: LineFold[];
}

export function readCaptures(
  matches: readonly GrammarMatch[],
  text: string,
  lines: readonly string[],
): GrammarCaptures {
  const place = placer(text);
  const declarations = new Map<number, CapturedDeclaration & { readonly pattern: number }>();
  const wraps: CapturedNode[] = [];
  const attributes: CapturedNode[] = [];
  const folds: LineFold[] = [];
  for (const { pattern, captures } of matches) {
    const main = captures.find(({ name }) => !parts.has(name));
    if (!main) continue;
    if (main.name === 'wrap') wraps.push(placed(main, place));
    else if (main.name === 'attribute') attributes.push(placed(main, place));
    else if (isFoldName(main.name)) folds.push(...foldOf(main.name, placed(main, place), lines));
    else {
      const key = (captures.find(({ name }) => name === 'name') ?? main).start;
      if ((declarations.get(key)?.pattern ?? Number.POSITIVE_INFINITY) <= pattern) continue;
      const part = (name: string): CapturedNode | undefined => {
        const found = captures.find((one) => one.name === name);
        return found && placed(found, place);
      };
      const isParameter = main.name === 'parameter';
      const kind = isParameter ? 'property' : (main.name as SymbolKind);
      declarations.set(key, {
        pattern,
        kind,
        isParameter,
        node: placed(main, place),
        name: part('name'),
        body: part('body'),
        scope: part('scope'),
        head: part('head'),
      });
    }
  }
  const sorted = [...declarations.values()].toSorted((a, b) => a.node.start - b.node.start);
  wrapUp(sorted, wraps, text);
  return { found: sorted.map((one) => foundOf(one, text, lines, attributes)), folds };
}

function placed(
  { start, end }: { start: number; end: number },
  place: (offset: number) => TextPosition,
): CapturedNode {
  const { row: endRow, column: endColumn } = place(end);
  return { start, end, ...place(start), endRow, endColumn };
}

/** Maximum characters between the end of a declaration and the end of its wrap. */
const MAX_TAIL_CHARACTERS = 200;

/** Assigns each wrap to the first declaration in it, if the wrap contains little else after that. */
function wrapUp(sorted: readonly CapturedDeclaration[], wraps: readonly CapturedNode[], text: string): void {
  for (const wrap of wraps.toSorted((a, b) => b.start - a.start)) {
    const inner = sorted[firstFrom(sorted, wrap.start)];
    if (!inner || inner.node.end > wrap.end || inner.node.end < wrap.end - MAX_TAIL_CHARACTERS) continue;
    if (text.slice(inner.node.end, wrap.end).replace(';', '').trim() === '') inner.wrap = wrap;
  }
}

/** The index of the first declaration that begins at or after an offset. */
function firstFrom(sorted: readonly CapturedDeclaration[], offset: number): number {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.node.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Turns a captured declaration into a symbol: its names, its lines, its signature.

/** A range: offsets in UTF-16 units, 0-based and half-open, and the rows and columns of the same range. */
interface CapturedNode extends TextStretch {
  readonly start: number;
  readonly end: number;
}

interface CapturedDeclaration {
  readonly kind: SymbolKind;
  /** Whether it is dropped if a property of the same name exists. */
  readonly isParameter: boolean;
  readonly node: CapturedNode;
  readonly name: CapturedNode | undefined;
  readonly body: CapturedNode | undefined;
  readonly scope: CapturedNode | undefined;
  readonly head: CapturedNode | undefined;
  /** The node around it: `export`, a list of decorators, `template <…>`. */
  wrap?: CapturedNode | undefined;
}

/** Maximum characters of a name that are examined. */
const MAX_NAME_CHARACTERS = 1_000;

/** `attributes` are in the order of the text. */
function foundOf(
  declaration: CapturedDeclaration,
  text: string,
  lines: readonly string[],
  attributes: readonly CapturedNode[],
): ScannedSymbol {
  const { kind, isParameter, node, wrap = node, name, body, scope } = declaration;
  const shown = signature(text, { ...declaration, node: wrap, inner: node });
  const path = name
    ? pathOf(text.slice(name.start, Math.min(name.end, name.start + MAX_NAME_CHARACTERS)))
    : [shown];
  const around = [...(scope ? [text.slice(scope.start, scope.end)] : []), ...path.slice(0, -1)];
  const interior = body && inside(lines, body, 'body');
  const at = (name ?? node).row + 1;
  return {
    kind,
    name: path.at(-1) ?? shown,
    signature: shown,
    from: withAttributes(wrap.row, attributes) + 1,
    to: lastRow(wrap) + 1,
    at,
    span: [wrap.start, wrap.end],
    isParameter: isParameter || undefined,
    scope: around.length > 0 ? scopeName(around) : undefined,
    bodyFrom: interior ? upToSignature(lines, interior.from, at) : undefined,
    bodyTo: interior?.to,
  };
}

/**
 * `"ns::List<a::T>::size"` → `["ns", "List<a::T>", "size"]`, `"operator bool() const"` → `["operator bool"]`,
 * `"'a title'"` → `["a title"]`.
 */
function pathOf(text: string): string[] {
  const name = text.replace(/(\boperator\s+[\w:]+(?:<.*>)?[\s*&]*)\(.*$/s, '$1').trim();
  if (/^["'`]/.test(name)) return [name.slice(1, name.endsWith(name[0] ?? '') ? -1 : undefined)];
  // A symbol of Ruby.
  if (/^:[^:]/.test(name)) return [name.slice(1)];
  if (!name.includes('::')) return [name];
  const path = [''];
  let angles = 0;
  for (const part of name.split(/(::|[<>])/)) {
    if (part === '<' || part === '>') angles += part === '<' ? 1 : -1;
    if (part === '::' && angles <= 0) path.push('');
    else path.push(`${path.pop() ?? ''}${part}`);
  }
  return path;
}

/** `["std", "vector<T>"]` → `"std.vector"`. `module.exports`, `exports`, `this`, `self` and `prototype` are removed. */
function scopeName(path: readonly string[]): string {
  const name = path.map((part) => part.replace(/<[\s\S]*$/, '').trim()).join('.');
  return name.replace(/^(?:module\.exports|exports|this|self)\b\.?/, '').replace(/\.prototype\b/, '');
}

/** The first row of the attributes directly above `row`, including attributes above those. */
function withAttributes(row: number, attributes: readonly CapturedNode[]): number {
  let low = 0;
  for (let high = attributes.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((attributes[middle]?.row ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  let first = row;
  for (
    let above = attributes[low - 1];
    above && lastRow(above) === first - 1;
    above = attributes[(low -= 1) - 1]
  ) {
    first = above.row;
  }
  return first;
}

/** Extends the body to the comments between the signature and its first statement. */
function upToSignature(lines: readonly string[], from: number, at: number): number {
  let first = from;
  while (first - 1 > at && /^\s*(?:#|\/\/|--|$)/.test(lines[first - 2] ?? '')) first -= 1;
  return first;
}

// Makes the one-line signature of a declaration, without its body, the mark that introduces the body, and decorators.

interface Part {
  readonly start: number;
  readonly end: number;
}

interface Parts {
  /** The declaration with its wrap, and without. */
  readonly node: Part;
  readonly inner: Part;
  readonly name: Part | undefined;
  readonly body: Part | undefined;
  /** If present, only this is shown: the start tag of an HTML element. */
  readonly head: Part | undefined;
}

/** Declarations of at most this many characters are shown whole, including the body. */
const MAX_WHOLE_CHARACTERS = 80;

/** Maximum characters that are examined; more would not be shown. */
const MAX_EXAMINED_CHARACTERS = 1_000;

/** `@Component({…})`, `[Obsolete]` on a separate line. */
const annotation = /^(?:@[\w.:]+(?:\((?:[^()]|\([^()]*\))*\))?\s+|\[[^[\]]*\]\s*\n\s*)/;

/** `interface` in Go's `type A interface {`: a word that the grammar includes in the body. */
const lead = /^[A-Za-z_][\w\s]*(?=\{)/;

function signature(text: string, { node, inner, name, body, head }: Parts): string {
  if (head) return part(text, head.start, head.end);
  const whole = part(text, node.start, node.end);
  if (whole.length <= MAX_WHOLE_CHARACTERS && !whole.includes('\n')) return trim(whole);
  const before =
    name === undefined
      ? part(text, node.start, body?.start ?? node.end)
      : declared(text, { node, inner, name, body });
  const led = body && name ? (lead.exec(part(text, body.start, body.end))?.[0] ?? '') : '';
  const shown = trim(`${before}${led}`);
  if (!name || !body || name.start < body.end) return shown;
  return `${shown} { … } ${part(text, name.start, name.end)}`;
}

function declared(text: string, { node, inner, body }: Omit<Parts, 'head'>): string {
  const end = body?.start ?? node.end;
  let rest = part(text, node.start, end);
  for (let found = annotation.exec(rest); found; found = annotation.exec(rest))
    rest = rest.slice(found[0].length);
  return rest.startsWith('@') ? part(text, inner.start, end) : rest;
}

function part(text: string, start: number, end: number): string {
  return text.slice(start, Math.min(end, start + MAX_EXAMINED_CHARACTERS));
}

/** Removes the mark that introduces the body, a comment before the body, and other text after the head. */
function trim(declared: string): string {
  return declared
    .replace(/\s*(?:\{|\\)[ \t]*\n[\s\S]*$/, '')
    .replace(/([=:{;>])\s*(?:#|\/\/)[^\n]*\s*$/, '$1')
    .replace(/\s*(?:[=:{;]|\bdo|\n\s*end)?\s*$/, '')
    .replace(/([^=])=$/, '$1');
}

// Converts the fold captures of a query to whole lines.

const kinds = { imports: 'imports', comment: 'comment', doc: 'docstring', block: 'block' } as const;

function isFoldName(name: string): name is keyof typeof kinds {
  return Object.hasOwn(kinds, name);
}

/** The fold, or none if no whole line would be left out. */
function foldOf(name: keyof typeof kinds, node: CapturedNode, lines: readonly string[]): LineFold[] {
  const kind = kinds[name];
  if (kind === 'block') {
    const interior = inside(lines, node);
    return interior ? [{ kind, ...interior }] : [];
  }
  if (kind === 'comment' && isBesideCode(node, lines)) return [];
  return [{ kind, from: node.row + 1, to: lastRow(node) + 1 }];
}

function isBesideCode({ row, column, endRow, endColumn }: CapturedNode, lines: readonly string[]): boolean {
  const after = endColumn === 0 ? '' : (lines[endRow] ?? '').slice(endColumn);
  return ((lines[row] ?? '').slice(0, column) + after).trim() !== '';
}

// The captures of the query for uses, as arrays of numbers. A file of 1 MiB has hundreds of thousands; allocating an object
// for each would take longer than the query.

/** In the order of the text. Offsets are in UTF-16 units, 0-based and half-open. */
export interface UseCaptures {
  readonly count: number;
  /** The names of the captures; the values of `capture` are indexes into it. */
  readonly names: readonly string[];
  readonly capture: Int32Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
}

export const NO_USES: UseCaptures = {
  count: 0,
  names: [],
  capture: new Int32Array(),
  start: new Int32Array(),
  end: new Int32Array(),
};

/** Numbers for each use: its capture, start and end. */
const FIELDS = 3;

/** Maximum number of uses: for sorting, offset and index are combined in one number of 53 bits. */
const MAX_USES = 2 ** 24;

/** Collects uses. */
export class UseList {
  #numbers = new Int32Array(FIELDS * 1024);
  #count = 0;

  add(capture: number, start: number, end: number): void {
    const at = FIELDS * this.#count;
    if (at === this.#numbers.length) {
      const more = new Int32Array(2 * at);
      more.set(this.#numbers);
      this.#numbers = more;
    }
    this.#numbers[at] = capture;
    this.#numbers[at + 1] = start;
    this.#numbers[at + 2] = end;
    this.#count += 1;
  }

  /** Sorted by start; captures with the same start stay in the order in which they were found. */
  inOrder(names: readonly string[]): UseCaptures {
    const [count, numbers] = [this.#count, this.#numbers];
    const order = new Float64Array(count);
    for (let i = 0; i < count; i += 1) order[i] = (numbers[FIELDS * i + 1] as number) * MAX_USES + i;
    order.sort();
    const [capture, start, end] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
    for (let i = 0; i < count; i += 1) {
      const at = FIELDS * ((order[i] as number) % MAX_USES);
      capture[i] = numbers[at] as number;
      start[i] = numbers[at + 1] as number;
      end[i] = numbers[at + 2] as number;
    }
    return { count, names, capture, start, end };
  }
}
