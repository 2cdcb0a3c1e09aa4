/**
 * What the specifications of .docx (ECMA-376-1, 17.2, 17.3, 17.16 and 22.1) and rich text (1.9.1) have for text: each construct is
 * shown, or counted in a notice, unless it is none: properties, entries of an index, marks of changes and of spelling.
 */

import { expect, test } from 'vitest';
import { docx, fixture, paragraph } from '../../support/documents.ts';
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

const symbols = '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>';
const result = (code: string, shown: string): string =>
  `${run('<w:fldChar w:fldCharType="begin"/>')}${code.startsWith('IF ') ? code.replace(/^IF/, run('<w:instrText>IF</w:instrText>')).replace(/ = 1$/, '') : run(`<w:instrText> ${code} </w:instrText>`)}${run('<w:fldChar w:fldCharType="separate"/>')}${words(shown)}${run('<w:fldChar w:fldCharType="end"/>')}`;
const shape = (content: string): string =>
  run(`<w:pict xmlns:v="urn:schemas-microsoft-com:vml"><v:shape>${content}</v:shape></w:pict>`);
const DRAWING =
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"';

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const m = (name: string, ...content: string[]): string => `<m:${name}>${content.join('')}</m:${name}>`;
const t = (text: string): string => m('r', m('t', text));
const value = (name: string, of: string): string => `<m:${name} m:val="${of}"/>`;
const math = (...content: string[]): string => `<m:oMath ${M}>${content.join('')}</m:oMath>`;

const SHOWN: readonly (readonly [construct: string, xml: string, shown: string])[] = [
  ['a superscript', p(words('5 × 10'), words('−', up), words('6', up), words(' cells')), '5 × 10^−6 cells'],
  ['a superscript with its space', p(words('10'), words('6 ', up), words('cells')), '10^6 cells'],
  ['a superscript by its style', p(words('x'), words('2', '<w:rStyle w:val="Up"/>')), 'x^2'],
  [
    'a superscript by the style below its style',
    p(words('y'), words('2', '<w:rStyle w:val="Upper"/>')),
    'y^2',
  ],
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
  ['a fraction', p(math(m('f', m('num', t('a+1')), m('den', t('b'))))), '(a+1)/b'],
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
  ['plain letters in a symbol font', p(words('5 '), words('m &amp; q', symbols), words('g')), '5 μ & θg'],
  ['a link to a place', p(`<w:hyperlink w:anchor="x">${words('there')}</w:hyperlink>`), 'there'],
  ['a link field', p(result('HYPERLINK "https://ex.org/f"', 'site')), '[site](https://ex.org/f)'],
  ['a reference', p(result('REF x', 'chapter 2')), 'chapter 2'],
  ['a field in a field', p(result(`IF ${result('MERGEFIELD A', 'in')} = 1`, 'out')), 'out'],
  ['a form text', p(result('FORMTEXT', 'filled')), 'filled'],
  [
    'tabs and breaks',
    p(run('<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:cr/><w:t>d</w:t><w:ptab/><w:t>e</w:t>')),
    'a b\\\nc\\\nd e',
  ],
  ['hyphens', p(run('<w:t>a</w:t><w:softHyphen/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t>')), 'ab-c'],
  ['an insertion', p(`<w:ins>${words('new')}</w:ins>`), 'new'],
  ['a deletion', p(words('kept'), '<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>'), 'kept'],
  ['text moved away', p(words('kept'), `<w:moveFrom>${words('gone')}</w:moveFrom>`), 'kept'],
  [
    'a gloss',
    p(
      run(
        '<w:ruby><w:rt><w:r><w:t>kan</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby>',
      ),
    ),
    '漢(kan)',
  ],
  [
    'a drawn text box',
    p(shape(`<v:textbox><w:txbxContent>${paragraph('boxed')}</w:txbxContent></v:textbox>`)),
    'boxed',
  ],
  ['WordArt', p(shape('<v:textpath string="ART"/>'), words('after')), 'ART after'],
  [
    'a picture with a title',
    p(
      run(
        `<w:drawing ${DRAWING}><wp:inline><wp:docPr id="2" name="P" title="Cat"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic/></a:graphicData></a:graphic></wp:inline></w:drawing>`,
      ),
      words('after.'),
    ),
    'Cat after.',
  ],
  [
    'a table in a cell',
    `<w:tbl><w:tr><w:tc><w:tbl><w:tr>${cell('in')}</w:tr></w:tbl>${paragraph('out')}</w:tc></w:tr></w:tbl>`,
    '|  |\n| --- |\n| in<br>out |',
  ],
  ['a frame', p('<w:pPr><w:framePr w:w="1"/></w:pPr>', words('framed')), 'framed'],
  ['a page number', p(run('<w:pgNum/>'), words('x')), 'x'],
  ['an editable region', p('<w:permStart w:id="9"/>', words('mine'), '<w:permEnd w:id="9"/>'), 'mine'],
  ['an equation field', p(result('EQ \\f(1,2)', '')), ''],
  ['a sign as a field', p(words('5 '), result('SYMBOL 109 \\f "Symbol"', ''), words('g')), '5 μg'],
  ['a sign as a simple field', p('<w:fldSimple w:instr=" SYMBOL 252 \\f Wingdings "/>'), '✓'],
  ['a gloss as a field', p(result('EQ \\o\\ad(\\s\\up 9(gloss),base)', '')), 'base(gloss)'],
  ['a button', p(result('MACROBUTTON Go Click here', '')), 'Click here'],
  ['a control of a program', p(run('<w:object><w:control r:id="A" w:name="Box"/></w:object>')), ''],
  ['text moved here', p(`<w:moveTo>${words('moved')}</w:moveTo>`), 'moved'],
  ['text in another direction', p(`<w:bdo w:val="rtl">${words('bidi')}</w:bdo>`), 'bidi'],
];

