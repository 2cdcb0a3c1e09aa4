/** Opens a data file as a table, and answers what needs no query: a value by its path, the shape of a JSON text. */

import { layOutJson } from './json-layout.ts';
import { type JsonPath, ValueFinder, writeDataPath } from './json-scan.ts';
import { type DataFile, scanFile } from './record-bytes.ts';
import { type ConversionFacts, type DataForm, DataRecords, type DataRow, type DataTable } from './records.ts';
import { type SqliteReply, SqliteRefusal, type SqliteRequest } from '../sqlite/protocol.ts';
import { decodeText } from '../../text/encoding.ts';
import { shapeOf } from './shape.ts';

interface OpenedData {
  readonly file: DataFile;
  /** Set if the file is a text that was converted to JSON. */
  readonly converted?: ConversionFacts | undefined;
  readonly form: DataForm;
  table(): DataTable;
}

/** Loads what reads the form. What it returns reads the file, and throws SqliteRefusal. */
export async function dataOpener(form: DataForm): Promise<(file: DataFile) => OpenedData> {
  if (form.kind === 'parquet') {
    const { ParquetRecords } = await import('./parquet.ts');
    return (file) => ({ file, form, table: () => new ParquetRecords(file) });
  }
  if (!isConverted(form)) return (file) => ({ file, form, table: () => recordsOf(file, form) });
  const { convertText } = await import('./yaml-toml.ts');
  return (stored) => {
    const { json, facts: converted } = convertText(
      stored.size,
      () => decodeText(bytesOf(stored), true),
      form.kind,
    );
    const file = fileIn(json);
    const table = (): DataTable => {
      const records = recordsOf(file, { kind: 'json', path: form.path });
      records.facts.converted = converted;
      return records;
    };
    return { file, form, converted, table };
  };
}

function recordsOf(file: DataFile, form: ConstructorParameters<typeof DataRecords>[1]): DataRecords {
  const records = new DataRecords(file, form);
  if (records.instead) throw noArray(form, records.instead);
  if (records.columns.length > 0) return records;
  const why = file.size === 0 ? 'the file is empty' : 'it has no row of at most 4 MiB';
  throw new SqliteRefusal('UNSUPPORTED', `There are no columns: ${why}`, '');
}

function noArray(form: DataForm, { kind, arrays }: NonNullable<DataRecords['instead']>): SqliteRefusal {
  const path = 'path' in form ? form.path : [];
  const calls = arrays.map((name) => `:#${writeDataPath([...path, name])}?limit=20`);
  const where = calls.length === 0 ? '' : `; arrays are at ${calls.join(', ')}`;
  const what = kind === undefined ? 'no value' : kind === 'object' ? 'an object' : 'a single value';
  return new SqliteRefusal(
    kind === undefined ? 'NOT_FOUND' : 'BAD_SELECTOR',
    `Rows are the items of an array, and there is ${what}${where}`,
    calls[0] ?? '',
  );
}

function isConverted(form: DataForm): form is Extract<DataForm, { kind: 'yaml' | 'toml' }> {
  return form.kind === 'yaml' || form.kind === 'toml';
}

/** Answers without a query; undefined if rows are the shape. Throws SqliteRefusal. */
export function readDirectly(
  { file, form, converted, table }: OpenedData,
  ask: Extract<SqliteRequest, { kind: 'value' | 'shape' }>,
): SqliteReply | undefined {
  const facts = converted && { read: 0, found: {}, converted };
  if (ask.kind === 'shape') {
    const shape = form.kind === 'json' || converted ? shapeOf(file) : undefined;
    return shape && { kind: 'shape', shape, data: facts ?? { read: 0, found: {}, damage: shape.damage } };
  }
  const { path } = ask;
  if (converted) return { kind: 'value', text: valueIn(bytesOf(file), path) ?? notFound(path), data: facts };
  const rows = table();
  const [first] = path;
  const row = typeof first === 'number' ? rowAt(rows, first) : undefined;
  const text = row && valueIn(Buffer.from(jsonOfRow(rows, row)), path.slice(1));
  return { kind: 'value', text: text ?? notFound(path), data: rows.facts };
}

function bytesOf(file: DataFile): Buffer {
  const bytes = Buffer.allocUnsafe(file.size);
  return bytes.subarray(0, file.read(bytes, 0));
}

function fileIn(bytes: Buffer): DataFile {
  return { size: bytes.length, read: (to, from) => bytes.copy(to, 0, from) };
}

function notFound(path: JsonPath): never {
  throw new SqliteRefusal('NOT_FOUND', `There is no value at ${writeDataPath(path)}`, '');
}

function rowAt(table: DataTable, number: number): DataRow | undefined {
  if (table.rows !== undefined) table.start = Math.min(number, table.rows);
  const row = table.cursor();
  for (let left = table.rows === undefined ? number : 0; left >= 0; left -= 1)
    if (!row.next()) return undefined;
  return row;
}

function jsonOfRow(table: DataTable, row: DataRow): string {
  if (table.form.kind !== 'separated') return row.text;
  const members = table.columns.map(({ name, isNumeric }, at) => {
    const cell = row.value(at, true);
    const isNumber = isNumeric && typeof row.value(at, false) !== 'string';
    return `${JSON.stringify(name)}: ${cell === null ? 'null' : isNumber ? String(cell) : JSON.stringify(cell)}`;
  });
  return `{${members.join(', ')}}`;
}

/** The most characters of a value that is laid out in lines, and the levels that have lines of their own. */
const MAX_VALUE_CHARACTERS = 32 << 20;
const MAX_VALUE_LEVELS = 20;

/** The value at `path` of a JSON text, with line breaks. */
function valueIn(json: Buffer, path: JsonPath): string | undefined {
  const finder = new ValueFinder(path);
  scanFile(finder.scanner, fileIn(json), Number.POSITIVE_INFINITY);
  if (!finder.found) return undefined;
  const text = decodeText(json.subarray(finder.found.start, finder.found.end));
  if (!/^[{[]/.test(text)) return `${text}\n`;
  const laid = layOutJson(text, { depth: MAX_VALUE_LEVELS, most: MAX_VALUE_CHARACTERS, cut: false });
  return laid === undefined || laid === 'tooLong' ? `${text}\n` : laid;
}
