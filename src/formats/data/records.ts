/**
 * Reads the records of a data file one after the other, in bounded memory: rows of CSV, lines of JSON, items of a JSON array.
 * The number of a record is the offset of its first byte, so that reading can continue anywhere.
 */

import {
  isHeader,
  SAMPLED_CSV_ROWS,
  type SeparatedRow,
  separatedRows,
  separatorOf,
} from '../../text/separated.ts';
import { decodeText } from '../../text/encoding.ts';
import { sameName } from '../sqlite/stored-text.ts';
import { type JsonPath, ValueFinder } from './json-scan.ts';
import {
  CHUNK_BYTES,
  type DataFile,
  ItemRecords,
  type JsonDamage,
  lineEndOf,
  LineRecords,
  scanFile,
} from './record-bytes.ts';

/** How the bytes of a file are read. `path` leads to the array whose items are the rows. */
export type DataForm =
  | { readonly kind: 'separated'; readonly separator?: string | undefined }
  | { readonly kind: 'lines' }
  | { readonly kind: 'json'; readonly path: JsonPath }
  | { readonly kind: 'yaml' | 'toml'; readonly path: JsonPath }
  | { readonly kind: 'parquet' };

/** The forms whose records are parts of the text. */
type TextForm = Exclude<DataForm, { kind: 'yaml' | 'toml' | 'parquet' }>;

export interface DataColumn {
  readonly name: string;
  /** The key in JSON, which may differ: SQLite ignores the case of names. */
  readonly key?: string | undefined;
  /** Whether all sampled cells are numbers. Always false where values have types. */
  readonly isNumeric: boolean;
  /** In words: `number`, `string or null`, `LIST<INT64>`. */
  readonly type: string;
  /** Of a column of texts most of which look like numbers: one that SQLite cannot take for a number. */
  readonly unlike?: string | undefined;
}

export type DataFinding = keyof typeof DATA_WORDS;

/** How many records, and the bytes of the first of them. */
export interface DataTally {
  count: number;
  readonly start: number;
  readonly bytes: number;
}

/** What was found while a text was converted. Lines are 1-based. */
export interface ConversionFacts {
  readonly kind: 'yaml' | 'toml';
  documents: number;
  damage?: { readonly line: number; readonly why: string } | undefined;
  repeated?: { count: number; readonly line: number } | undefined;
}

export interface DataFacts {
  read: number;
  separator?: string | undefined;
  hasHeader?: boolean | undefined;
  nearNumbers?: readonly DataColumn[] | undefined;
  damage?: JsonDamage | undefined;
  /** How often the path occurs, if it is repeated: the rows are those of the last. */
  places?: number | undefined;
  /** Whether the path may occur again where it was not looked for. */
  mayRepeat?: boolean | undefined;
  /** Rows of Parquet with values that cannot be read; `row` and `last` are the numbers (0-based) of the first and the last. */
  unread?: { rows: number; last: number; row: number; column: string; why: string } | undefined;
  /** The columns with their types, for a shape. */
  columns?: readonly (readonly [name: string, type: string])[] | undefined;
  /** Set if the rows are those of a text that was converted to JSON. */
  converted?: ConversionFacts | undefined;
  readonly found: Partial<Record<DataFinding, DataTally>>;
}

export interface DataRow {
  /** The rowid: increases from row to row. */
  readonly at: number;
  /** The text of the row: JSON, if the form is not `separated`. */
  readonly text: string;
  /** Moves to the next row; false behind the last one. */
  next(): boolean;
  /** The value of column `at` (0-based) as SQLite would store it, or as it is written. */
  value(at: number, written: boolean): DataValue;
}

export interface DataTable {
  readonly columns: readonly DataColumn[];
  readonly facts: DataFacts;
  readonly form: DataForm;
  start: number;
  /** The number of rows, where it is known without reading them. */
  readonly rows?: number | undefined;
  cursor(): DataRow;
}

const BRACKET = 0x5b;
const BRACE = 0x7b;

/** The most bytes that are searched for a further value at the path of the rows. */
const MAX_SEARCHED_BYTES = 256 << 20;

