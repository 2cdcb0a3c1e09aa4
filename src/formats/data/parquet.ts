/**
 * Reads the rows of a Parquet file with hyparquet: of the columns that a query names, a page at a time, each when one of its
 * rows is asked for. A value that cannot be read is NULL, and counted.
 */

import { decompress as unpackZstd } from 'fzstd';
import type { Compressors, DecodedArray, FileMetaData, SchemaTree } from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { parquetMetadata, parquetSchema } from 'hyparquet/src/metadata.js';
import { getTreePath, isFlatColumn } from 'hyparquet/src/schema.js';
import { decompressLz4, decompressLz4Raw } from 'hyparquet-compressors/src/lz4.js';
import { brotliDecompressSync, gunzipSync } from '../../process/worker-ending.ts';
import { SqliteRefusal } from '../sqlite/protocol.ts';
import {
  checkThrift,
  MAX_PAGE_BYTES,
  MAX_PAGE_VALUES,
  unpackPage,
  columnType,
  jsonOf,
  ParquetText,
  type ParquetType,
  sqlValue,
  typeOfElement,
  writtenValue,
} from './parquet-values.ts';
import type { DataFile } from './record-bytes.ts';
import {
  type DataColumn,
  type DataFacts,
  type DataRow,
  type DataTable,
  type DataValue,
  uniqueNames,
} from './records.ts';

const MAGIC = 'PAR1';
/** The most bytes of the metadata, which are parsed as a whole. */
const MAX_METADATA_BYTES = 16 << 20;
/** The most rows of a row group: more are claimed only by damaged files. */
const MAX_GROUP_ROWS = 2 ** 31;
/** Bytes that are read at once, and the most bytes of the header of a page, which holds statistics. */
const WINDOW_BYTES = 64 << 10;
const MAX_HEADER_BYTES = 4 << 20;

/** Unpacked sizes are those of the header, which is checked before. The gaps are an own error of the library. */
const UNPACK: Compressors = {
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: length }),
  BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: length }),
  ZSTD: (input, length) => unpackZstd(input, new Uint8Array(length)),
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
};

type ColumnDecoder = Parameters<typeof readPage>[2];

/** Values stay as they are stored, and are converted when they are asked for: `parquet-values.ts`. */
const PARSERS = Object.fromEntries(
  Object.keys(DEFAULT_PARSERS).map((name) => [name, (value: unknown): unknown => value]),
) as unknown as ColumnDecoder['parsers'];

/** A column of the file without columns in it: where it stands in each row group, and how its values are converted. */
interface ParquetLeaf {
  readonly index: number;
  readonly path: readonly string[];
  readonly schemaPath: SchemaTree[];
  readonly type: ParquetType;
}

interface ParquetColumn extends DataColumn {
  readonly tree: SchemaTree;
  readonly leaves: readonly ParquetLeaf[];
}

interface RowGroup {
  readonly start: number;
  readonly rows: number;
  readonly columns: FileMetaData['row_groups'][number]['columns'];
}

export class ParquetRecords implements DataTable {
  readonly form = { kind: 'parquet' } as const;
  readonly columns: readonly ParquetColumn[];
  readonly facts: DataFacts = { read: 0, found: {} };
  readonly rows: number;
  start = 0;
  readonly file: DataFile;
  readonly groups: readonly RowGroup[];

  /** Reads the metadata. Throws SqliteRefusal (`CORRUPT`, `LIMIT`, `UNSUPPORTED`). */
  constructor(file: DataFile) {
    this.file = file;
    const { metadata, tree } = readMetadata(file);
    let index = 0;
    const leavesOf = (node: SchemaTree): ParquetLeaf[] => {
      if (node.children.length > 0) return node.children.flatMap(leavesOf);
      const leaf = { index, path: node.path, schemaPath: getTreePath(tree, node.path) };
      index += 1;
      return [{ ...leaf, type: typeOfElement(node.element) }];
    };
    const leaves = tree.children.map(leavesOf);
    this.columns = uniqueNames(tree.children.map(({ element }) => element.name)).map((name, at) => {
      const child = tree.children[at] as SchemaTree;
      return { name, isNumeric: false, type: columnType(child), tree: child, leaves: leaves[at] ?? [] };
    });
    let start = 0;
    this.groups = metadata.row_groups.map(({ num_rows: claimed, columns }) => {
      const rows = Number(claimed);
      if (!(rows >= 0 && rows <= MAX_GROUP_ROWS))
        throw new SqliteRefusal('CORRUPT', `The Parquet metadata is damaged: a row group of ${rows} rows`);
      start += rows;
      return { start: start - rows, rows, columns };
    });
    this.rows = start;
  }

