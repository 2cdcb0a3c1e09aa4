/** Converts stored values of Parquet: to what a query compares, to what is shown, to JSON. */

import type { SchemaElement, SchemaTree } from 'hyparquet';
import { parseFloat16 } from 'hyparquet/src/convert.js';
import { isListLike, isMapLike } from 'hyparquet/src/schema.js';
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

const NUMBERS = new Set<ParquetType['kind']>([
  'integer',
  'unsigned',
  'float',
  'double',
  'half',
  'decimal',
  'boolean',
]);

/** The JSON text. What JSON has no number for is a string. */
export function jsonOf(type: ParquetType, raw: unknown): string {
  const written = writtenValue(type, raw);
  if (NUMBERS.has(type.kind) && !/^-?[IN]/.test(written)) return written;
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
