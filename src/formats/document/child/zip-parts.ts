/** Reads the members (parts) of a zip-based document. Their size is limited by counted unpacked bytes. */

import { crc32, inflateRawSync } from 'node:zlib';
import { decodeXML } from 'entities';
import { zipSync } from 'fflate';
import { DocumentRefusal } from '../protocol.ts';

/** The most bytes of one part that is read here; converters have their own limits. */
const MAX_PART_BYTES = 32 << 20;

/** The most bytes of the XML of a sheet. */
const MAX_SHEET_PART_BYTES = 256 << 20;

const MAX_ZIP_PARTS = 65_535;

interface ZipPart {
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly at: number;
}

const END = 0x06054b50;
const RECORD = 0x02014b50;

export class ZipParts {
  readonly #bytes: Buffer;
  readonly #parts: Map<string, ZipPart>;

  /** Whether it has zip64 fields, which not every reader supports. */
  readonly isWide: boolean;

  private constructor(bytes: Buffer, parts: Map<string, ZipPart>, isWide: boolean) {
    this.#bytes = bytes;
    this.#parts = parts;
    this.isWide = isWide;
  }

  /** Undefined if it does not begin as a zip, or there is no central directory. */
  static of(bytes: Buffer): ZipParts | undefined {
    // The end of what begins otherwise is not searched for its record.
    const end = bytes.toString('latin1', 0, 2) === 'PK' ? endRecord(bytes) : undefined;
    if (end === undefined) return undefined;
    const parts = new Map<string, ZipPart>();
    const { count, first, ...directory } = directoryOf(bytes, end);
    let { isWide } = directory;
    let at = first;
    for (let i = 0; i < count; i += 1) {
      if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== RECORD) break;
      const name = at + 46;
      const nameBytes = bytes.readUInt16LE(at + 28);
      const extra = bytes.subarray(name + nameBytes, name + nameBytes + bytes.readUInt16LE(at + 30));
      const fields = [24, 20, 42].map((field) => bytes.readUInt32LE(at + field));
      const [, packed = 0, offset = 0] = wide(fields, extra);
      isWide ||= fields.includes(ABSENT);
      parts.set(bytes.toString('utf8', name, name + nameBytes), {
        method: bytes.readUInt16LE(at + 10),
        crc: bytes.readUInt32LE(at + 16),
        packed,
        at: offset,
      });
      at = name + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
    return parts.size === 0 ? undefined : new ZipParts(bytes, parts, isWide);
  }

  get names(): string[] {
    return [...this.#parts.keys()];
  }

  has(name: string): boolean {
    return this.#parts.has(name);
  }

  /** Undefined if there is no such part, or it is damaged. Throws Refused (`limit`). */
  read(name: string, most = MAX_PART_BYTES): Buffer | undefined {
    const part = this.#parts.get(name);
    const bytes = this.#bytes;
    if (!part || part.at + 30 > bytes.length) return undefined;
    const start = part.at + 30 + bytes.readUInt16LE(part.at + 26) + bytes.readUInt16LE(part.at + 28);
    const packed = bytes.subarray(start, start + part.packed);
    if (part.method === 0) return packed.length <= most ? sound(packed, part) : packed.subarray(0, most);
    if (part.method !== 8) return undefined;
    try {
      return sound(inflateRawSync(packed, { maxOutputLength: most }), part);
    } catch (error) {
      const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      if (tooLarge)
        throw new DocumentRefusal('limit', `its part ${name} unpacks to more than ${most >> 20} MiB`);
      return undefined;
    }
  }

  text(name: string): string | undefined {
    return this.read(name)?.toString('utf8');
  }

  /** A part of a workbook, which may be large; `otherwise` if it is too large. */
  sheet(name: string, otherwise?: Buffer, most = MAX_SHEET_PART_BYTES): Buffer | undefined {
    try {
      return this.read(name, most);
    } catch {
      return otherwise;
    }
  }
}

/** A package of these parts; those without content are left out. */
export function zipped(parts: readonly (readonly [name: string, content: Uint8Array | undefined])[]): Buffer {
  const known = parts.flatMap(([name, content]) => (content ? [[name, content] as const] : []));
  return Buffer.from(zipSync(Object.fromEntries(known), { level: 0 }));
}

function sound(content: Buffer, { crc }: ZipPart): Buffer | undefined {
  return crc32(content) === crc ? content : undefined;
}

const WIDE_END = 0x06064b50;
const WIDE_LOCATOR = 0x07064b50;
const ABSENT = 0xffffffff;

/** The number of members and the offset of the first record, from the zip64 record if there is one. */
function directoryOf(bytes: Buffer, end: number): { count: number; first: number; isWide: boolean } {
  const narrow = {
    isWide: false,
    count: Math.min(bytes.readUInt16LE(end + 10), MAX_ZIP_PARTS),
    first: bytes.readUInt32LE(end + 16),
  };
  if (end < 20 || bytes.readUInt32LE(end - 20) !== WIDE_LOCATOR) return narrow;
  const at = Number(bytes.readBigUInt64LE(end - 12));
  if (at + 56 > bytes.length || bytes.readUInt32LE(at) !== WIDE_END) return narrow;
  return {
    isWide: true,
    count: Math.min(Number(bytes.readBigUInt64LE(at + 32)), MAX_ZIP_PARTS),
    first: Number(bytes.readBigUInt64LE(at + 48)),
  };
}

/** Replaces fields that did not fit into 32 bits by those of extra field 1, which has them in the same order. */
function wide(fields: readonly number[], extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    return fields.map((field) => {
      if (field !== ABSENT || next + 8 > extra.length) return field;
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    });
  }
  return [...fields];
}