const MAX_NAMED_MEMBERS = 5;

/** The most columns: SQLite allows 2,000, and each has its text as written beside it. */
export const MAX_DATA_COLUMNS = 950;
const MAX_COLUMN_NAME_CHARACTERS = 200;
const MAX_SAMPLED_BYTES = 4 << 20;

/** What was found among the records: of one `{row has|rows have}`, and of several: "2 rows have more or fewer cells than there are columns". */
export const DATA_WORDS = {
  ragged: '{row has|rows have} more or fewer cells than there are columns',
  broken: '{line is|lines are} not JSON and {was|were} left out',
  unlike: '{row is no object|rows are no objects}: where json … finds {its|their} text',
  oversized: '{row is|rows are} over 4 MiB and {was|were} left out',
  unclosed: '{row has|rows have} a quote that is not closed',
  repeated: '{row has|rows have} a key twice, of which the last is shown',
  further: '{row has a key that is no column|rows have keys that are no columns}: json holds {it|them}',
  wide: `{row has|rows have} over ${MAX_DATA_COLUMNS} cells, of which the others are left out`,
  undecoded: '{row has|rows have} bytes that are not UTF-8, which no condition finds as letters',
};

/** A cell for a computation, and as it is written in the file. */
export type DataValue = string | number | bigint | null;

/** The table of a data file: its columns, and what was found while its records were read. */
export class DataRecords implements DataTable {
  readonly columns: readonly DataColumn[];
  readonly facts: DataFacts = { read: 0, found: {} };
  /** Where reading begins: the byte offset of a record, which is its rowid. Conditions name rowids where none may begin. */
  start = 0;
  /** What stands in a JSON text in the place of the array, if that is no array: nothing, or it has arrays with these names. */
  readonly instead:
    | { readonly kind: 'object' | 'scalar' | undefined; readonly arrays: readonly string[] }
    | undefined;
  readonly form: TextForm;
  /** Whether no record is an object: each is one value, in the column `value`. */
  readonly isPlain: boolean = false;
  readonly #names: ReadonlySet<string>;
  readonly #file: DataFile;
  readonly #lineEnd: number;
  readonly #start: number;
  /** Where the items of a repeated path begin; 0 for those of the first array at it. */
  #items = 0;
  /** The last record that was counted, and by finding. */
  readonly #counted = new Map<DataFinding | 'read', number>();

  /** Reads the first records to find the columns. */
  constructor(file: DataFile, form: TextForm) {
    this.#file = file;
    const chunk = Buffer.alloc(Math.min(file.size, CHUNK_BYTES));
    const head = chunk.subarray(0, file.read(chunk, 0));
    const text = decodeText(head, true);
    this.#lineEnd = lineEndOf(text);
    const mark = text.startsWith('\ufeff') ? 3 : 0;
    this.form = form.kind === 'json' && form.path.length === 0 && isLines(text) ? { kind: 'lines' } : form;
    this.#start = mark;
    if (this.form.kind === 'separated') {
      const found = separatorOf(mark ? text.slice(1) : text);
      const separator = found.start > 0 ? found.separator : (this.form.separator ?? found.separator);
      this.form = { kind: 'separated', separator };
      this.facts.separator = separator;
      this.#start += found.start;
    }
    this.instead = this.form.kind === 'json' ? this.#findArray(this.form.path) : undefined;
    const { records, behindFirst } = this.#sample();
    if (this.form.kind === 'separated') {
      const rows = records.map(({ cells }) => cells);
      this.facts.hasHeader = rows[0] !== undefined && isHeader(rows[0]);
      this.columns = separatedColumns(rows, this.facts.hasHeader);
      this.facts.nearNumbers = this.columns.filter(({ unlike }) => unlike !== undefined);
      if (this.facts.hasHeader) this.#start = behindFirst;
    } else {
      const keys = new Set(records.flatMap(({ object }) => (object ? Object.keys(object) : [])));
      const names = [...keys].slice(0, MAX_DATA_COLUMNS);
      this.isPlain = names.length === 0;
      this.columns = this.isPlain
        ? [{ name: 'value', isNumeric: false, type: jsonType(records.map(({ text: one }) => parsedOf(one))) }]
        : uniqueNames(names).map((name, at) => {
            const key = names[at] ?? name;
            const values = records.flatMap(({ object }) =>
              object && Object.hasOwn(object, key) ? [object[key]] : [],
            );
            return { name, key, isNumeric: false, type: jsonType(values) };
          });
    }
    this.#names = new Set(this.columns.map(({ name, key = name }) => key));
    // The sample is not what was asked for.
    this.#counted.clear();
    Object.assign(this.facts, { read: 0, found: {}, damage: undefined });
  }

