/** What the specification of .docx has for text (ECMA-376-1, 17.2, 17.3 and 22.1): each construct is shown, or counted in a notice. */

import { expect, test } from 'vitest';
import { docx, paragraph } from '../../support/documents.ts';
import { codeOf, textOf, unhurried, workspace } from '../../support/workspace.ts';

const run = (xml: string, properties = ''): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}${xml}</w:r>`;
const words = (text: string, properties = ''): string =>
  run(`<w:t xml:space="preserve">${text}</w:t>`, properties);
const p = (...content: string[]): string => `<w:p>${content.join('')}</w:p>`;
const up = '<w:vertAlign w:val="superscript"/>';
const down = '<w:vertAlign w:val="subscript"/>';
const wrap = (name: string, content: string): string =>
  `<w:${name}><w:${name}Pr/>${name === 'sdt' ? `<w:sdtContent>${content}</w:sdtContent>` : content}</w:${name}>`;
const cell = (text: string): string => `<w:tc>${paragraph(text)}</w:tc>`;
const field = (data: string): string =>
  `${run(`<w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar>`)}${run('<w:instrText> FORM </w:instrText>')}${run('<w:fldChar w:fldCharType="end"/>')}`;

const M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const m = (name: string, ...content: string[]): string => `<m:${name}>${content.join('')}</m:${name}>`;
const t = (text: string): string => m('r', m('t', text));
const value = (name: string, of: string): string => `<m:${name} m:val="${of}"/>`;
const math = (...content: string[]): string => `<m:oMath ${M}>${content.join('')}</m:oMath>`;

const SHOWN: readonly (readonly [construct: string, xml: string, shown: string])[] = [
  ['a superscript', p(words('5 × 10'), words('−', up), words('6', up), words(' cells')), '5 × 10^−6 cells'],
  ['a superscript by its style', p(words('x'), words('2', '<w:rStyle w:val="Up"/>')), 'x^2'],
  ['an ordinal', p(words('the 1'), words('st', up)), 'the 1st'],
  ['a subscript', p(words('H'), words('2', down), words('O, 1010'), words('2', down)), 'H2O, 1010_2'],
  [
    'a sign of a symbol font',
    p(words('5 '), run('<w:sym w:font="Symbol" w:char="F06D"/>'), words('g')),
    '5 μg',
  ],
  ['a dingbat', p(run('<w:sym w:font="Wingdings" w:char="F0FC"/>'), words(' done')), '✓ done'],
  ['a box of another font', p(run('<w:sym w:font="MS Gothic" w:char="2612"/>')), '☒'],
  ['an unknown sign', p(run('<w:sym w:font="Odd" w:char="F0E7"/>')), '\\[Odd 0xE7]'],
  ['text in a symbol font', p(words('\uf061 ', '<w:rFonts w:ascii="Symbol"/>'), words('decay')), 'α decay'],
  ['a field with a result', p(`<w:fldSimple w:instr="AUTHOR">${words('Ann')}</w:fldSimple>`), 'Ann'],
  [
    'a ticked form box',
    p(words('yes '), field('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>')),
    'yes ☒',
  ],
  ['an empty form box', p(words('no '), field('<w:checkBox><w:default w:val="0"/></w:checkBox>')), 'no ☐'],
  [
    'a form list',
    p(
      field(
        '<w:ddList><w:result w:val="1"/><w:listEntry w:val="A"/><w:listEntry w:val="B &amp; C"/></w:ddList>',
      ),
    ),
    'B & C',
  ],
  ['a content control in a line', p(words('a '), wrap('sdt', words('b'))), 'a b'],
  ['a content control of paragraphs', wrap('sdt', paragraph('controlled')), 'controlled'],
  ['custom XML', wrap('customXml', p(wrap('smartTag', words('tagged')))), 'tagged'],
  [
    'table rows and cells in controls',
    `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>${cell('A')}${wrap('sdt', cell('B'))}</w:tr>${wrap('sdt', `<w:tr>${cell('C')}${cell('D')}</w:tr>`)}</w:tbl>`,
    '| A | B |\n| --- | --- |\n| C | D |',
  ],
  [
    'a sum',
    p(math(m('nary', m('naryPr', value('chr', '∑')), m('sub', t('i=1')), m('sup', t('n')), m('e', t('x'))))),
    '∑_(i=1)^n x',
  ],
  ['an integral', p(math(m('nary', m('sub'), m('sup'), m('e', t('f'))))), '∫f'],
  ['brackets', p(math(m('sSup', m('e', m('d', m('e', t('a+b')))), m('sup', t('2'))))), '(a+b)^2'],
  [
    'a set',
    p(
      math(m('d', m('dPr', value('begChr', '{'), value('endChr', '}')), m('e', t('x')), m('e', t('x&gt;0')))),
    ),
    '{x|x>0}',
  ],
  [
    'a matrix',
    p(
      math(
        m(
          'd',
          m('dPr', value('begChr', '['), value('endChr', ']')),
          m('e', m('m', m('mr', m('e', t('1')), m('e', t('2'))), m('mr', m('e', t('3')), m('e', t('4'))))),
        ),
      ),
    ),
    '\\[1, 2; 3, 4]',
  ],
  ['a root with a degree', p(math(m('rad', m('radPr'), m('deg', t('3')), m('e', t('x'))))), 'root(x, 3)'],
  ['a square root', p(math(m('rad', m('radPr', value('degHide', '1')), m('deg'), m('e', t('x'))))), '√x'],
  [
    'a binomial',
    p(math(m('f', m('fPr', value('type', 'noBar')), m('num', t('n')), m('den', t('k'))))),
    'binom(n, k)',
  ],
  ['a function', p(math(m('func', m('fName', t('sin')), m('e', t('x'))))), 'sin x'],
  ['a limit', p(math(m('limLow', m('e', t('lim')), m('lim', t('x→0'))))), 'lim_(x→0)'],
  ['scripts before', p(math(m('sPre', m('sub', t('6')), m('sup', t('14')), m('e', t('C'))))), '_6^14C'],
  ['an accent', p(math(m('acc', m('accPr', value('chr', '\u0303')), m('e', t('n'))))), 'n\u0303'],
  [
    'a display equation',
    p(`<m:oMathPara ${M}>${m('oMath', t('E=m'), m('sSub', m('e', t('c')), m('sub', t('0'))))}</m:oMathPara>`),
    'E=mc_0',
  ],
  ['text moved here', p(`<w:moveTo>${words('moved')}</w:moveTo>`), 'moved'],
  ['text in another direction', p(`<w:bdo w:val="rtl">${words('bidi')}</w:bdo>`), 'bidi'],
];

const STYLES =
  '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="character" w:styleId="Up"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style></w:styles>';

test('each construct of a docx is shown', async () => {
  const { write, text } = workspace(unhurried);
  const body = SHOWN.map(([, xml], i) => paragraph(`#${i}`) + xml).join('');
  write('a.docx', docx(body + paragraph('#end'), '', { 'word/styles.xml': STYLES }));
  const found = (await text('a.docx:raw')).split(/(?:^|\n)\\?#(?:\d+|end)\n/).map((part) => part.trim());
  expect(SHOWN.map(([construct], i) => [construct, found[i + 1]])).toEqual(
    SHOWN.map(([construct, , shown]) => [construct, shown]),
  );
});

