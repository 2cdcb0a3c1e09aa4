import { expect, test } from 'vitest';
import { pdf, pdfStream } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

interface PageParts {
  readonly page?: string;
  readonly catalogue?: string;
  readonly resources?: string;
  /** Objects from number 7 on. */
  readonly objects?: readonly string[];
}

/** A document of one page with the fonts F1 (Helvetica), F2 (Courier) and the given drawing. */
function page(
  drawing: string,
  { page = '', catalogue = '', resources = '', objects = [] }: PageParts = {},
): Buffer {
  return pdf([
    `<</Type/Catalog/Pages 2 0 R${catalogue}>>`,
    '<</Type/Pages/Kids[5 0 R]/Count 1>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Courier>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R/F2 4 0 R>>${resources}>>/Contents 6 0 R${page}>>`,
    pdfStream(drawing),
    ...objects,
  ]);
}

const put = (text: string, x: number, y: number, font = '/F1 10'): string =>
  `BT ${font} Tf ${x} ${y} Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET\n`;

/** Lines of Courier of 8 points; each word is put at its own place. */
function listing(x: number, y: number, lines: readonly string[]): string {
  return lines
    .map((line, i) =>
      [...line.matchAll(/\S+/g)]
        .map(({ 0: word, index }) => put(word, x + 4.8 * index, y - 9 * i, '/F2 8'))
        .join(''),
    )
    .join('');
}

async function shown(bytes: Buffer): Promise<string> {
  const w = workspace(unhurried);
  w.write('a.pdf', bytes);
  const text = await w.text('a.pdf:raw');
  return text.slice(text.indexOf('--- page 1 ---') + 16).trimEnd();
}

const CODE = ['def f(x):', '    if x > 0:', '        return x[1]', '', '', 'class A:', '    pass  # end'];