const STYLES =
  '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="character" w:styleId="Upper"><w:basedOn w:val="Up"/></w:style><w:style w:type="character" w:styleId="Up"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style></w:styles>';

test('each construct of a docx is shown', async () => {
  const { write, text } = workspace(unhurried);
  const body = SHOWN.map(([, xml], i) => paragraph(`#${i}`) + xml).join('');
  write('a.docx', docx(body + paragraph('#end'), '', { 'word/styles.xml': STYLES }));
  const all = await text('a.docx:raw');
  const found = all.split(/(?:^|\n)\\?#(?:\d+|end)\n/).map((part) => part.trim());
  expect(SHOWN.map(([construct], i) => [construct, found[i + 1]])).toEqual(
    SHOWN.map(([construct, , shown]) => [construct, shown]),
  );
  expect(all).toMatch(/\n\[Not shown: 1 form control, 1 equation, tracked deletions\]$/);
});

/** The elements of a run (EG_RunInnerContent) that are no text: marks, fields without a value, and the code of fields. */
const NO_TEXT =
  'annotationRef footnoteRef endnoteRef separator continuationSeparator dayShort monthShort yearShort dayLong monthLong yearLong pgNum lastRenderedPageBreak instrText delInstrText contentPart softHyphen fldChar'.split(
    ' ',
  );

test('elements of a run that are no text do not part its words', async () => {
  const { write, text } = workspace(unhurried);
  const body = NO_TEXT.map((name) => p(words('a'), run(`<w:${name}/>`), words(`b ${name}`)));
  write('a.docx', docx(body.join('')));
  expect(await text('a.docx:raw')).toBe(`${NO_TEXT.map((name) => `ab ${name}`).join('\n\n')}\n`);
});

test('headers, comments and notes keep superscripts, signs and equations', async () => {
  const { write, text } = workspace(unhurried);
  const said = p(
    words('10'),
    words('6', up),
    words(' at 5 '),
    run('<w:sym w:font="Symbol" w:char="F06D"/>'),
    words('g '),
    math(m('sSup', m('e', t('x')), m('sup', t('2')))),
  );
  const part = (name: string, content: string): string =>
    `<w:${name} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${content}</w:${name}>`;
  const body = p(words('text'), run('<w:footnoteReference w:id="2"/><w:commentReference w:id="1"/>'));
  const parts = {
    'word/_rels/document.xml.rels': relations({ f: 'foot/n.xml' }).replace(
      'x/aFChunk',
      `${OFFICE}/footnotes`,
    ),
    'word/foot/n.xml': part('footnotes', `<w:footnote w:id="2">${said}</w:footnote>`),
    'word/comments.xml': part('comments', `<w:comment w:id="1" w:author="Bo">${said}</w:comment>`),
    'word/top/first.xml': part('hdr', said),
    'word/footer1.xml': part('ftr', paragraph('Page 2 of 3')),
    'word/footer2.xml': part('ftr', paragraph('2024/17')),
    'word/glossary/header1.xml': part('hdr', paragraph('of a building block')),
  };
  write('a.docx', docx(`${body}</w:body><w:body>${paragraph('second')}`, '', parts));
  const shown = '10^6 at 5 μg x^2';
  expect(await text('a.docx:raw')).toBe(
    `text[^1] [comment by Bo: ${shown}]\n\nsecond\n\n[^1]: ${shown}\n\n## Headers and footers\n\n- header: ${shown}\n- footer: 2024/17\n`,
  );
});

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const object = (program: string): string =>
  p(
    run(
      `<w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" ProgID="${program}"/></w:object>`,
    ),
  );

test('what a docx has besides is counted', async () => {
  const { write, read } = workspace(unhurried);
  const body = `${object('Equation.3')}${object('Equation.DSMT4')}${object('Excel.Sheet.12')}<w:subDoc r:id="c"/>`;
  const parts = { 'word/_rels/document.xml.rels': relations({ c: 'part.bin' }), 'word/part.bin': 'other' };
  write('a.docx', docx(body, '', parts));
  const answer = await read('a.docx');
  expect(answer.details['notices']).toEqual([
    expect.objectContaining({
      text: 'Not shown: 1 unread part, 2 equations, 1 embedded object. Use a.docx:word/part.bin to read a part of it',
    }),
  ]);
  expect(textOf(await read('a.docx:word/part.bin'))).toContain('other');
});

const relations = (targets: Readonly<Record<string, string>>): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(
    targets,
  )
    .map(([id, target]) => `<Relationship Id="${id}" Type="x/aFChunk" Target="${target}"/>`)
    .join('')}</Relationships>`;

test('documents in a docx are shown in their place', async () => {
  const { write, text } = workspace(unhurried);
  const mail = [
    'MIME-Version: 1.0',
    'Content-Type: multipart/related; boundary="b"',
    '',
    '--b',
    'Content-Type: text/html; charset="utf-8"',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '<html><body><p>caf=C3=A9 and=',
    ' more</p></body></html>',
    '--b--',
  ];
  const chunks = {
    'a.htm': '<html><body><h2>Head</h2></body></html>',
    'b.mht': mail.join('\r\n'),
    'c.rtf': '{\\rtf1\\ansi rich\\par}',
    'd.txt': 'plain *text*',
    'e.docx': docx(paragraph('inner') + '<w:altChunk r:id="x"/>', '', {
      'word/_rels/document.xml.rels': relations({ x: 'deep.txt' }),
      'word/deep.txt': 'deep',
    }),
  };
  const ids = Object.fromEntries(Object.keys(chunks).map((name, i) => [`c${i}`, name]));
  const body = Object.keys(ids).map((id) => `<w:altChunk r:id="${id}"/>`);
  const parts = Object.fromEntries(Object.entries(chunks).map(([name, part]) => [`word/${name}`, part]));
  write(
    'a.docx',
    docx(`${paragraph('first')}${body.join('')}${paragraph('last')}`, '', {
      'word/_rels/document.xml.rels': relations(ids),
      ...(parts as Readonly<Record<string, string>>),
    }),
  );
  expect(await text('a.docx:raw')).toBe(
    'first\n\n## Head\n\ncafé and more\n\nrich\n\nplain \\*text\\*\n\ninner\n\nlast\n[Not shown: 1 unread part]',
  );
});

/** Text in rich text, between `#0` and `#1`. */
const RICH: readonly (readonly [construct: string, rtf: string, shown: string])[] = [
  [
    'a link',
    '{\\field{\\*\\fldinst HYPERLINK "https://ex.org/r"}{\\fldrslt site}}',
    '[site](https://ex.org/r)',
  ],
  [
    'a comment',
    'word{\\*\\atnid A}{\\*\\atnauthor Ann}\\chatn{\\*\\annotation Why?}',
    'word [comment by Ann: Why?]',
  ],
  ['tabs and lines', 'a\\tab b\\line c', 'a b\\\nc'],
  [
    'signs',
    'a\\~b\\_c\\-d\\emdash e\\endash f\\lquote g\\rquote\\ldblquote h\\rdblquote\\bullet',
    'a b-cd—e–f‘g’“h”•',
  ],
  ['a superscript', '10{\\super 6}', '10^6'],
  ['a symbol font', '5 {\\f1 m\\u-3987?}g', '5 μμg'],
  ['a sign as a field', '{\\field{\\*\\fldinst {\\b SYMBOL 109 \\\\f "Symbol"}}{\\fldrslt}}g', 'μg'],
  ['a text box', '{\\shp{\\*\\shpinst{\\shptxt boxed\\par}}{\\shprslt old}}', 'boxed'],
  ['a text box of Word 6', '{\\*\\do\\dptxbx{\\dptxbxtext boxed\\par}}', 'boxed'],
  ['WordArt', '{\\shp{\\*\\shpinst{\\sp{\\sn gtextUNICODE}{\\sv ART}}}}after', 'ART after'],
  ['a picture', '{\\pict{\\*\\picprop{\\sp{\\sn wzDescription}{\\sv Cat}}}\\pngblip 8950}', 'Cat'],
  ['an object', '{\\object\\objemb{\\*\\objclass Excel.Sheet.8}{\\*\\objdata 00}{\\result shown}}', 'shown'],
  ['a list', '{\\listtext 5.\\tab}listed', '- 5\\. listed'],
  [
    'a table',
    '\\trowd\\cellx100\\cellx200\\intbl A\\cell B\\cell\\row\\pard',
    '|  |  |\n| --- | --- |\n| A | B |',
  ],
  [
    'a ticked box',
    '{\\field{\\*\\fldinst FORMCHECKBOX{\\*\\formfield{\\fftype1\\ffres25\\ffdefres1}}}{\\fldrslt}}',
    '☒',
  ],
  [
    'a form list',
    '{\\field{\\*\\fldinst FORMDROPDOWN{\\*\\formfield{\\fftype2\\ffres1{\\*\\ffl A}{\\*\\ffl B}}}}{\\fldrslt}}',
    'B',
  ],
  ['a form text', '{\\field{\\*\\fldinst FORMTEXT{\\*\\formfield{\\fftype0}}}{\\fldrslt filled}}', 'filled'],
  ['an equation field', '{\\field{\\*\\fldinst EQ \\\\f(1,2)}{\\fldrslt}}', ''],
  ['an equation', '{\\mmath{\\*\\moMath{\\mf{\\mnum{\\mr 1}}{\\mden{\\mr 2}}}}}', '1/2'],
  ['entries of an index', 'x{\\xe hidden}{\\tc chapter}', 'x'],
  ['changes', '{\\revised new}{\\deleted gone}', 'new'],
  ['a bookmark', '{\\*\\bkmkstart b}marked{\\*\\bkmkend b}', 'marked'],
  ['a style within a text', '{\\f0\\*\\cs7 styled}', 'styled'],
  ['an unknown destination', '{\\*\\unknown gone}x', 'x'],
];

