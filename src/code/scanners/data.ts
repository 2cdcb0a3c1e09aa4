/** Scanners of data: JSON, YAML, TOML and INI, CSV and TSV, notebooks. */

import { Parser } from 'htmlparser2';
import { plural } from '../../render/display.ts';
import { isHeader, NUMBER_CELL, SAMPLED_CSV_ROWS, separatedRows, separatorOf } from '../../text/separated.ts';
import { type LineScanner, rowsInOrder, type ScannedSymbol, type TextPosition } from '../structure.ts';

// Finds the keys of the first two levels of JSON (with comments), or the items of a top-level array.

/** Levels of keys that are listed. */
const JSON_LEVELS = 2;

interface Open {
  readonly bracket: '{' | '[';
  /** The current entry: a key of an object, or the index of an item. */
  entry?: { readonly name: string; readonly key: TextPosition; readonly value: TextPosition } | undefined;
  items: number;
}

export const scanJsonText: LineScanner = (lines) => {
  const found: ScannedSymbol[] = [];
  const open: Open[] = [];
  const finish = (level: Open | undefined, end: TextPosition): void => {
    if (level?.entry) found.push(foundOf(level.entry, end, lines));
    delete level?.entry;
  };
  let last: TextPosition = { row: 0, column: 0 };
  for (const { text, row, column } of tokens(lines)) {
    const level = open.at(-1);
    const inObject = level?.bracket === '{' && open.length <= JSON_LEVELS;
    const after = { row, column: column + text.length };
    if (text === '{' || text === '[') {
      const isItem = open.length === 1 && level?.bracket === '[';
      if (isItem) level.entry ??= { name: String(level.items), key: { row, column }, value: { row, column } };
      open.push({ bracket: text, items: 0 });
    } else if (text === '}' || text === ']') {
      if (inObject) finish(level, last);
      open.pop();
      if (open.length === 1 && open[0]?.bracket === '[') finish(open[0], after);
    } else if (text === ',') {
      if (level) level.items += 1;
      if (inObject) finish(level, { row, column });
    } else if (inObject && !level.entry && text.endsWith(':')) {
      level.entry = { name: unquoted(text), key: { row, column }, value: after };
    }
    last = after;
  }
  return found;
};

function foundOf(
  { name, key, value }: NonNullable<Open['entry']>,
  end: TextPosition,
  lines: readonly string[],
): ScannedSymbol {
  const line = lines[value.row] ?? '';
  const shown = end.row === value.row ? line.slice(value.column, end.column) : line.slice(value.column);
  return {
    kind: 'key',
    name,
    signature: `${name}: ${shown.trim()}`,
    from: key.row + 1,
    to: end.row + 1,
    span: [order(key), order(end)],
    bodyFrom: key.row + 2,
    bodyTo: end.row,
  };
}

/** A number that increases with the position. Columns are below 2^25, the maximum characters of a text. */
function order({ row, column }: TextPosition): number {
  return row * 2 ** 25 + column;
}

function unquoted(text: string): string {
  const name = text.slice(0, -1).trimEnd();
  return /^["']/.test(name) ? name.slice(1, -1) : name;
}

/** Strings (a key with its colon), bare keys and values, brackets, commas, comments. */
const token =
  /"(?:[^"\\]|\\.)*"(?:\s*:)?|'(?:[^'\\]|\\.)*'(?:\s*:)?|[A-Za-z_$][\w$]*\s*:|\/\/.*|\/\*|[{}[\],]|[^\s{}[\],"'/]+/g;

function* tokens(lines: readonly string[]): Iterable<{ text: string } & TextPosition> {
  let comment = false;
  for (const [row, line] of lines.entries()) {
    token.lastIndex = 0;
    if (comment) {
      const end = line.indexOf('*/');
      if (end === -1) continue;
      comment = false;
      token.lastIndex = end + 2;
    }
    for (let match = token.exec(line); match; match = token.exec(line)) {
      if (match[0].startsWith('//')) break;
      if (match[0] === '/*') {
        const end = line.indexOf('*/', match.index + 2);
        comment = end === -1;
        if (comment) break;
        token.lastIndex = end + 2;
      } else yield { text: match[0], row, column: match.index };
    }
  }
}

// The structure of JSON on a single line: the keys of its first two levels, with the types of their values.

