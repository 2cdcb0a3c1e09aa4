/** Text of slides in constructs that converters leave out or join. */

import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { fixture } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

const SPACES =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';

const run = (text: string, properties = ''): string => `<a:r><a:rPr${properties}/><a:t>${text}</a:t></a:r>`;
const shape = (...paragraphs: string[]): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="3" name="S"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>${paragraphs
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
