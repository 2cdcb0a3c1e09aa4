/** Detects the format of a document by its content. */

import { type Format, Refused } from '../document-protocol.ts';
import { Compound } from './compound.ts';
import { Parts } from './zip-parts.ts';

/** Throws Refused: `encrypted`, `old`, `damaged`, `unknown`. */
export function detectFormat(bytes: Buffer): Format {
  if (bytes.subarray(0, 1024).includes('%PDF-')) return 'pdf';
  const start = bytes.toString('latin1', 0, 8);
  if (start.startsWith('{\\rtf')) return 'rtf';
  if (start.startsWith('PK')) return formatOfParts(bytes);
  const compound = Compound.of(bytes);
  if (compound) return formatOfCompound(compound);
  for (const [magic, name] of OLD) if (start.startsWith(magic)) throw new Refused('old', name);
  if (/^\x09[\0\x02\x04\x08][\x04-\x10]\0/.test(start)) return 'xls';
  throw new Refused('unknown');
}

/** Signatures of formats that are older than compound files. Source: Apache Tika and libmagic. */
const OLD: readonly (readonly [string, string])[] = [
  ['\xdb\xa5', 'Word for Windows 2'],
  ['\x9b\xa5', 'Word for Windows 1'],
  ['\x31\xbe\0\0', 'Word for DOS'],
  ['\xfe\x37\0', 'Word for Macintosh'],
  ['\xed\xde\xad\x0b', 'PowerPoint 4'],
  ['\x0b\xad\xde\xed', 'PowerPoint 4'],
];

const MAIN_PARTS: readonly (readonly [RegExp, Format])[] = [
  [/^word\/[^/]+\.xml$/i, 'docx'],
  [/^ppt\/presentation[^/]*\.xml$/i, 'pptx'],
  [/^xl\/workbook[^/]*\.bin$/i, 'xlsb'],
  [/^xl\/workbook[^/]*\.xml$/i, 'xlsx'],
];

const MIME_TYPES: readonly (readonly [RegExp, Format])[] = [
  [/^application\/epub\+zip/, 'epub'],
  [/opendocument\.text/, 'odt'],
  [/opendocument\.spreadsheet/, 'ods'],
  [/opendocument\.presentation/, 'odp'],
];

function formatOfParts(bytes: Buffer): Format {
  const parts = Parts.of(bytes);
  if (!parts) throw new Refused('damaged', 'its zip directory is missing, so it is truncated or damaged');
  const mime = parts.text('mimetype') ?? odfType(parts);
  const byMime = MIME_TYPES.find(([pattern]) => pattern.test(mime))?.[1];
  if (byMime) {
    const manifest = parts.text('META-INF/manifest.xml') ?? '';
    if (byMime !== 'epub' && /encryption-data/.test(manifest)) throw new Refused('encrypted');
    return byMime;
  }
  const { names } = parts;
  const byPart = MAIN_PARTS.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1];
  if (byPart) return byPart;
  if (names.includes('META-INF/container.xml')) return 'epub';
  throw new Refused('unknown', 'it is a zip without a document in it');
}

/** The type in the manifest, for a package without the member `mimetype`. */
function odfType(parts: Parts): string {
  const manifest = parts.text('META-INF/manifest.xml') ?? '';
  return (
    /full-path="\/"[^>]*media-type="([^"]*)"|media-type="([^"]*)"[^>]*full-path="\/"/
      .exec(manifest)
      ?.slice(1)
      .join('') ?? ''
  );
}

const STREAMS: readonly (readonly [string, Format])[] = [
  ['PowerPoint Document', 'ppt'],
  ['WordDocument', 'doc'],
  ['Workbook', 'xls'],
  ['WORKBOOK', 'xls'],
  ['Book', 'xls'],
  ['BOOK', 'xls'],
];

function formatOfCompound(compound: Compound): Format {
  if (compound.find('EncryptedPackage')) throw new Refused('encrypted');
  const format = STREAMS.find(([name]) => compound.find(name))?.[1];
  if (format === 'doc') refuseOldWord(compound);
  if (format) return format;
  if (compound.find('PP40')) throw new Refused('old', 'PowerPoint 95');
  if (compound.streams.some(({ name }) => /^__substg1\.0_|^__properties_version/.test(name)))
    throw new Refused('unsupported', 'it is an Outlook message');
  throw new Refused('damaged', 'it holds no Word, Excel or PowerPoint stream');
}

function refuseOldWord(compound: Compound): void {
  const stream = compound.find('WordDocument');
  const head = stream && compound.read(stream).subarray(0, 32);
  if (!head || head.length < 12) return;
  const magic = head.readUInt16LE(0);
  if (magic === 0xa5dc) throw new Refused('old', 'Word 6 or Word 95');
  if (magic === 0xa5ec && (head.readUInt16LE(10) & 0x0100) !== 0) throw new Refused('encrypted');
}