test('each construct of rich text is shown or counted', async () => {
  const { write, text } = workspace(unhurried);
  const body = RICH.map(([, rtf], i) => `\\pard #${i}\\par ${rtf}\\par\n`).join('');
  const fonts = '{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset2 Symbol;}}{\\header On top\\par}';
  write('a.rtf', `{\\rtf1\\ansi\\deff0${fonts}${body}\\pard #end\\par a{\\footnote note}\\par}`);
  const all = await text('a.rtf:raw');
  const found = all.split(/(?:^|\n)\\?#(?:\d+|end)\n/).map((part) => part.trim());
  expect(RICH.map(([construct], i) => [construct, found[i + 1]])).toEqual(
    RICH.map(([construct, , is]) => [construct, is]),
  );
  expect(found.at(-1)).toBe(
    'a[^1]\n[^1]: note\n\n## Headers and footers\n\n- header: On top\n[Not shown: 1 equation, 1 embedded object, tracked deletions]',
  );
});

test('signs of symbol fonts in a doc', async () => {
  const { write, text } = workspace(unhurried);
  const bytes = fixture('symbols.doc.gz');
  write('a.doc', bytes);
  expect(await text('a.doc:raw')).toBe('An angle α of a turn, ✓ measured\n');
  // As Word stores them: a placeholder with the font (here the seventh) and the code as its properties.
  const at = bytes.indexOf(Buffer.from('4f4a0700514a0700', 'hex'));
  bytes[at - 9] = 0x0e;
  Buffer.from('096a0700fbf0', 'hex').copy(bytes, at);
  write('b.doc', bytes);
  expect(await text('b.doc:raw')).toBe('An angle α of a turn, ✗ measured\n');
});

test('a nesting that is not converted is refused, not left out', async () => {
  const { write, read } = workspace(unhurried);
  write('a.docx', docx(`${'<w:sdt>'.repeat(300)}${paragraph('deep')}${'</w:sdt>'.repeat(300)}`));
  expect(codeOf(await read('a.docx'))).toBe('LIMIT');
});

test('the text behind malformed XML is shown, and the damage said', async () => {
  const { write, text } = workspace(unhurried);
  write('a.docx', docx(['one', 'two: a <tag> b', 'three < 4', 'R&D', 'fi\x01ve'].map(paragraph).join('')));
  expect(await text('a.docx:raw')).toBe(
    'one\n\ntwo: a \\<tag> b\n\nthree < 4\n\nR&D\n\nfive\n[Its XML is not well-formed: text may be missing or misplaced]',
  );
});

test('lists of one definition go on with its numbers, as Word shows them', async () => {
  const list = ([text, id]: readonly [string, number]): string =>
    p(`<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="${id}"/></w:numPr></w:pPr>`, words(text));
  const level = (text: string): string =>
    `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="${text}"/></w:lvl>`;
  const num = (id: number, own = ''): string =>
    `<w:num w:numId="${id}"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0">${own}</w:lvlOverride></w:num>`;
  const nums = [num(1), num(2), num(3, '<w:startOverride w:val="5"/>'), num(4, level('(%1)'))].join('');
  const { write, text } = workspace(unhurried);
  const items = [
    ['a', 1],
    ['b', 2],
    ['five', 3],
    ['six', 1],
    ['own', 4],
    ['seven', 2],
  ] as const;
  const parts = {
    'word/numbering.xml': `<w:numbering ${W}><w:abstractNum w:abstractNumId="7">${level('%1.')}</w:abstractNum>${nums}</w:numbering>`,
  };
  write('l.docx', docx(items.map(list).join(''), '', parts));
  expect((await text('l.docx:raw')).replace(/\n+/g, '\n')).toBe(
    '1. a\n2. b\n5. five\n6. six\n- (1) own\n7. seven\n',
  );
});