const object = (program: string): string =>
  p(
    run(
      `<w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" ProgID="${program}"/></w:object>`,
    ),
  );

test('what a docx has besides is counted', async () => {
  const { write, read } = workspace(unhurried);
  const relations =
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="c" Type="x/aFChunk" Target="/word/part.html"/></Relationships>';
  const parts = { 'word/_rels/document.xml.rels': relations, 'word/part.html': '<p>another format</p>' };
  const body = `${object('Equation.3')}${object('Equation.DSMT4')}${object('Excel.Sheet.12')}<w:altChunk r:id="c"/>`;
  write('a.docx', docx(body, '', parts));
  const answer = await read('a.docx');
  expect(answer.details['notices']).toEqual([
    expect.objectContaining({
      text: 'Not shown: 1 part in another format, 2 equations, 1 embedded object. Use a.docx:word/part.html to read a part of it',
    }),
  ]);
  expect(textOf(await read('a.docx:word/part.html'))).toContain('another format');
});

test('a nesting that is not converted is refused, not left out', async () => {
  const { write, read } = workspace(unhurried);
  write('a.docx', docx(`${'<w:sdt>'.repeat(300)}${paragraph('deep')}${'</w:sdt>'.repeat(300)}`));
  expect(codeOf(await read('a.docx'))).toBe('LIMIT');
});

test('the text behind malformed XML is shown, and the damage said', async () => {
  const { write, text } = workspace(unhurried);
  write('a.docx', docx(['one', 'two: a <tag> b', 'three < 4', 'five'].map(paragraph).join('')));
  expect(await text('a.docx:raw')).toBe(
    'one\n\ntwo: a \\<tag> b\n\nthree < 4\n\nfive\n[Its XML is not well-formed: text may be missing or misplaced]',
  );
});
