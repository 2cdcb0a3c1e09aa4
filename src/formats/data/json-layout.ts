/**
 * Formats JSON with line breaks and indentation and keeps every number, key and string as written. It validates the syntax
 * itself, because a parsed value takes many times the memory of its text.
 */

interface JsonLayout {
  /** Values nested deeper than this many levels stay on one line. */
  readonly depth: number;
  /** The most characters of the output. */
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

type Next = 'value' | 'valueOrEnd' | 'keyOrEnd' | 'key' | 'colon' | 'commaOrEnd' | 'nothing';

/** A validator of the order of tokens. Source: RFC 8259. */
class Order {
  #next: Next = 'value';
  readonly #open: ('{' | '[')[] = [];

  get isOver(): boolean {
    return this.#next === 'nothing';
  }

  /** `value`: a value is complete after this token. `empty`: the token closes an empty container. */
  take(token: string): 'value' | 'sign' | 'empty' | 'wrong' {
    const next = this.#next;
    const inside = this.#open[this.#open.length - 1];
    switch (token) {
      case '{':
      case '[':
        if (next !== 'value' && next !== 'valueOrEnd') return 'wrong';
        this.#open.push(token);
        this.#next = token === '{' ? 'keyOrEnd' : 'valueOrEnd';
        return 'value';
      case '}':
      case ']': {
        if (inside !== (token === '}' ? '{' : '[')) return 'wrong';
        const isEmpty = next === 'keyOrEnd' || next === 'valueOrEnd';
        if (!isEmpty && next !== 'commaOrEnd') return 'wrong';
        this.#open.pop();
        this.#valueEnds();
        return isEmpty ? 'empty' : 'value';
      }
      case ',':
        if (next !== 'commaOrEnd') return 'wrong';
        this.#next = inside === '{' ? 'key' : 'value';
        return 'sign';
      case ':':
        if (next !== 'colon') return 'wrong';
        this.#next = 'value';
        return 'sign';
      default:
        return this.#takeScalar(token);
    }
  }

  #takeScalar(token: string): 'value' | 'sign' | 'wrong' {
    const isKey = this.#next === 'key' || this.#next === 'keyOrEnd';
    if (isKey ? !token.startsWith('"') : this.#next !== 'value' && this.#next !== 'valueOrEnd')
      return 'wrong';
    if (!isScalar(token)) return 'wrong';
    if (isKey) {
      this.#next = 'colon';
      return 'sign';
    }
    this.#valueEnds();
    return 'value';
  }

  #valueEnds(): void {
    this.#next = this.#open.length === 0 ? 'nothing' : 'commaOrEnd';
  }
}

/** Pieces of text are joined after this many, because millions of them would take more memory than the text. */
const MAX_JSON_PIECES = 10_000;

class Lines {
  length = 0;
  readonly #breaks: readonly string[];
  #joined = '';
  #pieces: string[] = [];
  #level = 0;
  #opens = false;

  constructor(depth: number) {
    this.#breaks = Array.from({ length: depth + 1 }, (_, level) => `\n${'  '.repeat(level)}`);
  }

  get text(): string {
    return this.#joined + this.#pieces.join('');
  }

  /** `empty` says that the token closes an empty container. */
  put(token: string, empty: boolean): void {
    const closes = token === '}' || token === ']';
    if (closes) this.#level -= 1;
    if ((closes && !empty) || (this.#opens && !closes)) this.#break();
    this.#add(token === ':' ? ': ' : token);
    this.#opens = token === '{' || token === '[';
    if (this.#opens) this.#level += 1;
    else if (token === ',') this.#break();
  }

  #break(): void {
    const line = this.#breaks[this.#level];
    if (line !== undefined) this.#add(line);
  }

  #add(piece: string): void {
    this.#pieces.push(piece);
    this.length += piece.length;
    if (this.#pieces.length < MAX_JSON_PIECES) return;
    this.#joined += this.#pieces.join('');
    this.#pieces = [];
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

/** The offset after white space. */
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
