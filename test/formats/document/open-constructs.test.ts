/** Text of OpenDocument in constructs that converters leave out or join. */

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
  ['an object', `Here ${object('Chart')} it is`, 'Here  it is'],
];

test('each construct of an odt is shown or counted', async () => {
  const parts = unzipSync(fixture('report.odt'));
  const style = (name: string, position: string): string =>
    `<style:style style:name="${name}" style:family="text"><style:text-properties style:text-position="${position}"/></style:style>`;
  const body = SHOWN.map(([, xml], i) => `<text:p>#${i}</text:p><text:p>${xml}</text:p>`).join('');
  const content = Buffer.from(parts['content.xml'] ?? [])
    .toString()
    .replace('</office:automatic-styles>', `${style('Up', 'super 58%')}${style('Down', '-33% 58%')}$&`)
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
  expect(SHOWN.map(([construct], i) => [construct, found[i + 1]])).toEqual(
    SHOWN.map(([construct, , is]) => [construct, is]),
  );
  expect(shown).toMatch(/\n\[Not shown: 1 chart\]$/);
});
