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
const QUADS = '/QuadPoints[72 620 300 620 72 600 300 600]';
const ANNOTATIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['Highlight', 'Underline', 'Squiggly', 'StrikeOut'].map((kind) => [kind, QUADS])),
  ...Object.fromEntries(
    ['Text', 'Line', 'Square', 'Circle', 'Polygon', 'PolyLine', 'Stamp', 'Caret', 'Ink'].map((kind) => [
      kind,
      '',
    ]),
  ),
  ...Object.fromEntries(
    ['FileAttachment', 'Sound', 'Movie', 'Screen', 'PrinterMark', 'Watermark', '3D', 'Redact'].map((kind) => [
      kind,
      '',
    ]),
  ),
};

test('each kind of annotation with text is shown', async () => {
  const kinds = Object.keys(ANNOTATIONS);
  const objects = [...kinds, 'Popup'].map(
    (kind) =>
      `<</Type/Annot/Subtype/${kind}/Contents(about ${kind})/Rect[72 600 300 620]${ANNOTATIONS[kind] ?? ''}>>`,
  );
  const all = `/Annots[${objects.map((_, i) => `${i + 7} 0 R`).join(' ')}]`;
  const text = await shown(page(put('text', 72, 720), { page: all, objects }));
  expect(text.split(/\n+/).slice(1)).toEqual(kinds.map((kind) => `[comment: about ${kind}]`));
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

/** Each word of a line is put at its place. */
const table = (lines: readonly (readonly (readonly [text: string, x: number])[])[]): string =>
  lines.map((line, i) => line.map(([text, x]) => put(text, x, 720 - 13 * i)).join('')).join('');

test('a table in which two cells may be glued is shown as laid out on the page', async () => {
  const words = table([
    [
      ['Name', 58],
      ['City', 96],
      ['Comment', 129],
    ],
    [
      ['Ann', 58],
      ['Paris', 96],
      ['first', 129],
    ],
    [
      ['Bob', 58],
      ['Rome second', 96],
    ],
    [
      ['Eva', 58],
      ['Oslo', 96],
      ['third', 129],
    ],
  ]);
  expect(await shown(page(words))).toBe(
    '```\nName   City   Comment\nAnn    Paris  first\nBob    Rome second\nEva    Oslo   third\n```',
  );
  const numbers = table([
    [
      ['Region', 58],
      ['Units', 100],
      ['Share', 135],
    ],
    [
      ['North', 58],
      ['47', 121],
      ['0.2', 155],
    ],
    [
      ['South', 58],
      ['377', 114],
      ['0.8', 155],
    ],
  ]);
  expect(await shown(page(numbers))).toBe(
    '```\nRegion  Units  Share\nNorth       47     0.2\nSouth      377     0.8\n```',
  );
});

test('a table in which no cell reaches into a blank one stays a table', async () => {
  const rows = table([
    [
      ['Region', 58],
      ['Units', 158],
      ['Share', 258],
    ],
    [
      ['North East', 58],
      ['47', 158],
      ['0.2', 258],
    ],
    [
      ['South West', 58],
      ['0.8', 258],
    ],
    [
      ['East', 58],
      ['12', 158],
      ['0.1', 258],
    ],
  ]);
  expect(await shown(page(rows))).toContain('|South West||0.8|');
});

test('a line in the font of the text around it is no heading', async () => {
  const rows = table([
    [
      ['Name', 58],
      ['City', 158],
      ['Comment', 258],
    ],
    [
      ['Ann', 58],
      ['Paris', 158],
      ['first', 258],
    ],
    [
      ['Eva', 58],
      ['Oslo', 158],
      ['third', 258],
    ],
  ]);
  const footer = put('Page 1', 280, 60);
  expect(await shown(page(rows + footer))).toMatch(/\n\nPage 1$/);
  const larger = put('Results', 58, 640, '/F1 18');
  expect(await shown(page(rows + larger + footer))).toContain('# Results\n');
});
