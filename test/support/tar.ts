/** Builds tar archives block by block, valid or damaged. */

export interface TarEntry {
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array;
  /** Type flag: `0` file (the default), `1` hard link, `2` symlink, `5` directory, `x` pax, … */
  readonly flag?: string;
  readonly link?: string;
  /** Value of the size field; by default the real size. */
  readonly size?: number;
  /** The raw 12 bytes of the size field. */
  readonly sizeField?: Uint8Array;
  /** Changes the header; the checksum is computed after it unless `badChecksum`. */
  edit?(header: Buffer): void;
  readonly badChecksum?: boolean;
}

export function tar(entries: readonly TarEntry[], shape: { readonly end?: boolean } = {}): Buffer {
  const parts = entries.flatMap(tarEntry);
  return Buffer.concat([...parts, Buffer.alloc(shape.end === false ? 0 : 1024)]);
}

export function tarEntry(entry: TarEntry): Buffer[] {
  const content = Buffer.from(entry.content ?? '');
  const header = Buffer.alloc(512);
  Buffer.from(entry.name).copy(header, 0, 0, 100);
  header.write('0000644\0', 100);
  header.write('0001000\0', 108);
  header.write('0001000\0', 116);
  header.write(`${(entry.size ?? content.length).toString(8).padStart(11, '0')}\0`, 124);
  if (entry.sizeField) Buffer.from(entry.sizeField).copy(header, 124);
  header.write('14000000000\0', 136);
  header.write(entry.flag ?? '0', 156);
  header.write(entry.link ?? '', 157);
  header.write('ustar\x0000', 257);
  entry.edit?.(header);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${(entry.badChecksum ? sum + 1 : sum).toString(8).padStart(6, '0')}\0 `, 148);
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}

/** A pax header entry, which applies to the next entry. */
export function pax(records: Readonly<Record<string, string>>): TarEntry {
  const body = Object.entries(records)
    .map(([key, value]) => {
      const rest = Buffer.byteLength(` ${key}=${value}\n`);
      let length = rest + String(rest).length;
      if (String(length).length !== String(rest).length) length = rest + String(length).length;
      return `${length} ${key}=${value}\n`;
    })
    .join('');
  return { name: 'PaxHeader', flag: 'x', content: body };
}
