/**
 * Formats JSON with line breaks and indentation and keeps every number, key and string as written. It validates the syntax
 * itself, because a parsed value takes many times the memory of its text.
 */

interface JsonLayout {
  /** Values nested deeper than this many levels stay on one line. */
  readonly depth: number;
  readonly most: number;
  /** Whether the JSON is truncated; then the complete part is formatted. */
  readonly cut: boolean;
}

/** `tooLong` means that it may fit with fewer levels. Undefined for invalid JSON. */
export function layOutJson(text: string, { depth, most, cut }: JsonLayout): string | 'tooLong' | undefined {
  const order = new Order();
  const lines = new Lines(depth);
  /** The length of the output up to the last complete value. */
  let whole = 0;
  for (let at = skip(text, 0); at < text.length;) {
    const end = tokenEnd(text, at);
    const token = text.slice(at, end);
    at = skip(text, end);
    // A token at the truncated end may be incomplete.
    if (cut && end === text.length && !SIGNS.has(token)) break;
    const taken = order.take(token);
    if (taken === 'wrong') return undefined;
    lines.put(token, taken === 'empty');
    if (taken === 'value' || taken === 'empty') whole = lines.length;
    if (lines.length > most) return 'tooLong';
  }
  if (!order.isOver && !cut) return undefined;
  if (order.isOver) return `${lines.text}\n`;
  return whole === 0 ? undefined : `${lines.text.slice(0, whole).trimEnd()}\n`;
}

/**
 * What may follow what around all, in an object, and in an array: `k` is a key, `v` the end of a value, or its beginning.
 * Source: RFC 8259.
 */
const ORDERS = new Set('^v {{k {{} {k: {:v {v, {v} {,k [[v [[] [v, [v] [,v'.split(' '));

class Order {
  #last = '^';
  readonly #open: string[] = [];

  get isOver(): boolean {
    return this.#last === 'v' && this.#open.length === 0;
  }

  /** `value`: a value is complete after this token, or opened. `empty`: the token closes an empty container. */
  take(token: string): 'value' | 'sign' | 'empty' | 'wrong' {
    const [inside, last] = [this.#open[this.#open.length - 1] ?? '', this.#last];
    const isOpening = token === '{' || token === '[';
    const isClosing = token === '}' || token === ']';
    const isKey = inside === '{' && (last === '{' || last === ',') && token.startsWith('"');
    const kind = isKey ? 'k' : SIGNS.has(token) && !isOpening ? token : 'v';
    if (!ORDERS.has(inside + last + kind) || !(SIGNS.has(token) || isScalar(token))) return 'wrong';
    if (isOpening) this.#open.push(token);
    if (isClosing) this.#open.pop();
    this.#last = isOpening ? token : isClosing ? 'v' : kind;
    if (isClosing && last === inside) return 'empty';
    return isClosing || kind === 'v' ? 'value' : 'sign';
  }
}

/** Pieces of text are joined after this many, because millions of them would take more memory than the text. */
const MAX_TEXT_PIECES = 10_000;

/** A text that comes in many pieces. */
export class TextPieces {
  /** In UTF-16 units. */
  length = 0;
  #joined = '';
  #pieces: string[] = [];

  get text(): string {
    return this.#joined + this.#pieces.join('');
  }

  add(piece: string): void {
    this.length += piece.length;
    if (this.#pieces.push(piece) < MAX_TEXT_PIECES) return;
    this.#joined += this.#pieces.join('');
    this.#pieces = [];
  }
}

class Lines extends TextPieces {
  readonly #breaks: readonly string[];
  #level = 0;
  #opens = false;

  constructor(depth: number) {
    super();
    this.#breaks = Array.from({ length: depth + 1 }, (_, level) => `\n${'  '.repeat(level)}`);
  }

  /** `empty` says that the token closes an empty container. */
  put(token: string, empty: boolean): void {
    const closes = token === '}' || token === ']';
    if (closes) this.#level -= 1;
    if ((closes && !empty) || (this.#opens && !closes)) this.#break();
    this.add(token === ':' ? ': ' : token);
    this.#opens = token === '{' || token === '[';
    if (this.#opens) this.#level += 1;
    else if (token === ',') this.#break();
  }

  #break(): void {
    const line = this.#breaks[this.#level];
    if (line !== undefined) this.add(line);
  }
}

function isScalar(token: string): boolean {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}

function skip(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

const SIGNS = new Set('{}[],:');

/** The offset after the token that begins at `at`. */
function tokenEnd(text: string, at: number): number {
  const sign = text[at] as string;
  if (sign === '"') return stringEnd(text, at);
  let end = at + 1;
  if (SIGNS.has(sign)) return end;
  while (end < text.length && !isSpace(text.charCodeAt(end)) && !ENDS.has(text[end] as string)) end += 1;
  return end;
}

const ENDS = new Set([...SIGNS, '"']);

/** The offset after the closing quote; the end of the text if there is none. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (text[escapes - 1] === '\\') escapes -= 1;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}
