/** Works around known defects of SheetJS 0.18.5: rewrites the parts of a workbook that it would misread. */

import { zipSync } from 'fflate';
import { Compound } from './compound.ts';
import { repairRecords } from './workbook-records.ts';
import type { Parts } from './zip-parts.ts';

/** `parts` are those of a package; undefined for a binary workbook. */
export function repairWorkbook(bytes: Buffer, parts: Parts | undefined): Buffer {
  if (!parts) return withSoundRecords(bytes);
  const stored = parts.isWide ? narrow(parts) : bytes;
  return parts.has('mimetype') && parts.has('content.xml') ? withCoveredCells(stored, parts) : stored;
}

/** Rewrites a zip64 package as a plain zip, because SheetJS does not support zip64. Media are left out. */
function narrow(parts: Parts): Buffer {
  const names = parts.names.filter((name) => name === 'mimetype' || /\.(?:xml|rels|bin|vml)$/i.test(name));
  return zipped(names.map((name) => [name, readable(parts, name)]));
}

function zipped(members: readonly (readonly [name: string, content: Buffer | undefined])[]): Buffer {
  const known = members.filter(([, content]) => content !== undefined);
  return Buffer.from(zipSync(Object.fromEntries(known) as Record<string, Buffer>, { level: 0 }));
}

const COVERED = /<table:covered-table-cell\b[^>]*\bnumber-columns-repeated="(\d{1,5})"[^>]*>/g;

/** Writes repeated covered cells one by one, because SheetJS counts a repeated one only once. */
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

/** The most bytes of the XML of all sheets. */
const MOST_CONTENT = 256 << 20;

function readable(parts: Parts, name: string): Buffer | undefined {
  try {
    return parts.read(name, MOST_CONTENT);
  } catch {
    return undefined;
  }
}

/** The first byte of a binary workbook that is not in a compound file: a BOF record. Source: [MS-XLS] 2.4.21. */
const BOF = 0x09;

function withSoundRecords(bytes: Buffer): Buffer {
  const compound = Compound.of(bytes);
  const stream = compound?.find('Workbook') ?? compound?.find('Book');
  const isBare = compound === undefined && bytes[0] === BOF;
  const records = compound && stream ? compound.read(stream) : Buffer.from(isBare ? bytes : []);
  if (!repairRecords(records)) return bytes;
  if (!compound || !stream) return records;
  const copy = Buffer.from(bytes);
  Compound.of(copy)?.write(stream, records);
  return copy;
}
