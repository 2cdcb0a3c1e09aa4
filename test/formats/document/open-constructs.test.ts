/**
 * What the specification of OpenDocument (1.3, 5 to 11 and 13) has for text, in texts, presentations and sheets: each construct is
 * shown, or counted in a notice, unless it is none: programs, media, and what helps to fill in a cell.
 */

import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { fixture } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

const MATH =
  '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>E</mi><mo>=</mo><mfrac><mi>m</mi><mn>2</mn></mfrac></mrow><annotation encoding="StarMath 5.0">E = m over 2</annotation></semantics></math>';
const object = (name: string): string =>
  `<draw:frame><draw:object xlink:href="./${name}"/><draw:image xlink:href="./ObjectReplacements/${name}"/></draw:frame>`;
const inside = MATH.replaceAll(/<(\/?)(?=m)/g, '<$1math:').replace('xmlns=', 'xmlns:math=');
const box = (...texts: string[]): string =>
  `<draw:custom-shape>${texts.map((text) => `<text:p>${text}</text:p>`).join('')}</draw:custom-shape>`;
const span = (style: string, text: string): string =>
  `<text:span text:style-name="${style}">${text}</text:span>`;

/** Shapes. */
const KINDS =
  'custom-shape rect ellipse circle line polyline polygon path connector caption regular-polygon measure'.split(
    ' ',
  );
const p = (text: string): string => `<text:p>${text}</text:p>`;
const row = (...cells: string[]): string =>
  `<table:table-row>${cells.map((text) => `<table:table-cell office:value-type="string">${p(text)}</table:table-cell>`).join('')}</table:table-row>`;

const SHOWN: readonly (readonly [construct: string, xml: string, shown: string])[] = [
  ['an equation', `Energy ${object('Formula')} end`, 'Energy E= m/2 end'],
  [
    'an equation in the text',
    `A <draw:frame><draw:object>${inside}</draw:object></draw:frame> b`,
    'A E= m/2 b',
  ],
  ['a shape', `Before ${box('BOX one', 'BOX two')}after.`, 'Before BOX one BOX two after.'],
  ['a superscript', `10${span('Up', `${span('Other', '6')}`)} cells`, '10^6 cells'],
  ['a subscript', `1010${span('Down', '2')}`, '1010_2'],
  ['a sign', `5 ${span('Greek', '\uf06d')}g`, '5 μg'],
  [
    'a comment before its word',
    `say <office:annotation>${p('Why?')}</office:annotation>so`,
    'say so [comment: Why?]',
  ],
  ['an object', `Here ${object('Chart')} it is`, 'Here  it is'],
  ['a link', '<text:a xlink:href="https://ex.org/o">site</text:a>', '[site](https://ex.org/o)'],
  [
    'spaces and breaks',
    'a<text:tab/>b<text:s text:c="2"/>c<text:line-break/>d<text:soft-page-break/>e',
    'a b  c\\\nde',
  ],
  [
    'fields',
    'date author-name variable-get user-field-get expression text-input placeholder bookmark-ref sequence conditional-text page-number title database-display note-ref bibliography-mark file-name chapter measure meta meta-field'
      .split(' ')
      .map((name) => `<text:${name}>W</text:${name}>`)
      .join(' '),
    Array.from({ length: 20 }, () => 'W').join(' '),
  ],
  ['a chosen value', '<text:drop-down><text:label text:value="q"/>yes</text:drop-down>', 'yes'],
  [
    'a gloss',
    '<text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>kan</text:ruby-text></text:ruby>',
    '漢(kan)',
  ],
  [
    'a comment',
    'an<office:annotation><dc:creator>Bo</dc:creator><text:p>Why?</text:p></office:annotation>chor',
    'anchor [comment by Bo: Why?]',
  ],
  ['a picture', '<draw:frame><draw:image xlink:href="x.png"/><svg:title>Cat</svg:title></draw:frame>', 'Cat'],
  [
    'kinds of shapes',
    KINDS.map((kind) => `<draw:${kind}><text:p>W</text:p></draw:${kind}>`).join(''),
    KINDS.map(() => 'W').join('  '),
  ],
  [
    'a linked frame',
    '<draw:a xlink:href="https://ex.org/"><draw:rect><text:p>linked</text:p></draw:rect></draw:a>',
    'linked',
  ],
  ['a control', 'x<draw:control draw:control="c"/>', 'x'],
  ['media', 'x<draw:frame><draw:plugin xlink:href="m.mp4"/></draw:frame>', 'x'],
];

