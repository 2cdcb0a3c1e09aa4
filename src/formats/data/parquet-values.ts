/** Stored values of Parquet: checks their counts, and converts them to what a query compares, to what is shown, to JSON. */

import type { SchemaElement, SchemaTree } from 'hyparquet';
import type { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { parseFloat16 } from 'hyparquet/src/convert.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, isListLike, isMapLike } from 'hyparquet/src/schema.js';
import { readVarInt } from 'hyparquet/src/thrift.js';
import { type DataValue, numberOf } from './records.ts';

/** How the values of a leaf are shown. `places`: decimals of a decimal, digits of the fraction of a second. */
export interface ParquetType {
  readonly kind:
    | 'integer'
    | 'unsigned'
    | 'float'
    | 'double'
    | 'half'
    | 'boolean'
    | 'decimal'
    | 'text'
    | 'json'
    | 'uuid'
    | 'date'
    | 'time'
    | 'timestamp'
    | 'interval';
  readonly name: string;
  readonly places: number;
  readonly bits: number;
  readonly isUtc: boolean;
}

/** A value in nested data. It is also a key of a map. */
export class ParquetText {
  readonly json: string;
  readonly #text: string;

  constructor(json: string, text: string) {
    this.json = json;
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

const PLACES = { MILLIS: 3, MICROS: 6, NANOS: 9 } as const;

export function typeOfElement(element: SchemaElement): ParquetType {
  const { type, converted_type: converted, logical_type: logical, scale = 0, precision = 0 } = element;
  const made = (kind: ParquetType['kind'], name: string, more: Partial<ParquetType> = {}): ParquetType => ({
    kind,
    name,
    places: 0,
    bits: type === 'INT64' ? 64 : 32,
    isUtc: false,
    ...more,
  });
  if (logical?.type === 'DECIMAL' || converted === 'DECIMAL') {
    const { scale: places = scale, precision: digits = precision } =
      logical?.type === 'DECIMAL' ? logical : {};
    return made('decimal', `DECIMAL(${digits}, ${places})`, { places: Math.min(Math.max(places, 0), 1000) });
  }
  if (logical?.type === 'TIMESTAMP' || logical?.type === 'TIME') {
    const { type: name, unit, isAdjustedToUTC: isUtc } = logical;
    return made(name === 'TIME' ? 'time' : 'timestamp', name, { places: PLACES[unit], isUtc });
  }
  if (converted === 'TIMESTAMP_MILLIS' || converted === 'TIMESTAMP_MICROS')
    return made('timestamp', 'TIMESTAMP', { places: converted === 'TIMESTAMP_MILLIS' ? 3 : 6, isUtc: true });
  if (converted === 'TIME_MILLIS' || converted === 'TIME_MICROS')
    return made('time', 'TIME', { places: converted === 'TIME_MILLIS' ? 3 : 6, isUtc: true });
  if (type === 'INT96') return made('timestamp', 'TIMESTAMP', { places: 9 });
  if (converted === 'DATE' || logical?.type === 'DATE') return made('date', 'DATE');
  if (logical?.type === 'UUID') return made('uuid', 'UUID');
  if (logical?.type === 'FLOAT16') return made('half', 'FLOAT16');
  if (converted === 'INTERVAL') return made('interval', 'INTERVAL');
  if (converted === 'JSON' || logical?.type === 'JSON') return made('json', 'JSON');
  const isUnsigned = converted?.startsWith('UINT') || (logical?.type === 'INTEGER' && !logical.isSigned);
  if (isUnsigned) return made('unsigned', converted ?? `UINT_${type === 'INT64' ? 64 : 32}`);
  if (type === 'INT32' || type === 'INT64') return made('integer', type);
  if (type === 'BOOLEAN') return made('boolean', type);
  if (type === 'FLOAT') return made('float', type);
  if (type === 'DOUBLE') return made('double', type);
  return made('text', converted === 'UTF8' || logical?.type === 'STRING' ? 'STRING' : (type ?? 'NOTHING'));
}

/** `LIST<STRUCT<a INT64, b STRING>>`. */
export function columnType(tree: SchemaTree): string {
  const { children, element } = tree;
  const [first] = children;
  const repeated = (name: string): string =>
    element.repetition_type === 'REPEATED' ? `LIST<${name}>` : name;
  if (!first) return repeated(typeOfElement(element).name);
  if (isListLike(tree)) return `LIST<${columnType(first.children[0] ?? first)}>`;
  if (isMapLike(tree)) return `MAP<${first.children.map(columnType).join(', ')}>`;
  const members = children.slice(0, 50).map((child) => `${child.element.name} ${columnType(child)}`);
  return repeated(`STRUCT<${members.join(', ')}${children.length > 50 ? ', …' : ''}>`);
}

export function sqlValue(type: ParquetType, raw: unknown): DataValue {
  switch (type.kind) {
    case 'boolean':
      return raw ? 1n : 0n;
    case 'integer':
      return BigInt(raw as number | bigint);
    case 'float':
    case 'double':
      return Number(raw);
    case 'unsigned':
    case 'decimal':
    case 'half':
      return numberOf(writtenValue(type, raw));
    default:
      return writtenValue(type, raw);
  }
}

export function writtenValue(type: ParquetType, raw: unknown): string {
  switch (type.kind) {
    case 'boolean':
    case 'double':
    case 'integer':
      return Object.is(raw, -0) ? '-0' : String(raw);
    case 'unsigned':
      return String(BigInt.asUintN(type.bits, BigInt(raw as number | bigint)));
    case 'float':
      return shortestFloat(raw as number);
    case 'half':
      return shortestFloat(parseFloat16(raw as Uint8Array) ?? Number.NaN);
    case 'decimal':
      return decimal(integerOf(raw), type.places);
    case 'date':
      return dateOf(BigInt(raw as number));
    case 'time':
      return timeOf(BigInt(raw as number | bigint), type.places);
    case 'timestamp':
      return timestamp(BigInt(raw as number | bigint), type);
    case 'uuid':
      return hexOf(raw as Uint8Array).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    case 'interval':
      return intervalOf(raw as Uint8Array);
    case 'text':
    case 'json':
      return textOf(raw);
  }
}

const NUMBERS = /^(?:integer|unsigned|float|double|half|decimal|boolean)$/;

export function jsonOf(type: ParquetType, raw: unknown): string {
  const written = writtenValue(type, raw);
  if (NUMBERS.test(type.kind) && !/^-?[IN]/.test(written)) return written;
  if (type.kind !== 'json') return JSON.stringify(written);
  try {
    JSON.parse(written);
    return written;
  } catch {
    return JSON.stringify(written);
  }
}

/** The fewest digits that make the same number of 32 bits: 0.1, not 0.10000000149011612. */
function shortestFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  for (let digits = 1; digits < 10 && Number.isFinite(value); digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return String(short);
  }
  return String(value);
}

/** A signed integer of any size, big-endian. */
function integerOf(raw: unknown): bigint {
  if (!(raw instanceof Uint8Array)) return BigInt(raw as number | bigint);
  return raw.length === 0 ? 0n : BigInt.asIntN(raw.length * 8, BigInt(`0x${hexOf(raw)}`));
}

function decimal(unscaled: bigint, places: number): string {
  if (places === 0) return String(unscaled);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(places + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Days since 1970. Source: https://howardhinnant.github.io/date_algorithms.html (civil_from_days). */
function dateOf(days: bigint): string {
  const shifted = days + 719_468n;
  const era = (shifted >= 0n ? shifted : shifted - 146_096n) / 146_097n;
  const ofEra = shifted - era * 146_097n;
  const yearOfEra = (ofEra - ofEra / 1460n + ofEra / 36_524n - ofEra / 146_096n) / 365n;
  const ofYear = ofEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n);
  const month = (5n * ofYear + 2n) / 153n;
  const day = ofYear - (153n * month + 2n) / 5n + 1n;
  const year = yearOfEra + era * 400n + (month >= 10n ? 1n : 0n);
  return [pad(year, 4), pad(month < 10n ? month + 3n : month - 9n), pad(day)].join('-');
}

function pad(value: bigint, length = 2): string {
  return `${value < 0n ? '-' : ''}${String(value < 0n ? -value : value).padStart(length, '0')}`;
}

function timeOf(units: bigint, places: number): string {
  const second = 10n ** BigInt(places);
  const seconds = units / second;
  const fraction = units % second;
  const clock = [pad(seconds / 3600n), pad((seconds / 60n) % 60n), pad(seconds % 60n)].join(':');
  return fraction === 0n ? clock : `${clock}.${pad(fraction, places)}`;
}

function timestamp(units: bigint, { places, isUtc }: ParquetType): string {
  const day = 86_400n * 10n ** BigInt(places);
  const ofDay = ((units % day) + day) % day;
  return `${dateOf((units - ofDay) / day)}T${timeOf(ofDay, places)}${isUtc ? 'Z' : ''}`;
}

/** Months, days and milliseconds. */
function intervalOf(bytes: Uint8Array): string {
  if (bytes.length !== 12) return hexOf(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 12);
  const [months, days, ms] = [0, 4, 8].map((at) => view.getUint32(at, true));
  return `P${months}M${days}DT${(ms ?? 0) / 1000}S`;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes that are no text are shown in hexadecimal. */
function textOf(raw: unknown): string {
  if (!(raw instanceof Uint8Array)) return String(raw);
  try {
    return strict.decode(raw);
  } catch {
    return `0x${hexOf(raw)}`;
  }
}

// Checks what hyparquet takes on trust: counts in metadata and pages, for which it would make arrays of any size. A single
// array that does not fit into the heap of a thread ends the whole process.

/** The most bytes of a page, packed and unpacked, and its most values, whose array has 8 MiB. Writers make pages of 1 MiB. */
export const MAX_PAGE_BYTES = 64 << 20;
export const MAX_PAGE_VALUES = 1 << 20;

const MAX_THRIFT_LEVELS = 64;

interface ByteReader {
  readonly view: DataView<ArrayBuffer>;
  offset: number;
}

type PageHeader = ReturnType<typeof parquetHeader>;
type PageDecoder = Parameters<typeof readPage>[2];

/** Throws Error if a list of the Thrift struct at `offset` claims more items than there are bytes, or than fit into memory. */
export function checkThrift(view: DataView<ArrayBuffer>, offset: number): void {
  const reader = { view, offset };
  const struct = (level: number): void => {
    if (level > MAX_THRIFT_LEVELS) throw new Error('it is nested too deep');
    for (;;) {
      const byte = view.getUint8(reader.offset++);
      if ((byte & 15) === 0) return;
      if (byte >> 4 === 0) readVarInt(reader);
      element(byte & 15, level);
    }
  };
  const element = (type: number, level: number): void => {
    if (type === 3) reader.offset += 1;
    else if (type >= 4 && type <= 6) while (reader.view.getUint8(reader.offset++) & 0x80);
    else if (type === 7) reader.offset += 8;
    else if (type === 8) {
      const length = sizeOf(readVarInt(reader), reader);
      reader.offset += length;
    } else if (type === 9) {
      const byte = view.getUint8(reader.offset++);
      const items = byte >> 4 === 15 ? readVarInt(reader) : byte >> 4;
      if (sizeOf(items, reader) > MAX_PAGE_VALUES) throw new Error(`a list claims ${items} items`);
      const of = byte & 15;
      for (let at = 0; at < items; at += 1) element(of === 1 || of === 2 ? 3 : of, level + 1);
    } else if (type === 12) struct(level + 1);
    else if (type > 2) throw new Error(`there is no type ${type}`);
  };
  struct(0);
}

function sizeOf(size: number, { view, offset }: ByteReader): number {
  if (size < 0 || size > view.byteLength - offset) throw new Error(`a size of ${size} is beyond its end`);
  return size;
}

/**
 * The header of a page and its unpacked bytes, which `readPage` reads as they are. `packed` are its bytes in the file. Throws
 * Error if counts in it do not agree.
 */
export function unpackPage(
  header: PageHeader,
  packed: Uint8Array<ArrayBuffer>,
  { schemaPath, type, element, codec, compressors }: PageDecoder,
): { readonly header: PageHeader; readonly bytes: Uint8Array } {
  const { data_page_header: first, data_page_header_v2: second, uncompressed_page_size: size } = header;
  if (type === 'FIXED_LEN_BYTE_ARRAY') {
    const values = (first ?? second ?? header.dictionary_page_header)?.num_values ?? 0;
    if (!(values * (element.type_length ?? 0) <= MAX_PAGE_BYTES))
      throw new Error('its values have an absurd length');
  }
  const levels = second ? second.repetition_levels_byte_length + second.definition_levels_byte_length : 0;
  if (!(levels >= 0 && levels <= Math.min(size, packed.length)))
    throw new Error('levels are longer than their page');
  const isPacked = second ? second.is_compressed !== false && size > levels : true;
  const body = isPacked
    ? decompressPage(packed.subarray(levels), size - levels, codec, compressors)
    : packed.subarray(levels);
  const bytes =
    levels === 0 ? Uint8Array.from(body) : Uint8Array.from(Buffer.concat([packed.subarray(0, levels), body]));
  const unpacked = { ...header, compressed_page_size: bytes.length };
  if (second) unpacked.data_page_header_v2 = { ...second, is_compressed: false };
  const data = first ?? unpacked.data_page_header_v2;
  if (!data) return { header: unpacked, bytes };
  const nulls = checkLevels(data, second, new DataView(bytes.buffer), schemaPath);
  // Arrow leaves empty lists out of the nulls that it counts; the library reads them as values.
  if (unpacked.data_page_header_v2) unpacked.data_page_header_v2.num_nulls = nulls.count;
  checkValues(data, new DataView(bytes.buffer), nulls.end, data.num_values - nulls.count, type);
  return { header: unpacked, bytes };
}

type PageCounts = Pick<NonNullable<PageHeader['data_page_header']>, 'num_values' | 'encoding'>;

/** The number of nulls, and where the values begin. */
function checkLevels(
  { num_values: values }: PageCounts,
  second: PageHeader['data_page_header_v2'],
  view: DataView<ArrayBuffer>,
  path: SchemaTree[],
): { readonly count: number; readonly end: number } {
  const [repeated, defined] = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)];
  const reader = { view, offset: 0 };
  const [first, other] = [second?.repetition_levels_byte_length, second?.definition_levels_byte_length];
  if (repeated > 0) readLevels(reader, repeated, values, first);
  if (second) reader.offset = first ?? 0;
  const levels = defined > 0 ? readLevels(reader, defined, values, other) : [];
  const count = levels.reduce((nulls, level) => (level === defined ? nulls : nulls + 1), 0);
  return { count, end: second ? (first ?? 0) + (other ?? 0) : reader.offset };
}

function readLevels(reader: ByteReader, most: number, values: number, length: number | undefined): number[] {
  const width = 32 - Math.clz32(most);
  checkRuns(reader.view, reader.offset + (length === undefined ? 4 : 0), width, values);
  const levels = Array.from({ length: values }, () => 0);
  readRleBitPackedHybrid(reader, width, levels, length);
  return levels;
}

function checkValues(
  { encoding }: PageCounts,
  view: DataView<ArrayBuffer>,
  at: number,
  values: number,
  type: PageDecoder['type'],
): void {
  if (encoding === 'ALP') throw new Error('unsupported encoding: ALP');
  if (encoding === 'DELTA_BYTE_ARRAY') {
    const reader = { view, offset: at };
    let total = 0;
    for (let part = 0; part < 2 && values > 0; part += 1) {
      const lengths = new Int32Array(values);
      deltaBinaryUnpack(reader, values, lengths);
      total += lengths.reduce((sum, length) => sum + (length < 0 ? Infinity : length), 0);
    }
    if (total > MAX_PAGE_BYTES) throw new Error('its texts are larger than what is read at once');
  }
  if (type === 'BOOLEAN' && encoding === 'RLE') checkRuns(view, at + 4, 1, values);
  if (!encoding?.endsWith('_DICTIONARY') && !(encoding === 'RLE' && type !== 'BOOLEAN')) return;
  const width = values === 0 ? 0 : view.getUint8(at);
  if (width > 0) checkRuns(view, at + 1, width, values);
}

/** Throws Error if a run is longer than all values, which would be written behind the end of their array. */
function checkRuns(view: DataView<ArrayBuffer>, offset: number, width: number, values: number): void {
  const reader = { view, offset };
  for (let seen = 0; seen < values && reader.offset < view.byteLength;) {
    const run = readVarInt(reader);
    const count = run & 1 ? (run >>> 1) * 8 : run >>> 1;
    if (count > values + 7 && !(run & 1))
      throw new Error(`a run of ${count} values is longer than their page`);
    if (run & 1 && (run >>> 1) * width > view.byteLength)
      throw new Error('packed values are longer than their page');
    reader.offset += run & 1 ? (run >>> 1) * width : (width + 7) >> 3;
    seen += count;
  }
}
