/** Workbooks as SheetJS (0.18.5) reads them right: what it is known to misread is written in another way. */

import { zipSync } from 'fflate';
import { Compound } from './compound.ts';
import type { Parts } from './zip-parts.ts';

/** `parts`: of a package. */
export function repaired(bytes: Buffer, parts: Parts | undefined): Buffer {
  if (!parts) return withPlainBooleans(bytes);
  const stored = parts.isWide ? narrow(parts) : bytes;
  return parts.has('mimetype') && parts.has('content.xml') ? withCoveredCells(stored, parts) : stored;
}

/** It knows no fields of zip64. Media are left out: cells need none. */
function narrow(parts: Parts): Buffer {
  const names = parts.names.filter((name) => name === 'mimetype' || /\.(?:xml|rels|bin|vml)$/i.test(name));
  return zipped(names.map((name) => [name, readable(parts, name)]));
}

function zipped(members: readonly (readonly [name: string, content: Buffer | undefined])[]): Buffer {
  const known = members.filter(([, content]) => content !== undefined);
  return Buffer.from(zipSync(Object.fromEntries(known) as Record<string, Buffer>, { level: 0 }));
}

const COVERED = /<table:covered-table-cell\b[^>]*\bnumber-columns-repeated="(\d{1,5})"[^>]*>/g;

/** Of cells that are covered by a merged one it takes several for one. */
function withCoveredCells(bytes: Buffer, parts: Parts): Buffer {
  const content = readable(parts, 'content.xml');
  if (!content?.includes('covered-table-cell')) return bytes;
  const text = content
    .toString('utf8')
    .replace(COVERED, (tag, count) =>
      Number(count) > 1
        ? `<table:table-cell table:number-columns-repeated="${Number(count) - 1}"/>${tag}`
        : tag,
    );
  const others = parts.names.filter(
    (name) => name === 'mimetype' || (name.endsWith('.xml') && name !== 'content.xml'),
  );
  const copy = others.map((name) => [name, readable(parts, name)] as const);
  return zipped([...copy, ['content.xml', Buffer.from(text)]]);
}

/** Bytes of the XML of all sheets. */
const MOST_CONTENT = 256 << 20;

function readable(parts: Parts, name: string): Buffer | undefined {
  try {
    return parts.read(name, MOST_CONTENT);
  } catch {
    return undefined;
  }
}

/** Type of the record of a truth value or an error. Source: [MS-XLS] 2.4.24. */
const BOOL_ERR = 0x0205;

/**
 * The record has eight bytes, the value and its kind at the end. LibreOffice writes one more, and of nine it takes the
 * last two: they are moved there. Where the byte before them is 0 there is nothing to lose.
 */
function withPlainBooleans(bytes: Buffer): Buffer {
  const compound = Compound.of(bytes);
  const stream = compound?.find('Workbook') ?? compound?.find('Book');
  if (!compound || !stream) return bytes;
  const content = compound.read(stream);
  const sectors = compound.sectors(stream);
  let copy: Buffer | undefined;
  for (let at = 0; at + 4 <= content.length; at += 4 + content.readUInt16LE(at + 2)) {
    const isLong = content.readUInt16LE(at) === BOOL_ERR && content.readUInt16LE(at + 2) === 9;
    if (!isLong || at + 13 > content.length || content[at + 10] === 0) continue;
    copy ??= Buffer.from(bytes);
    for (const [i, byte] of [0, content[at + 10] as number, content[at + 11] as number].entries()) {
      const place = at + 10 + i;
      const sector = sectors[Math.floor(place / compound.sectorBytes)];
      if (sector !== undefined) copy[sector + (place % compound.sectorBytes)] = byte;
    }
  }
  return copy ?? bytes;
}