test('code keeps its lines and its indentation', async () => {
  const before = put('Listing 1 shows a function of the program.', 72, 720);
  const after = put('The text goes on after the listing, with enough words for a paragraph.', 72, 630);
  const text = await shown(page(before + listing(100, 705, CODE) + after));
  expect(text).toContain(`function of the program.\n\n\`\`\`\n${CODE.join('\n')}\n\`\`\`\n\n`);
  expect(text).toMatch(/\n\n(?:## )?The text goes on after the listing/);
});

test.each([
  ['at the same heights', 0],
  ['at other heights', 4.5],
])('two listings side by side %s are laid out as on the page', async (_, lower) => {
  const other = ['function f(x) {', '  if (x > 0) {', '    return 1;', '  }', '  return 0;', '}'];
  const whole = (x: number, y: number, lines: readonly string[]): string =>
    lines.map((line, i) => put(line.trim(), x + 4.8 * line.search(/\S|$/), y - 9 * i, '/F2 8')).join('');
  const before = put('The same in two languages, with enough words for a paragraph.', 72, 720);
  const after = put('The text goes on after the listings, with enough words for a paragraph.', 72, 630);
  const text = await shown(page(before + whole(80, 705, CODE) + whole(320, 705 - lower, other) + after));
  const lines = Array.from({ length: 7 }, (__, i) => [CODE[i], other[i]]);
  const column = (line: string): string => (line === '' ? '' : ' '.repeat(50) + line);
  const laid = lines.map(([left = '', right = '']) =>
    lower > 0 ? [left, column(right)] : [right === '' ? left : left.padEnd(50) + right],
  );
  const code = laid.flat().filter((line) => line !== '');
  const fence = /```\n([^]*?)\n```/.exec(text)?.[1]?.split('\n');
  expect(fence?.filter((line) => line !== '')).toEqual(code);
  expect(text).toMatch(/for a paragraph\.\n\n```\n[^]*\n```\n\n(?:## )?The text goes on/);
});

test.each([
  ['', /\n```$/],
  ['The text goes on after the listings, with enough words for a paragraph.', /\n```\s+(?:## )?The text/],
])('signs at the end of moved code are not shown again: %s', async (words, end) => {
  const lines = ['function f(x) {', '  if (x > 0) {', '    return 1;', '  }', '  return 0;', '}'];
  const others = ['function g(y) {', '  if (y > 0) {', '    return 2;', '  }', '  return 3;', '}'];
  const at = (x: number, y: number, code: readonly string[]): string =>
    code.map((line, i) => put(line.trim(), x + 4.8 * line.search(/\S|$/), y - 9 * i, '/F2 8')).join('');
  const before = put('The same in two languages, with enough words for a paragraph.', 72, 720);
  const text = await shown(page(before + at(80, 705, others) + at(320, 709.5, lines) + put(words, 72, 630)));
  expect(text).toMatch(end);
});

test('a sentence of words of the listings above it is not lost', async () => {
  const other = ['function f(x) {', 'if (x > 0) {', 'return 1;', '}', 'return 0;', '}'];
  const whole = (x: number, y: number, lines: readonly string[]): string =>
    lines.map((line, i) => put(line.trim(), x, y - 9 * i, '/F2 8')).join('');
  const said = put('if x return x', 72, 600);
  expect(await shown(page(whole(80, 705, CODE) + whole(320, 700.5, other) + said))).toMatch(
    /\n```\n\n(?:#+ )?if x return x$/,
  );
});

test('words in a typewriter font stay in their sentence', async () => {
  const sentence = (y: number): string =>
    put('Call the function', 72, y) + put('close()', 152, y, '/F2 10') + put('before the end.', 198, y);
  expect(await shown(page(sentence(720) + sentence(706) + sentence(692)))).not.toContain('```');
});

const TEXT_FIELDS = [
  '<</Type/Annot/Subtype/Widget/Rect[150 690 300 710]/FT/Tx/T(name)/V(Jane Doe)>>',
  '<</Type/Annot/Subtype/Widget/Rect[150 660 300 680]/FT/Ch/Ff 131072/T(country)/Opt[[(se)(Sweden)]]/V(se)>>',
  '<</Type/Annot/Subtype/Widget/Rect[150 630 300 650]/FT/Tx/T(city)/V(\\326l)>>',
  '<</Type/Annot/Subtype/Widget/F 2/Rect[150 600 300 620]/FT/Tx/T(secret)/V(hidden)>>',
];

test('values of form fields', async () => {
  const fields = '[7 0 R 8 0 R 9 0 R 10 0 R]';
  const form = page(put('Name:', 72, 695) + put('Country:', 72, 665) + put('City:', 72, 635), {
    page: `/Annots${fields}`,
    catalogue: `/AcroForm<</Fields${fields}>>`,
    objects: TEXT_FIELDS,
  });
  const text = await shown(form);
  for (const value of ['name: Jane Doe', 'country: Sweden', 'city: Öl'])
    expect(text.split(value), value).toHaveLength(2);
  expect(text).not.toContain('hidden');
});

test('what a page says does not hide ticks, signs and short values', async () => {
  const widget = '<</Type/Annot/Subtype/Widget/Rect[150 690 300 710]/F 4';
  const fields = '[7 0 R 9 0 R 10 0 R 11 0 R]';
  const form = page(put('I agree to the 12 terms. Signed: Jane Doe', 72, 695), {
    page: `/Annots${fields}`,
    catalogue: `/AcroForm<</Fields${fields}>>`,
    objects: [
      `${widget}/FT/Btn/T(I agree)/V/Yes/AS/Yes/AP<</N<</Yes 8 0 R>>>>>>`,
      String(pdfStream('', '/Type/XObject/Subtype/Form/BBox[0 0 9 9]')),
      `${widget}/FT/Tx/T(terms)/V(2)>>`,
      `${widget}/FT/Tx/T(signature)/V(Jane Doe)>>`,
      '<</Type/Annot/Subtype/FreeText/Contents(***)/Rect[72 600 300 620]/DA(/F1 12 Tf)>>',
    ],
  });
  expect((await shown(form)).split(/\n+/).slice(1)).toEqual(['***', 'I agree: ☒', 'terms: 2']);
});

const NOTES = [
  '<</Type/Annot/Subtype/FreeText/Contents(written onto the page)/Rect[72 600 300 620]/DA(/F1 12 Tf)>>',
  '<</Type/Annot/Subtype/Text/Contents(please check)/T(Ann)/Rect[300 700 320 720]>>',
  '<</Type/Annot/Subtype/Link/A<</S/URI/URI(https://ex.org/page)>>/Rect[72 690 150 705]>>',
];

test('notes and targets of links', async () => {
  const annotated = page(put('Click here now', 72, 695), {
    page: '/Annots[7 0 R 8 0 R 9 0 R]',
    objects: NOTES,
  });
  expect(await shown(annotated)).toMatch(
    /^(?:## )?Click here now\n\nwritten onto the page\n\n\[comment by Ann: please check\]\n\n\[Click here now\]\(https:\/\/ex\.org\/page\)$/,
  );
  const said = page(put('See https://ex.org/page', 72, 695), { page: '/Annots[9 0 R]', objects: NOTES });
  expect((await shown(said)).split('](')).toHaveLength(2);
});

/** The kinds of annotations (ISO 32000-1, 12.5.6); a popup shows the text of another one. */
const MARKS = 'Highlight Underline Squiggly StrikeOut';
const KINDS =
  `${MARKS} Text Line Square Circle Polygon PolyLine Stamp Caret Ink FileAttachment Sound Movie Screen PrinterMark Watermark 3D Redact`.split(
    ' ',
  );

test('each kind of annotation with text is shown', async () => {
  const objects = [...KINDS, 'Popup'].map((kind) => {
    const quads = MARKS.includes(kind) ? '/QuadPoints[72 620 300 620 72 600 300 600]' : '';
    return `<</Type/Annot/Subtype/${kind}/Contents(about ${kind})/Rect[72 600 300 620]${quads}>>`;
  });
  const all = `/Annots[${objects.map((_, i) => `${i + 7} 0 R`).join(' ')}]`;
  const text = await shown(page(put('text', 72, 720), { page: all, objects }));
  expect(text.split(/\n+/).slice(1)).toEqual([
    ...KINDS.map((kind) => `[comment: about ${kind}]`),
    '[Not shown: 1 attached file]',
  ]);
});

test('a page of notes alone is not called scanned', async () => {
  expect(await shown(page('', { page: '/Annots[7 0 R]', objects: NOTES }))).toBe('written onto the page');
});

test('text drawn twice is shown once, twice where it stands twice', async () => {
  const bold = put('Fake bold heading', 72, 720) + put('Fake bold heading', 72.4, 720);
  const text = await shown(page(bold + put('again again', 72, 690) + put('again again', 72, 670)));
  expect(text.match(/Fake bold/g)).toHaveLength(1);
  expect(text.match(/again/g)).toHaveLength(4);
});

test('a page with text drawn twice keeps its headings', async () => {
  const lines = (y: number): string =>
    Array.from({ length: 8 }, (_, i) =>
      put(`The keeper ${'of the harbour '.repeat(4)}`, 72, y - 14 * i),
    ).join('');
  const twice = (text: string, y: number, font: string): string =>
    put(text, 72, y, font) + put(text, 72.6, y, font);
  const text = await shown(page(twice('Big heading', 720, '/F1 20') + lines(690)));
  expect(text).toMatch(/^# Big heading\n\nThe keeper of/);
});

test('lines that differ in numbers only are no code', async () => {
  const lines = [1, 2, 3, 4].map((one) => put(`Line ${one} of the page has words.`, 72, 720 - 14 * one));
  expect(await shown(page(lines.join('')))).not.toContain('```');
});

test('a file that ends early is read as far as it goes', async () => {
  const whole = String(page(put('First words.', 72, 720) + put('Last words.', 72, 700)));
  // A file for fast viewing has its trailer in front.
  const [front, start = ''] = [whole.slice(0, 9), whole.slice(9)];
  const cut = `${front}trailer<</Size 7/Root 1 0 R>>\n${start.slice(0, start.indexOf('Last'))}`;
  const w = workspace(unhurried);
  w.write('a.pdf', cut);
  const text = await w.text('a.pdf');
  expect(text).toContain('First words.');
  expect(text).toContain('[The file ends early: text at its end may be missing]');
  w.write('b.pdf', cut.slice(0, cut.indexOf('5 0 obj')));
  expect(await w.text('b.pdf')).toContain('(the page is missing or damaged)');
});

test('words keep their letters beside text drawn twice', async () => {
  const signs = (x: number): string => put('o', x, 720) + put('Yes', x + 30, 720);
  const said = [
    'The keeper of the numbers has read a book of the year',
    'and says: Yes Yes Yes, this is it',
  ] as const;
  const text = await shown(page(signs(72) + signs(72.4) + put(said[0], 72, 700) + put(said[1], 72, 686)));
  expect(text.replaceAll(/\s+/g, ' ')).toBe(`o Yes ${said.join(' ')}`);
});

test('text of a layer that is off is left out', async () => {
  const layers = (state: string): Buffer =>
    page(`${put('Visible body of this page.', 72, 720)}/OC /P1 BDC ${put('draft', 72, 690)} EMC`, {
      catalogue: `/OCProperties<</OCGs[7 0 R]/D<<${state}>>>>`,
      resources: '/Properties<</P1 7 0 R>>',
      objects: ['<</Type/OCG/Name(off)>>'],
    });
  expect(await shown(layers('/OFF[7 0 R]'))).toBe(
    'Visible body of this page.\n\n(text of layers that are switched off is left out)',
  );
  expect(await shown(layers('/ON[7 0 R]'))).toContain('draft');
});

test('a note that belongs to a layer that is off is left out', async () => {
  const note = (words: string, layer: number): string =>
    `<</Type/Annot/Subtype/FreeText/Rect[72 600 272 620]/Contents(${words})/DA(/F1 10 Tf)/OC ${layer} 0 R/AP<</N 11 0 R>>>>`;
  const drawing = pdfStream(put('x', 0, 0), '/Type/XObject/Subtype/Form/BBox[0 0 9 9]');
  const bytes = page(put('Body.', 72, 720), {
    page: '/Annots[9 0 R 10 0 R]',
    catalogue: '/OCProperties<</OCGs[7 0 R 8 0 R]/D<</OFF[7 0 R]>>>>',
    objects: [
      '<</Type/OCG/Name(off)>>',
      '<</Type/OCG/Name(on)>>',
      note('draft', 7),
      note('seen', 8),
      String(drawing),
    ],
  });
  expect(await shown(bytes)).toBe('Body.\n\nseen\n\n(text of layers that are switched off is left out)');
});

test('a form that belongs to a layer that is off is left out', async () => {
  const form = pdfStream(put('draft', 72, 690), '/Type/XObject/Subtype/Form/BBox[0 0 612 792]/OC 7 0 R');
  const forms = page(`${put('Visible body of this page.', 72, 720)}/X1 Do`, {
    catalogue: '/OCProperties<</OCGs[7 0 R]/D<</OFF[7 0 R]>>>>',
    resources: '/XObject<</X1 8 0 R>>',
    objects: ['<</Type/OCG/Name(off)>>', String(form)],
  });
  expect(await shown(forms)).toBe(
    'Visible body of this page.\n\n(text of layers that are switched off is left out)',
  );
});

test('numbers of lines are no column of a table', async () => {
  const lines = ['for i in x:', '    y(i)', '    if z:', '        w()', 'done()'];
  const numbers = lines.map((_, i) => put(String(i + 1), 60, 720 - 11 * i, '/F2 9')).join('');
  const code = lines.map((line, i) =>
    put(line.trim(), 80 + 5.4 * (line.length - line.trimStart().length), 720 - 11 * i, '/F2 9'),
  );
  expect(await shown(page(put('A loop is shown here.', 72, 740) + numbers + code.join('')))).toContain(
    `\`\`\`\n${lines.map((line, i) => `${i + 1}   ${line}`).join('\n')}\n\`\`\``,
  );
});

test('a power keeps its place behind a password', async () => {
  const drawing = put('There are 10', 72, 720) + put('6', 126.5, 724, '/F1 6') + put(' cells.', 131, 720);
  const bytes = page(drawing);
  const w = workspace(unhurried);
  w.write('a.pdf', bytes);
  expect(await w.text('a.pdf:password=x:raw')).toContain('There are 10^6 cells.');
});

test('code with list items keeps its order and indentation', async () => {
  const lines = ['apiVersion: v1', 'spec:', '  ports:', '    - port: 80', '      name: web'];
  const text = await shown(page(put('A manifest follows here.', 72, 740) + listing(72, 720, lines)));
  expect(text).toContain(`\`\`\`\n${lines.join('\n')}\n\`\`\``);
  expect(text.match(/port: 80/g)).toHaveLength(1);
});

/** Each text of a line is put at its place: `Name@58 City@96`. */
const table = (...lines: string[]): string =>
  lines
    .flatMap((line, i) =>
      Array.from(line.matchAll(/([^@]+)@(\d+) ?/g), ([, text = '', x]) => put(text, Number(x), 720 - 13 * i)),
    )
    .join('');

test('a table in which two cells may be glued is shown as laid out on the page', async () => {
  const words = table(
    'Name@58 City@96 Comment@129',
    'Ann@58 Paris@96 first@129',
    'Bob@58 Rome second@96',
    'Eva@58 Oslo@96 third@129',
  );
  expect(await shown(page(words))).toBe(
    '```\nName   City   Comment\nAnn    Paris  first\nBob    Rome second\nEva    Oslo   third\n```',
  );
  const numbers = table(
    'Region@58 Units@100 Share@135',
    'North@58 47@121 0.2@155',
    'South@58 377@114 0.8@155',
  );
  expect(await shown(page(numbers))).toBe(
    '```\nRegion  Units  Share\nNorth       47     0.2\nSouth      377     0.8\n```',
  );
});

test('a table in which no cell reaches into a blank one stays a table', async () => {
  const rows = table(
    'Region@58 Units@158 Share@258',
    'North East@58 47@158 0.2@258',
    'South West@58 0.8@258',
    'East@58 12@158 0.1@258',
  );
  expect(await shown(page(rows))).toContain('|South West||0.8|');
});

test('a line in the font of the text around it is no heading', async () => {
  const rows = table(
    'Name@58 City@158 Comment@258',
    'Ann@58 Paris@158 first@258',
    'Eva@58 Oslo@158 third@258',
  );
  const footer = put('Page 1', 280, 60);
  expect(await shown(page(rows + footer))).toMatch(/\n\nPage 1$/);
  const larger = put('Results', 58, 640, '/F1 18');
  expect(await shown(page(rows + larger + footer))).toContain('# Results\n');
});

interface Construct {
  readonly drawing?: string;
  /** What its page has besides: resources, annotations (which are its objects, in their order). */
  readonly resources?: string;
  readonly notes?: readonly string[];
  /** Objects of the whole document, by the name with which they are referred to: `@name`. */
  readonly objects?: Readonly<Record<string, string>>;
}

const at = (operators: string): Construct => ({ drawing: `BT /F1 10 Tf 72 700 Td ${operators} ET\n` });
const widget = (field: string): Construct => ({
  notes: [`<</Type/Annot/Subtype/Widget/Rect[72 600 200 610]${field}>>`],
});
const note = (kind: string, more: string): Construct => ({
  notes: [`<</Type/Annot/Subtype/${kind}/Rect[72 600 200 610]${more}>>`],
});
const drawn = (resources: string, drawing: string, objects: Readonly<Record<string, string>>): Construct => ({
  resources,
  drawing,
  objects,
});
const withFonts = '/Resources<</Font<</F1 3 0 R>>>>';
const stream = (content: string, entries = ''): string =>
  `<<${entries}/Length ${content.length}>>\nstream\n${content}\nendstream`;
const mapped = stream(
  '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /x def 1 begincodespacerange <00><ff> endcodespacerange 1 beginbfchar <41> <03BC> endbfchar endcmap end end',
);

/**
 * What ISO 32000-1 has for text: 9 (text), 8.7 to 8.11 (patterns, pictures, forms, layers), 12.5 (annotations), 12.7 (forms) and 14.6
 * to 14.9 (marked content). What has no text to be read is shown as nothing: pictures, what is hidden, the captions of buttons.
 */
const CONSTRUCTS: readonly (readonly [construct: string, page: Construct, shown: string])[] = [
  ['a string', at('(shown) Tj'), 'shown'],
  ['pieces of a word, and of two', at('[(o)-20(ne)-400(two)] TJ'), 'one two'],
  ['next lines', at(`14 TL (one) ' 0 0 (two) "`), 'one two'],
  ['a hexadecimal string', at('<73686f776e> Tj'), 'shown'],
  ['codes of the standard encoding', at('(\\256 \\261 \\341) Tj'), 'fi – Æ'],
  ['a hyphen at the end of a line', at('14 TL (exam-) Tj T* (ple) Tj'), 'example'],
  ['a raised number', at('(10) Tj /F1 6 Tf 4 Ts (6) Tj'), '10^6'],
  ['text that is not painted, as behind a scan', at('3 Tr (recognised) Tj'), 'recognised'],
  ['turned text', { drawing: 'BT /F1 10 Tf 0 1 -1 0 100 300 Tm (turned) Tj ET\n' }, 'turned'],
  [
    'a named sign',
    drawn('/Font<</F3 @f>>', 'BT /F3 10 Tf 72 700 Td (A) Tj ET\n', {
      f: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[65/alpha]>>>>',
    }),
    'α',
  ],
  [
    'a font that says its signs',
    drawn('/Font<</F3 @g>>', 'BT /F3 10 Tf 72 700 Td (A) Tj ET\n', {
      g: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode @u>>',
      u: mapped,
    }),
    'μ',
  ],
  [
    'a drawn font',
    drawn('/Font<</F3 @t>>', 'BT /F3 10 Tf 72 700 Td (a) Tj ET\n', {
      t: '<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]/Encoding<</Differences[97/a]>>/CharProcs<</a @p>>>>',
      p: stream('9 0 0 0 7 7 d1 0 0 7 7 re f'),
    }),
    'a',
  ],
  [
    'a form',
    drawn('/XObject<</X1 @x>>', '/X1 Do\n', {
      x: stream(
        'BT /F1 10 Tf 72 700 Td (in a form) Tj ET',
        `/Type/XObject/Subtype/Form/BBox[0 0 612 792]${withFonts}`,
      ),
    }),
    'in a form',
  ],
  ['a picture', { drawing: 'q 9 0 0 9 72 700 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q\n' }, ''],
  ['what stands for a text', at('/Span <</ActualText (real)>> BDC (xeal) Tj EMC'), 'real'],
  ['the long form of a text', at('/Span <</E (Doctor)>> BDC (Dr) Tj EMC'), 'Dr'],
  ['a running head', at('/Artifact <</Type/Pagination>> BDC (head) Tj EMC'), 'head'],
  ['a field with a text', widget('/FT/Tx/T(name)/V(Jane)'), 'name: Jane'],
  ['a password', widget('/FT/Tx/Ff 8192/T(pass)/V(secret)'), 'pass: (a password)'],
  [
    'a text that begins as a field is named',
    {
      drawing:
        'BT /F1 10 Tf 72 700 Td (Total:) Tj 0 -14 Td (Tax:) Tj 30 14 Td (50 USD) Tj 0 -14 Td (2 USD) Tj ET\n',
      notes: ['<</Type/Annot/Subtype/Widget/Rect[72 600 200 610]/FT/Tx/T(Total)>>'],
    },
    'Total: 50 USD Tax: 2 USD',
  ],
  [
    'fields in a row, one with a password and one hidden',
    {
      notes: ['/T(a)/V(one)', '/T(b)/V(two)/Ff 8192', '/T(c)/V(three)/F 2'].map(
        (field, i) =>
          `<</Type/Annot/Subtype/Widget/FT/Tx/Rect[${72 + 130 * i} 600 ${200 + 130 * i} 610]${field}>>`,
      ),
    },
    'a: one\n\nb: (a password)',
  ],
  ['a ticked box', widget('/FT/Btn/T(agree)/V/Yes/AS/Yes/AP<</N<</Yes 8 0 R/Off 8 0 R>>>>'), 'agree: ☒'],
  ['a list', widget('/FT/Ch/T(many)/Opt[(A)(B)(C)]/V[(A)(C)]'), 'many: A, C'],
  ['a choice', widget('/FT/Ch/Ff 131072/T(one)/Opt[[(se)(Sweden)]]/V(se)'), 'one: Sweden'],
  ['a signature', widget('/FT/Sig/T(signed)/V<</Type/Sig/Name(Ann)>>'), ''],
  ['a button', widget('/FT/Btn/Ff 65536/T(go)/MK<</CA(Press)>>'), ''],
  ['a note', note('Text', '/Contents(why)/T(Bo)'), '[comment by Bo: why]'],
  ['a note without text', note('Text', '/T(Bo)'), ''],
  ['a hidden note', note('Text', '/F 2/Contents(why)'), ''],
  ['text written onto the page', note('FreeText', '/Contents(written)/DA(/F1 9 Tf)'), 'written'],
  ['a link', note('Link', '/A<</S/URI/URI(https://ex.org/l)>>'), '<https://ex.org/l>'],
  ['a link that is no URL', note('Link', '/A<</S/URI/URI(http://[x)>>'), '<http://[x>'],
  ['an attached file', note('FileAttachment', '/Contents(see it)/FS<</F(a.txt)>>'), '[comment: see it]'],
];

test('each construct of a PDF is shown or counted', async () => {
  const head = [
    '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[]/XFA 9 0 R>>>>',
    '',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  const objects: string[] = [
    ...head,
    ...Array.from({ length: 4 }, () => 'null'),
    stream('', '/Type/XObject/Subtype/Form/BBox[0 0 9 9]'),
    stream('<xdp/>'),
  ];
  const add = (object: string): string => `${objects.push(object)} 0 R`;
  const pages = CONSTRUCTS.map(([, one]) => {
    let resources = one.resources ?? '';
    const named = Object.entries(one.objects ?? {}).toReversed();
    const places = new Map<string, string>();
    const placed = (text: string): string =>
      text.replace(/@(\w)/g, (_, name: string) => places.get(name) ?? '');
    for (const [name, object] of named) places.set(name, add(placed(object)));
    resources = placed(resources);
    const fonts = resources.startsWith('/Font<<')
      ? resources.replace('/Font<<', '/Font<</F1 3 0 R')
      : `/Font<</F1 3 0 R>>${resources}`;
    const notes = (one.notes ?? []).map(add).join(' ');
    return add(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<${fonts}>>/Contents ${add(stream(one.drawing ?? ''))}/Annots[${notes}]>>`,
    );
  });
  objects[1] = `<</Type/Pages/Kids[${pages.join(' ')}]/Count ${pages.length}>>`;
  const w = workspace(unhurried);
  w.write('a.pdf', pdf(objects));
  const text = await w.text('a.pdf:raw');
  const found = text.split(/--- page \d+ ---\n/).map((part) =>
    part
      .replace(/^\[(?:Not shown|Images|\d+ page).*$|^\(.*(?:empty|scanned).*\)$|^#+ /gm, '')
      .replace(/<sup>(.*?)<\/sup>/g, '^$1')
      .trim(),
  );
  expect(CONSTRUCTS.map(([name], i) => [name, found[i + 1]])).toEqual(
    CONSTRUCTS.map(([name, , is]) => [name, is]),
  );
  expect(text).toContain('Not shown: 1 XFA form, 1 signature, 1 form button, 1 attached file');
});
