/** Documents for tests: fixture files, and small ones built from parts. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { zip } from './zip.ts';

/** The content of a fixture by its file name, such as `report.docx`; names that end in `.gz` are decompressed. */
export function fixture(name: string): Buffer {
  const bytes = readFileSync(new URL(`../fixtures/documents/${name}`, import.meta.url));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'application/vnd.openxmlformats-officedocument';

/** A Word document with this XML in its body. */
export function docx(body: string, before = '', parts: Readonly<Record<string, string>> = {}): Buffer {
  const document = `<?xml version="1.0"?>${before}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><w:body>${body}</w:body></w:document>`;
  return packaged('word/document.xml', `${MAIN}.wordprocessingml.document.main+xml`, document, parts);
}

export const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** A workbook; `content` is the XML inside a sheet's `worksheet`. With `one part` all sheets refer to the first one's part. */
export function xlsx(
  sheets: readonly (readonly [name: string, content: string])[],
  stored: 'parts' | 'one part' = 'parts',
  others: Readonly<Record<string, string | Buffer>> = {},
): Buffer {
  const part = (i: number): number => (stored === 'parts' ? i + 1 : 1);
  const list = sheets.map(([name], i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${part(i)}"/>`);
  const kept = stored === 'parts' ? sheets : sheets.slice(0, 1);
  const relations = kept.map(
    (_, i) =>
      `<Relationship Id="rId${i + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`,
  );
  relations.push(`<Relationship Id="styles" Type="${OFFICE}/styles" Target="styles.xml"/>`);
  const parts = Object.fromEntries(
    kept.map(([, content], i) => [
      `xl/worksheets/sheet${i + 1}.xml`,
      `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${content}</worksheet>`,
    ]),
  );
  const workbook = `<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><sheets>${list.join('')}</sheets></workbook>`;
  return packaged('xl/workbook.xml', `${MAIN}.spreadsheetml.sheet.main+xml`, workbook, {
    'xl/_rels/workbook.xml.rels': `<?xml version="1.0"?><Relationships xmlns="${RELATIONS}">${relations.join('')}</Relationships>`,
    'xl/styles.xml': STYLES,
    ...parts,
    ...others,
  });
}

/** A part that makes a workbook larger than what is read whole, which takes no time to parse as cells would. */
export const ballast = (bytes = 1 << 20): Readonly<Record<string, Buffer>> => ({
  'xl/media/ballast.bin': randomBytes(bytes),
});

const STYLES =
  '<?xml version="1.0"?><styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="1"><numFmt numFmtId="164" formatCode="0.0%"/></numFmts><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>';

/** A row of texts and numbers that starts in column A. `number` is 1-based. */
export function sheetRow(number: number, cells: readonly (string | number | Styled)[]): string {
  const written = cells.map((cell, i) => sheetCell(`${String.fromCharCode(65 + i)}${number}`, cell));
  return `<row r="${number}">${written.join('')}</row>`;
}

/** A number in the format `0.0%`, the second style of every workbook made here. */
export interface Styled {
  readonly percents: number;
}

export const percents = (value: number): Styled => ({ percents: value });

export function sheetCell(at: string, cell: string | number | Styled): string {
  if (typeof cell === 'object') return `<c r="${at}" s="1"><v>${cell.percents}</v></c>`;
  return typeof cell === 'number'
    ? `<c r="${at}"><v>${cell}</v></c>`
    : `<c r="${at}" t="inlineStr"><is><t>${cell}</t></is></c>`;
}

function packaged(
  main: string,
  type: string,
  xml: string,
  parts: Readonly<Record<string, string | Buffer>>,
): Buffer {
  const shared =
    'xl/sharedStrings.xml' in parts
      ? `<Override PartName="/xl/sharedStrings.xml" ContentType="${MAIN}.spreadsheetml.sharedStrings+xml"/>`
      : '';
  const styles =
    '<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>';
  const types = `<?xml version="1.0"?><Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="${type}"/>${styles}${shared}</Types>`;
  const relations = `<?xml version="1.0"?><Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="${main}"/></Relationships>`;
  const all = { '[Content_Types].xml': types, '_rels/.rels': relations, [main]: xml, ...parts };
  return zip(
    Object.entries(all).map(([name, content]) => ({
      name,
      content,
      method: typeof content === 'string' ? 8 : 0,
    })),
  );
}

/** A PDF with these objects, numbered from 1; the first one is the catalogue. */
export function pdf(objects: readonly (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [i, object] of objects.entries()) {
    offsets.push(length);
    const part = Buffer.concat([
      Buffer.from(`${i + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(part);
    length += part.length;
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF`;
  return Buffer.concat([...parts, Buffer.from(end)]);
}

export function pdfStream(data: string | Buffer, extra = ''): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([
    Buffer.from(`<</Length ${bytes.length}${extra}>>stream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

/** A PDF with one page per content stream. */
export function pdfPages(contents: readonly Buffer[], catalogue = ''): Buffer {
  const kids = contents.map((_, i) => `${4 + 2 * i} 0 R`).join(' ');
  return pdf([
    `<</Type/Catalog/Pages 2 0 R${catalogue}>>`,
    `<</Type/Pages/Kids[${kids}]/Count ${contents.length}>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...contents.flatMap((content, i) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + 2 * i} 0 R>>`,
      content,
    ]),
  ]);
}

export const pdfText = (text: string): Buffer => pdfStream(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`);
