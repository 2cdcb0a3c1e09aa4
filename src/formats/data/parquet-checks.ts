/**
 * Checks what hyparquet takes on trust: counts in metadata and pages, for which it would make arrays of any size. A single
 * array that does not fit into the heap of a thread ends the whole process.
 */

import type { SchemaTree } from 'hyparquet';
import type { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { readVarInt } from 'hyparquet/src/thrift.js';

/** The most bytes of a page, packed and unpacked, and its most values, whose array has 8 MiB. Writers make pages of 1 MiB. */
export const MAX_PAGE_BYTES = 64 << 20;
export const MAX_PAGE_VALUES = 1 << 20;

const MAX_THRIFT_LEVELS = 64;

interface ByteReader {
  readonly view: DataView<ArrayBuffer>;
  offset: number;
}

export type PageHeader = ReturnType<typeof parquetHeader>;
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
    else if (type >= 4 && type <= 6) skipVarInt(reader);
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

function skipVarInt(reader: ByteReader): void {
  while (reader.view.getUint8(reader.offset++) & 0x80);
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
