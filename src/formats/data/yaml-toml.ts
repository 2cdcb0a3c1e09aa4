/**
 * Writes YAML and TOML as JSON, whose values are then found by path and queried. Numbers stay as they are written; anchors and
 * merge keys are resolved, as far as they do not grow beyond a bound.
 */

import { parse as parseToml, TomlDate, TomlError } from 'smol-toml';
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  Parser,
  type Scalar,
  visit,
} from 'yaml';
import { SqliteRefusal } from '../sqlite/protocol.ts';
import { TextPieces } from './json-layout.ts';
import type { ConversionFacts } from './records.ts';

/** The most bytes of a text, whose tree takes up to 30 times its memory. */
const MAX_CONVERTED_BYTES = 2 << 20;
/** The most bytes of the JSON: aliases of aliases double with each level. */
const MAX_EXPANDED_BYTES = 16 << 20;
const MAX_DOCUMENTS = 10_000;
/** Not composed deeper, which is recursive: V8 ends a process that compiles a regular expression at the end of its stack. */
const MAX_LEVELS = 500;
/** The most maps that are merged into others: each level may double them. */
const MAX_MERGED_MAPS = 100_000;

/** `bytes` is the size of the file. Throws SqliteRefusal (`LIMIT`). */
export function convertText(bytes: number, read: () => string, kind: 'yaml' | 'toml') {
  if (bytes > MAX_CONVERTED_BYTES)
    throw new SqliteRefusal(
      'LIMIT',
      'YAML and TOML are read by value up to 2 MiB; the lines of the file can be read',
      '',
    );
  const text = read().replace(/^\ufeff/, '');
  const facts: ConversionFacts = { kind, documents: 1 };
  const json = kind === 'yaml' ? yamlAsJson(text, facts) : tomlAsJson(text, facts);
  return { json: Buffer.from(json), facts };
}

/** The pieces of the JSON, up to the bound. */
class JsonPieces extends TextPieces {
  override add(piece: string): void {
    super.add(piece);
    if (this.length > MAX_EXPANDED_BYTES)
      throw new SqliteRefusal('LIMIT', 'Its aliases expand to more than 16 MiB; its lines can be read', '');
  }

  list<T>(items: readonly T[], write: (item: T) => void): void {
    this.add('[');
    for (const [at, item] of items.entries()) {
      if (at > 0) this.add(', ');
      write(item);
    }
    this.add(']');
  }

  object<T>(members: Iterable<readonly [key: string, value: T]>, write: (value: T) => void): void {
    let front = '{';
    for (const [key, value] of members) {
      this.add(`${front}${JSON.stringify(key)}: `);
      front = ', ';
      write(value);
    }
    this.add(front === '{' ? '{}' : '}');
  }
}

const TOO_DEEP = 'it is nested too deep';
/** Of a key that is a list or a map, so much of what is written is its name. */
const MAX_KEY_CHARACTERS = 1_000;

interface YamlOutput {
  readonly text: string;
  readonly lines: LineCounter;
  readonly facts: ConversionFacts;
  readonly pieces: JsonPieces;
}

/** Several documents become an array. */
function yamlAsJson(text: string, facts: ConversionFacts): string {
  const lines = new LineCounter();
  const documents: string[] = [];
  const parser = new Parser(lines.addNewLine);
  let deepAt: number | undefined;
  const tokens = function* (): Generator<CST.Token> {
    lines.addNewLine(0);
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme);
      if (parser.stack.length <= MAX_LEVELS) continue;
      deepAt = parser.offset;
      break;
    }
    yield* parser.end();
  };
  const composer = new Composer({ uniqueKeys: false, logLevel: 'silent', intAsBigInt: true });
  for (const document of composer.compose(tokens(), true, text.length)) {
    const pieces = new JsonPieces();
    new YamlWriter(document as Document.Parsed, { text, lines, facts, pieces }).write();
    documents.push(pieces.text);
    const [error] = document.errors;
    if (error) facts.damage = { line: lines.linePos(error.pos[0]).line, why: firstLine(error.message) };
    // Behind an error the structure is a guess.
    if (error || documents.length === MAX_DOCUMENTS) break;
  }
  facts.documents = documents.length;
  if (deepAt !== undefined) facts.damage = { line: lines.linePos(deepAt).line, why: TOO_DEEP };
  // An empty text is one document with nothing.
  return documents.length === 1 ? (documents[0] as string) : `[${documents.join(', ')}]`;
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

