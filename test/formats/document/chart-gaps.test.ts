/** Charts with blank points: each value stands at its own category. */

import { expect, test } from 'vitest';
import { docx } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

const point = (i: number, value: string | number): string => `<c:pt idx="${i}"><c:v>${value}</c:v></c:pt>`;
const series = (name: string, values: readonly (readonly [number, number])[]): string =>
  `<c:ser><c:tx><c:strRef><c:strCache>${point(0, name)}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:ptCount val="4"/>${['Jan', 'Feb', 'Mar', 'Apr'].map((month, i) => point(i, month)).join('')}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:ptCount val="4"/>${values.map(([i, value]) => point(i, value)).join('')}</c:numCache></c:numRef></c:val></c:ser>`;

const C = 'http://schemas.openxmlformats.org/drawingml/2006/chart';

test('values behind a blank one keep their categories', async () => {
  const { write, text } = workspace(unhurried);
  const drawing = `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr id="5" name="G"/><a:graphic><a:graphicData uri="${C}"><c:chart xmlns:c="${C}" r:id="ch"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
  const parts = {
    'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="ch" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/chart" Target="charts/chart1.xml"/></Relationships>`,
    'word/charts/chart1.xml': `<c:chartSpace xmlns:c="${C}"><c:chart><c:plotArea><c:barChart>${series(
      'North',
      [
        [0, 10],
        [2, 30],
        [3, 40],
      ],
    )}${series('South', [[3, 99]])}</c:barChart></c:plotArea></c:chart></c:chartSpace>`,
  };
  write('a.docx', docx(drawing, '', parts));
  expect(await text('a.docx:raw')).toContain(
    '| Jan | 10 |  |\n| Feb |  |  |\n| Mar | 30 |  |\n| Apr | 40 | 99 |\n',
  );
});
