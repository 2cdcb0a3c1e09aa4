/** Documents in flat OpenDocument XML, and their conversion to other formats by an installed LibreOffice. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const NAMES = {
  office: 'office',
  text: 'text',
  table: 'table',
  style: 'style',
  draw: 'drawing',
  presentation: 'presentation',
  number: 'datastyle',
  fo: 'xsl-fo-compatible',
  svg: 'svg-compatible',
} as const;

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns';

const SPACES = [
  ...Object.entries(NAMES).map(([prefix, name]) => `xmlns:${prefix}="${OASIS}:${name}:1.0"`),
  `xmlns:of="${OASIS}:of:1.2"`,
  'xmlns:dc="http://purl.org/dc/elements/1.1/"',
].join(' ');

const flat = (type: string, styles: string, body: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><office:document ${SPACES} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${type}">${styles}<office:body>${body}</office:body></office:document>`;

const p = (text: string): string => `<text:p>${text}</text:p>`;

const cell = (text: string): string =>
  `<table:table-cell office:value-type="string">${p(text)}</table:table-cell>`;

const table = (name: string, rows: readonly (readonly string[])[]): string =>
  `<table:table table:name="${name}"><table:table-column table:number-columns-repeated="${rows[0]?.length}"/>${rows
    .map((row) => `<table:table-row>${row.map(cell).join('')}</table:table-row>`)
    .join('')}</table:table>`;

/** Rows of a table whose cells a reader must keep together. */
export const ROWS = Array.from({ length: 8 }, (_, i) => [
  `Item ${i + 1}`,
  `${(i + 1) * 11} kg`,
  `Shelf ${String.fromCharCode(65 + i)}`,
]);

/** Marker words of `text`, in reading order. */
export const WORDS = [
  'MARK-TITLE-1',
  'MARK-PARA-2',
  'MARK-LIST-3',
  'MARK-LIST-4',
  'MARK-HEAD-5',
  'MARK-END-6',
];

/** Marker word of the footnote, whose place depends on the format. */
export const FOOTNOTE = 'MARK-NOTE-7';

const text = flat(
  'text',
  '',
  `<office:text><text:h text:outline-level="1">Harbour MARK-TITLE-1</text:h>${p(
    `Ünïcödé &amp; &lt;tags&gt; MARK-PARA-2<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>${p('MARK-NOTE-7')}</text:note-body></text:note>`,
  )}<text:list><text:list-item>${p('MARK-LIST-3')}</text:list-item><text:list-item>${p('MARK-LIST-4')}</text:list-item></text:list><text:h text:outline-level="2">Stock MARK-HEAD-5</text:h>${table('Stock', ROWS)}${p('MARK-END-6')}</office:text>`,
);

const change = (id: string, kind: string, text = ''): string =>
  `<text:changed-region text:id="${id}"><text:${kind}><office:change-info><dc:creator>Ann</dc:creator><dc:date>2026-03-09T10:00:00</dc:date></office:change-info>${text}</text:${kind}></text:changed-region>`;

/** A text with tracked changes: one word replaced, one paragraph deleted. */
const reviewed = flat(
  'text',
  '',
  `<office:text><text:tracked-changes>${change('c1', 'deletion', p('10GONE'))}${change('c2', 'insertion')}${change('c3', 'deletion', p('GONE too, ç'))}</text:tracked-changes>${p('The price is <text:change text:change-id="c1"/><text:change-start text:change-id="c2"/>20<text:change-end text:change-id="c2"/> Euro.')}${p('<text:change text:change-id="c3"/>')}</office:text>`,
);

/** A text with a comment inside a word, a ruby annotation, a text box, a header and a footer. */
const noted = flat(
  'text',
  '<office:automatic-styles><style:page-layout style:name="pm1"><style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm"/><style:header-style/><style:footer-style/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="Standard" style:page-layout-name="pm1"><style:header><text:p>ON TOP</text:p></style:header><style:footer><text:p>BELOW</text:p></style:footer></style:master-page></office:master-styles>',
  `<office:text>${p(`A wh<office:annotation><dc:creator>Ann</dc:creator><dc:date>2026-03-09T10:00:00</dc:date>${p('Why &amp; how?')}</office:annotation>ole sentence.`)}${p('base <text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>kanji</text:ruby-text></text:ruby> after')}${p(`<draw:frame svg:width="5cm" svg:height="2cm" text:anchor-type="as-char"><draw:text-box>${p('IN A BOX')}</draw:text-box></draw:frame>`)}</office:text>`,
);