/** `1_0`, `0x1F`, `+1` and `.5` are no numbers of JSON. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

class YamlWriter {
  readonly #document: Document.Parsed;
  readonly #text: string;
  readonly #lines: LineCounter;
  readonly #facts: ConversionFacts;
  readonly #pieces: JsonPieces;
  /** The nodes around, which an alias must not repeat. */
  readonly #around = new Set<unknown>();
  /** The node of each alias: the last one before it with its anchor. */
  readonly #targets = new Map<unknown, unknown>();
  #merged = 0;

  constructor(document: Document.Parsed, { text, lines, facts, pieces }: YamlOutput) {
    this.#document = document;
    this.#text = text;
    this.#lines = lines;
    this.#facts = facts;
    this.#pieces = pieces;
    const anchors = new Map<string, unknown>();
    visit(document, {
      Node: (_, node) => {
        if (isAlias(node)) this.#targets.set(node, anchors.get(node.source));
        else if (node.anchor !== undefined) anchors.set(node.anchor, node);
      },
    });
  }

  write(): void {
    this.#write(this.#document.contents);
  }

  #write(node: unknown): void {
    if (isAlias(node)) return this.#write(this.#targets.get(node));
    if (!isMap(node) && !isSeq(node)) return this.#pieces.add(isScalar(node) ? scalarText(node) : 'null');
    if (this.#around.has(node) || this.#around.size >= MAX_LEVELS) {
      const why = this.#around.has(node) ? 'an alias of what it is in' : TOO_DEEP;
      this.#facts.damage ??= { line: this.#lineOf(node.range?.[0]), why };
      return this.#pieces.add('null');
    }
    this.#around.add(node);
    // Pairs in a list are those of `!!omap`.
    if (isSeq(node))
      this.#pieces.list(node.items, (item) => (isPair(item) ? this.#map([item]) : this.#write(item)));
    else this.#map(node.items as Pair[]);
    this.#around.delete(node);
  }

  #lineOf(offset: number | undefined): number {
    return this.#lines.linePos(offset ?? 0).line;
  }

  #map(pairs: readonly Pair[]): void {
    this.#pieces.object(this.#members(pairs, true), (value) => this.#write(value));
  }

  /** The last of repeated keys counts; keys of a merged map stand behind those of the map itself. */
  #members(pairs: readonly Pair[], counts: boolean): Map<string, unknown> {
    const members = new Map<string, unknown>();
    const merged: unknown[] = [];
    for (const { key, value } of pairs) {
      if (isScalar(key) && key.source === '<<' && key.type === 'PLAIN') {
        merged.push(...(isSeq(value) ? value.items : [value]));
        continue;
      }
      const name = this.#keyText(key);
      if (members.has(name) && counts) {
        const line = this.#lineOf((key as Scalar | null)?.range?.[0]);
        (this.#facts.repeated ??= { count: 0, line }).count += 1;
      }
      members.set(name, value);
    }
    for (const typed of merged) {
      const map = isAlias(typed) ? this.#targets.get(typed) : typed;
      if (!isMap(map) || this.#around.has(map)) continue;
      this.#merged += 1;
      if (this.#merged > MAX_MERGED_MAPS || this.#around.size > MAX_LEVELS)
        throw new SqliteRefusal(
          'LIMIT',
          'Its merge keys merge more than 100,000 maps, or 500 in one another; its lines can be read',
          '',
        );
      this.#around.add(map);
      for (const [name, value] of this.#members(map.items as Pair[], false))
        if (!members.has(name)) members.set(name, value);
      this.#around.delete(map);
    }
    return members;
  }

  #keyText(key: unknown): string {
    const node = isAlias(key) ? this.#targets.get(key) : key;
    if (isScalar(node))
      return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
    const { range } = Object(node) as { range?: [number, number, number] };
    return range ? this.#text.slice(range[0], Math.min(range[1], range[0] + MAX_KEY_CHARACTERS)).trim() : '';
  }
}

function scalarText({ value, source }: Scalar): string {
  if (typeof value === 'number' || typeof value === 'bigint') {
    const written = source?.trim() ?? '';
    if (JSON_NUMBER.test(written)) return written;
    if (typeof value === 'bigint') return String(value);
    const plain = written
      .replace(/^\+/, '')
      .replace(/^(-?)\./, '$10.')
      .replace(/\.(?=$|e)/i, '.0');
    if (JSON_NUMBER.test(plain)) return plain;
    // What JSON has no word for.
    return Number.isFinite(Number(value)) ? String(value) : JSON.stringify(written);
  }
  // Dates and bytes, which YAML 1.1 has, are written as texts.
  if (typeof value === 'boolean' || value === null) return String(value);
  return JSON.stringify(typeof value === 'string' ? value : (source ?? String(value)));
}

/** Stands before a float in the text that is parsed, where a string is put in its place. */
const FLOAT_MARK = '\ue000float:';
const MAX_CUTS = 20;

function tomlAsJson(text: string, facts: ConversionFacts): string {
  const marked = markFloats(text);
  for (let [left, cuts] = [marked, 0]; ; cuts += 1) {
    try {
      const pieces = new JsonPieces();
      writeToml(parseToml(left, { integersAsBigInt: true }), pieces);
      return pieces.text;
    } catch (error) {
      if (error instanceof RangeError)
        throw new SqliteRefusal('LIMIT', 'It is nested too deep to be parsed', '');
      if (!(error instanceof TomlError)) throw error;
      facts.damage ??= { line: error.line, why: firstLine(error.message) };
      // What stands before the line of the error, and then before the table that it is in.
      const lines = left.split('\n').slice(0, error.line - 1);
      if (cuts > 0) while (lines.length > 0 && !/^\s*(?:\[|[\w"'-]+\s*=)/.test(lines.pop() ?? ''));
      left = cuts >= MAX_CUTS ? '' : lines.join('\n');
    }
  }
}

function writeToml(value: unknown, pieces: JsonPieces): void {
  const write = (held: unknown): void => writeToml(held, pieces);
  if (Array.isArray(value)) pieces.list(value, write);
  else if (value instanceof TomlDate) pieces.add(JSON.stringify(value.toISOString()));
  else if (typeof value === 'object' && value !== null) pieces.object(Object.entries(value), write);
  else if (typeof value === 'string') pieces.add(floatIn(value) ?? JSON.stringify(value));
  else pieces.add(typeof value === 'number' && !Number.isFinite(value) ? `"${value}"` : String(value));
}

const TOML_TOKEN =
  /"""(?:[^"\\]|\\[^]|"(?!""))*"""|'''(?:[^']|'(?!''))*'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{},=\n]|\d{4}-\d\d-\d\d \d\d:[^\s[\]{},="'#]+|[^\s[\]{},="'#]+/g;
const TOML_FLOAT = /^([-+]?)((?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][-+]?\d(?:_?\d)*)?)$/;

const TOML_TIME =
  /^(?:\d{4}-\d\d-\d\d(?:[Tt ](?=\d)|$))?(?:\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[-+]\d\d:\d\d)?)?$/;

function floatIn(text: string): string | undefined {
  const digits = text.startsWith(FLOAT_MARK) ? text.slice(FLOAT_MARK.length) : '';
  return JSON_NUMBER.test(digits) ? digits : undefined;
}

/** Puts strings in the places of times, and with a mark of floats, whose digits the parser would lose. */
function markFloats(text: string): string {
  const open: string[] = [];
  let last = '\n';
  const marked: string[] = [];
  let from = 0;
  for (const { 0: token, index } of text.matchAll(TOML_TOKEN)) {
    if (token.startsWith('#')) continue;
    const isValue = last === '=' || (open.at(-1) === '[' && (last === '[' || last === ','));
    const [, sign, digits = ''] = (isValue && /[.eE]/.test(token) && TOML_FLOAT.exec(token)) || [];
    if (digits !== '') {
      const written = `${sign === '-' ? '-' : ''}${digits.replaceAll('_', '')}`;
      marked.push(text.slice(from, index), `"${FLOAT_MARK}${written}"`);
      from = index + token.length;
    } else if (isValue && TOML_TIME.test(token)) {
      marked.push(text.slice(from, index), `"${token}"`);
      from = index + token.length;
    }
    // A bracket at the start of a line is that of a table.
    if (token === '{' || (token === '[' && (open.length > 0 || last === '='))) open.push(token);
    else if (token === '}' || token === ']') open.pop();
    // Line ends in an array are blanks.
    if (token !== '\n' || open.length === 0) last = token;
  }
  return marked.join('') + text.slice(from);
}
