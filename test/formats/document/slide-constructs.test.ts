/** What the specification of slides has for text (ECMA-376-1, 19.3 and 21.1): each construct is shown, or counted in a notice. */

import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { fixture } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

const SPACES =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';

const run = (text: string, properties = ''): string => `<a:r><a:rPr${properties}/><a:t>${text}</a:t></a:r>`;
const shape = (...paragraphs: string[]): string => placeholder('', ...paragraphs);
const placeholder = (type: string, ...paragraphs: string[]): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="3" name="S"/><p:cNvSpPr/><p:nvPr>${type && `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>${paragraphs
    .map((one) => `<a:p>${one}</a:p>`)
    .join('')}</p:txBody></p:sp>`;

function slideWith(content: string): Buffer {
  const parts = unzipSync(fixture('slides.pptx'));
  parts['ppt/slides/slide1.xml'] = Buffer.from(
    `<?xml version="1.0"?><p:sld ${SPACES}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${content}</p:spTree></p:cSld></p:sld>`,
  );
  return Buffer.from(zipSync(parts));
}

test('a slide keeps its equations, the text beside them, and superscripts', async () => {
  const { write, text } = workspace(unhurried);
  const math =
    '<a14:m><m:oMath><m:r><m:t>E=m</m:t></m:r><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></a14:m>';
  const choice = shape(run('before'), `${run('Formula: ')}${math}`);
  const content = `<mc:AlternateContent><mc:Choice Requires="a14">${choice}</mc:Choice><mc:Fallback>${shape(run('old'))}</mc:Fallback></mc:AlternateContent>${shape(`${run('10')}${run('6', ' baseline="30000"')}${run(' cells')}`)}`;
  write('a.pptx', slideWith(content));
  const shown = await text('a.pptx:p1:raw');
  expect(shown).toContain('before\n\nFormula: E=mc^2\n\n10^6 cells\n');
  expect(shown).not.toContain('old');
});

const graphic = (kind: string, content: string): string =>
  `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="F"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/${kind}">${content}</a:graphicData></a:graphic></p:graphicFrame>`;
const cell = (text: string, attributes = ''): string =>
  `<a:tc${attributes}><a:txBody><a:bodyPr/><a:p>${text && run(text)}</a:p></a:txBody></a:tc>`;
const group = (content: string): string =>
  `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="9" name="G"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${content}</p:grpSp>`;
const field = (type: string, text: string): string =>
  `<a:fld id="{1}" type="${type}"><a:rPr/><a:t>${text}</a:t></a:fld>`;
const bullet = (kind: string, text: string): string => `<a:pPr>${kind}</a:pPr>${run(text)}`;

/** Placeholders for a header, footer, date or number are shown once, at the end; numbers and current dates are not. */
const SHOWN: readonly (readonly [construct: string, xml: string, shown: string])[] = [
  ['a title', placeholder('title', run('Title')), '## Title'],
  ['a subtitle', placeholder('subTitle', run('Subtitle')), 'Subtitle'],
  ['a body', placeholder('body', run('one'), run('two')), 'one\n\ntwo'],
  ['a line break and a tab', shape(`${run('a')}<a:br/>${run('b\tc')}`), 'a\\\nb\tc'],
  ['a field', shape(run('on ') + field('datetime1', '5 May')), 'on 5 May'],
  [
    'a list from c on',
    shape(bullet('<a:buAutoNum type="alphaLcParenR" startAt="3"/>', 'three')),
    '- c) three',
  ],
  ['a bullet', shape(bullet('<a:buChar char="•"/>', 'point')), '- point'],
  ['a group in a group', group(shape(run('outer')) + group(shape(run('inner')))), 'outer\n\ninner'],
  [
    'a picture with a description',
    '<p:pic><p:nvPicPr><p:cNvPr id="9" name="P" descr="A cat"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill/><p:spPr/></p:pic>',
    'A cat',
  ],
  [
    'a table with a merged cell',
    graphic(
      'drawingml/2006/table',
      `<a:tbl><a:tblPr/><a:tblGrid><a:gridCol w="1"/><a:gridCol w="1"/></a:tblGrid><a:tr h="1">${cell('H1')}${cell('H2')}</a:tr><a:tr h="1">${cell('both', ' gridSpan="2"')}${cell('', ' hMerge="1"')}</a:tr></a:tbl>`,
    ),
    '| H1 | H2 |\n| --- | --- |\n| both |  |',
  ],
  [
    'an embedded object',
    graphic('presentationml/2006/ole', '<p:oleObj progId="Excel.Sheet.12" r:id="x"><p:embed/></p:oleObj>'),
    'Embedded object: Excel.Sheet.12',
  ],
  ['a chart of a new kind', graphic('chartex', '<cx:chart xmlns:cx="x" r:id="y"/>'), ''],
  [
    'ink with a fallback',
    `<mc:AlternateContent><mc:Choice Requires="p14"><p:contentPart r:id="z"/></mc:Choice><mc:Fallback>${shape(run('fallback'))}</mc:Fallback></mc:AlternateContent>`,
    'fallback',
  ],
  [
    'signs',
    shape(
      '<a:r><a:rPr><a:sym typeface="Symbol"/></a:rPr><a:t>\uf06d</a:t></a:r>' +
        run('g ') +
        '<a:r><a:rPr><a:latin typeface="Wingdings"/></a:rPr><a:t>ü</a:t></a:r>',
    ),
    'μg ✓',
  ],
  ['a footer', placeholder('ftr', run('Draft')), ''],
  ['a date', placeholder('dt', run('12 May')), ''],
  ['a slide number', placeholder('sldNum', field('slidenum', '1')), ''],
  ['a text in a picture placeholder', placeholder('pic', run('in a picture')), 'in a picture'],
];

test('text of layouts, tables and superscripts in notes, and links of shapes', async () => {
  const parts = unzipSync(
    slideWith(shape(run('body')).replace('name="S"/>', 'name="S"><a:hlinkClick r:id="h"/></p:cNvPr>')),
  );
  const slide = 'ppt/slides/_rels/slide1.xml.rels';
  const names = Buffer.from(parts[slide] ?? []).toString();
  const layout = /slideLayouts\/[^"]+/.exec(names)?.[0] ?? '';
  const put = (name: string, of: string, added: string): void => {
    const xml = Buffer.from(parts[name] ?? []).toString();
    parts[name] = Buffer.from(xml.replace(of, `${added}$&`));
  };
  const to = (id: string, kind: string, target: string): string =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}" TargetMode="External"/>`;
  put(slide, '</Relationships>', to('h', 'hyperlink', 'https://ex.org/s'));
  put(`ppt/${layout}`, '</p:spTree>', shape(run('Confidential')) + placeholder('body', run('prompt')));
  const row = `<a:tr h="1">${cell('n1')}${cell('n2')}</a:tr>`;
  const notes =
    placeholder('body', run('10') + run('6', ' baseline="30000"')) +
    graphic('drawingml/2006/table', `<a:tbl>${row}</a:tbl>`);
  parts['ppt/notesSlides/notesSlide1.xml'] = Buffer.from(
    `<p:notes ${SPACES}><p:cSld><p:spTree>${notes}</p:spTree></p:cSld></p:notes>`,
  );
  const { write, text } = workspace(unhurried);
  write('a.pptx', Buffer.from(zipSync(parts)));
  const shown = await text('a.pptx:p1:raw');
  expect(shown).toContain('> 10^6\n\n<https://ex.org/s>\n\nSpeaker notes: n1 | n2\n');
  expect(shown).toContain('- layout: Confidential\n');
  expect(shown).not.toContain('prompt');
});

test('each construct of a slide is shown or counted', async () => {
  const { write, text } = workspace(unhurried);
  const body = SHOWN.map(([, xml], i) => shape(run(`#${i}`)) + xml).join('');
  write('a.pptx', slideWith(body + shape(run('#end'))));
  const shown = await text('a.pptx:p1:raw');
  const found = shown.split(/\n\\?#(?:\d+|end)\n/).map((part) => part.trim());
  expect(SHOWN.map(([construct], i) => [construct, found[i + 1]])).toEqual(
    SHOWN.map(([construct, , is]) => [construct, is]),
  );
  expect(shown).toContain('\n## Headers and footers\n\n- footer: Draft\n- date: 12 May\n');
  expect(shown).toMatch(/\n\[Not shown: 1 chart\]$/);
});