const value = (type: string, attributes: string, style = ''): string =>
  `<table:table-cell${style} office:value-type="${type}" ${attributes}/>`;

/** Two sheets, one of them hidden, with a percentage, a date, and a formula. */
const sheets = flat(
  'spreadsheet',
  `<office:automatic-styles><number:percentage-style style:name="N1"><number:number number:decimal-places="1" number:min-decimal-places="1" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style><number:date-style style:name="N2"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style><style:style style:name="share" style:family="table-cell" style:data-style-name="N1"/><style:style style:name="day" style:family="table-cell" style:data-style-name="N2"/><style:style style:name="off" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles>`,
  `<office:spreadsheet>${table('Stock', [['Item', 'Weight', 'Place'], ...ROWS])}<table:table table:name="Sums"><table:table-row>${value('percentage', 'office:value="0.256"', ' table:style-name="share"')}${value('date', 'office:date-value="2026-03-09"', ' table:style-name="day"')}<table:table-cell table:formula="of:=6*7" office:value-type="float" office:value="42"/></table:table-row></table:table><table:table table:name="Away" table:style-name="off"><table:table-row>${cell('MARK-AWAY-8')}</table:table-row></table:table></office:spreadsheet>`,
);

const frame = (kind: string, at: string, body: string): string =>
  `<draw:frame presentation:class="${kind}" svg:x="2cm" svg:y="${at}" svg:width="20cm" svg:height="3cm"><draw:text-box>${body}</draw:text-box></draw:frame>`;

const slide = (number: number): string =>
  `<draw:page draw:name="page${number}" draw:master-page-name="Plain">${frame('title', '1cm', p(`MARK-SLIDE-${number}`))}${frame('outline', '5cm', `<text:list><text:list-item>${p(`MARK-POINT-${number}`)}</text:list-item></text:list>`)}<presentation:notes>${frame('notes', '14cm', p(`MARK-SAID-${number}`))}</presentation:notes></draw:page>`;

export const SLIDES = [1, 2, 3];

const slides = flat(
  'presentation',
  `<office:automatic-styles><style:page-layout style:name="layout"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="Plain" style:page-layout-name="layout"/></office:master-styles>`,
  `<office:presentation>${SLIDES.map(slide).join('')}</office:presentation>`,
);

const TEXTS = ['docx', 'doc', 'odt', 'rtf'];

/** Each document, and the formats it is saved in: the extensions of their files. */
const DOCUMENTS = {
  text: { source: text, formats: [...TEXTS, 'epub', 'pdf'] },
  reviewed: { source: reviewed, formats: TEXTS },
  noted: { source: noted, formats: TEXTS },
  sheets: { source: sheets, formats: ['xlsx', 'xls', 'ods'] },
  slides: { source: slides, formats: ['pptx', 'ppt', 'odp', 'pdf'] },
};

export type DocumentName = keyof typeof DOCUMENTS;

export const formatsOf = (name: DocumentName): readonly string[] => DOCUMENTS[name].formats;

/**
 * The settings of a profile that was used by a later version. After each update, LibreOffice tests its own drawing, and
 * headless it does so at every start: eight seconds of processor time.
 */
const SETTINGS =
  '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/Product"><prop oor:name="ooSetupLastVersion" oor:op="fuse"><value>999.9</value></prop></item></oor:items>';

/** The documents as LibreOffice saves them. One run of it saves all documents that have a format. */
export class Office {
  readonly #directory = mkdtempSync(join(tmpdir(), 'oriel-office-'));
  readonly #saved = new Map<string, Promise<unknown>>();

  async saved(name: DocumentName, format: string): Promise<Buffer> {
    const saving = this.#saved.get(format) ?? this.#save(format);
    this.#saved.set(format, saving);
    await saving;
    return readFile(join(this.#directory, format, `${name}.${format}`));
  }

  async #save(format: string): Promise<unknown> {
    const sources: string[] = [];
    for (const [name, { source, formats }] of Object.entries(DOCUMENTS)) {
      if (!formats.includes(format)) continue;
      sources.push(join(this.#directory, `${name}.xml`));
      await writeFile(sources.at(-1) as string, source);
    }
    const profile = join(this.#directory, 'profile', format);
    await mkdir(join(profile, 'user'), { recursive: true });
    await writeFile(join(profile, 'user', 'registrymodifications.xcu'), SETTINGS);
    const output = ['--outdir', join(this.#directory, format)];
    const options = [
      `-env:UserInstallation=${pathToFileURL(profile).href}`,
      '--headless',
      '--convert-to',
      format,
      ...output,
    ];
    return promisify(execFile)('soffice', [...options, ...sources]);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