/** Those beside paragraphs. */
const BODIES: readonly (readonly [construct: string, xml: string, shown: string])[] = [
  ['a frame', `<draw:frame><draw:text-box>${p('framed')}</draw:text-box></draw:frame>`, 'framed'],
  ['a section', `<text:section text:name="s">${p('section')}</text:section>`, 'section'],
  ['a numbered paragraph', `<text:numbered-paragraph>${p('numbered')}</text:numbered-paragraph>`, 'numbered'],
  [
    'an index',
    `<text:alphabetical-index><text:index-body><text:index-title>${p('title')}</text:index-title>${p('entry')}</text:index-body></text:alphabetical-index>`,
    'title\n\nentry',
  ],
  [
    'a list',
    `<text:list><text:list-header>${p('head')}</text:list-header><text:list-item>${p('item')}</text:list-item></text:list>`,
    'head\n\n- item',
  ],
  [
    'groups of rows',
    `<table:table><table:table-header-rows>${row('A', 'B')}</table:table-header-rows><table:table-row-group>${row('c', 'd')}</table:table-row-group></table:table>`,
    '| A | B |\n| --- | --- |\n| c | d |',
  ],
];

test('each construct of an odt is shown or counted', async () => {
  const parts = unzipSync(fixture('report.odt'));
  const style = (name: string, position: string): string =>
    `<style:style style:name="${name}" style:family="text"><style:text-properties style:text-position="${position}"/></style:style>`;
  const rows = [...SHOWN.map(([name, xml, is]) => [name, p(xml), is] as const), ...BODIES];
  const body = rows.map(([, xml], i) => p(`#${i}`) + xml).join('');
  const content = Buffer.from(parts['content.xml'] ?? [])
    .toString()
    .replace(
      '</office:automatic-styles>',
      `<style:style style:name="Greek" style:family="text"><style:text-properties style:font-name="Symbol"/></style:style>${style('Up', 'super 58%')}${style('Down', '-33% 58%')}$&`,
    )
    .replace(/<office:text[^>]*>/, `$&${body}<text:p>#end</text:p>`);
  parts['content.xml'] = Buffer.from(content);
  parts['Formula/content.xml'] = Buffer.from(MATH);
  parts['Chart/content.xml'] = Buffer.from(
    '<office:document-content><office:chart/></office:document-content>',
  );
  const { write, text } = workspace(unhurried);
  write('a.odt', Buffer.from(zipSync(parts)));
  const shown = await text('a.odt:raw');
  const found = shown.split(/(?:^|\n)\\?#(?:\d+|end)\n/).map((part) => part.trim());
  expect(rows.map(([construct], i) => [construct, found[i + 1]])).toEqual(
    rows.map(([construct, , is]) => [construct, is]),
  );
  expect(shown).toMatch(/\n\[Not shown: 1 chart, 1 form control\]$/);
});

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns';
const flat = (type: string, body: string, styles = ''): string =>
  `<?xml version="1.0"?><office:document ${['office', 'text', 'table', 'style', 'presentation', 'form'].map((name) => `xmlns:${name}="${OASIS}:${name}:1.0"`).join(' ')} xmlns:draw="${OASIS}:drawing:1.0" xmlns:svg="${OASIS}:svg-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${type}"><office:automatic-styles><style:style style:name="Up" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style></office:automatic-styles>${styles}<office:body><office:${type}>${body}</office:${type}></office:body></office:document>`;
const frame = (content: string, kind = ''): string =>
  `<draw:frame${kind && ` presentation:class="${kind}"`}><draw:text-box>${content}</draw:text-box></draw:frame>`;

const SLIDE: readonly (readonly [construct: string, xml: string, shown: string])[] = [
  [
    'a text box',
    frame(p('box') + `<text:list><text:list-item>${p('item')}</text:list-item></text:list>`),
    'box\n\n- item',
  ],
  [
    'kinds of shapes',
    KINDS.map((kind) => `<draw:${kind}>${p('W')}</draw:${kind}>`).join(''),
    KINDS.map(() => 'W').join('\n\n'),
  ],
  ['a group in a group', `<draw:g><draw:g><draw:rect>${p('inner')}</draw:rect></draw:g></draw:g>`, 'inner'],
  ['a picture', '<draw:frame><draw:image xlink:href="x.png"/><svg:title>Cat</svg:title></draw:frame>', 'Cat'],
  [
    'a table',
    `<draw:frame><table:table>${row('A', 'B')}</table:table></draw:frame>`,
    '|  |  |\n| --- | --- |\n| A | B |',
  ],
  ['a linked frame', `<draw:a xlink:href="https://ex.org/">${frame(p('linked'))}</draw:a>`, 'linked'],
  ['a superscript', frame(p('10<text:span text:style-name="Up">6</text:span>')), '10^6'],
  ['a control', '<draw:control draw:control="c"/>', ''],
  ['an object', '<draw:frame><draw:object-ole xlink:href="./ole"/></draw:frame>', ''],
  ['a footer', frame(p('<presentation:footer/>'), 'footer'), ''],
];

test('each construct of an odp is shown or counted', async () => {
  const { write, text } = workspace(unhurried);
  const body = SLIDE.map(([, xml], i) => frame(p(`#${i}`)) + xml).join('');
  const notes = `<presentation:notes>${frame(p('said'), 'notes')}</presentation:notes>`;
  const comment = `<office:annotation><dc:creator>Bo</dc:creator>${p('Why?')}</office:annotation>`;
  write(
    'a.fodp',
    flat(
      'presentation',
      `<presentation:footer-decl presentation:name="f">Draft</presentation:footer-decl><draw:page presentation:use-footer-name="f">${body}${frame(p('#end'))}${comment}${notes}</draw:page>`,
    ),
  );
  const shown = await text('a.fodp:raw');
  const found = shown.split(/\n\\?#(?:\d+|end)\n/).map((part) => part.trim());
  expect(SLIDE.map(([construct], i) => [construct, found[i + 1]])).toEqual(
    SLIDE.map(([construct, , is]) => [construct, is]),
  );
  expect(found.at(-1)).toBe(
    'Speaker notes:\n\n> said\n\n[comment by Bo: Why?]\n\n## Headers and footers\n\n- footer: Draft\n[Not shown: 1 form control, 1 embedded object]',
  );
});

const cell = (attributes: string, content: string): string =>
  `<table:table-cell ${attributes}>${content}</table:table-cell>`;
const STRING = 'office:value-type="string"';

const CELLS: readonly (readonly [construct: string, cell: string, shown: string])[] = [
  ['two paragraphs', cell(STRING, p('a') + p('b')), '"a\\nb"'],
  ['a number', cell('office:value-type="float" office:value="1.5"', p('1,5')), '1,5'],
  ['a boolean', cell('office:value-type="boolean" office:boolean-value="true"', p('WAHR')), 'TRUE'],
  ['an amount', cell('office:value-type="currency" office:value="3"', p('3,00 €')), '3,00 €'],
  ['a percentage', cell('office:value-type="percentage" office:value="0.5"', p('50 %')), '50 %'],
  [
    'a date',
    cell('office:value-type="date" office:date-value="2024-03-01T10:00:00"', p('1 March')),
    '2024-03-01 10:00',
  ],
  [
    'a link',
    cell(STRING, p('<text:a xlink:href="https://ex.org/c">site</text:a>')),
    'site <https://ex.org/c>',
  ],
  ['spaces and breaks', cell(STRING, p('a<text:s/>b<text:tab/>c<text:line-break/>d')), '"a b\\tc\\nd"'],
  [
    'a comment',
    cell(
      STRING,
      `<office:annotation><dc:creator>Bo</dc:creator>${p('Why?')}</office:annotation>${p('noted')}`,
    ),
    'noted [comment: Why?]',
  ],
  ['a formula without a result', cell('table:formula="of:=1+1"', ''), '=1+1'],
  ['a superscript', cell(STRING, p('10<text:span text:style-name="Up">6</text:span>')), '10^6'],
  ['a heading', cell(STRING, '<text:h>head</text:h>'), 'head'],
  ['a list', cell(STRING, `<text:list><text:list-item>${p('item')}</text:list-item></text:list>`), 'item'],
  ['a field', cell(STRING, p('<text:sheet-name>S</text:sheet-name>')), 'S'],
];

test('each construct of an ods is shown or counted', async () => {
  const { write, text } = workspace(unhurried);
  const rows = CELLS.map(([, one]) => `<table:table-row>${one}</table:table-row>`);
  const shapes = `<table:shapes><draw:rect>${p('shape')}</draw:rect><draw:frame><draw:image xlink:href="a.png"/><svg:title>Cat</svg:title></draw:frame><draw:control draw:control="c"/><draw:frame><draw:object-ole xlink:href="./o"/></draw:frame></table:shapes>`;
  const master = `<office:master-styles><style:master-page style:name="D"><style:header>${p('On top')}</style:header><style:footer>${p('Page <text:page-number>1</text:page-number>')}</style:footer></style:master-page></office:master-styles>`;
  write(
    'a.fods',
    flat(
      'spreadsheet',
      `<table:tracked-changes><table:deletion/></table:tracked-changes><table:table table:name="S">${shapes}<table:table-row-group>${rows.join('')}</table:table-row-group></table:table>`,
      master,
    ),
  );
  const shown = await text('a.fods:raw');
  expect(
    CELLS.map(([construct], i) => [
      construct,
      new RegExp(`^\\| ${i + 1} \\| (.*) \\|$`, 'm').exec(shown)?.[1],
    ]),
  ).toEqual(CELLS.map(([construct, , is]) => [construct, is]));
  expect(shown).toMatch(
    /\n## Drawings\n\n- shape: shape\n- picture: Cat\n\n## Headers and footers\n\n- header: On top\n\[Not shown: 1 form control, 1 embedded object, tracked deletions\]$/,
  );
});