const JSON_SHAPE_LEVELS = 2;
/** Maximum keys of an object that are listed. */
const MAX_LISTED_KEYS = 200;
/** Maximum items of an array whose keys are examined, and maximum keys that are named. */
const SAMPLED_JSON_ITEMS = 100;
const MAX_NAMED_JSON_KEYS = 12;
/** Maximum characters of a value. */
const MAX_JSON_EXAMPLE_CHARACTERS = 40;

/** Empty if the text is not JSON or has no keys. */
export function scanJsonShape(text: string, lines: readonly string[]): ScannedSymbol[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const found: ScannedSymbol[] = [];
  let at = 0;
  const place = { kind: 'key', from: 1, to: lines.length } as const;
  const visit = (of: unknown, level: number): void => {
    for (const [name, held] of entriesOf(of).slice(0, MAX_LISTED_KEYS)) {
      const start = at;
      at += 1;
      const index = found.length;
      found.push({ ...place, name, signature: `${name}: ${shapeOf(held)}` });
      if (level < JSON_SHAPE_LEVELS) visit(held, level + 1);
      at += 1;
      found[index] = { ...(found[index] as ScannedSymbol), span: [start, at] };
    }
  };
  if (Array.isArray(value)) visit({ '[]': value }, 0);
  else visit(value, 1);
  return found;
}

/** The entries of an object, or of the items of an array. */
function entriesOf(value: unknown): [string, unknown][] {
  if (!Array.isArray(value)) return isObject(value) ? Object.entries(value) : [];
  const items = value.slice(0, SAMPLED_JSON_ITEMS).filter(isObject);
  return Object.entries(Object.assign(Object.create(null) as object, ...items.toReversed()) as object);
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) {
    const kinds = new Set(
      value.slice(0, SAMPLED_JSON_ITEMS).map((item) => (isObject(item) ? 'object' : kindOf(item))),
    );
    const of =
      kinds.size === 0 ? '' : kinds.has('object') ? ` of ${keysOf(value)}` : ` of ${[...kinds].join(', ')}`;
    return `[${value.length} ${value.length === 1 ? 'item' : 'items'}${of}]`;
  }
  if (isObject(value)) return keysOf(value);
  if (value === null) return 'null';
  const shown = JSON.stringify(value);
  return `${kindOf(value)}, e.g. ${shown.length > MAX_JSON_EXAMPLE_CHARACTERS ? `${shown.slice(0, MAX_JSON_EXAMPLE_CHARACTERS)}…` : shown}`;
}

