/** Damaged PDFs and binary Office documents: one stream of a compound file, or the compound file itself. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { convert } from './convert-document.ts';
import type { FuzzTarget } from './fuzz-target.ts';

// An import of this CommonJS package has other names in a bundle.
const { CFB, utils, write } = createRequire(import.meta.url)('@e965/xlsx') as typeof import('@e965/xlsx');

/** Below the working directory, because a long run executes one bundled file that lies elsewhere. */
const fixture = (name: string): Buffer => gunzipSync(readFileSync(`test/fixtures/documents/${name}`));

/** A small workbook of Excel 97. */
function workbook(): Buffer {
  const book = utils.book_new();
  const rows = [
    ['name', 1.5, 'ünï'],
    [true, { t: 'n', v: 7, f: 'A1+1' }, { t: 'd', v: new Date(0) }],
  ];
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'S');
  return write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer;
}

/** 16-bit and 32-bit numbers that offsets, lengths and counts are compared with. */
const NUMBERS = [0, 1, 255, 256, 0x7fff, 0x8000, 0xffff].flatMap((number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return [bytes.subarray(0, 2), bytes, Buffer.from([255, 255, 255, number & 255])];
});

/** The stream `name` of a document is the input; its other streams are as they were. */
function streamTarget(target: string, format: string, bytes: Buffer, name: string): FuzzTarget {
  const container = CFB.read(bytes, { type: 'buffer' });
  const seed = Buffer.from(CFB.find(container, name)?.content as Uint8Array);
  return {
    group: 'container',
    name: target,
    isSlow: true,
    seeds: [seed],
    words: NUMBERS,
    most: seed.length + 256,
    run(input, random) {
      CFB.utils.cfb_add(container, name, input);
      return convert(CFB.write(container, { type: 'buffer' }) as Buffer, format, random);
    },
  };
}

const excel = workbook();
const word = fixture('changes.doc.gz');

const PDF = `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>endobj
4 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
5 0 obj<</Length 69>>stream
BT /F 12 Tf 20 100 Td (One two) Tj 0 -20 Td [(th)-20(ree)] TJ ET
endstream
endobj
trailer<</Root 1 0 R/Size 6>>
%%EOF
`;

const PDF_WORDS =
  'obj endobj stream endstream << >> [ ] ( ) /Length /Kids /Count /Parent /Filter/FlateDecode /Filter/ASCIIHexDecode /Encrypt /ToUnicode /Rotate BT ET Tj TJ Td Tm q Q cm Do BI ID EI 1 0 R 99 9 R -1 1e9 4294967296 /XObject /Annots /Outlines /ObjStm xref trailer startxref %%EOF';

export const binaryDocumentTargets: readonly FuzzTarget[] = [
  streamTarget('xls', 'xls', excel, 'Workbook'),
  streamTarget('doc', 'doc', word, 'WordDocument'),
  streamTarget('doc: its tables', 'doc', word, '1Table'),
  streamTarget('ppt', 'ppt', fixture('deck.ppt.gz'), 'PowerPoint Document'),
  {
    group: 'container',
    name: 'compound file',
    isSlow: true,
    seeds: [excel],
    words: NUMBERS,
    most: excel.length,
    run: (input, random) => convert(Buffer.from(input), 'xls', random),
  },
  {
    group: 'container',
    name: 'pdf',
    isSlow: true,
    seeds: [PDF],
    words: [...PDF_WORDS.split(/ (?=[^\d]|\d+ \d)/), '\n', ' '],
    most: 1_536,
    run: (input, random) => convert(Buffer.concat([Buffer.from('%PDF-1.7\n'), input]), 'pdf', random),
  },
];
