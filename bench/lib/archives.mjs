// Archives of the sizes that the bench needs, made once below .bench/.
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32, createGzip, deflateRawSync } from 'node:zlib';
import { folder, log, made } from './data.mjs';

/** A zip of `count` deflated files of 1 to 5 kB in 100 folders; the path. */
export function zipOf(name, count) {
  return made(name, () => {
    const text = textBytes();
    const members = Array.from({ length: count }, (_, i) => [
      `src/dir${i % 100}/file${i}.ts`,
      text.subarray((i * 777) % 2_000_000).subarray(0, 1_000 + (i % 4_000)),
    ]);
    return zipped(members);
  });
}

/** A zip of one deflated file; the path. */
export const zipWith = (name, file, content) => made(name, () => zipped([[file, content]]));

function zipped(members) {
  const parts = [];
  const records = [];
  let at = 0;
  for (const [name, content] of members) {
    const packed = deflateRawSync(content);
    const file = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(file.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    parts.push(Buffer.from('PK\x03\x04'), fields, file, packed);
    records.push(Buffer.from('PK\x01\x02\x14\x03'), fields, place, file);
    at += 30 + file.length + packed.length;
  }
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}

/** A tar of `count` members of 1 MB; the path. */
export function tarOf(name, count) {
  const path = resolve(folder, name);
  if (existsSync(path)) return path;
  const text = textBytes();
  const file = openSync(`${path}.part`, 'w');
  for (let i = 0; i < count; i += 1) {
    const start = (i * 4_099) % 2_000_000;
    writeSync(file, tarHeader(`data/part${String(i).padStart(4, '0')}.log`, 1_000_000));
    writeSync(file, text, start, 1_000_000);
    writeSync(file, Buffer.alloc(512 - (1_000_000 % 512)));
  }
  writeSync(file, Buffer.alloc(1024));
  closeSync(file);
  renameSync(`${path}.part`, path);
  return path;
}

/** The bytes of a tar with one file. */
export function tarWith(name, content) {
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return Buffer.concat([tarHeader(name, content.length), content, padding, Buffer.alloc(1024)]);
}

function tarHeader(name, size) {
  const header = Buffer.alloc(512);
  header.write(name);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

export async function gzipped(path) {
  const packed = `${path}.gz`;
  if (existsSync(packed)) return packed;
  await pipeline(createReadStream(path), createGzip({ level: 1 }), createWriteStream(`${packed}.part`));
  renameSync(`${packed}.part`, packed);
  return packed;
}

function textBytes() {
  mkdirSync(folder, { recursive: true });
  const file = openSync(log('archive-text.log', 4_000_000), 'r');
  const bytes = Buffer.alloc(4_000_000);
  readSync(file, bytes);
  closeSync(file);
  return bytes;
}