function keysOf(value: unknown): string {
  const keys = entriesOf(value).map(([key]) => key);
  const more = keys.length > MAX_NAMED_JSON_KEYS ? `, …${keys.length - MAX_NAMED_JSON_KEYS} more` : '';
  return `{${keys.slice(0, MAX_NAMED_JSON_KEYS).join(', ')}${more}}`;
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Finds the keys of the first two levels of each YAML document, by indentation.

/** Levels of keys that are listed. */
const YAML_LEVELS = 2;

const entry = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#'"[\]{},&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?=\s|$)(.*)$/;

/** A value whose lines follow, more indented: `|`, `>-`, `|2`. */
const blockScalar = /(?::|^-)\s+(?:[!&]\S+\s+)*[|>][-+\d]*\s*(?:#.*)?$/;

interface Key {
  /** In columns. An item has half a column more, because it may have the same indentation as its key. */
  readonly indent: number;
  readonly name: string;
  readonly signature: string;
  readonly line: number;
}

export const scanYaml: LineScanner = (lines) => {
  const found: ScannedSymbol[] = [];
  const open: Key[] = [];
  let last = 0;
  /** The indentation of the key whose block scalar is being skipped. */
  let scalar = Number.POSITIVE_INFINITY;
  const close = (indent: number): void => {
    for (let key = open.at(-1); key && key.indent >= indent; key = open.at(-1)) {
      open.pop();
      const { name, signature, line } = key;
      found.push({ kind: 'key', name, signature, from: line, to: last, bodyFrom: line + 1, bodyTo: last });
    }
  };
  for (const [row, text] of lines.entries()) {
    const content = text.trimStart();
    if (content === '' || content.startsWith('#')) continue;
    if (/^(?:---|\.\.\.)(?:\s|$)/.test(text)) {
      close(0);
      continue;
    }
    const spaces = text.length - content.length;
    if (spaces > scalar) {
      last = row + 1;
      continue;
    }
    scalar = blockScalar.test(content) ? spaces : Number.POSITIVE_INFINITY;
    const isItem = /^-(?:\s|$)/.test(content);
    const indent = spaces + (isItem ? 0.5 : 0);
    close(indent);
    last = row + 1;
    const key = open.length < YAML_LEVELS ? keyOf(content, isItem) : undefined;
    if (key) open.push({ ...key, indent, line: row + 1 });
  }
  close(0);
  return found;
};

function keyOf(content: string, isItem: boolean): Pick<Key, 'name' | 'signature'> | undefined {
  if (isItem) return { name: content.slice(1).trim(), signature: content };
  const match = entry.exec(content);
  if (!match) return undefined;
  const name = (match[1] ?? '').replace(/^(["'])(.*)\1$/, '$2');
  const value = (match[2] ?? '').replace(/\s#.*$/, '').trim();
  return { name, signature: `${name}: ${value}` };
}

// Finds the tables of TOML, the sections of INI files, and the keys before the first of them.

const table = /^\s*(\[\[?)\s*([^[\]]+?)\s*\]\]?\s*(?:[#;].*)?$/;
const key = /^\s*([\w."'-]+)\s*=\s*(.*)$/;

export const scanToml: LineScanner = (lines) => {
  const found: { name: string; signature: string; kind: 'table' | 'key'; from: number; to: number }[] = [];
  let inTable = false;
  let quote: string | undefined;
  let brackets = 0;
  for (const [row, text] of lines.entries()) {
    const last = found.at(-1);
    const inside = quote !== undefined || brackets > 0;
    if (last && (inside || /^\s*[^\s#;]/.test(text)) && !(table.test(text) && !inside)) {
      if (inTable || inside) last.to = row + 1;
    }
    if (!inside) {
      const header = table.exec(text);
      if (header) {
        inTable = true;
        found.push({
          kind: 'table',
          name: header[2] ?? '',
          signature: text.trim(),
          from: row + 1,
          to: row + 1,
        });
        continue;
      }
      const match = key.exec(text);
      if (match && !inTable) {
        found.push({ kind: 'key', name: match[1] ?? '', signature: text.trim(), from: row + 1, to: row + 1 });
      }
    }
    ({ quote, brackets } = after(text, { quote, brackets }));
  }
  return found.map((one): ScannedSymbol => ({ ...one, bodyFrom: one.from + 1, bodyTo: one.to }));
};

interface Value {
  /** The open multi-line quote: `"""` or `'''`. */
  readonly quote: string | undefined;
  /** Number of open brackets of a value. */
  readonly brackets: number;
}

const value = /"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*|[[\]]|=/g;

/** The state after a line: whether a value continues. */
function after(text: string, { quote, brackets }: Value): Value {
  let open = quote;
  let depth = brackets;
  let started = brackets > 0 || quote !== undefined;
  for (const [part] of text.matchAll(value)) {
    if (part === '"""' || part === "'''") open = open === undefined ? part : open === part ? undefined : open;
    else if (open !== undefined) continue;
    else if (part === '=') started = true;
    else if (part === '[' && started) depth += 1;
    else if (part === ']' && depth > 0) depth -= 1;
  }
  return { quote: open, brackets: depth };
}

// Finds the elements of the first three levels of XML.

const XML_LEVELS = 3;

export const scanXml: LineScanner = (lines) => {
  const text = lines.join('\n');
  const rowOf = rowsInOrder(text);
  const open: { readonly named: string; readonly row: number; readonly start: number }[] = [];
  const found: ScannedSymbol[] = [];
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        depth += 1;
        if (depth > XML_LEVELS) return;
        const called = attributes.id ?? attributes['xml:id'] ?? attributes.name ?? attributes.key;
        const named = called === undefined ? tag : `${tag} ${called}`;
        open.push({ named, row: rowOf(parser.startIndex), start: parser.startIndex });
      },
      onclosetag() {
        const element = depth <= XML_LEVELS ? open.pop() : undefined;
        depth -= 1;
        if (!element) return;
        const { named, row, start } = element;
        const to = rowOf(parser.endIndex) + 1;
        const body = to - row > 2 ? { bodyFrom: row + 2, bodyTo: to - 1 } : {};
        const span = [start, parser.endIndex + 1] as const;
        found.push({
          kind: 'element',
          name: named,
          signature: `<${named}>`,
          from: row + 1,
          to,
          span,
          ...body,
        });
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  return found;
};

// Finds the rows and columns of a CSV or TSV table, with the type of each column.

const MAX_CSV_COLUMNS = 500;
/** Maximum characters of an example. */
const MAX_CSV_EXAMPLE_CHARACTERS = 40;

export const scanCsv: LineScanner = (lines) => {
  const text = lines.join('\n');
  const { separator, start } = separatorOf(text);
  const rows = separatedRows(text, separator, start);
  const [first] = rows;
  if (!first) return [];
  const width = Math.max(first.length, ...rows.slice(0, SAMPLED_CSV_ROWS).map(({ length }) => length));
  const header = isHeader(first) ? first : undefined;
  const body = header ? rows.slice(1) : rows;
  const head = 'rows';
  const signature = `${plural(body.length, 'row')} of ${plural(width, 'column')}${header ? ', below a header' : ''}`;
  const table = { kind: 'table', name: head, signature, from: 1, to: lines.length } as const;
  const columns = Array.from({ length: Math.min(width, MAX_CSV_COLUMNS) }, (_, at): ScannedSymbol => {
    const name = header?.[at]?.trim() || `column ${at + 1}`;
    const cells = body.slice(0, SAMPLED_CSV_ROWS).flatMap((row) => row[at]?.trim() || []);
    const about =
      cells.length === 0
        ? 'empty'
        : `${typeOf(cells)}, e.g. ${(cells[0] ?? '').slice(0, MAX_CSV_EXAMPLE_CHARACTERS)}`;
    return {
      kind: 'property',
      name,
      signature: `${name}: ${about}`,
      from: 1,
      to: 1,
      span: [at + 1, at + 1.5],
    };
  });
  return [{ ...table, span: [0, width + 2] }, ...columns];
};

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/;

function typeOf(cells: readonly string[]): string {
  if (cells.every((cell) => NUMBER_CELL.test(cell))) return 'number';
  if (cells.every((cell) => DATE.test(cell))) return 'date';
  if (cells.every((cell) => /^(?:true|false|yes|no)$/i.test(cell))) return 'boolean';
  return 'text';
}

// Finds the cells of a notebook, in its JSON or in the text with `# %% [code] cell:N` markers.

const marker = /^# %% \[(\w+)\] cell:(\d+)/;

export const scanNotebook: LineScanner = (lines) => {
  const marked = markers(lines);
  return marked.length > 0 ? marked : stored(lines);
};

function markers(lines: readonly string[]): ScannedSymbol[] {
  const cells = lines.flatMap((text, row) => {
    const match = marker.exec(text);
    return match ? [{ row, kind: match[1] ?? '', number: match[2] ?? '' }] : [];
  });
  return cells.map(({ row, kind, number }, index) => {
    const end = cells[index + 1]?.row ?? lines.length;
    let to = end;
    while (to > row + 1 && (lines[to - 1] ?? '').trim() === '') to -= 1;
    const first = lines.slice(row + 1, end).find((line) => line.trim() !== '') ?? '';
    const signature = `[${kind}] cell:${number} ${first.trim()}`;
    return {
      kind: 'cell',
      name: `cell:${number}`,
      signature,
      from: row + 1,
      to,
      bodyFrom: row + 2,
      bodyTo: to,
    };
  });
}

/** The cells in the JSON, if it is indented as Jupyter saves it. */
function stored(lines: readonly string[]): ScannedSymbol[] {
  const cells = scanJsonText(lines).find(({ name, from, to }) => name === 'cells' && to > from);
  if (!cells) return [];
  // The lines inside the list are parsed as an array of their own, whose items are the cells.
  const inner = scanJsonText(['[', ...lines.slice(cells.from, cells.to - 1), ']']).filter(({ name }) =>
    /^\d+$/.test(name),
  );
  return inner.map((item, index) => {
    const from = item.from + cells.from - 1;
    const to = item.to + cells.from - 1;
    const text = lines.slice(from - 1, to);
    const kind = /"cell_type"\s*:\s*"(\w+)"/.exec(text.join('\n'))?.[1] ?? 'cell';
    const first = firstSource(text);
    return { kind: 'cell', name: `cell:${index}`, signature: `[${kind}] cell:${index} ${first}`, from, to };
  });
}

function firstSource(cell: readonly string[]): string {
  const at = cell.findIndex((line) => /"source"\s*:/.test(line));
  const string = /^\s*("(?:[^"\\]|\\.)*")/;
  const line = cell.slice(at + 1).find((text) => string.test(text));
  const inline = /"source"\s*:\s*\[?\s*("(?:[^"\\]|\\.)*")/.exec(cell[at] ?? '')?.[1];
  const quoted = inline ?? (at === -1 ? undefined : string.exec(line ?? '')?.[1]);
  try {
    return quoted === undefined ? '' : String(JSON.parse(quoted)).trim();
  } catch {
    return '';
  }
}
