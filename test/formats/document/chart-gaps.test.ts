/** Charts: each value stands at its own category, in every kind of chart. */

import { expect, test } from 'vitest';
import { mendedChart } from '../../../src/formats/document/child/repairs/anydoc-charts.ts';
import { docx } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

const point = (i: number, value: string | number): string => `<c:pt idx="${i}"><c:v>${value}</c:v></c:pt>`;
const series = (name: string, values: readonly (readonly [number, number])[]): string =>
  `<c:ser><c:tx><c:strRef><c:strCache>${point(0, name)}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:ptCount val="4"/>${['Jan', 'Feb', 'Mar', 'Apr'].map((month, i) => point(i, month)).join('')}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:ptCount val="4"/>${values.map(([i, value]) => point(i, value)).join('')}</c:numCache></c:numRef></c:val></c:ser>`;

const C = 'http://schemas.openxmlformats.org/drawingml/2006/chart';

const drawing = `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr id="5" name="G"/><a:graphic><a:graphicData uri="${C}"><c:chart xmlns:c="${C}" r:id="ch"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;

/** A document with a chart of this kind. */
const charted = (kind: string, content: string): Buffer =>
  docx(drawing, '', {
    'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="ch" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/chart" Target="charts/chart1.xml"/></Relationships>`,
    'word/charts/chart1.xml': `<c:chartSpace xmlns:c="${C}"><c:chart><c:plotArea><c:${kind}>${content}</c:${kind}></c:plotArea></c:chart></c:chartSpace>`,
  });

test('values behind a blank one keep their categories', async () => {
  const { write, text } = workspace(unhurried);
  const north = series('North', [
    [0, 10],
    [2, 30],
    [3, 40],
  ]);
  write('a.docx', charted('barChart', north + series('South', [[3, 99]])));
  expect(await text('a.docx:raw')).toContain(
    '| Jan | 10 |  |\n| Feb |  |  |\n| Mar | 30 |  |\n| Apr | 40 | 99 |\n',
  );
});

test('dates of a chart are shown as dates, durations as they are', async () => {
  const { write, text } = workspace(unhurried);
  const dates = `<c:cat><c:numRef><c:numCache><c:formatCode>d\\-mmm</c:formatCode>${point(0, 45_292)}${point(1, 45_323.75)}</c:numCache></c:numRef></c:cat>`;
  const sold = points('Sold', { val: [1.5, 2] })
    .replace('<c:val>', `${dates}$&`)
    .replace('<c:val><c:strRef><c:strCache>', '$&<c:formatCode>[h]:mm</c:formatCode>');
  write('a.docx', charted('barChart', sold));
  expect(await text('a.docx:raw')).toContain('| 2024-01-01 | 1.5 |\n| 2024-02-01 18:00 | 2 |\n');
});

/** A series with values, and with its own values on other axes. */
const points = (name: string, axes: Readonly<Record<string, readonly (string | number)[]>>): string => {
  const cache = (texts: readonly (string | number)[]): string =>
    `<c:strRef><c:strCache>${texts.map((text, i) => point(i, text)).join('')}</c:strCache></c:strRef>`;
  const all = Object.entries(axes).map(([axis, texts]) => `<c:${axis}>${cache(texts)}</c:${axis}>`);
  return `<c:ser><c:tx>${cache([name])}</c:tx>${all.join('')}</c:ser>`;
};

test('charts of points and bubbles, and charts without categories, are shown', async () => {
  const { write, text } = workspace(unhurried);
  const bare = points('Bare', { val: [7, 8] });
  write('bare.docx', charted('lineChart', bare));
  expect(await text('bare.docx:raw')).toBe('|  | Bare |\n| --- | --- |\n| 1 | 7 |\n| 2 | 8 |\n');
  const near = points('Near', { xVal: [1, 2], yVal: [5, 6] });
  const far = points('Far', { xVal: [30, 40], yVal: [7, 8], bubbleSize: [9, 10] });
  write('xy.docx', charted('scatterChart', near + far));
  expect(await text('xy.docx:raw')).toBe(
    '|  | Near x | Near | Far x | Far | Far size |\n| --- | --- | --- | --- | --- | --- |\n' +
      '| 1 | 1 | 5 | 30 | 7 | 9 |\n| 2 | 2 | 6 | 40 | 8 | 10 |\n',
  );
  const level = (...texts: readonly (readonly [number, string])[]): string =>
    `<c:lvl>${texts.map(([i, text]) => point(i, text)).join('')}</c:lvl>`;
  const quarters = `<c:multiLvlStrRef><c:multiLvlStrCache>${level([0, 'Q1'], [1, 'Q2'], [2, 'Q1'])}${level([0, '2001'], [2, '2002'])}</c:multiLvlStrCache></c:multiLvlStrRef>`;
  const sold = points('Sold', { val: [1, 2, 3] }).replace('<c:val>', `<c:cat>${quarters}</c:cat><c:val>`);
  write('levels.docx', charted('barChart', sold));
  expect(await text('levels.docx:raw')).toBe(
    '|  | Sold |\n| --- | --- |\n| 2001 Q1 | 1 |\n| 2001 Q2 | 2 |\n| 2002 Q1 | 3 |\n',
  );
});

test('error bars get no categories', async () => {
  const { write, text } = workspace(unhurried);
  const bars = '<c:errBars><c:errValType val="fixedVal"/><c:val val="1"/></c:errBars>';
  const measured = points('Measured', { val: [7, 8] }).replace('<c:val>', `${bars}<c:val>`);
  write('bars.docx', charted('lineChart', measured));
  expect(await text('bars.docx:raw')).toBe('|  | Measured |\n| --- | --- |\n| 1 | 7 |\n| 2 | 8 |\n');
});

test('a chart does not grow by more than a limit', () => {
  const long = points('Long', { val: Array.from({ length: 2_000 }, (_, i) => i) });
  const xml = long + '<c:ser><c:val></c:val></c:ser>'.repeat(1_000);
  expect(mendedChart(xml)).toBe(xml);
  const labelled = long.replace('<c:val>', `<c:cat>${'<c:v>a</c:v>'.repeat(2_000)}</c:cat><c:val>`);
  const shared = labelled + '<c:ser><c:val></c:val></c:ser>'.repeat(1_000);
  expect(mendedChart(shared)).toBe(shared);
});