  cursor(): DataRow {
    return new ParquetCursor(this);
  }

  /** Counts a row with a value that cannot be read. */
  countUnread(row: number, column: string, why: string): void {
    const { unread } = this.facts;
    if (!unread) this.facts.unread = { rows: 1, last: row, row, column, why };
    else if (row > unread.last) Object.assign(unread, { rows: unread.rows + 1, last: row });
  }
}

function readMetadata(file: DataFile): { readonly metadata: FileMetaData; readonly tree: SchemaTree } {
  const tail = bytesAt(file, Math.max(0, file.size - 8), 8);
  const mark = Buffer.from(tail.subarray(4)).toString('latin1');
  if (mark === 'PARE') throw new SqliteRefusal('UNSUPPORTED', 'The Parquet file is encrypted');
  if (mark !== MAGIC)
    throw new SqliteRefusal('CORRUPT', 'The Parquet file has no metadata at its end: it is cut or damaged');
  const length = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  if (length > file.size - 8)
    throw new SqliteRefusal('CORRUPT', 'The Parquet metadata is damaged: it is larger than the file');
  if (length > MAX_METADATA_BYTES)
    throw new SqliteRefusal(
      'LIMIT',
      `The Parquet metadata has ${length} bytes, of which at most 16 MiB are read`,
    );
  try {
    const bytes = bytesAt(file, file.size - 8 - length, length + 8);
    checkThrift(new DataView(bytes.buffer, bytes.byteOffset, length), 0);
    const metadata = parquetMetadata(bytes, { parsers: PARSERS, geoparquet: false });
    return { metadata, tree: parquetSchema(metadata) };
  } catch (error) {
    throw new SqliteRefusal('CORRUPT', `The Parquet metadata is damaged: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^parquet /, '').slice(0, 200) : String(error);
}

/** Fewer bytes at the end of the file. */
function bytesAt(file: DataFile, offset: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.max(0, Math.min(length, file.size - offset)));
  return bytes.subarray(0, file.read(bytes, offset));
}

class ParquetCursor implements DataRow {
  at = -1;
  readonly #table: ParquetRecords;
  #group = -1;
  /** Readers of the columns of this row group, made when they are needed. */
  #columns: (ColumnReader | undefined)[] = [];

  constructor(table: ParquetRecords) {
    this.#table = table;
    this.at = table.start - 1;
  }

  next(): boolean {
    const { groups, facts } = this.#table;
    this.at += 1;
    for (;;) {
      const group = groups[this.#group];
      if (group && this.at < group.start + group.rows) break;
      this.#group += 1;
      this.#columns = [];
      if (this.#group >= groups.length) return false;
    }
    facts.read += 1;
    return true;
  }

  get text(): string {
    const { columns } = this.#table;
    const members = columns.map((column, at) => {
      const cell = this.#cell(at);
      const [leaf] = column.leaves;
      const isText = typeof cell === 'string';
      const value = cell === null || isText ? (cell as string | null) : leaf && jsonOf(leaf.type, cell.raw);
      return `${JSON.stringify(column.name)}: ${value ?? 'null'}`;
    });
    return `{${members.join(', ')}}`;
  }

  value(at: number, written: boolean): DataValue {
    const cell = this.#cell(at);
    if (cell === null || typeof cell === 'string') return cell;
    const type = this.#table.columns[at]?.leaves[0]?.type;
    if (!type) return null;
    return written ? writtenValue(type, cell.raw) : sqlValue(type, cell.raw);
  }

  /** The stored value of a flat column, the JSON of a nested one. */
  #cell(at: number): ReturnType<ColumnReader['read']> {
    const column = this.#table.columns[at];
    const group = this.#table.groups[this.#group];
    if (!column || !group) return null;
    const reader = (this.#columns[at] ??= new ColumnReader(this.#table, group, column));
    return reader.read(this.at - group.start);
  }
}

/** Reads one column of a row group, of which each leaf has pages of its own. */
class ColumnReader {
  readonly #table: ParquetRecords;
  readonly #group: RowGroup;
  readonly #column: ParquetColumn;
  readonly #leaves: LeafReader[];
  #last: { readonly row: number; readonly json: string | null } | undefined;
  #why: string | undefined;

  constructor(table: ParquetRecords, group: RowGroup, column: ParquetColumn) {
    this.#table = table;
    this.#group = group;
    this.#column = column;
    this.#leaves = column.leaves.map((leaf) => new LeafReader(table.file, group, leaf));
  }

  /** `row` is 0-based in the group. */
  read(row: number): { readonly raw: unknown } | string | null {
    const [first] = this.#leaves;
    try {
      if (this.#why !== undefined) throw new Error(this.#why);
      if (first?.isFlat) {
        const raw = first.read(row);
        return raw === null || raw === undefined ? null : { raw };
      }
      if (this.#last?.row !== row) this.#last = { row, json: this.#assemble(row) };
      return this.#last.json;
    } catch (error) {
      // The deadline, which SQLite learns from the caller.
      if (!(error instanceof Error) || error.message === 'time is over') throw error;
      this.#why = reasonOf(error);
      this.#table.countUnread(this.#group.start + row, this.#column.name, this.#why);
      return null;
    }
  }

  #assemble(row: number): string | null {
    const { tree } = this.#column;
    const parts = new Map<string, DecodedArray>();
    for (const leaf of this.#leaves) parts.set(leaf.name, [leaf.texts(row)]);
    assembleNested(parts, tree, PARSERS);
    const value: unknown = parts.get(tree.path.join('.'))?.[0];
    return value === null || value === undefined ? null : writeJson(value);
  }
}

function writeJson(value: unknown): string {
  if (value instanceof ParquetText) return value.json;
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([key, held]) => `${JSON.stringify(key)}: ${writeJson(held)}`);
  return `{${members.join(', ')}}`;
}

/** The rows of a leaf in a row group, from the first to the last; those of one page are held. */
class LeafReader {
  readonly name: string;
  readonly isFlat: boolean;
  readonly #file: DataFile;
  readonly #leaf: ParquetLeaf;
  readonly #decoder: ColumnDecoder;
  /** For pages that are unpacked. */
  readonly #unpacked: ColumnDecoder;
  readonly #end: number;
  #offset: number;
  #window = { start: 0, bytes: new Uint8Array(0) };
  #dictionary: DecodedArray | undefined;
  /** The held rows, of which the first is row `#first` of the group. */
  #rows: DecodedArray = [];
  #first = 0;
  /** The values of a row that goes on over pages. */
  #carried = 0;

  /** Throws Error if the column is elsewhere, or encrypted. */
  constructor(file: DataFile, { columns }: RowGroup, leaf: ParquetLeaf) {
    const chunk = columns[leaf.index];
    const meta = chunk?.meta_data;
    if (!meta) throw new Error('its metadata is missing or encrypted');
    if (chunk.file_path) throw new Error('it is in another file');
    const { element } = leaf.schemaPath.at(-1) as SchemaTree;
    if (!element.type) throw new Error('it has no type');
    const first = Number(meta.data_page_offset);
    const dictionary = Number(meta.dictionary_page_offset ?? 0n);
    this.#offset = dictionary > 0 && dictionary < first ? dictionary : first;
    this.#end = Math.min(file.size, this.#offset + Number(meta.total_compressed_size));
    this.#file = file;
    this.#leaf = leaf;
    this.name = leaf.path.join('.');
    this.isFlat = isFlatColumn(leaf.schemaPath);
    const { converted_type: _, logical_type: __, ...stored } = element;
    this.#decoder = {
      pathInSchema: [...leaf.path],
      type: element.type,
      element: stored,
      schemaPath: leaf.schemaPath,
      codec: meta.codec,
      parsers: PARSERS,
      compressors: UNPACK,
      utf8: false,
    };
    this.#unpacked = { ...this.#decoder, codec: 'UNCOMPRESSED' };
  }

  /** The texts of the leaf in a nested row, in lists as they are in the file. */
  texts(row: number): unknown {
    const { type } = this.#leaf;
    const of = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(of);
      return value === null || value === undefined
        ? null
        : new ParquetText(jsonOf(type, value), writtenValue(type, value));
    };
    return of(this.read(row));
  }

  /** `row` must not be before the held ones. */
  read(row: number): unknown {
    const isNested = !this.isFlat;
    // The last row of a page may go on in the next one.
    const open = (): number => (isNested && this.#offset < this.#end ? 1 : 0);
    while (row >= this.#first + this.#rows.length - open()) this.#nextPage(row);
    return this.#rows[row - this.#first];
  }

  #nextPage(row: number): void {
    if (this.#offset >= this.#end) throw new Error(`it ends after ${this.#first + this.#rows.length} rows`);
    const { header, bytes, length } = this.#header();
    const { compressed_page_size: packed, uncompressed_page_size: size, type } = header;
    const data = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
    const values = data?.num_values ?? 0;
    if (!(packed >= 0 && size >= 0 && values >= 0)) throw new Error('a page has a negative size');
    const end = this.#offset + length + packed;
    if (end > this.#end) throw new Error('a page is longer than its column');
    const behind = this.#first + this.#rows.length;
    const rows = this.isFlat ? values : header.data_page_header_v2?.num_rows;
    // A page before the row is passed over unread, unless a row of it may go on.
    const isBefore = rows !== undefined && behind + rows <= row && type !== 'DICTIONARY_PAGE';
    if (isBefore && this.isFlat) {
      this.#first = behind + rows;
      this.#rows = [];
      this.#offset = end;
      return;
    }
    if (packed > MAX_PAGE_BYTES || size > MAX_PAGE_BYTES || values > MAX_PAGE_VALUES)
      throw new Error(`a page has ${values} values in ${size} bytes, more than are read at once`);
    const page = length + packed <= bytes.length ? bytes : bytesAt(this.#file, this.#offset, length + packed);
    this.#offset = end;
    const unpacked = unpackPage(header, page.subarray(length, length + packed), this.#decoder);
    const reader = { view: new DataView(unpacked.bytes.buffer), offset: 0 };
    if (type === 'DICTIONARY_PAGE') {
      const found = readPage(reader, unpacked.header, this.#unpacked, undefined, undefined, 0).data;
      this.#dictionary = found && convert(found, this.#unpacked);
      return;
    }
    if (type === 'INDEX_PAGE' || values === 0) return;
    const kept = this.isFlat || this.#rows.length === 0 ? [] : [this.#rows[this.#rows.length - 1]];
    const found = readPage(reader, unpacked.header, this.#unpacked, this.#dictionary, [...kept], 0).data;
    if (!found) throw new Error('a page has no values');
    this.#carried = found.length > 1 ? 0 : this.#carried + values;
    if (this.#carried > MAX_PAGE_VALUES) throw new Error('a row has more values than are read at once');
    this.#first = behind - kept.length;
    this.#rows = found;
  }

  #header(): {
    readonly header: ReturnType<typeof parquetHeader>;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly length: number;
  } {
    for (let most = WINDOW_BYTES; ; most *= 4) {
      const bytes = this.#bytes(most);
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
      try {
        checkThrift(reader.view, 0);
        const header = parquetHeader(reader);
        return { header, bytes, length: reader.offset };
      } catch (error) {
        if (most >= MAX_HEADER_BYTES || this.#offset + bytes.length >= this.#end) throw error;
      }
    }
  }

  /** The bytes from `#offset` on, of those that were read before as far as they go. */
  #bytes(most: number): Uint8Array<ArrayBuffer> {
    const { start, bytes } = this.#window;
    const from = this.#offset - start;
    const wanted = Math.min(most, this.#end - this.#offset);
    // The header of a page takes about a hundred bytes.
    if (most === WINDOW_BYTES && from >= 0 && from + Math.min(wanted, 1024) <= bytes.length)
      return bytes.subarray(from);
    this.#window = { start: this.#offset, bytes: bytesAt(this.#file, this.#offset, wanted) };
    return this.#window.bytes;
  }
}