function endRecord(bytes: Buffer): number | undefined {
  const last = bytes.length - 22;
  for (let at = last; at >= Math.max(0, last - 65_535); at -= 1)
    if (bytes.readUInt32LE(at) === END) return at;
  return undefined;
}

/** The text of XML, without tags and with entities decoded. */
export function plainText(xml: string): string {
  return decodeXML(xml.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

export const escapeXml = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => (sign === '&' ? '&amp;' : sign === '<' ? '&lt;' : '&gt;'));

/** The value of an attribute in a start tag. */
export function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return match ? decodeXML(match[1] ?? match[2] ?? '') : undefined;
}

/** The name of the relations part of a part. */
export const relationsOf = (name: string): string => name.replace(/([^/]*)$/, '_rels/$1.rels');

/** Relation identifiers → names of parts, or the targets outside of the package. */
export function relations(parts: ZipParts, name: string, isOutside = false): Map<string, string> {
  const xml = parts.text(relationsOf(name)) ?? '';
  const found = new Map<string, string>();
  for (const [tag] of xml.matchAll(/<(?:\w+:)?Relationship\b[^>]*>/g)) {
    const target = attribute(tag, 'Target');
    const id = attribute(tag, 'Id');
    if (id && target && (attribute(tag, 'TargetMode') === 'External') === isOutside)
      found.set(id, isOutside ? target : resolve(name, target));
  }
  return found;
}

/** Resolves `target` relative to the part `from`. */
export function resolve(from: string, target: string): string {
  const path = target.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const step of target.split('/')) {
    if (step === '..') path.pop();
    else if (step !== '' && step !== '.') path.push(step);
  }
  return path.join('/');
}

// Finds and replaces XML elements by name, in linear time.

/** Replaces every element with this name (a pattern) by the result of `make`. The elements must not be nested. */
export function each(xml: string, name: string, make: (content: string, tag: string) => string): string {
  const opening = new RegExp(`<(${name})(?=[\\s>])[^<>]*>`, 'g');
  let [text, from] = ['', 0];
  for (let match = opening.exec(xml); match; match = opening.exec(xml)) {
    if (match[0].endsWith('/>')) continue;
    const close = `</${match[1]}>`;
    const end = xml.indexOf(close, opening.lastIndex);
    if (end === -1) break;
    text += xml.slice(from, match.index) + make(xml.slice(opening.lastIndex, end), match[0]);
    from = opening.lastIndex = end + close.length;
  }
  return text + xml.slice(from);
}

/** These elements: what is in them, and their start tags. */
export function elements(xml: string, name: string): { readonly content: string; readonly tag: string }[] {
  const found: { content: string; tag: string }[] = [];
  each(xml, name, (content, tag) => String(found.push({ content, tag })));
  return found;
}

export const contents = (xml: string, name: string): string[] =>
  elements(xml, name).map(({ content }) => content);
