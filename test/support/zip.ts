/** Builds zips byte by byte, valid or damaged: a test can set each field. */

import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array;
  /** 0 stored, 8 deflate (the default); for other methods give the compressed bytes in `packed`. */
  readonly method?: number;
  readonly packed?: Uint8Array;
  /** Bit 11 (UTF-8 names) is set unless given. */
  readonly flags?: number;
  /** Unix mode: `0o120777` for a symlink. */
  readonly mode?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly packedSize?: number;
  readonly localName?: string;
  readonly extra?: Uint8Array;
}

export interface ZipShape {
  readonly before?: Uint8Array;
  readonly after?: Uint8Array;
  readonly comment?: string;
  /** Number of entries in the end record; by default the real number. */
  readonly count?: number;
  /** Changes the bytes of the central directory before they are written. */
  damage?(directory: Buffer): void;
}

export function zip(entries: readonly ZipEntry[], shape: ZipShape = {}): Buffer {
  const before = Buffer.from(shape.before ?? []);
  const parts: Buffer[] = [];
  const records: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const { local, record } = entryBytes(entry, at);
    parts.push(local);
    records.push(record);
    at += local.length;
  }
  const directory = Buffer.concat(records);
  shape.damage?.(directory);
  const comment = Buffer.from(shape.comment ?? '');
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(shape.count ?? entries.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(shape.count ?? entries.length, 0xffff), 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([before, ...parts, directory, end, comment, Buffer.from(shape.after ?? [])]);
}

function entryBytes(entry: ZipEntry, at: number): { local: Buffer; record: Buffer } {
  const content = Buffer.from(entry.content ?? '');
  const method = entry.method ?? 8;
  const packed = Buffer.from(entry.packed ?? (method === 8 ? deflateRawSync(content) : content));
  const name = Buffer.from(entry.name);
  const localName = entry.localName === undefined ? name : Buffer.from(entry.localName);
  const extra = Buffer.from(entry.extra ?? []);
  const shared = Buffer.alloc(24);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(entry.flags ?? 0x800, 2);
  shared.writeUInt16LE(method, 4);
  shared.writeUInt32LE(entry.crc ?? crc32(content), 10);
  shared.writeUInt32LE(entry.packedSize ?? packed.length, 14);
  shared.writeUInt32LE(entry.size ?? content.length, 18);
  const fixed = (bytes: Buffer, nameBytes: number): Buffer => {
    const copy = Buffer.alloc(26);
    bytes.copy(copy);
    copy.writeUInt16LE(nameBytes, 22);
    copy.writeUInt16LE(extra.length, 24);
    return copy;
  };
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE((3 << 8) | 20, 4);
  fixed(shared, name.length).copy(record, 6);
  record.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
  record.writeUInt32LE(at, 42);
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(0x04034b50);
  return {
    local: Buffer.concat([signature, fixed(shared, localName.length), localName, extra, packed]),
    record: Buffer.concat([record, name, extra]),
  };
}
