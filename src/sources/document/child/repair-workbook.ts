/** Works around known defects of SheetJS: rewrites the parts of a workbook that it would misread. */

import { set_cptable } from '@e965/xlsx';
import { zipSync } from 'fflate';
import { Compound } from './compound.ts';
import { hasCodePage, repairRecords } from './workbook-records.ts';
import type { Parts } from './zip-parts.ts';

/** `parts` are those of a package; undefined for a binary workbook. */
export function repairWorkbook(bytes: Buffer, parts: Parts | undefined): Buffer {
  if (!parts) return withSoundRecords(bytes);
  return parts.isWide ? narrow(parts) : bytes;
}

/** Rewrites a zip64 package as a plain zip, because SheetJS does not support zip64. Media are left out. */
function narrow(parts: Parts): Buffer {
  const names = parts.names.filter((name) => name === 'mimetype' || /\.(?:xml|rels|bin|vml)$/i.test(name));
  const known = names.map((name) => [name, readable(parts, name)]).filter(([, content]) => content);
  return Buffer.from(zipSync(Object.fromEntries(known) as Record<string, Buffer>, { level: 0 }));
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
  const { compound, stream, records } = recordsOf(bytes);
  if (!repairRecords(records)) return bytes;
  if (!compound || !stream) return records;
  const copy = Buffer.from(bytes);
  Compound.of(copy)?.write(stream, records);
  return copy;
}

function recordsOf(bytes: Buffer) {
  const compound = Compound.of(bytes);
  const stream = compound?.find('Workbook') ?? compound?.find('Book');
  const isBare = compound === undefined && bytes[0] === BOF;
  const records = compound && stream ? compound.read(stream) : Buffer.from(isBare ? bytes : []);
  return { compound, stream, records };
}

/** Loads the tables of code pages if a binary workbook needs them, which takes a quarter of a second. */
export async function loadCodePages(bytes: Buffer): Promise<void> {
  if (hasCodePage(recordsOf(bytes).records)) set_cptable(await import('@e965/xlsx/dist/cpexcel.full.mjs'));
}