  /** Whether the object has a key that is no column. */
  hasFurther(object: object): boolean {
    // While the first records are read, the columns are not known yet.
    const names = this.#names as ReadonlySet<string> | undefined;
    return names !== undefined && Object.keys(object).some((key) => !names.has(key));
  }

  cursor(): DataCursor {
    return new DataCursor(this, this.#recordsFrom(Math.max(this.start, this.#start)));
  }

  /** Counts a record, unless it was counted before. */
  count(what: DataFinding | 'read', start: number, bytes: number): void {
    if (start <= (this.#counted.get(what) ?? -1)) return;
    this.#counted.set(what, start);
    if (what === 'read') this.facts.read += 1;
    else (this.facts.found[what] ??= { count: 0, start, bytes }).count += 1;
  }

  #recordsFrom(offset: number): LineRecords | ItemRecords {
    const { form } = this;
    if (form.kind === 'json')
      return new ItemRecords(this.#file, form.path, offset > this.#start ? offset : this.#items);
    const records = new LineRecords(
      this.#file,
      offset,
      this.#lineEnd,
      form.kind === 'separated' ? form.separator : undefined,
    );
    const before = Buffer.alloc(1);
    if (offset > this.#start && this.#file.read(before, offset - 1) === 1 && before[0] !== this.#lineEnd)
      records.align();
    return records;
  }

  #sample(): { readonly records: readonly DataCursor[]; readonly behindFirst: number } {
    const records: DataCursor[] = [];
    const source = this.#recordsFrom(this.#start);
    let behindFirst = this.#file.size;
    for (let bytes = 0; records.length < SAMPLED_CSV_ROWS && bytes < MAX_SAMPLED_BYTES;) {
      const cursor = new DataCursor(this, source);
      if (!cursor.next()) break;
      if (records.length === 0 && source instanceof LineRecords) behindFirst = source.position;
      bytes += cursor.bytes;
      records.push(cursor);
    }
    return { records, behindFirst };
  }

  /** Sets where its items begin. */
  #findArray(path: JsonPath): DataRecords['instead'] {
    const first = Buffer.alloc(1);
    const kindAt = (start: number): NonNullable<ItemRecords['found']> => {
      this.#file.read(first, start);
      return first[0] === BRACKET ? 'array' : first[0] === BRACE ? 'object' : 'scalar';
    };
    let arrays: readonly string[] = [];
    let kind: ItemRecords['found'];
    const last = path.length === 0 || this.#file.remote ? undefined : this.#lastAt(path);
    this.facts.mayRepeat = path.length > 0 && (!last || this.#file.size > MAX_SEARCHED_BYTES);
    if (last && last.count > (last.found ? 1 : 0)) {
      this.facts.places = last.count;
      this.#items = (last.found?.start ?? 0) + 1;
      kind = last.found && kindAt(last.found.start);
    } else {
      const items = this.#recordsFrom(0) as ItemRecords;
      items.next(() => {});
      // Damage is said behind the rows.
      kind = items.damage ? 'array' : items.found;
      arrays = items.members.filter(({ start }) => kindAt(start) === 'array').map(({ name }) => name);
    }
    return kind === 'array' ? undefined : { kind, arrays: arrays.slice(0, MAX_NAMED_MEMBERS) };
  }

  /** The last value at the path, as far as the text is JSON. */
  #lastAt(path: JsonPath): ValueFinder {
    const finder = new ValueFinder(path);
    scanFile(finder.scanner, this.#file, MAX_SEARCHED_BYTES);
    return finder;
  }
}

/** Whether the text of a `.json` file is an object on each line. */
function isLines(text: string): boolean {
  const lines = text.replace(/^\ufeff/, '').split('\n', 2);
  return (
    lines.length === 2 && lines.every((line) => line.trim() !== '') && objectOf(lines[0] ?? '') !== undefined
  );
}

function separatedColumns(rows: readonly SeparatedRow[], hasHeader: boolean): DataColumn[] {
  const body = hasHeader ? rows.slice(1) : rows;
  const width = hasHeader ? (rows[0]?.length ?? 0) : Math.max(0, ...rows.map((row) => row.length));
  const names = Array.from({ length: width }, (_, at) => (hasHeader ? (rows[0]?.[at]?.trim() ?? '') : ''));
  return uniqueNames(names).map((name, at) => {
    const cells = body.flatMap((row) => row[at] ?? []);
    const isNumeric = cells.length > 0 && cells.every((cell) => WRITTEN_NUMBER.test(cell));
    const near = cells.filter((cell) => cell.length < 40 && NEAR_NUMBER.test(cell));
    const isNear = !isNumeric && near.length * 2 >= cells.length;
    const others = isNear ? cells.filter((cell) => !WRITTEN_NUMBER.test(cell)) : [];
    const unlike = others.find((cell) => SIGNS.test(cell)) ?? others[0];
    return { name, isNumeric, type: cells.length === 0 ? 'empty' : isNumeric ? 'number' : 'text', unlike };
  });
}

/** What a person takes for a number: `1,000`, `$5`, `(3)`, `7 %`, `0123`. Takes quadratic time: for short cells alone. */
const NEAR_NUMBER = /^\s*[($€£¥+-]*\s*\d[\d,]*(?:\.\d*)?\s*[)%€£]?\s*$/;
/** The signs at which a cast to a number ends. */
export const SIGNS = /^\s*[($€£¥]|\d,\d/;

/** A number without leading zeros, which would be lost: `0123` is a text. */
const WRITTEN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/i;

/** `number or null`. */
function jsonType(values: readonly unknown[]): string {
  const kinds = values.map((value) =>
    value === null || value === undefined ? 'null' : Array.isArray(value) ? 'array' : typeof value,
  );
  return [...new Set(kinds)].join(' or ');
}

/** How the names of hidden columns end. */
const WRITTEN = / as written$/i;

/** Names as SQLite tells them apart, at most `MAX_DATA_COLUMNS`; an empty one is `column 3`. */
export function uniqueNames(names: readonly string[]): string[] {
  const unique: string[] = [];
  for (const [at, typed] of names.slice(0, MAX_DATA_COLUMNS).entries()) {
    const name = typed.slice(0, MAX_COLUMN_NAME_CHARACTERS).replaceAll('\0', '') || `column ${at + 1}`;
    let other = name;
    for (let n = 2; WRITTEN.test(other) || unique.some((known) => sameName(known, other)); n += 1)
      other = `${name} ${n}`;
    unique.push(other);
  }
  return unique;
}

export class DataCursor implements DataRow {
  at = 0;
  bytes = 0;
  cells: SeparatedRow = [];
  object: Readonly<Record<string, unknown>> | undefined;
  text = '';
  readonly #table: DataRecords;
  readonly #source: LineRecords | ItemRecords;
  #spans: ReadonlyMap<string, string> | undefined;

  constructor(table: DataRecords, source: LineRecords | ItemRecords) {
    this.#table = table;
    this.#source = source;
  }

  next(): boolean {
    for (;;) {
      const { form, facts } = this.#table;
      const record = this.#source.next((at, bytes) => this.#table.count('oversized', at, bytes));
      if (!record) {
        if (this.#source instanceof ItemRecords) facts.damage ??= this.#source.damage;
        return false;
      }
      this.at = record.at;
      this.bytes = record.bytes.length;
      this.text = decodeText(record.bytes);
      this.#spans = undefined;
      this.#count('read');
      if (record.isUnclosed) this.#count('unclosed');
      if (!this.text.isWellFormed()) this.#count('undecoded');
      if (form.kind === 'separated') {
        this.cells = cellsOf(this.text, form.separator ?? ',');
        // While the first records are read, the columns are not known yet.
        const { columns = [] } = this.#table as { readonly columns?: readonly DataColumn[] };
        const isWide = columns.length === MAX_DATA_COLUMNS && this.cells.length > MAX_DATA_COLUMNS;
        if (isWide) this.#count('wide');
        else if (columns.length > 0 && this.cells.length !== columns.length) this.#count('ragged');
        return true;
      }
      this.object = objectOf(this.text);
      if (this.object) {
        if (this.#table.hasFurther(this.object)) this.#count('further');
        return true;
      }
      const isJson = form.kind === 'json' || parsedOf(this.text) !== undefined;
      if (!isJson || !this.#table.isPlain) this.#count(isJson ? 'unlike' : 'broken');
      // What is no object has its text in the column `json`.
      if (isJson) return true;
    }
  }

  value(at: number, written: boolean): DataValue {
    const column = this.#table.columns[at];
    if (!column) return null;
    if (this.#table.form.kind === 'separated') {
      const cell = this.cells[at] ?? null;
      return cell === null || written || !column.isNumeric ? cell : numberOf(cell);
    }
    if (this.#table.isPlain) return valueOf(this.text, written);
    const { object } = this;
    const { name, key = name } = column;
    if (!object || !Object.hasOwn(object, key)) return null;
    const value = object[key];
    if (value === null || typeof value === 'string') return value;
    // Only an integer may have lost something: `1.0`, or one over 2^53.
    if (!written && typeof value === 'number' && !Number.isInteger(value)) return value;
    return valueOf(this.#raw().get(key) ?? String(value), written);
  }

  #count(what: DataFinding | 'read'): void {
    this.#table.count(what, this.at, this.bytes);
  }

  /** The texts of the members of the object. */
  #raw(): ReadonlyMap<string, string> {
    if (this.#spans) return this.#spans;
    const { members, isRepeated } = membersOf(this.text);
    if (isRepeated) this.#count('repeated');
    this.#spans = members;
    return members;
  }
}

function cellsOf(text: string, separator: string): SeparatedRow {
  if (!text.includes('"')) return text.split(separator).map((cell) => cell || null);
  return separatedRows(text, separator)[0] ?? [];
}

/** A number as SQLite stores it: an integer of 64 bits is exact. A text that is no number stays a text. */
export function numberOf(text: string): DataValue {
  if (/^-?\d{1,15}$/.test(text)) return BigInt(text);
  if (/^[-+]?\d{1,19}$/.test(text)) {
    const integer = BigInt(text);
    if (BigInt.asIntN(64, integer) === integer) return integer;
  }
  return /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : text;
}

/** The value of a JSON text; strings and null are the same as written. */
function valueOf(text: string, written: boolean): DataValue {
  if (text.startsWith('"')) return String(JSON.parse(text));
  if (text === 'null') return null;
  if (written) return text;
  return text === 'true' ? 1 : text === 'false' ? 0 : numberOf(text);
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsedOf(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** Undefined if it is no JSON. */
function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const TOKEN = /"(?:[^"\\]+|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** The texts of the members of an object, which is valid JSON. Of a repeated key the last counts. */
function membersOf(text: string): {
  readonly members: ReadonlyMap<string, string>;
  readonly isRepeated: boolean;
} {
  const members = new Map<string, string>();
  let [depth, from, isRepeated] = [0, 0, false];
  let key: string | undefined;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (depth === 1 && key === undefined && token.startsWith('"')) key = String(JSON.parse(token));
    else if (depth === 1 && token === ':') from = index + 1;
    else if (depth === 1 && key !== undefined && (token === ',' || token === '}')) {
      isRepeated ||= members.has(key);
      members.set(key, text.slice(from, index).trim());
      key = undefined;
    }
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
  }
  return { members, isRepeated };
}
