/** Damaged documents. What is damaged is one part of a package, not its zip. */

import { zip } from '../../support/zip.ts';
import { convert } from './convert-document.ts';
import type { FuzzTarget } from './fuzz-target.ts';

/** A package: its unchanged parts, and the part that is damaged. */
interface Package {
  readonly name: string;
  readonly parts: Readonly<Record<string, string>>;
  readonly part: string;
  readonly seed: string;
  readonly words: string;
}

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const X = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const P = 'http://schemas.openxmlformats.org/presentationml/2006/main';
const A = 'http://schemas.openxmlformats.org/drawingml/2006/main';
const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const OFFICE = 'urn:oasis:names:tc:opendocument:xmlns';
const ODF = ['office', 'text', 'table'].map((name) => `xmlns:${name}="${OFFICE}:${name}:1.0"`).join(' ');
const MARKUP = '< > </ /> & &amp; &#x0; &#1F600; " = <!-- --> <![CDATA[ ]]> <?xml ?> <!DOCTYPE';

const typesOf = (part: string, type: string): string =>
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;
const rootRels = (part: string): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${R}/officeDocument" Target="${part}"/></Relationships>`;
const rels = (type: string, target: string): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${R}/${type}" Target="${target}"/></Relationships>`;

const packages: readonly Package[] = [
  {
    name: 'docx',
    parts: {
      '[Content_Types].xml': typesOf('word/document.xml', 'wordprocessingml.document'),
      '_rels/.rels': rootRels('word/document.xml'),
    },
    part: 'word/document.xml',
    seed: `<w:document xmlns:w="${W}"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>One</w:t></w:r></w:p><w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>two</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>`,
    words:
      '<w:p> </w:p> <w:r> </w:r> <w:t> </w:t> <w:tbl> <w:tr> <w:tc> <w:gridSpan w:val="99"/> <w:vMerge/> <w:br/> <w:tab/> <w:del> <w:ins> <w:footnoteReference w:id="1"/> <w:instrText> <w:hyperlink r:id="rId9">',
  },
  {
    name: 'xlsx',
    parts: {
      '[Content_Types].xml': typesOf('xl/workbook.xml', 'spreadsheetml.sheet'),
      '_rels/.rels': rootRels('xl/workbook.xml'),
      'xl/workbook.xml': `<workbook xmlns="${X}" xmlns:r="${R}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': rels('worksheet', 'worksheets/sheet1.xml'),
    },
    part: 'xl/worksheets/sheet1.xml',
    seed: `<worksheet xmlns="${X}"><dimension ref="A1:B2"/><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c><c r="B1"><v>1.5</v></c></row><row r="2"><c r="A2" t="b"><v>1</v></c><c r="B2"><f>A1+1</f><v>7</v></c></row></sheetData><mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells></worksheet>`,
    words:
      '<row r="1048576"> </row> <c r="XFD9"> <c r="A1" t="s"> <v> </v> 1e308 -0 <f t="shared" si="0" ref="A1:A9"> <hyperlinks> <hyperlink ref="A1"/> <dimension ref="A1:XFD1048576"/> <mergeCell ref="A1:XFD99"/> hidden="1" s="99"',
  },
  {
    name: 'pptx',
    parts: {
      '[Content_Types].xml': typesOf('ppt/presentation.xml', 'presentationml.presentation'),
      '_rels/.rels': rootRels('ppt/presentation.xml'),
      'ppt/presentation.xml': `<p:presentation xmlns:p="${P}" xmlns:r="${R}"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': rels('slide', 'slides/slide1.xml'),
    },
    part: 'ppt/slides/slide1.xml',
    seed: `<p:sld xmlns:p="${P}" xmlns:a="${A}"><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>One</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
    words:
      '<a:p> </a:p> <a:r> <a:t> </a:t> <a:tbl> <a:tr> <a:tc gridSpan="9"> <p:sp> </p:sp> <p:grpSp> <a:br/> <a:fld> show="0" <p:ph type="ftr"/> <p:pic>',
  },
  ...(['text', 'spreadsheet'] as const).map((kind) => ({
    name: kind === 'text' ? 'odt' : 'ods',
    parts: {
      mimetype: `application/vnd.oasis.opendocument.${kind}`,
      'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="${OFFICE}:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
    },
    part: 'content.xml',
    seed: `<office:document-content ${ODF}><office:body><office:${kind}>${kind === 'text' ? '<text:h text:outline-level="1">One</text:h><text:p>two<text:s text:c="3"/></text:p>' : ''}<table:table table:name="S"><table:table-row><table:table-cell office:value-type="float" office:value="1.5"><text:p>1.5</text:p></table:table-cell></table:table-row></table:table></office:${kind}></office:body></office:document-content>`,
    words:
      '<text:p> </text:p> <text:span> <text:list> <text:list-item> <text:a> <text:s text:c="99999999"/> <text:tab/> <table:table-row table:number-rows-repeated="1048576"> <table:table-cell table:number-columns-repeated="16384"/> <table:covered-table-cell/> <text:note> <text:tracked-changes>',
  })),
  {
    name: 'epub',
    parts: {
      mimetype: 'application/epub+zip',
      'META-INF/container.xml':
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
      'b.opf':
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>',
    },
    part: 'c.xhtml',
    seed: '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><h1>One</h1><p>two <b>three</b></p><table><tr><td>a</td></tr></table></body></html>',
    words:
      '<p> </p> <div> </div> <table> <td colspan="99"> <ul> <li> <a href="../x"> <img src="x"/> <pre> <svg> <script> </script> <br/>',
  },
];

export const documentTargets: readonly FuzzTarget[] = [
  ...packages.map(({ name, parts, part, seed, words }): FuzzTarget => ({
    group: 'container',
    name,
    isSlow: true,
    seeds: [seed],
    words: [...words.split(/ (?=<|[^ ]*=|[-\d])/), ...MARKUP.split(' ')],
    most: 1_536,
    run(input, random) {
      const entries = Object.entries({ ...parts, [part]: input });
      return convert(
        zip(entries.map(([path, content]) => ({ name: path, content, method: 0 }))),
        name,
        random,
      );
    },
  })),
  {
    group: 'container',
    name: 'rtf',
    isSlow: true,
    seeds: [
      '{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 A;}}{\\info{\\title T}}\\pard One\\par\\b two\\b0\\u8364 ?\\tab {\\*\\x y}\\trowd a\\cell\\row}',
    ],
    words:
      "{ } \\ \\par \\u-1 ? \\'e9 \\bin9 \\bin999999999 \\ansicpg932 \\uc0 \\uc9 {\\* \\pict \\object \\v \\deleted \\cell \\row \\trowd \\line".split(
        ' ',
      ),
    most: 512,
    run: (input, random) => convert(Buffer.concat([Buffer.from('{\\rtf'), input]), 'rtf', random),
  },
];
