/** Builds RAR 5 archives of stored members. Source: the RAR 5.0 archive format, rarlab.com/technote.htm. */

import { crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from('526172211a070100', 'hex');

export function rar(members: readonly { readonly name: string; readonly content: string }[]): Buffer {
  const parts = members.flatMap(({ name, content }) => {
    const data = Buffer.from(content);
    const crc = Buffer.alloc(4);
    crc.writeUInt32LE(crc32(data));
    // Type 2 (file) with data; fields: flags (CRC given), size, attributes, CRC, method 0, Unix, name.
    const fields = [number(4), number(data.length), number(0o100644), crc, number(0), number(1)];
    const bytes = Buffer.from(name);
    return [
      header([number(2), number(2), number(data.length), ...fields, number(bytes.length), bytes]),
      data,
    ];
  });
  return Buffer.concat([
    SIGNATURE,
    header([number(1), number(0), number(0)]),
    ...parts,
    header([number(5), number(0), number(0)]),
  ]);
}

function header(fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat(fields);
  const sized = Buffer.concat([number(body.length), body]);
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(crc32(sized));
  return Buffer.concat([crc, sized]);
}

/** RAR 5's vint: 7 bits per byte, least significant first; the high bit is set on all but the last byte. */
function number(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    bytes.push((left % 128) | (left >= 128 ? 0x80 : 0));
    if (left < 128) return Buffer.from(bytes);
  }
}
