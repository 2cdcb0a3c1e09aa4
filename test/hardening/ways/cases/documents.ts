/** Documents that swell, nest, refer to what lies outside, or carry code. */

import { docx, fixture, paragraph, pdf, pdfPages, pdfStream, pdfText } from '../../../support/documents.ts';
import { deflatedZeros } from '../../../support/images.ts';
import { zip } from '../../../support/zip.ts';
import { ANY, type Case, read } from '../case.ts';

const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const IMAGE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/image';

/** A deflate stream without the head and the end of zlib. */
const raw = (bytes: Buffer): Buffer => bytes.subarray(2, -4);

/** One document with 40 bytes of each of these changed. */
const SEEDS = ['report.docx', 'sheet.xlsx', 'slides.pptx', 'report.odt', 'report.epub', 'tables.pdf'];

function damaged(name: string): Buffer {
  const bytes = Buffer.from(fixture(name));
  let state = 7;
  const random = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  for (let i = 0; i < 40; i += 1) bytes[random(bytes.length)] = random(256);
  return bytes;
}

const common = { mostMb: 700, mostSeconds: 20 } as const;

export const documents: readonly Case[] = [
  {
    id: 'D01',
    title: 'docx whose XML unfolds to 1 GB, as they say or not',
    heavy: true,
    async make({ write }) {
      const packed = raw(await deflatedZeros(1 << 30));
      for (const size of [1000, 1 << 30]) {
        const parts = [
          { name: '[Content_Types].xml', content: '<Types/>' },
          { name: 'word/document.xml', packed, size },
        ];
        write(`${size}.docx`, zip(parts));
      }
    },
    steps: [1000, 1 << 30].map((size) => read(`${size}.docx`, { code: ['LIMIT', 'CORRUPT'] })),
    ...common,
  },
  {
    id: 'D02',
    title: 'a docx with pictures of other files and hosts',
    make({ write, O, site }) {
      const link = (id: string, target: string): string =>
        `<Relationship Id="${id}" Type="${IMAGE}" Target="${target}" TargetMode="External"/>`;
      const relations = `<Relationships xmlns="${RELATIONS}">${link('rId8', `file://${O}/secret.txt`)}${link('rId9', `${site.hiddenUrl}/meta`)}</Relationships>`;
      const drawing = (id: string): string =>
        `<w:p><w:r><w:drawing><a:blip r:link="${id}"/></w:drawing></w:r></w:p>`;
      const body = paragraph('hello') + drawing('rId8') + drawing('rId9');
      write('a.docx', docx(body, '', { 'word/_rels/document.xml.rels': relations }));
    },
    steps: [read('a.docx', { has: 'hello' })],
    ...common,
  },
  {
    id: 'D03',
    title: 'a docx with external entities, and with an entity bomb',
    make({ write, O }) {
      const bomb = Array.from(
        { length: 10 },
        (_, i) => `<!ENTITY a${i} "${i ? `&a${i - 1};`.repeat(10) : 'lol'}">`,
      );
      const external = `<!DOCTYPE d [<!ENTITY x SYSTEM "file://${O}/secret.txt">]>`;
      write('external.docx', docx(paragraph('a &x; b'), external));
      write('bomb.docx', docx(paragraph('a &a9; b'), `<!DOCTYPE d [${bomb.join('')}]>`));
    },
    steps: ['external.docx', 'bomb.docx'].map((path) => read(path, { code: ANY, lacks: /(?:lol){10}/ })),
    ...common,
  },
  {
    id: 'D04',
    title: 'a docx of 200,000 elements in one another, and of 20,000 tables',
    make({ write }) {
      write('a.docx', docx(`${'<w:sdt>'.repeat(200_000)}${'</w:sdt>'.repeat(200_000)}`));
      const [open, close] = ['<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>'];
      write('b.docx', docx(open.repeat(20_000) + close.repeat(20_000)));
    },
    steps: ['a.docx', 'b.docx'].map((path) => read(path, { code: ['LIMIT', 'CORRUPT'] })),
    ...common,
  },
  {
    id: 'D09',
    title: 'a PDF of 20,000 pages',
    heavy: true,
    make: ({ write }) =>
      write('a.pdf', pdfPages(Array.from({ length: 20_000 }, (_, i) => pdfText(`Page number ${i + 1}`)))),
    steps: [
      read('a.pdf', { has: ['PDF, 20000 pages', 'Use a.pdf:p101- to continue'] }),
      read('a.pdf:p19999', { has: 'Page number 19999' }),
    ],
    ...common,
  },
  {
    id: 'D10',
    title: 'a PDF whose font is code',
    make({ write }) {
      // If it ran, there would be no answer in time.
      const code = 'while (true);';
      write(
        'a.pdf',
        pdf([
          '<</Type/Catalog/Pages 2 0 R>>',
          '<</Type/Pages/Kids[4 0 R]/Count 1>>',
          `<</Type/Font/Subtype/Type1/BaseFont/X/FontMatrix[1 0 0 1 0 (0\\); ${code}; //)]>>`,
          '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>',
          pdfText('hello'),
        ]),
      );
    },
    steps: [read('a.pdf', { has: 'hello' }), read('a.pdf:p1:image', { code: 'OK' })],
    varies: true,
    ...common,
  },
  {
    id: 'D11',
    title: 'a PDF with scripts, actions and links to files',
    make({ write, O }) {
      const action = `/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/AA<</O<</S/URI/URI(file://${O}/secret.txt)>>>>`;
      write('a.pdf', pdfPages([pdfText('hello')], action));
    },
    steps: [read('a.pdf', { has: 'hello' })],
    ...common,
  },
  {
    id: 'D14',
    title: 'a PDF that is cut short, and arrays 500,000 deep',
    make({ write }) {
      write('cut.pdf', fixture('report.pdf').subarray(0, 3000));
      const deep = `/X ${'['.repeat(500_000)}${']'.repeat(500_000)}`;
      write('deep.pdf', pdfPages([pdfText('hello')], deep));
    },
    steps: ['cut.pdf', 'deep.pdf'].map((path) => read(path, { code: 'CORRUPT', has: /^\[[^\n]*\]$/ })),
    ...common,
  },
  {
    id: 'D15',
    title: 'damaged documents of six kinds',
    heavy: true,
    make({ write }) {
      for (const name of SEEDS) write(`bad-${name}`, damaged(name));
    },
    steps: SEEDS.map((name) => read(`bad-${name}`, { code: ANY })),
    ...common,
  },
  {
    id: 'Y19',
    title: 'a PDF of 2 kB that unfolds to 580 MB',
    heavy: true,
    async make({ write }) {
      const { deflateSync } = await import('node:zlib');
      const bomb = deflateSync(await deflatedZeros(580_000_000), { level: 9 });
      write('a.pdf', pdfPages([pdfStream(bomb, '/Filter[/FlateDecode/FlateDecode]')]));
    },
    steps: [read('a.pdf', { code: ANY })],
    varies: true,
    ...common,
  },
];
